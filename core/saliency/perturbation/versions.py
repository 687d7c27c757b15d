"""Versions of a text with some of its words hidden or taken out, as token ids: a word's tokens always go together.

Shapes: N versions, T tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.saliency.baselines import PADDING, replacement_id
from core.saliency.question import Question

# How words are hidden; the first two put a token in their place.
MASK, UNKNOWN, ATTENTION, DELETE = "mask", "unknown", "attention", "delete"
WAYS = (MASK, UNKNOWN, ATTENTION, DELETE)
Gone = Sequence[frozenset[int]]


@dataclass(frozen=True, eq=False)
class Versions:
    """Token ids (N, T), the attention mask (N, T), and segment numbers (N, T) where texts have another length."""

    ids: Tensor
    mask: Tensor
    types: Tensor | None = None


def without(question: Question, gone: Gone, way: str) -> Versions:
    """One version for each set of groups that are gone from the text.

    way: "mask" or "unknown" put that token in their place; "attention" leaves the tokens and lets nothing attend to
    them; "delete" takes them out, so that what follows moves up (texts are padded at the end to one length).
    Raises HeadlightError where the model has no such token.
    """
    hidden = _hidden(question, gone)
    ids = question.input_ids().expand(len(gone), -1)
    there = torch.ones_like(ids)
    if way == ATTENTION:
        return Versions(ids, there.masked_fill(hidden, 0))
    if way == DELETE:
        return _shortened(question, ~hidden)
    token = replacement_id(question.model, way)
    if token is None:
        raise HeadlightError(_no_token(question.model.name, way))
    return Versions(ids.masked_fill(hidden, token), there)


def one_by_one(question: Question) -> list[frozenset[int]]:
    """Each group gone by itself, and last of all none: the text as it is."""
    return [*(frozenset([group]) for group in range(len(question.groups))), frozenset()]


def _hidden(question: Question, gone: Gone) -> Tensor:
    """bool (N, T): the tokens of the groups that are gone."""
    hidden = torch.zeros(len(gone), len(question.tokens), dtype=torch.bool)
    for row, groups in enumerate(gone):
        for group in groups:
            hidden[row, list(question.groups[group])] = True
    return hidden.to(question.input_ids().device)


def _shortened(question: Question, kept: Tensor) -> Versions:
    """The kept tokens (N, T) of each version, moved together; what is padded at the end is masked."""
    # A stable sort puts the kept tokens first and leaves their order as it is.
    order = (~kept).long().argsort(dim=-1, stable=True)  # (N, T)
    mask = kept.gather(1, order).long()
    longest = max(1, int(mask.sum(dim=-1).max()))
    padding = replacement_id(question.model, PADDING) or 0
    ids = question.input_ids().expand(len(kept), -1).gather(1, order).masked_fill(mask == 0, padding)
    types = torch.tensor([question.tokens.type_ids], device=ids.device).expand(len(kept), -1).gather(1, order)
    return Versions(ids[:, :longest], mask[:, :longest], types[:, :longest])


def _no_token(name: str, way: str) -> str:
    return f"{name} has no {way} token to hide words with: hide them from attention, or delete them."
