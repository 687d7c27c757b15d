"""The sizes that a config.json states, by the names that transformers' configs give them, and how large they may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from core.models.checking_files.telling import Wrong, quoted


@dataclass(frozen=True)
class Size:
    """A kind of size.

    named  matches the whole name of a key
    most   the largest value allowed
    least  the smallest
    """

    named: re.Pattern[str]
    most: int
    least: int = 0


_SIZES = (
    # Published: 53,248 in a feed-forward part, 18,432 between layers.
    Size(
        re.compile(r"hidden_size|d_model|n_embd|dim|emb_dim|embed_dim|embedding_size|word_embed_proj_dim"), 131_072, 1
    ),
    Size(
        re.compile(
            r"\w*(intermediate_size|hidden_size)|d_ff|d_inner|(\w+_)?ffn_dim|n_inner|hidden_dim|dff|ffn_hidden_size"
        ),
        1_048_576,
    ),
    Size(re.compile(r"(\w+_)?head_dim|d_kv|kv_channels|\w+_lora_rank|rotary_dim"), 131_072),
    Size(
        re.compile(r"((num|n)_(\w+_)?(layers?|blocks|groups)|(\w+_)?(en|de)coder_layers|depths?|\w+_group_num)"), 10_000
    ),
    Size(re.compile(r"num_attention_heads|n_heads?|num_heads|(en|de)coder_attention_heads"), 65_536, 1),
    Size(re.compile(r"(\w+_)?(num|n)_(\w+_)?heads?"), 65_536),
    Size(re.compile(r"(num|n)_(\w+_)?experts(_per_tok(en)?)?"), 65_536),
    Size(re.compile(r"vocab_size"), 10_000_000, 1),
    Size(re.compile(r"(\w+_)?vocab_size"), 10_000_000),
    # XLNet writes -1 where there is no bound.
    Size(
        re.compile(r"max_(position_embeddings|seq_len(gth)?|sequence_length)|n_positions|n_ctx|max_(source|target)_positions"),
        100_000_000,
        -1,
    ),
    Size(re.compile(r"num_labels"), 1_000_000),
)  # fmt: skip
MOST_ENTRIES = 10_000
LONGEST_NAME = 200


def check_sizes(config: dict[str, Any]) -> None:
    """Raise Wrong for a size that is no whole number, or too small or too large to be one, and for endless names."""
    for key, value in config.items():
        # The expressions above take a time that grows with the square of a name.
        if len(key) > LONGEST_NAME:
            raise Wrong(f"the name {quoted(key)} has {len(key):,} characters and {LONGEST_NAME} are allowed")
        size = next((size for size in _SIZES if size.named.fullmatch(key)), None)
        if size is not None and value is not None:
            _check(key, value, size)


def _check(key: str, value: Any, size: Size) -> None:
    # Some models state one size a layer, or one a stack.
    values = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    if len(values) > MOST_ENTRIES:
        raise Wrong(f"{quoted(key)} has {len(values):,} entries and {MOST_ENTRIES:,} are allowed")
    for one in values:
        if type(one) is not int:
            raise Wrong(f"{quoted(key)} is {said(one)}, and no whole number")
        if one < size.least:
            raise Wrong(f"{quoted(key)} is {said(one)}, and at least {size.least} is allowed")
        if one > size.most:
            raise Wrong(f"{quoted(key)} is {said(one)}, and at most {size.most:,} is allowed")


def said(value: Any) -> str:
    """A value of a config, short; texts and whatever is long in quotes."""
    if type(value) is int and abs(value) < 10**15:
        return f"{value:,}"
    return quoted(repr(value)[:200])
