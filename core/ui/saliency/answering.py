"""The question and each method's answer: from the store or worked out now, a few in each run of the page.

Rows appear as they are ready: a run works for a moment, shows what it has, and starts the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import streamlit as st

from core.errors import HeadlightError
from core.jobs import Cancelled, Job
from core.jobs.background import sentence_of
from core.ui import own_models, remarks, resources
from core.ui.progress import AT_ONCE, with_progress
from core.ui.saliency.offered import SECOND_TEXT
from core.ui.saliency.state import ALLOWED, AT, CHECKED, FOIL, STOPPED, STOPPED_WORKS, TARGET
from core.ui.saliency.wish import Asked, Wish
from core.ui.starting import SECONDS_TO_SEND, libraries
from core.ui.words import note

if TYPE_CHECKING:
    from core.saliency import Question, Scores

T = TypeVar("T")
DTYPE = "float32"
# A run of the page works so long before it shows what is ready.
SECONDS_A_RUN = 0.6
# What takes longer is run on a click only.
SECONDS_AT_ONCE = 10.0
# What draws at random is run from a second seed for the matrix, which the time that is told includes.
SEEDS = 2
SMALL = 4096
STOPPED_QUESTION = "The run was stopped; press Explain to start it again."
STOPPED_WORDS = "The methods were stopped; press Explain to go on."
STOPPED_WORK = "This was stopped; press Explain to go on."


@dataclass(frozen=True)
class Answers:
    """ready: `Scores` or `Refused` by method; heavy: seconds of methods that wait for a click; pending: the others."""

    ready: dict[str, Any]
    heavy: dict[str, float]
    pending: tuple[str, ...]

    @property
    def scores(self) -> list[Scores]:
        """Those that gave scores, in the order of the page."""
        return [found for found in self.ready.values() if not hasattr(found, "sentence")]


def question_of(wish: Wish) -> Question | None:
    """The question, asked now if it was not before; None, with a sentence, where it cannot be."""
    asked = wish.asked
    if not asked.text.strip():
        note("Type a text to explain what the model makes of it.", "info")
        return None
    if st.session_state.get(STOPPED) == asked and not is_kept((asked,)):
        note(STOPPED_QUESTION, "info")
        return None
    try:
        return with_progress(
            asked.model,
            lambda job: stored((asked,), lambda: _ask(job, asked), _size, job),
            on_stop=lambda: st.session_state.update({STOPPED: asked}),
        )
    except HeadlightError as error:
        if (asked.target, asked.at) != (None, None) and not isinstance(error, Cancelled):
            _leave_target(error)
        note(str(error), "error")
    except Exception as error:
        note(sentence_of(error, asked.model), "error")
    return None


def answers_of(wish: Wish, question: Question) -> Answers:
    """What is ready of the methods, after a moment of work on those that are not."""
    from core.saliency import METHODS, Refused, estimate

    session, asked = resources.session(), wish.asked
    allowed = st.session_state.get(ALLOWED, frozenset())
    stopped = st.session_state.get(STOPPED) == asked
    ready: dict[str, Any] = {}
    heavy: dict[str, float] = {}
    pending: list[str] = []
    started, news = time.perf_counter(), False
    for name in in_order(wish.methods):
        if sentence := METHODS[name].refuse(question.model):
            ready[name] = Refused(name, sentence)
            continue
        found = session.results.kept((session.name, "saliency", asked, name))
        if found is not None:
            ready[name] = found
            continue
        seconds = estimate(question, [name], SEEDS)
        if seconds > SECONDS_AT_ONCE and (asked, name) not in allowed:
            heavy[name] = seconds
        elif stopped or pending or (ready and time.perf_counter() - started + seconds > SECONDS_A_RUN and news):
            # What takes long is left to the next run, so that what is ready stands on the page meanwhile.
            pending.append(name)
        else:
            ready[name], news = _answer(asked, question, name), True
    if stopped and pending:
        note(STOPPED_WORDS, "info")
    return Answers(ready, heavy, tuple(pending))


def go_on() -> NoReturn:
    """Start the page again for the methods that are pending, once what is ready has reached the browser."""
    time.sleep(SECONDS_TO_SEND)
    st.rerun()


def in_order(names: Sequence[str]) -> list[str]:
    """Methods in the order of the menu, each once, so that families stand together."""
    from core.saliency import METHODS

    return [name for name in METHODS if name in names]


def worked_out(question: Question, wish: Wish, what: tuple[object, ...], make: Callable[[Job], T]) -> T | None:
    """Something that is worked out of the question: from the store, or now with progress; None where it cannot be."""
    asked, stopped = wish.asked, st.session_state.get(STOPPED_WORKS, frozenset())
    if (asked, *what) in stopped and not is_kept((asked, *what)):
        note(STOPPED_WORK, "info")
        return None
    try:
        return with_progress(
            asked.model,
            lambda job: stored((asked, *what), lambda: _in_turn(question, job, make), lambda _: SMALL, job),
            on_stop=lambda: st.session_state.update({STOPPED_WORKS: stopped | {(asked, *what)}}),
            key=f"saliency_{'_'.join(part for part in what if isinstance(part, str))}_progress",
        )
    except Exception as error:
        note(sentence_of(error, asked.model), "error")
        return None


def is_kept(key: tuple[object, ...]) -> bool:
    """Whether this session has the result already."""
    session = resources.session()
    return session.results.kept((session.name, "saliency", *key)) is not None


def stored(key: tuple[object, ...], make: Callable[[], T], size: Callable[[T], int], job: Job) -> T:
    """From this session's results, or made now."""
    session = resources.session()
    whole = (session.name, "saliency", *key)
    return session.results.get_or_make(whole, make, size, while_waiting=lambda: job.waiting(1))


def allow(asked: Asked, names: tuple[str, ...]) -> None:
    """Let methods run that take long; to be called as a callback."""
    kept: frozenset[tuple[Asked, str]] = st.session_state.get(ALLOWED, frozenset())
    st.session_state[ALLOWED] = kept | {(asked, name) for name in names}


def is_asked_for(asked: Asked, what: str) -> bool:
    """Whether somebody asked for something that takes long."""
    return (asked, what) in st.session_state.get(CHECKED, frozenset())


def ask_for(asked: Asked, what: str) -> None:
    """Ask for something that takes long; to be called as a callback."""
    st.session_state[CHECKED] = st.session_state.get(CHECKED, frozenset()) | {(asked, what)}


def _leave_target(error: HeadlightError) -> None:
    """An address may ask about what there is not: then the model's own choice is explained, and the page says so."""
    remarks.keep([f"{error} The model's own choice is explained instead."])
    st.session_state[TARGET] = st.session_state[FOIL] = st.session_state[AT] = None
    st.rerun()


def _answer(asked: Asked, question: Question, name: str) -> Any:
    from core.saliency import METHODS, Refused, scores_of

    def work(job: Job) -> Any:
        try:
            return _in_turn(question, job, lambda job: scores_of(question, name, job))
        except Exception as error:
            # One method that fails in a way nobody foresaw leaves the others their rows.
            job.check()
            return Refused(name, sentence_of(error, METHODS[name].title))

    return with_progress(
        METHODS[name].title,
        lambda job: stored((asked, name), lambda: work(job), lambda _: SMALL, job),
        on_stop=lambda: st.session_state.update({STOPPED: asked}),
        key=f"saliency_{name}_progress",
    )


def _in_turn(question: Question, job: Job, make: Callable[[Job], T]) -> T:
    with resources.session().queues.of(question.model.device).turn(job):
        return make(job)


def _ask(job: Job, asked: Asked) -> Question:
    job.advance(0, 1, AT_ONCE)
    libraries()
    from core.models.answers import SIMILARITY
    from core.saliency import ask
    from core.saliency.asking import kind_of, scalars_of

    folder = own_models.folder_of(asked.model)
    model = resources.models().get(asked.model, DTYPE, job, folder=folder)
    with resources.session().queues.of(model.device).turn(job):
        wanted = asked.target if asked.foil is None else (asked.target, asked.foil)
        question = ask(
            model,
            asked.text,
            text_pair=asked.text_pair.strip() or (SECOND_TEXT if kind_of(model).name == SIMILARITY else None),
            target=wanted,
            scalar=asked.scalar if asked.scalar in scalars_of(model) else None,
            baseline=None if asked.baseline == "default" else asked.baseline,
            aggregation=asked.aggregation,
            by=asked.by,
            at=asked.at,
            answer=asked.answer.strip() or None if model.card.answers else None,
            job=job,
        )
        # Its size is asked for at once, and it takes a pass through the model, so it is run in this turn.
        question.trace  # noqa: B018
        return question


def _size(question: Question) -> int:
    return SMALL * max(1, len(question.tokens)) + question.trace.nbytes
