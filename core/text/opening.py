"""The encoder of a tokenizer that transformers has opened, whatever its kind."""

from __future__ import annotations

import copy

from transformers import PreTrainedTokenizerBase

from core.text.encoder import TextEncoder
from core.text.fast import FastReader
from core.text.reader import Reader
from core.text.slow import SlowReader


def encoder_of(tokenizer: PreTrainedTokenizerBase, max_length: int) -> TextEncoder:
    """An encoder around a copy of a tokenizer. max_length: how many tokens its model reads.

    Where the tokenizer reads targets in another way (Marian's second SentencePiece model, the language codes of
    mBART and NLLB), the encoder's `encode_target` and `tokens_of_ids` do too.
    """
    target = None
    if hasattr(tokenizer, "_switch_to_target_mode"):
        # What `tokenizer(text_target=...)` does for the time of one call, done for good to a copy: threads share it.
        other = copy.deepcopy(tokenizer)
        other._switch_to_target_mode()
        target = _reader(other)
    reader = _reader(copy.deepcopy(tokenizer))
    ids = tokenizer.unk_token_id, max_length, tokenizer.eos_token_id
    return TextEncoder(reader, *ids, target, tokenizer.mask_token_id)


def _reader(tokenizer: PreTrainedTokenizerBase) -> Reader:
    return FastReader.fixed(tokenizer.backend_tokenizer) if tokenizer.is_fast else SlowReader.fixed(tokenizer)
