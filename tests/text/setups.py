"""Tokenizers as published models set up theirs: trained here in a moment, saved, and opened by transformers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoTokenizer,
    BertTokenizer,
    ByT5Tokenizer,
    GPT2Tokenizer,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen2Tokenizer,
    RobertaTokenizer,
)

from tests.byte_level import SENTENCES, byte_level_tokenizer

_TEXTS = [*SENTENCES, "hello world, this is a test", "我爱你 我爱你 我", "the well-known café's owner", "ﬁne ofﬁce"] * 4
_IDS = dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
_XLM_IDS = dict(bos_id=0, pad_id=1, eos_id=2, unk_id=3)


def sentencepiece_model(kind: str, **options: Any) -> bytes:
    """A SentencePiece model, `unigram` or `bpe`, as the bytes of its file."""
    written = io.BytesIO()
    sizes = dict(vocab_size=420, hard_vocab_limit=False, minloglevel=2)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(_TEXTS), model_writer=written, model_type=kind, **(sizes | options)
    )
    return written.getvalue()


def _of_files(kind: str, file: str, model: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / file).write_bytes(model)
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))

    return write


def _llama_bpe() -> bytes:
    options = dict(byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False)
    return sentencepiece_model("bpe", character_coverage=0.98, allow_whitespace_only_pieces=True, **options)


def _older_llama(folder: Path) -> None:
    """As tokenizer.json files before transformers 5 say it: spaces are replaced by the normaliser."""
    (folder / "new").mkdir()
    _of_files("LlamaTokenizer", "tokenizer.model", _llama_bpe())(folder / "new")
    backend = AutoTokenizer.from_pretrained(folder / "new").backend_tokenizer
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    specification = json.loads(backend.to_str()) | {"pre_tokenizer": None}
    backend = Tokenizer.from_str(json.dumps(specification))
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    _save(backend, folder, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def _unigram(normalizer: Any, pre: Any, byte_fallback: bool = False) -> Tokenizer:
    """Trained by `tokenizers`, with its special tokens among the words of the vocabulary, as in published files."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre
    special = ["<pad>", "</s>", "<unk>", *([f"<0x{b:02X}>" for b in range(256)] if byte_fallback else [])]
    trainer = trainers.UnigramTrainer(vocab_size=420, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(_TEXTS, trainer)
    specification = json.loads(tokenizer.to_str())
    specification["model"]["byte_fallback"] = byte_fallback
    specification["added_tokens"] = specification["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(json.dumps(specification))
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


def _older_t5(folder: Path) -> None:
    """As mT5's tokenizer.json: runs of spaces are folded by the normaliser, and there is no split at other space."""
    folding = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    _save(_unigram(folding, pre_tokenizers.Metaspace()), folder, eos_token="</s>", unk_token="<unk>", pad_token="<pad>")


def _albert(folder: Path) -> None:
    """Lower case without accents."""
    steps = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    pre = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    _save(_unigram(normalizers.Sequence(steps), pre), folder, eos_token="</s>", unk_token="<unk>", pad_token="<pad>")


def _unigram_with_bytes(folder: Path) -> None:
    tokenizer = _unigram(normalizers.NFKC(), pre_tokenizers.Metaspace(), byte_fallback=True)
    _save(tokenizer, folder, eos_token="</s>", unk_token="<unk>", pad_token="<pad>")


def _save(tokenizer: Tokenizer, folder: Path, **names: str) -> None:
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)


def _marian(folder: Path) -> None:
    source = sentencepiece_model("unigram", **_IDS)
    target = sentencepiece_model("bpe", **_IDS)
    pieces = ["</s>", "<unk>"]
    for name, model in (("source.spm", source), ("target.spm", target)):
        (folder / name).write_bytes(model)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        pieces += [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys([*pieces, "<pad>"]))}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "MarianTokenizer"}))


def _byte_level(kind: type[PreTrainedTokenizerBase]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        model = json.loads(byte_level_tokenizer().to_str())["model"]
        names = ["<pad>", "<unk>", "<mask>"] if kind is RobertaTokenizer else []
        vocabulary = model["vocab"] | {name: len(model["vocab"]) + i for i, name in enumerate(names)}
        tokenizer: Any = kind(vocab=vocabulary, merges=[tuple(merge) for merge in model["merges"]])
        if kind is Qwen2Tokenizer:
            tokenizer.add_tokens([AddedToken("<think>", special=False), AddedToken("</think>", special=False)])
        tokenizer.save_pretrained(folder)

    return write


def _bert(folder: Path) -> None:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(_TEXTS, trainer)
    BertTokenizer(vocab=tokenizer.get_vocab()).save_pretrained(folder)


WRITERS: dict[str, Callable[[Path], None]] = {
    "llama": lambda folder: _of_files("LlamaTokenizer", "tokenizer.model", _llama_bpe())(folder),
    "older llama": _older_llama,
    "gemma": lambda folder: _of_files("GemmaTokenizer", "tokenizer.model", _llama_bpe())(folder),
    "t5": lambda folder: _of_files("T5Tokenizer", "spiece.model", sentencepiece_model("unigram", **_IDS))(folder),
    "older t5": _older_t5,
    "xlm-roberta": lambda folder: _of_files(
        "XLMRobertaTokenizer", "sentencepiece.bpe.model", sentencepiece_model("unigram", **_XLM_IDS)
    )(folder),
    "albert": _albert,
    "unigram with bytes": _unigram_with_bytes,
    "marian": _marian,
    "byt5": lambda folder: ByT5Tokenizer().save_pretrained(folder),
    "gpt2": _byte_level(GPT2Tokenizer),
    "qwen": _byte_level(Qwen2Tokenizer),
    "roberta": _byte_level(RobertaTokenizer),
    "bert": _bert,
}


def open_setup(name: str, folder: Path) -> PreTrainedTokenizerBase:
    """Train a tokenizer, write it into an empty folder and open it as `core.load` would."""
    WRITERS[name](folder)
    return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
