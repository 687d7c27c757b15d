"""What runs in a box: the ids of tokens, from the tokenizer that a choice makes."""

from __future__ import annotations

import json
from typing import Any

import tokenizers

from core.models.tokenizing.asking import understood
from core.models.tokenizing.building import built


def ids(argument: dict[str, Any]) -> list[int | None]:
    """The id of each piece. argument: {"choice": …, "pieces": …}."""
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(built(understood(argument["choice"])).tokenizer))
    return [tokenizer.token_to_id(piece) for piece in argument["pieces"]]
