"""What the Positions page is asked for, in an address and back, without a browser or a model."""

from __future__ import annotations

import pytest
import streamlit as st

from core.positions import SCHEMES
from core.ui.arrival import Arrival
from core.ui.positions import fields
from core.ui.positions.arriving import arrive
from core.ui.positions.controls import _own_text
from core.ui.positions.deberta_versions import VERSIONS
from core.ui.positions.first_order import CAT_CHASES, first_order
from core.ui.positions.offered import TRANSLATOR, examples_of, first_text
from core.ui.positions.state import MODEL, ORDER, TEXT, VIEW
from core.ui.positions.wish import Wish, fill, first_visit, follow_view, forget_parts, wish_of_state

ASKED = {
    "scheme": "rotary", "length": "256", "width": "32", "base": "500000", "layout": "half-split", "scaling": "yarn",
    "factor": "8", "trained": "512", "view": "pair", "source": "model", "beside": "learned", "fact": "1",
    "stream": "encoder", "layer": "2", "head": "3", "beside-head": "1", "rows": "70", "dims": "0,6,20", "version": "2",
    "order": "1,0", "causal": "0", "kind": "dot", "share": "1",
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
    wish, remarks = arrived(**{name: value})
    assert wish.address == first_visit()
    assert len(remarks) == 1
    assert len(remarks[0]) < 240


def test_every_field_of_every_scheme_has_a_control_that_takes_its_first_value():
    used = {name for scheme in SCHEMES for version in VERSIONS for name in fields.used_by(scheme, version)}
    assert used <= set(fields.FIELDS)
    first = {**fields.FIRST, "causal": fields.causal_of("alibi", fields.FIRST["causal"])}
    assert all(field.takes(first[name]) for name, field in fields.FIELDS.items())


def test_every_value_of_every_control_makes_settings_and_comes_back():
    for name, field in fields.FIELDS.items():
        for value in field.options or (field.low, field.high):
            spelled = fields.address_of(fields.Settings(**{name: value}), value if name == "causal" else None).get(name)
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


def test_alibi_opens_causal_and_the_others_two_sided_until_somebody_chooses():
    wish, _ = arrived(scheme="alibi")
    assert wish.settings.causal
    assert not wish.settings_of("relative").causal
    assert "causal" not in wish.address
    for asked in ("0", "1"):
        wish, _ = arrived(scheme="alibi", causal=asked)
        assert wish.address["causal"] == asked
        assert wish.settings.causal == wish.settings_of("shaw").causal == (asked == "1")


@pytest.mark.parametrize("count", [200, 201])
def test_an_order_that_an_address_carries_can_be_read_from_it(count: int):
    arrived(view="order", text="x")
    st.session_state[ORDER] = tuple(reversed(range(count)))
    wish = wish_of_state()
    assert wish.order_fits == ("order" in wish.address) == (count <= 200)
    again, remarks = arrived(**wish.address)
    assert remarks == []
    assert again.order == (wish.order if wish.order_fits else None)


def test_another_scheme_than_the_first_stands_beside_it():
    assert arrived(scheme="alibi", view="pair")[0].other == "sinusoidal"
    twice = arrived(scheme="alibi", view="pair", beside="alibi")[0]
    assert twice.other == arrived(**twice.address)[0].other == "alibi"
    arrived(scheme="alibi")
    st.session_state[VIEW] = "pair"
    follow_view()
    assert wish_of_state().other == "sinusoidal"
    assert arrived(**wish_of_state().address)[0].other == "sinusoidal"


def test_refused_menus_name_what_they_show():
    assert "YaRN" in arrived(scaling="foo")[1][0]


def test_a_text_that_the_page_opened_with_was_not_chosen():
    arrived()
    _own_text()
    assert not wish_of_state().chosen
    st.session_state[TEXT] = "my own"
    _own_text()
    assert wish_of_state().chosen


@pytest.mark.parametrize("model", ["lm-alibi", "sentiment-transformer", "en-fr-transformer", "all-MiniLM-L6-v2"])
def test_a_mean_over_distances_opens_with_a_text_of_many_words(model: str):
    assert len(first_text(model, "model").split()) >= 40
    assert len({example.slug for example in examples_of(model)}) == len(examples_of(model))


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        (CAT_CHASES, "老鼠追猫"),
        ("the cat chases the mouse", "the mouse chases the cat"),
        ("The animal didn't cross the street", "The street didn't cross the animal"),
        ("“ one two three .", "“ two one three ."),
        ("👍 🏳 hello", "🏳 👍 hello"),
        ("! ?", "? !"),
        ("I don ' t want to", "I don ' t to want"),
        ("da da", "da da"),
        ("the the the cat", "the the cat the"),
        ("one", "one"),
        ("", ""),
    ],
)
def test_two_words_change_places_so_that_the_text_still_reads(text: str, moved: str):
    words = tuple(text.split()) if " " in text else tuple(text)
    if text == "one":
        words = ("one",)
    between = " " if " " in text else ""
    assert between.join(words[place] for place in first_order(words)) == moved
