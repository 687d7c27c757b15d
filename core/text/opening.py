"""The encoder of a tokenizer that transformers has opened, whatever its kind."""

from __future__ import annotations

import copy
import inspect

from transformers import M2M100Tokenizer, PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.text.encoder import TextEncoder
from core.text.fast import FastReader
from core.text.reader import Reader
from core.text.slow import SlowReader


def encoder_of(tokenizer: PreTrainedTokenizerBase, max_length: int) -> TextEncoder:
    """An encoder around a copy of a tokenizer. max_length: how many tokens its model reads.

    Where the tokenizer reads targets in another way (Marian's second SentencePiece model, the language codes of
    mBART and NLLB), the encoder's `encode_target` and `tokens_of_ids` do too.
    Raises HeadlightError for one that reads no text.
    """
    if "table" in inspect.signature(type(tokenizer).__call__).parameters:
        raise HeadlightError(
            "The model's tokenizer reads a table beside each question: choose a model that reads text."
        )
    source, target = for_sources_and_targets(tokenizer)
    ids = tokenizer.unk_token_id, max_length, tokenizer.eos_token_id
    return TextEncoder(_reader(source), *ids, target and _reader(target), tokenizer.mask_token_id)


def for_sources_and_targets(
    tokenizer: PreTrainedTokenizerBase,
) -> tuple[PreTrainedTokenizerBase, PreTrainedTokenizerBase | None]:
    """Copies of a tokenizer that read sources and targets, the latter None where both are read alike.

    What `tokenizer(text)` and `tokenizer(text_target=...)` do for the time of one call, done for good: threads share
    them.
    """
    source = copy.deepcopy(tokenizer)
    if not hasattr(source, "_switch_to_target_mode"):
        return source, None
    source._switch_to_input_mode()
    target = copy.deepcopy(source)
    # Without a language of targets the others take that of the source, and this one fails.
    if isinstance(target, M2M100Tokenizer) and target.tgt_lang is None:
        target.tgt_lang = target.src_lang
    target._switch_to_target_mode()
    return source, target


def _reader(tokenizer: PreTrainedTokenizerBase) -> Reader:
    return FastReader.fixed(tokenizer.backend_tokenizer) if tokenizer.is_fast else SlowReader.fixed(tokenizer)
