"""What a user chose where an upload does not say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.models.tokenizing import TokenizerChoice


@dataclass(frozen=True)
class Choices:
    """Answers to what is missing in a candidate.

    config     what config.json shall say, given whole; None: the candidate's own
    tokenizer  None: the candidate's own
    base       of an adapter: a name of the catalogue, or a folder with a whole model, such as one of its `bases`;
               None: what its files say
    name       what sentences call the model; "": the candidate's name
    assumed    what of the config was guessed and decides about every map, such as "2 heads, guessed"
    taken      what else of it is no more than usual in its family, by its keys
    """

    config: Mapping[str, Any] | None = None
    tokenizer: TokenizerChoice | None = None
    base: str | Path | None = None
    name: str = ""
    assumed: tuple[str, ...] = ()
    taken: Mapping[str, Any] = field(default_factory=dict)
