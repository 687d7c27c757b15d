"""Which ids a network reads: those that it has an embedding for, and those that its decoder is given."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import torch

from core.errors import HeadlightError
from core.models.answers import CHOICE, LABEL, SPAN, answer_kind
from core.text import Tokens

_LISTED = 5
# Families whose classifiers read the state of the token that ends a text, wherever it is.
_READ_AT_END = ("bart", "bigbird_pegasus", "mbart", "mt5", "mvp", "plbart", "t5", "umt5")


def require_embeddings(tokens: Tokens, network: Any, name: str) -> None:
    """Raise HeadlightError where a token's id lies beyond the network's embeddings. name: what the model is called.

    The id that stands for unknown pieces lies right behind them where the vocabulary has no token for those.
    """
    rows = network.get_input_embeddings().weight.shape[0]
    beyond = [at for at, number in enumerate(tokens.ids) if number >= rows]
    strange = [tokens.labels[at] for at in beyond]
    if strange and all(tokens.unknown[at] and tokens.ids[at] == rows for at in beyond):
        raise HeadlightError(
            f"The vocabulary of {name} has no token for {_listed(strange)}: leave {_it(strange)} out of the text."
        )
    if strange:
        raise HeadlightError(
            f"{name} has no embedding for the token “{strange[0]}” of its tokenizer, so the two do not belong "
            "together: open it with the tokenizer that it was trained with, or choose another text."
        )


def require_marks(ids: Sequence[int], network: Any, name: str) -> None:
    """Raise HeadlightError where a text lacks the special tokens by which the head of a network finds its place."""
    config, kind = network.config, answer_kind(network).name
    if kind == LABEL and config.model_type in _READ_AT_END and config.eos_token_id not in ids:
        raise HeadlightError(
            f"{name} answers at the token that ends a text, and its tokenizer puts none: open it with the tokenizer "
            "that it was trained with."
        )
    if kind in (SPAN, CHOICE) and config.model_type == "longformer" and list(ids).count(config.sep_token_id) != 3:
        raise HeadlightError(
            f"{name} tells two texts apart by the three separators of its tokenizer, and there are not three here: "
            "give a text and a second one, by the tokenizer that it was trained with."
        )


def _listed(labels: list[str]) -> str:
    """Each of the first labels once."""
    known = list(dict.fromkeys(labels))
    more = " and others" if len(known) > _LISTED else ""
    return f"{', '.join(f'“{label}”' for label in known[:_LISTED])}{more}"


def _it(labels: list[str]) -> str:
    return "it" if len(set(labels)) == 1 else "them"


def vocabulary_of(config: Any) -> int:
    """How many tokens a network can write: its decoder may have a config of its own; 0 where none says it."""
    said = config.get_text_config(decoder=True)
    return int(getattr(said, "decoder_vocab_size", None) or getattr(said, "vocab_size", None) or 0)


def start_id(network: Any, name: str) -> int:
    """The id that its settings tell for an encoder-decoder's decoder. Raises HeadlightError where none does."""
    for config in (getattr(network, "generation_config", None), network.config):
        for setting in ("decoder_start_token_id", "bos_token_id"):
            if (start := getattr(config, setting, None)) is not None:
                return int(start)
    raise HeadlightError(f"{name} does not say which token its decoder starts with: check its config.json.")


def read_again(network: Any, ids: Sequence[int], name: str) -> list[int]:
    """What the decoder of a network that writes nothing is given of a text: its ids, moved on by one.

    Families without a start token (MBart, PLBart) put the last one first, as the library does it for them.
    """
    shift = getattr(sys.modules[type(network).__module__], "shift_tokens_right", None)
    if shift is None or len(inspect.signature(shift).parameters) > 2:
        return [start_id(network, name), *ids[:-1]]
    moved: list[int] = shift(torch.tensor([list(ids)]), network.config.pad_token_id)[0].tolist()  # (1, T) -> (T,)
    return moved
