"""What is worked out for the page, from the session's results or now: a model's facts, runs, comparisons, figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.background import sentence_of
from core.text.cleaning import NothingToRead
from core.ui import own_models, resources
from core.ui.positions.state import STOPPED
from core.ui.progress import AT_ONCE, with_progress
from core.ui.starting import libraries
from core.ui.words import note
from core.views import Figure

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads.distances import AttentionByDistance
    from core.mechanics.order import OrderComparison
    from core.models.model import Model
    from core.positions.facts import Fact
    from core.positions.objects import Terms
    from core.text import Note, Tokens

T = TypeVar("T")
DTYPE = "float32"
SMALL = 4096
STOPPED_WORK = "This was stopped: nothing more is worked out until it is started again."
NO_TEXT = "Type a text for the model to read."


def facts_of_model(name: str) -> tuple[Fact, ...] | None:
    """What the model is told about order; None, with a sentence, where it cannot be opened."""

    def make(job: Job) -> tuple[Fact, ...]:
        from core.positions.facts import facts_of

        return facts_of(model_called(name, job).network)

    return worked_out(name, ("facts", name), make)


def known_facts(name: str) -> tuple[Fact, ...]:
    """What this session has already found of the model; () where nothing yet."""
    session = resources.session()
    return session.results.kept((session.name, "positions", "facts", name)) or ()


def run_of(name: str, text: str) -> Trace | None:
    """The run of a text through the model."""

    def make(job: Job) -> Trace:
        model = model_called(name, job)
        with in_turn(model, job):
            return model.run(text, job=job)

    return _of_text(name, text, ("run", name, text), make, lambda trace: trace.nbytes + SMALL)


def distances_of(name: str, text: str, trace: Trace, stream: str, layer: int) -> AttentionByDistance | None:
    """Mean attention weight at each distance, of all heads of a layer."""

    def make(job: Job) -> AttentionByDistance:
        from core.heads.distances import by_distance

        return by_distance(trace, stream, layer, job=job)

    return _of_text(name, text, ("distances", name, text, stream, layer), make)


def layers_of(name: str) -> int | None:
    """How many layers of self-attention the model has."""
    return worked_out(name, ("layers", name), lambda job: model_called(name, job).card.layers.get("self", 0))


def terms_of_model(name: str, text: str, layer: int) -> tuple[Terms, Tokens] | None:
    """The terms that a DeBERTa adds its scores up from."""

    def make(job: Job) -> tuple[Terms, Tokens]:
        from core.mechanics.terms import terms_of

        model = model_called(name, job)
        with in_turn(model, job):
            return terms_of(model, text, layer, job=job)

    return _of_text(name, text, ("terms", name, text, layer), make, lambda found: 4 * found[0].total.nbytes)


def words_of(name: str, text: str) -> tuple[tuple[str, ...], tuple[Note, ...]] | None:
    """The words of a text that can be moved, as the model's tokenizer has them; and how it was read."""

    def make(job: Job) -> tuple[tuple[str, ...], tuple[Note, ...]]:
        from core.text import notes_on
        from core.text.reordering import movable_labels

        tokens = model_called(name, job).encode(text)
        return movable_labels(tokens), notes_on(tokens)

    return _of_text(name, text, ("words", name, text), make)


def orders_of(name: str, text: str, order: tuple[int, ...]) -> OrderComparison | None:
    """The model on a text and on its words in another order, with positions and without."""

    def make(job: Job) -> OrderComparison:
        from core.mechanics.order import compare_orders

        model = model_called(name, job)
        with in_turn(model, job):
            return compare_orders(model, text, order, job=job)

    return _of_text(name, text, ("order", name, text, order), make, _size_of_comparison)


def figure_of(key: tuple[object, ...], make: Callable[[], Figure]) -> Figure | None:
    """A figure from the session's results, or built now; None, with a sentence, where there is none."""
    session = resources.session()
    try:
        return session.results.get_or_make(
            (session.name, "positions", "figure", *key), make, lambda figure: len(figure.payload) + SMALL
        )
    except HeadlightError as error:
        note(str(error), "error")
    except Exception as error:
        note(sentence_of(error, "This figure"), "error")
    return None


def worked_out(
    title: str, key: tuple[object, ...], make: Callable[[Job], T], size: Callable[[T], int] = lambda _: SMALL
) -> T | None:
    """From the session's results, or now with progress; None, with a sentence, where it cannot be had."""
    session = resources.session()
    whole = (session.name, "positions", *key)
    kept: T | None = session.results.kept(whole)
    if kept is not None:
        return kept
    if st.session_state.get(STOPPED) == key:
        note(STOPPED_WORK, "info")
        st.button("Start it again", icon=":material/replay:", on_click=forget_stop, key=f"positions_{key[0]}_again")
        return None
    try:
        return with_progress(
            title,
            lambda job: session.results.get_or_make(whole, lambda: make(job), size, lambda: job.waiting(1)),
            on_stop=lambda: st.session_state.update({STOPPED: key}),
            key=f"positions_{key[0]}_progress",
        )
    except HeadlightError as error:
        note(str(error), "info" if isinstance(error, NothingToRead) else "error")
    except Exception as error:
        note(sentence_of(error, title), "error")
    return None


def forget_stop() -> None:
    """A new press means that an earlier stop no longer counts; to be called as a callback."""
    st.session_state.pop(STOPPED, None)


def model_called(name: str, job: Job) -> Model:
    """The model from the pool of all sessions."""
    job.advance(0, 1, AT_ONCE)
    libraries()
    return resources.models().get(name, DTYPE, job, folder=own_models.folder_of(name))


def in_turn(model: Model, job: Job) -> Any:
    """This session's turn on the device of the model."""
    return resources.session().queues.of(model.device).turn(job)


def _of_text(
    name: str,
    text: str,
    key: tuple[object, ...],
    make: Callable[[Job], T],
    size: Callable[[T], int] = lambda _: SMALL,
) -> T | None:
    if not text.strip():
        note(NO_TEXT, "info")
        return None
    return worked_out(name, key, make, size)


def _size_of_comparison(found: OrderComparison) -> int:
    traces = (found.original, found.moved, found.bare_original, found.bare_moved)
    return SMALL + sum(trace.nbytes for trace in traces if trace is not None)
