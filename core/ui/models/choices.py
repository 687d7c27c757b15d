"""The forms of what an upload lacks, one below the other, and what somebody chose in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.models.preparing.choices import Choices
from core.ui.models.architecture_form import architecture_form
from core.ui.models.base_form import base_form
from core.ui.models.head_form import head_form
from core.ui.models.kept_forms import slot_of
from core.ui.models.tokenizer_form import tokenizer_form
from core.ui.words import note

if TYPE_CHECKING:
    from core.models.finding import Candidate
    from core.models.tokenizing import TokenizerChoice


def choices(candidate: Candidate, key: str) -> Choices | None:
    """Draw the forms of what a candidate lacks, and return what is chosen; None, with a sentence, while it is open.

    key: of the forms in the page's state; answers are kept under it until another candidate comes with the same key.
    """
    slot = slot_of(key, candidate)
    config: dict[str, Any] | None = None
    base: str | Path | None = None
    tokenizer: TokenizerChoice | None = None
    still = []
    if candidate.lacks("config") or candidate.lacks("model_type"):
        config = architecture_form(candidate, slot)
        still += ["the architecture"] if config is None else []
    elif candidate.lacks("head"):
        config = head_form(candidate, slot)
    if candidate.lacks("base"):
        base = base_form(candidate, slot)
        still += ["the base"] if base is None else []
    if candidate.lacks("tokenizer"):
        tokenizer = tokenizer_form(candidate, slot, config or {})
        still += ["the tokenizer"] if tokenizer is None else []
    if still:
        note(f"Before it can be opened, choose {' and '.join(still)} above.", "info")
        return None
    return Choices(config=config, tokenizer=tokenizer, base=base, name=candidate.name)
