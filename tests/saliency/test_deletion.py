"""Deletion takes a word's ids out of the text and lets the rest close up, without writing the text anew."""

from __future__ import annotations

import pytest
import torch

from core.saliency import ask, scores_of
from core.saliency.perturbation.versions import one_by_one, without
from tests.saliency.asked import SHIPPED, opened

LONG = "an unforgettable, charmingly overlong film"


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_a_score_is_what_the_answer_loses_when_the_ids_are_taken_out(name: str) -> None:
    question = ask(opened(name), LONG, **SHIPPED[name])
    found = scores_of(question, "deletion")
    for number, group in enumerate(question.groups):
        kept = [place for place in range(len(question.tokens)) if place not in group]
        ids = question.input_ids()[:, kept]
        types = torch.tensor([question.tokens.type_ids])[:, kept]
        expected = question.value - float(question.score_ids(ids, torch.ones_like(ids), types))
        assert found.values[number] == pytest.approx(expected, abs=2e-4)


def test_it_is_the_answer_to_the_shorter_text_where_its_pieces_are_the_same() -> None:
    model = opened("sentiment-bilstm-additive-0")
    whole, shorter = ask(model, "a dull film", target=0), ask(model, "a film", target=0)
    assert scores_of(whole, "deletion").values[1] == pytest.approx(whole.value - shorter.value, abs=1e-5)


def test_special_tokens_stay_and_padding_comes_last() -> None:
    question = ask(opened("sentiment-minilm-lora"), LONG)
    versions = without(question, [frozenset(range(len(question.groups))), *one_by_one(question)], "delete")
    special = [number for number, s in zip(question.tokens.ids, question.tokens.special, strict=True) if s]
    assert versions.ids[0, versions.mask[0] == 1].tolist() == special
    assert bool((versions.mask.diff(dim=1) <= 0).all())
    assert versions.ids[-1].tolist() == list(question.tokens.ids)
