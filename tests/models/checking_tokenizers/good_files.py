"""Small tokenizers that nothing is wrong with, as what a tokenizer.json says, for tests that spoil them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from tests.byte_level import byte_level_tokenizer
from tests.text.setups import sentencepiece_model

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = ["the", "cat", "sat", "##s", "a", "##a", ".", "z", "##z"]


def wordpiece() -> dict[str, Any]:
    """As BERT's, with a template."""
    tokenizer = Tokenizer(models.WordPiece({p: i for i, p in enumerate([*NAMES, *WORDS])}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(NAMES)
    return said(tokenizer)


def unigram() -> dict[str, Any]:
    """As T5's, without SentencePiece's normaliser."""
    pieces = ["<pad>", "</s>", "<unk>", "▁the", "▁cat", "▁", *"thecasz"]
    tokenizer = Tokenizer(models.Unigram([(p, -float(i)) for i, p in enumerate(dict.fromkeys(pieces))], 2, False))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    tokenizer.add_special_tokens(pieces[:3])
    return said(tokenizer)


def byte_level(pattern: str | None = None) -> dict[str, Any]:
    """As GPT-2's; pattern: where words are split before, by a regular expression."""
    if pattern is None:
        return said(byte_level_tokenizer())
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    steps = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer = byte_level_tokenizer(post=processors.ByteLevel(trim_offsets=True))
    tokenizer.pre_tokenizer = steps
    tokenizer.decoder = decoders.ByteLevel()
    return said(tokenizer)


GOOD = {"wordpiece": wordpiece, "unigram": unigram, "byte level": byte_level}


def said(tokenizer: Tokenizer) -> dict[str, Any]:
    specification: dict[str, Any] = json.loads(tokenizer.to_str())
    return specification


def written(folder: Path, specification: Any, **config: Any) -> Path:
    """A folder with a tokenizer.json and a tokenizer_config.json that says so much more."""
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(specification))
    config = {"tokenizer_class": "PreTrainedTokenizerFast"} | config
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def sentencepieces() -> bytes:
    return sentencepiece_model("unigram")
