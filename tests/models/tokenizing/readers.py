"""A choice turned into an encoder without a box, for tests of what comes out."""

from __future__ import annotations

import json

import tokenizers

from core.models.tokenizing import Bytes, Characters, FromFile, Pattern, Whitespace
from core.models.tokenizing.building import Built, built
from core.text import TextEncoder

BASE = ("<pad>", "<unk>", "<s>", "</s>")


def encoder_of(choice: FromFile | Characters | Bytes | Whitespace | Pattern) -> TextEncoder:
    made = built(choice)
    backend = backend_of(made)
    unknown = made.config.get("unk_token")
    return TextEncoder.fix(backend, None if unknown is None else backend.token_to_id(unknown), 1_000)


def backend_of(made: Built) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(json.dumps(made.tokenizer))
