"""What leaving out one word at a time does to F: F(text) - F(text without the word)."""

from __future__ import annotations

from core.models.model import Model
from core.saliency.baselines import UNKNOWN, met_unknown, replacement_id
from core.saliency.method import Passes, Raw
from core.saliency.perturbation.versions import one_by_one, without
from core.saliency.question import Question
from core.saliency.runner import Runner


def leave_out(question: Question, runner: Runner, way: str) -> Raw:
    """F(text) - F(without group) for each group, all tokens of a group at once (groups,)."""
    versions = without(question, one_by_one(question), way)
    found = runner.forward_ids(versions.ids, versions.mask, versions.types)  # (groups + 1,)
    return Raw(found[-1] - found[:-1], note=met_unknown(question.model) if way == UNKNOWN else "")


def passes(question: Question) -> Passes:
    """One for each group, and one for the whole text."""
    return Passes(len(question.groups) + 1)


def lacks_token(model: Model, way: str) -> str:
    """Why a model cannot have words replaced; "" where it has such a token."""
    if replacement_id(model, way) is not None:
        return ""
    return f"{model.name} has no {way} token to put in a word's place: choose deletion."
