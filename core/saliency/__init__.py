"""Saliency: how much each word of a text has to do with a model's answer, by many methods that disagree.

`explain(model, text, method)` gives one method's `Scores`. `ask` makes the question once, and `explain_all` answers it
with many methods. `METHODS` lists them. Importing this package imports torch only when one of these is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.saliency.asking import ask
    from core.saliency.explaining import Refused, estimate, explain, explain_all, scores_of
    from core.saliency.methods import METHODS
    from core.saliency.question import Question
    from core.saliency.scores import Scores
    from core.saliency.target import Target

_HOMES = {
    "METHODS": "methods",
    "Question": "question",
    "Refused": "explaining",
    "Scores": "scores",
    "Target": "target",
    "ask": "asking",
    "estimate": "explaining",
    "explain": "explaining",
    "explain_all": "explaining",
    "scores_of": "explaining",
}

__all__ = [
    "METHODS", "Question", "Refused", "Scores", "Target", "ask", "estimate", "explain", "explain_all", "scores_of",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"core.saliency.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
