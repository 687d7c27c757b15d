"""What the Positions page is asked for, in an address and back, without a browser or a model."""

from __future__ import annotations

import pytest
import streamlit as st

from core.positions import SCHEMES
from core.ui.arrival import Arrival
from core.ui.positions import fields
from core.ui.positions.arriving import arrive
from core.ui.positions.deberta_versions import VERSIONS
from core.ui.positions.offered import CAT_CHASES, TRANSLATOR, first_order
from core.ui.positions.state import MODEL, TEXT, VIEW
from core.ui.positions.wish import Wish, fill, first_visit, follow_view, forget_parts, wish_of_state

ASKED = {
    "scheme": "rotary", "length": "256", "width": "32", "base": "500000", "layout": "half-split", "scaling": "yarn",
    "factor": "8", "trained": "512", "view": "pair", "source": "model", "beside": "learned", "fact": "1",
    "stream": "encoder", "layer": "2", "head": "3", "beside-head": "1", "rows": "70", "dims": "0,6,20", "version": "2",
    "order": "1,0", "kind": "dot", "share": "1",
    "model": "zh-en-transformer", "example": "zh-en-mouse",
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_kept():
    st.session_state.clear()
    yield
    st.session_state.clear()


def arrived(**parameters: str) -> tuple[Wish, list[str]]:
    arriving = Arrival({name: (value,) for name, value in parameters.items()})
    arrive(arriving)
    fill()
    return wish_of_state(), arriving.remarks


def test_what_an_address_asks_for_comes_back_in_the_address():
    wish, remarks = arrived(**ASKED)
    assert remarks == []
    assert wish.address == ASKED
    assert (wish.settings.base, wish.settings.factor, wish.order) == (500_000.0, 8.0, (1, 0))


def test_an_address_without_parameters_is_a_first_visit():
    wish, remarks = arrived()
    assert remarks == []
    assert wish.address == first_visit()
    assert not wish.reads_model


def test_own_texts_are_no_part_of_the_address():
    wish, _ = arrived(view="order", text="my own 猫")
    assert wish.own_texts == {"text": "my own 猫"}
    assert "my own" not in " ".join(wish.address.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", "7"), ("width", "65"), ("length", "0"), ("length", "9" * 400), ("base", "9" * 30), ("base", "1"),
        ("heads", "-1"), ("trained", "3"), ("factor", "0.5"), ("causal", "yes"), ("layout", "<b>"), ("clip", "²"),
        ("scaling", "more"), ("scheme", "<b>²"), ("beside", "x"), ("source", "x"), ("view", "x"), ("model", "x" * 300),
        ("example", "x"), ("order", "1,1"), ("order", "0,2"), ("order", "x"), ("order", ","), ("order", "1," * 900),
        ("stream", "cross"), ("kind", "x"), ("share", "2"), ("version", "3"), ("dims", "x"), ("dims", ""),
        ("dims", "0,1,2,3,4,5,6,7,8"), ("dims", "-1"), ("dims", "0," * 400), ("dims", "²"),
    ],
)  # fmt: skip
def test_a_value_that_there_is_not_falls_back_with_one_sentence(name: str, value: str):
    wish, remarks = arrived(**{name: value})
    assert len(remarks) == 1
    assert len(remarks[0]) < 240
    assert wish.address == first_visit()


@pytest.mark.parametrize("name", ["fact", "layer", "head", "beside-head", "rows"])
@pytest.mark.parametrize("value", ["-1", "x", "1e3", "9" * 4000, ""])
def test_what_is_no_number_asks_for_the_first(name: str, value: str):
    wish, _ = arrived(**{name: value})
    assert wish.address == first_visit()


def test_every_field_of_every_scheme_has_a_control_that_takes_its_first_value():
    used = {name for scheme in SCHEMES for version in VERSIONS for name in fields.used_by(scheme, version)}
    assert used <= set(fields.FIELDS)
    assert all(field.takes(fields.FIRST[name]) for name, field in fields.FIELDS.items())


def test_every_value_of_every_control_makes_settings_and_comes_back():
    for name, field in fields.FIELDS.items():
        for value in field.options or (field.low, field.high):
            spelled = fields.address_of(fields.Settings(**{name: value})).get(name)
            given = {} if spelled is None else {name: (spelled,)}
            assert fields.arrived(Arrival(given), name) == value


def test_each_view_opens_its_own_model_until_somebody_chooses_one():
    arrived()
    st.session_state[VIEW] = "order"
    follow_view()
    assert (st.session_state[MODEL], st.session_state[TEXT]) == (TRANSLATOR, CAT_CHASES)
    arrived(model="sentiment-transformer")
    st.session_state[VIEW] = "order"
    follow_view()
    assert st.session_state[MODEL] == "sentiment-transformer"


def test_another_model_forgets_what_was_looked_at_in_the_one_before():
    arrived(**ASKED)
    forget_parts()
    assert not {"fact", "stream", "layer", "head", "beside-head", "rows", "dims", "order"} & set(
        wish_of_state().address
    )


def test_only_the_schemes_that_are_shown_have_sliders():
    assert arrived(scheme="alibi")[0].schemes == ("alibi",)
    assert arrived(scheme="alibi", view="pair", beside="rotary")[0].schemes == ("alibi", "rotary")
    assert arrived(scheme="alibi", view="pair", source="model", beside="rotary")[0].schemes == ("rotary",)
    assert arrived(scheme="alibi", view="beyond")[0].schemes == ()


def test_the_cat_and_the_mouse_change_places_and_so_do_the_ends_of_another_text():
    assert "".join(CAT_CHASES[place] for place in first_order(tuple(CAT_CHASES))) == "老鼠追猫"
    assert first_order(("“", "one", "two", "three", ".")) == (0, 3, 2, 1, 4)
    assert first_order(("one",)) == (0,)
    assert first_order(("!", "?")) == (1, 0)
    assert first_order(()) == ()
