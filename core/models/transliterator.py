"""The English-Khmer transliterator of netra-transliterate, in our own checkpoint format.

Its Keras network: embeddings; a GRU in both directions, whose states a linear map narrows; a GRU decoder that starts
from zero and asks after its step, v · tanh(s + h); words read from [s; c]. Gates are those of `reset_after`.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.models.keras import keras_weights
from core.models.pickles import plain_data
from core.zoo.recurrent import LetterTokenizer, RecurrentConfig, RecurrentForConditionalGeneration

STATES, EMBEDDING, SOURCE_NUMBERS, TARGET_NUMBERS = 64, 32, 28, 81
NAMES = frozenset(
    (
        "keras.src.legacy.preprocessing.text.Tokenizer",
        "collections.OrderedDict",
        "collections.defaultdict",
        "builtins.int",
    )
)
# Both sides of Keras number padding 0 and unknown letters 1; in one vocabulary, the letters written follow those read.
SHARED = 2
# A letter that is only read is never written: its probability is zero in float32.
NEVER = -1e4
_GRU = {"0": (EMBEDDING, 3 * STATES), "1": (STATES, 3 * STATES), "2": (2, 3 * STATES)}
_CELLS = {
    "layers/bidirectional/forward_layer/cell": ("encoder.layers.stack.0.", "_l0"),
    "layers/bidirectional/backward_layer/cell": ("encoder.layers.stack.0.", "_l0_reverse"),
    "layers/gru/cell": ("decoder.cell.", ""),
}
_TABLES = {
    "layers/embedding/vars/0": (SOURCE_NUMBERS, EMBEDDING),
    "layers/embedding_1/vars/0": (TARGET_NUMBERS, EMBEDDING),
    "layers/time_distributed/layer/vars/0": (2 * STATES, STATES),
    "layers/time_distributed/layer/vars/1": (STATES,),
    "layers/additive_attention/vars/0": (STATES,),
    "layers/dense/vars/0": (2 * STATES, TARGET_NUMBERS),
    "layers/dense/vars/1": (TARGET_NUMBERS,),
}
SHAPES = _TABLES | {f"{cell}/vars/{name}": shape for cell in _CELLS for name, shape in _GRU.items()}


def write_transliterator(model: Path, assets: Path, folder: Path) -> None:
    """Write config, weights and tokenizer into a folder. Raises HeadlightError for files that are not the model's."""
    told = plain_data(assets.read_bytes(), NAMES)
    letters = _letters(assets.name, told, "eng_tokenizer", SOURCE_NUMBERS)
    signs = _letters(assets.name, told, "khm_tokenizer", TARGET_NUMBERS)
    length = told.get("max_eng_len")
    if not isinstance(length, int) or not 0 < length < 1000 or {"\t", "\n"} - signs.keys():
        raise HeadlightError(f"{assets.name} does not describe a transliterator: get it again.")
    vocabulary = {"<pad>": 0, "<unk>": 1} | letters | {_shown(sign): _moved(n) for sign, n in signs.items()}
    network = RecurrentForConditionalGeneration(_config(vocabulary))
    network.load_state_dict(_converted(keras_weights(model, SHAPES)))
    network.save_pretrained(folder)
    _write_tokenizer(vocabulary, length, folder)


def _letters(name: str, told: Any, side: str, numbers: int) -> dict[str, int]:
    """Signs of one side and their Keras numbers, without unknown ones."""
    tokenizer = told.get(side) if isinstance(told, dict) else None
    index = tokenizer.get("word_index") if isinstance(tokenizer, dict) else None
    if not isinstance(index, dict) or set(index.values()) != set(range(1, numbers)) or len(index) != numbers - 1:
        raise HeadlightError(f"{name}: its {side} does not number {numbers - 1} signs; get it again.")
    return {sign: number for sign, number in index.items() if number >= SHARED}


def _shown(sign: str) -> str:
    return {"\t": "<s>", "\n": "</s>"}.get(sign, sign)


def _moved(number: int) -> int:
    return number + SOURCE_NUMBERS - SHARED


def _config(vocabulary: dict[str, int]) -> RecurrentConfig:
    return RecurrentConfig(
        vocab_size=len(vocabulary), hidden_size=STATES, embedding_size=EMBEDDING, encoder_size=2 * STATES, cell="gru",
        attention="sum", input_feeding=False, start="zero", readout=False,
        bos_token_id=vocabulary["<s>"], eos_token_id=vocabulary["</s>"], decoder_start_token_id=vocabulary["<s>"],
        architectures=["RecurrentForConditionalGeneration"],
    )  # fmt: skip


def _converted(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state dict of our network: torch keeps its matrices transposed."""
    source, target = weights["layers/embedding/vars/0"], weights["layers/embedding_1/vars/0"]
    converted = {
        "encoder.embedding.weight": torch.cat([source, torch.zeros_like(target[SHARED:])]),  # (S, E), (T, E)
        "decoder.embedding.weight": _written(target, torch.zeros(EMBEDDING)),
        "encoder.projection.weight": weights["layers/time_distributed/layer/vars/0"].T,
        "encoder.projection.bias": weights["layers/time_distributed/layer/vars/1"],
        "decoder.attention.score.total.weight": weights["layers/additive_attention/vars/0"][None],  # (H,) -> (1, H)
        # Keras joins [s; c], we join [c; s].
        "lm_head.weight": _written(weights["layers/dense/vars/0"].T.roll(STATES, dims=1), torch.zeros(2 * STATES)),
        "lm_head.bias": _written(weights["layers/dense/vars/1"], torch.tensor(NEVER)),
    }
    for cell, (prefix, suffix) in _CELLS.items():
        kernel, recurrent, biases = (weights[f"{cell}/vars/{i}"] for i in range(3))
        named = {"weight_ih": kernel.T, "weight_hh": recurrent.T, "bias_ih": biases[0], "bias_hh": biases[1]}
        converted |= {f"{prefix}{name}{suffix}": _in_torch_order(each) for name, each in named.items()}
    return {name: tensor.contiguous() for name, tensor in converted.items()}


def _written(rows: Tensor, read_only: Tensor) -> Tensor:
    """One row for each sign written, as for all of the vocabulary: letters that are only read get `read_only`."""
    between = read_only.expand(SOURCE_NUMBERS - SHARED, *read_only.shape)
    return torch.cat([rows[:SHARED], between, rows[SHARED:]])


def _in_torch_order(gates: Tensor) -> Tensor:
    """Keras has a GRU's update gate first, torch its reset gate: (3 · H, …) -> (3 · H, …)."""
    update, reset, new = gates.chunk(3)
    return torch.cat([reset, update, new])


def _write_tokenizer(vocabulary: dict[str, int], length: int, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as away:
        file = Path(away) / "vocab.json"
        file.write_text(json.dumps(vocabulary), encoding="utf-8")
        tokenizer = LetterTokenizer(
            str(file), source_letters="az", target_letters="\u1780\u17ff", source_length=length,
            model_max_length=length, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>",
        )  # fmt: skip
    tokenizer.save_pretrained(folder)
