"""What the Saliency page is asked for, in an address and back, without a browser or a model."""

from __future__ import annotations

from dataclasses import replace

import pytest
import streamlit as st

from core.saliency import METHODS, Target
from core.ui.arrival import Arrival
from core.ui.saliency import offered
from core.ui.saliency.target_bar import named
from core.ui.saliency.wish import Wish, arrive, first_visit, forget_target, wish_of_state
from core.ui.words import literal

MODEL = "sentiment-transformer"
ASKED = {
    "model": MODEL, "example": "review-negated", "about": "0", "against": "1", "by": "token", "scalar": "logit",
    "baseline": "zero", "aggregation": "dot", "methods": "rollout,attention", "view": "cost", "word": "3", "at": "4",
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_kept():
    st.session_state.clear()
    yield
    st.session_state.clear()


def arrived(**parameters: str) -> tuple[Wish, list[str]]:
    arriving = Arrival({name: (value,) for name, value in parameters.items()})
    arrive(arriving, tuple(METHODS))
    return wish_of_state(), arriving.remarks


def test_what_an_address_asks_for_comes_back_in_the_address():
    wish, remarks = arrived(**ASKED)
    assert remarks == []
    assert wish.address == ASKED
    assert (wish.asked.target, wish.asked.foil, wish.asked.at, wish.asked.by) == (0, 1, 4, "token")
    assert wish.methods == ("rollout", "attention")


def test_an_address_without_parameters_is_a_first_visit():
    wish, remarks = arrived()
    assert remarks == []
    assert wish.address == first_visit()
    assert wish.own_texts == {}
    assert wish.methods == offered.AT_FIRST


def test_own_texts_are_no_part_of_the_address():
    wish, _ = arrived(model=MODEL, text="my own 猫", answer="le chat")
    assert wish.own_texts == {"text": "my own 猫", "answer": "le chat"}
    assert wish.address == {"model": MODEL}


def test_a_text_that_is_an_example_goes_by_its_name():
    example = offered.examples_of(MODEL)[1]
    wish, _ = arrived(model=MODEL, text=example.text)
    assert wish.address == {"model": MODEL, "example": example.slug}


@pytest.mark.parametrize("name", ["model", "example", "by", "scalar", "baseline", "aggregation", "methods", "view"])
def test_a_value_that_there_is_not_falls_back_with_one_sentence(name: str):
    wish, remarks = arrived(**{name: "<b>²" * 300})
    assert len(remarks) == 1
    assert "<b>²" in remarks[0]
    assert len(remarks[0]) < 160
    assert wish.address == first_visit()


@pytest.mark.parametrize("name", ["about", "against", "at", "word"])
@pytest.mark.parametrize("value", ["-1", "x", "1e3", "9" * 4000, ""])
def test_what_is_no_number_asks_about_nothing(name: str, value: str):
    wish, _ = arrived(**{name: value})
    assert wish.address == first_visit()


def test_known_methods_stay_beside_an_unknown_one():
    wish, remarks = arrived(methods="rollout,nonsense,attention")
    assert wish.methods == ("rollout", "attention")
    assert "nonsense" in remarks[0]


def test_another_text_forgets_what_was_asked_about_and_marked():
    arrived(**ASKED)
    forget_target()
    assert not {"about", "against", "at", "word"} & set(wish_of_state().address)


def test_classifiers_of_reviews_come_first_and_no_model_is_left_out_or_twice():
    names = offered.models()
    assert names[0] == offered.FIRST
    assert len(set(names)) == len(names)
    assert set(names) == set(offered.openable())
    main = [name for name in names if name.startswith("sentiment")]
    assert names.index("sentiment-transformer") < names.index("en-fr-transformer")
    assert {"sentiment-bilstm-additive-0", "sentiment-adversary-1"} <= set(main)


def test_every_model_has_a_text_to_open_with_and_every_first_method_exists():
    assert all(offered.first_text(name).strip() for name in offered.models())
    assert set(offered.AT_FIRST) <= set(METHODS)


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Target("label", 1, "positive", 0.99908), "positive · 99.9 %"),
        (Target("label", 0, "negative", 0.0009), "negative · <0.1 %"),
        (Target("next token", 7, "[$*", 1.0), "[$* · 100.0 %"),
        (Target("similarity", 0, "similarity", None), "similarity"),
        (Target("label", 0, "LABEL_0", None, -12.34567), "LABEL_0 · -12.35"),
    ],
)
def test_a_target_is_named_with_its_probability(target: Target, shown: str):
    assert named(target) == shown


def test_markdown_is_taken_letter_for_letter():
    assert literal("**a** $b$") == r"\*\*a\*\* \$b\$"
    assert literal("猫 word 12") == "猫 word 12"


def test_questions_that_differ_in_anything_are_stored_apart():
    asked = arrived(**ASKED)[0].asked
    others = [replace(asked, by="word"), replace(asked, foil=None), replace(asked, answer="x")]
    assert len({asked, *others}) == 4
