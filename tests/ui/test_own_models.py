"""The models of one browser session: offered to it alone, opened from their folder, deleted with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs import Queues, Store
from core.models import catalogue
from core.models.preparing import Choices
from core.models.tokenizing import Bytes, Characters, FromFile
from core.ui import resources
from core.ui.models.opened.chosen_words import chosen_words
from core.ui.own_models import LONGEST_NAME, MOST_KEPT, brought, is_gone, why_gone
from core.ui.without_attention import SENTENCE
from tests.zoo.checkpoints import saved

RECURRENT, POOLING = "RecurrentForConditionalGeneration", "PoolingForSequenceClassification"


def keep(added):
    """A script that adds own models: (name, folder) each. What it learns stays in the state of its session."""
    import streamlit as st

    from core.ui import own_models, resources
    from core.ui.model_menu import openable

    st.session_state.called = [own_models.add(name, folder) for name, folder in added]
    st.session_state.names, st.session_state.openable = own_models.names(), openable()
    st.session_state.folders = {name: own_models.folder_of(name) for name in [*own_models.names(), "another"]}
    st.session_state.session = resources.session()


def kept(added: list[tuple[str, Path]]):
    """The state of a session that has added own models."""
    for _, folder in added:
        folder.mkdir()
    app = AppTest.from_function(keep, args=(added,), default_timeout=60).run()
    assert not app.exception, app.exception
    return app.session_state


def test_a_name_that_something_else_has_or_had_gets_a_number(tmp_path: Path):
    default = catalogue()[0].entry.name
    state = kept([(default, tmp_path / "a"), ("reverse", tmp_path / "b"), ("reverse", tmp_path / "c")])
    assert state.called == [f"{default} (2)", "reverse", "reverse (2)"]
    assert state.names == ("reverse (2)", "reverse", f"{default} (2)")
    assert state.folders == {"reverse (2)": tmp_path / "c", "reverse": tmp_path / "b", f"{default} (2)": tmp_path / "a",
                             "another": None}  # fmt: skip
    assert state.openable[:2] == [default, "reverse (2)"]


def test_folders_are_deleted_with_the_session_and_the_oldest_when_there_are_many(tmp_path: Path):
    folders = [tmp_path / str(number) for number in range(MOST_KEPT + 1)]
    state = kept([("trained", folder) for folder in folders])
    assert [folder.exists() for folder in folders] == [False] + [True] * MOST_KEPT
    assert "trained" not in state.names
    state.session.end()
    assert not any(folder.exists() for folder in folders)


def choose(added):
    """A script that adds own models with what was chosen for them and draws the menu: (name, chosen) each."""
    from pathlib import Path

    import streamlit as st

    from core.ui import own_models
    from core.ui.model_menu import choose_model

    if "called" not in st.session_state:
        st.session_state.called = [own_models.add(name, Path(), lambda: None, chosen) for name, chosen in added]
    st.session_state.shown = choose_model(list(own_models.names()))


def test_models_of_one_name_stand_in_the_menu_with_what_was_chosen():
    added = [("nano (own)", "2 heads, guessed"), ("nano (own)", "4 heads, chosen"), ("bert (own)", "bytes")]
    app = AppTest.from_function(choose, args=(added,), default_timeout=60).run()
    assert not app.exception, app.exception
    assert app.selectbox(key="model").options == [
        "bert (own)", "nano (own) (2) · 4 heads, chosen", "nano (own) · 2 heads, guessed",
    ]  # fmt: skip
    assert app.session_state.shown == "bert (own)"
    app.selectbox(key="model").select_index(1).run()
    assert app.session_state.shown == "nano (own) (2)"


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (Choices(), ""),
        (Choices(assumed=("4 heads, chosen",), tokenizer=Characters(Path("/x/meta.pkl"))),
         "4 heads, chosen · characters of meta.pkl"),
        (Choices(tokenizer=Characters(("a", "b"))), "characters that were typed"),
        (Choices(tokenizer=FromFile(Path("/x/tokenizer.json"))), "tokenizer tokenizer.json"),
        (Choices(tokenizer=Bytes(), base=Path("/x/base")), "bytes · on base"),
    ],
)  # fmt: skip
def test_what_was_chosen_is_told_in_a_few_words(choices: Choices, words: str):
    assert chosen_words(choices) == words


def remove_one(name, folder, marker):
    """A script that adds a model with a way of its own to delete it, and removes it again."""
    from core.ui import own_models

    called = own_models.add(name, folder, lambda: marker.unlink(missing_ok=True))
    assert own_models.folder_of(called) == folder
    own_models.remove(called)
    own_models.remove("another")
    assert own_models.names() == ()
    assert own_models.add(name, folder, lambda: None) == f"{name} (2)"
    own_models.take_back(f"{name} (2)")
    assert own_models.add(name, folder, lambda: None) == f"{name} (2)"


def test_a_model_is_removed_in_its_own_way_and_its_name_is_not_used_again(tmp_path: Path):
    marker = tmp_path / "marker"
    marker.touch()
    app = AppTest.from_function(remove_one, args=("mine", tmp_path, marker), default_timeout=60).run()
    assert not app.exception, app.exception
    assert not marker.exists()
    assert tmp_path.exists()


@pytest.mark.parametrize(
    ("typed", "called"),
    [
        ("bert", "bert (own)"),
        ("  a,b;c/d\\e \n f\u202e ", "a-b-c-d-e f (own)"),
        ("\u3164", "model (own)"),
        ("模型 🤗 نموذج", "模型 🤗 نموذج (own)"),
        ("x" * 5_000, f"{'x' * LONGEST_NAME} (own)"),
    ],
)
def test_whatever_is_typed_becomes_a_short_name_in_one_line(typed: str, called: str):
    assert brought(typed) == called
    assert len(called) <= LONGEST_NAME + len(" (own)")


def test_a_link_to_a_model_of_an_earlier_session_says_what_became_of_it():
    assert "bring its files again on the Models page" in str(why_gone("bert (own) (2)"))
    assert "train it again" in str(why_gone("reverse-transformer-12"))
    assert why_gone("all-MiniLM-L6-v2") is None
    assert is_gone("bert (own)")
    assert not is_gone(" (own)")


def test_all_that_ends_with_a_session_ends_even_if_one_of_it_fails():
    ended: list[str] = []
    session = resources.Session("ann", Queues(), Store(1))
    session.at_end(lambda: ended.append("first"))
    session.at_end(lambda: 1 / 0)
    session.at_end(lambda: ended.append("last"))
    with pytest.raises(ZeroDivisionError):
        session.end()
    session.end()
    assert ended == ["last", "first"]


@pytest.fixture
def with_own(page, tmp_path: Path):
    """Opens the page with own models of these architectures, wanted from the last."""

    def open_with(text: str, *models: tuple[str, str, dict[str, object]]):
        for name, architecture, config in models:
            saved(tmp_path / name, architecture, **config)
        page.app.session_state["own_models"] = {name: tmp_path / name for name, *_ in models}
        page.app.session_state["wanted_model"], page.app.session_state["wanted_text"] = models[-1][0], text
        return page.open()

    return open_with


def test_a_wanted_own_model_opens_with_its_text_and_its_address_opens_it_only_here(page, with_own):
    with_own("abc cab", ("counting", RECURRENT, {}))
    assert page.address["model"] == "counting"
    assert page.app.selectbox(key="model").options[1] == "counting"
    assert page.app.text_area(key="text").value == "abc cab"
    assert [name for name in page.drawn if name != "exporter"] == ["selection", "overview", "heatmap", "headview"]
    assert page.address["stream"] == "cross"
    stranger = type(page)().open(model="counting")
    assert "There is no model counting here: all-MiniLM-L6-v2 is used." in stranger.sentences


def test_attention_pooling_is_drawn_with_its_only_row_picked(page, with_own):
    with_own("abc", ("pooled", POOLING, {}))
    assert (page.address["stream"], page.address["query"]) == ("pooling", "0")
    for view in ("text", "querykey", "headmap"):
        page.tell(view=view)
        assert page.title == "Layer 0 · Head 0"
    assert any("positions by recurrence" in element.proto.body for element in page.app.get("html"))


def test_a_model_without_attention_shows_its_answer_and_says_why_there_is_no_map(page, with_own):
    with_own("abc", ("bottleneck", RECURRENT, {"attention": "none"}))
    assert page.title == "No attention"
    assert SENTENCE in page.sentences
    assert "It wrote" in page.html or "What comes next" in "".join(m.value for m in page.app.markdown)
    assert page.drawn == []
    assert page.address["model"] == "bottleneck"
    page.tell(model="all-MiniLM-L6-v2")
    assert page.title.startswith("Layer ")
    assert "overview" in page.drawn
