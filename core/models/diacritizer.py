"""The Arabic diacritizer of arabic-diacritizer, in our own checkpoint format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from core.errors import HeadlightError
from core.zoo.tagging import RecurrentForTokenClassification, TaggingConfig

LAYERS, STATES, EMBEDDING = 3, 512, 128
# As long as the texts that it was trained on, at most.
MOST_TOKENS = 256
SPECIAL = ("<PAD>", "<UNK>", "<BOS>", "<EOS>")
LETTERS = "ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوي"
SIGNS = " .,،؛:؟!()-\"'\n"
FATHA, DAMMA, KASRA, SUKUN = "\u064e", "\u064f", "\u0650", "\u0652"
SHADDA, FATHATAN, DAMMATAN, KASRATAN = "\u0651", "\u064b", "\u064c", "\u064d"
_VOWELS = (FATHA, DAMMA, KASRA, FATHATAN, DAMMATAN, KASRATAN)
# The classes in the order of the classifier's rows: what is written after a letter.
MARKS = (
    "", FATHA, DAMMA, KASRA, SUKUN, SHADDA, FATHATAN, DAMMATAN, KASRATAN, *(SHADDA + vowel for vowel in _VOWELS),
)  # fmt: skip
_RENAMED = {
    "attention.W.weight": "attention.score.of_query.weight",
    "attention.U.weight": "attention.score.of_state.weight",
    "attention.v.weight": "attention.score.total.weight",
}


def write_diacritizer(file: Path, folder: Path) -> None:
    """Write config, weights and tokenizer into a folder. Raises HeadlightError for a file that is not the model's."""
    weights = {_name(name): tensor for name, tensor in _tensors(file).items()}
    network = RecurrentForTokenClassification(_config())
    expected = network.state_dict()
    wrong = sorted(name for name in expected.keys() | weights.keys() if _differs(expected.get(name), weights.get(name)))
    if wrong:
        raise HeadlightError(
            f"{file.name}: {len(wrong)} tensors, the first of them {wrong[0]}, are not those of the diacritizer; get "
            "it again."
        )
    network.load_state_dict(weights)
    network.save_pretrained(folder)
    _tokenizer().save_pretrained(folder)


def _config() -> TaggingConfig:
    names = dict(enumerate(MARKS))
    return TaggingConfig(
        vocab_size=len(SPECIAL) + len(LETTERS) + len(SIGNS), hidden_size=STATES, embedding_size=EMBEDDING, cell="lstm",
        num_hidden_layers=LAYERS, attention="additive", id2label=names, label2id={n: i for i, n in names.items()},
        architectures=["RecurrentForTokenClassification"],
    )  # fmt: skip


def _tensors(file: Path) -> dict[str, Tensor]:
    stated = _opened(file)
    if not isinstance(stated, dict) or not all(
        isinstance(name, str) and isinstance(tensor, Tensor) for name, tensor in stated.items()
    ):
        raise HeadlightError(f"{file.name} holds something else than tensors: get it again.")
    return stated


def _opened(file: Path) -> Any:
    """What a file of torch holds, without running any program in it."""
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    # What torch raises for a damaged file is not told anywhere, and is of many kinds.
    except Exception as error:
        raise HeadlightError(f"{file.name} is no file of tensors that can be read: get it again.") from error


def _differs(expected: Tensor | None, found: Tensor | None) -> bool:
    return expected is None or found is None or (expected.shape, expected.dtype) != (found.shape, found.dtype)


def _name(name: str) -> str:
    """In our network each recurrent layer is a module of its own: `lstm.weight_ih_l2_reverse` is the third's."""
    if not name.startswith("lstm."):
        return _RENAMED.get(name, name)
    kind, _, rest = name.removeprefix("lstm.").partition("_l")
    number, _, direction = rest.partition("_")
    return f"encoder.stack.{number}.{kind}_l0{'_' + direction if direction else ''}"


def _tokenizer() -> PreTrainedTokenizerFast:
    """One token a character; marks that a text has already are left out, as they are what is asked for."""
    vocabulary = {name: number for number, name in enumerate((*SPECIAL, *LETTERS, *SIGNS))}
    # Byte pairs without a pair are characters, and unlike a list of words they leave words to the step before.
    backend = Tokenizer(models.BPE(vocabulary, [], unk_token="<UNK>"))
    marks = "".join(sorted(set("".join(MARKS))))
    backend.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(f"[{marks}]"), "")])
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s"), "merged_with_next")
    backend.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, model_max_length=MOST_TOKENS, pad_token="<PAD>", unk_token="<UNK>"
    )
