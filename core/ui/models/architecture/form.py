"""Which architecture an upload is of: the best guesses first with their reasons, and all that they take shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import HeadlightError
from core.models.checking_files import values_beside
from core.models.guessing import Guess, answered, guesses, is_linear_gpt2, stated_answers, why_unlike
from core.models.guessing.unlike import PLUGIN
from core.models.preparing.taken import taken_of
from core.ui.models.architecture.architectures import classes_of, families, template, with_class
from core.ui.models.architecture.config_by_hand import LONGEST, typed_config, typed_guess
from core.ui.models.architecture.config_words import class_words, head_in_words
from core.ui.models.architecture.fields import HEAD_HELP, following_words, values_of_fields
from core.ui.models.architecture.fit import fit_here, fit_in_box, fit_words, share_words
from core.ui.models.architecture.heads import BY_HAND, CHOSEN, GUESSED, IS_GUESSED, assumed_as, assumed_of_guess
from core.ui.models.architecture.stated_config import stated_config
from core.ui.models.kept_forms import once
from core.ui.progress import with_progress
from core.ui.words import literal, note, small_print

if TYPE_CHECKING:
    from core.models.finding import Candidate

MENU, HAND = "menu", "hand"
_WAYS = {
    MENU: ("Another architecture", "From a menu of all that the installed libraries know for texts."),
    HAND: ("Write config.json by hand", "For whoever has the config, or knows it."),
}
NO_GUESS = (
    "No architecture that can be told by names and shapes has most of these tensors: if it is one of transformers, "
    f"choose it from the menu or write its config.json; if it is a network of your own, {PLUGIN}."
)
UNLIKE = "No network of transformers holds these tensors as they lie in the file: what can be done is said above."
# It has nanoGPT's names and shapes, and the queries, keys and values of a head side by side.
ONLY_LIKE = "gpt_bigcode"
ONLY_LIKE_WORDS = (
    f"Tensors of {ONLY_LIKE} and of nanoGPT have the same names and shapes, and queries, keys and values in another "
    f"order: for a model of nanoGPT choose gpt2; for one of {ONLY_LIKE} bring its own config.json along, or write it "
    "by hand."
)
MENU_HELP = "The model_type of config.json. Type to search."
STOPPED = "This was stopped before it was known how well the values fit: change one of them to go on."
HAND_HELP = "It begins as the best guess, and must name model_type. Press Ctrl+Enter when it is done."
Measure = Callable[[Any], Guess]


@dataclass(frozen=True)
class Architecture:
    """A config.json, whole, and what of it was assumed and taken, as `core.models.preparing.Choices` has it."""

    config: dict[str, Any]
    assumed: tuple[str, ...]
    taken: dict[str, Any]


@dataclass(frozen=True)
class _Known:
    """What is known before anybody chooses.

    stated  what the upload's own config.json says
    beside  what the first file holds beside its tensors
    unlike  why nothing fits, where nothing does and that is known
    """

    candidate: Candidate
    found: tuple[Guess, ...]
    stated: dict[str, Any]
    beside: dict[str, Any]
    unlike: str


def architecture_form(candidate: Candidate, slot: str) -> Architecture | None:
    """Draw the form, and return the architecture that is chosen; None while none fits.

    slot: what the keys of its fields begin with.
    """
    with st.container(key=f"{slot}-architecture-form"):
        st.markdown("**Which architecture is it?**")
        for missing in candidate.missing:
            if missing.what in ("config", "model_type"):
                small_print(missing.sentence, "caption")
        known = _known(candidate, slot)
        way = _way(slot, known)
        _show_tensors(candidate, slot)
        if way == HAND:
            return _by_hand(slot, known)
        guess = _from_menu(slot, known) if way == MENU else known.found[int(way)]
        return None if guess is None else _of_guess(f"{slot}-{way}-{guess.model_type}", known, guess)


def _known(candidate: Candidate, slot: str) -> _Known:
    found = _guesses(candidate, slot)
    unlike = "" if found else once(slot, "unlike", len(candidate.tensors), lambda: why_unlike(candidate.tensors))
    return _Known(candidate, found, stated_config(candidate.config), _beside(candidate, slot), unlike)


def _beside(candidate: Candidate, slot: str) -> dict[str, Any]:
    def make() -> dict[str, Any]:
        try:
            return values_beside(candidate.weights[0])
        except HeadlightError:
            return {}

    is_pickle = candidate.weights and candidate.weights[0].suffix.lower() != ".safetensors"
    return once(slot, "beside", candidate.weights[0], make) if is_pickle else {}


def _guesses(candidate: Candidate, slot: str) -> tuple[Guess, ...]:
    def make() -> tuple[Guess, ...]:
        return with_progress(candidate.name, work, key=f"{slot}-guessing")

    def work(job: Any) -> tuple[Guess, ...]:
        job.advance(0, 1, "comparing names and shapes")
        return guesses(candidate.tensors)

    return once(slot, "guesses", len(candidate.tensors), make)


def _way(slot: str, known: _Known) -> str:
    """Which of the guesses, or of the other ways, is chosen."""
    if not known.found:
        note(known.unlike or NO_GUESS, "warning" if known.unlike else "info")
    labels = {str(at): (_title(guess), _reason(guess)) for at, guess in enumerate(known.found)} | _WAYS
    with st.container(key=f"{slot}-way-options"):
        return str(
            st.radio(
                "Architecture, the best guess first",
                list(labels),
                format_func=lambda way: literal(labels[way][0]),
                captions=[literal(caption) for _, caption in labels.values()],
                width="stretch",
                key=f"{slot}-way",
                persist_state="session",
            )
        )


def _title(guess: Guess) -> str:
    return f"{guess.architecture} · {share_words(guess.share).lower()} {'fits' if guess.share == 1 else 'fit'}"


def _reason(guess: Guess) -> str:
    head = head_in_words(guess.architecture)
    words = f"{head[:1].upper()}{head[1:]}. " if head else ""
    left = f" Left out: {len(guess.left):,}." if guess.left else ""
    missing = f" Missing: {len(guess.missing):,}." if guess.missing else ""
    return f"{words}{guess.reason}{left}{missing}"


def _from_menu(slot: str, known: _Known) -> Guess | None:
    family = st.selectbox(
        "Architecture", families(), index=None, placeholder="Choose one", help=MENU_HELP, width=420,
        key=f"{slot}-family", persist_state="session",
    )  # fmt: skip
    if family is None:
        return None
    if family == ONLY_LIKE and is_linear_gpt2(known.candidate.tensors):
        note(ONLY_LIKE_WORDS, "error")
        return None
    guess = template(family)
    if guess is None:
        note(f"{family} cannot be described by these fields: write its config.json by hand.", "error")
    return guess


def _of_guess(slot: str, known: _Known, guess: Guess) -> Architecture | None:
    """The fields of a family, and how well the tensors fit them."""
    chosen = with_class(guess, _class(slot, guess))
    told = stated_answers(chosen, known.beside)
    answers = values_of_fields(slot, chosen, known.stated, told)
    if answers is None:
        return None
    make = partial(fit_here, known.candidate.tensors, chosen, answers)
    again = _measured(slot, known, make, (chosen.config, answers))
    if again is None:
        return None
    if follows := following_words(again.config):
        small_print(follows, "follows")
    config = known.stated | again.config
    assumed = assumed_of_guess(chosen, config, known.stated, told)
    # From the menu there are no questions, and all numbers are somebody's choice.
    assumed = assumed if chosen.open_questions else assumed_as(CHOSEN, config, known.stated)
    if any(words.endswith(GUESSED) for words in assumed):
        note(IS_GUESSED, "warning")
    _show_fit(slot, again)
    _show_config(slot, config)
    return Architecture(config, assumed, taken_of(chosen, config, {*known.stated, *told}))


def _class(slot: str, guess: Guess) -> str:
    options = list(dict.fromkeys((guess.architecture, *classes_of(guess.model_type))))
    return str(
        st.selectbox(
            "Head",
            options,
            format_func=class_words,
            help=HEAD_HELP,
            width=560,
            key=f"{slot}-class",
            persist_state="session",
        )
    )


def _by_hand(slot: str, known: _Known) -> Architecture | None:
    first = _first_config(known)
    text = st.text_area(
        "config.json", json.dumps(first, indent=2), height=320, max_chars=LONGEST, key=f"{slot}-typed",
        persist_state="session", help=HAND_HELP,
    )  # fmt: skip
    try:
        config = typed_config(text)
    except HeadlightError as error:
        note(str(error), "error")
        return None
    again = _measured(slot, known, partial(fit_in_box, known.candidate.tensors, typed_guess(config), {}), config)
    if again is None:
        return None
    _show_fit(slot, again)
    # Whoever has changed nothing has not looked at each value.
    best = next(iter(known.found), None) if config == first else None
    taken = taken_of(best, config, {*known.stated, *stated_answers(best, known.beside)}) if best else {}
    return Architecture(config, assumed_as(GUESSED if config == first else BY_HAND, config, known.stated), taken)


def _first_config(known: _Known) -> dict[str, Any]:
    """What stands in the field before anybody writes."""
    if not known.found:
        return known.stated | {"model_type": "", "architectures": []}
    best = known.found[0]
    said = {name: each.value for name, each in stated_answers(best, known.beside).items()}
    asked = {question.name for question in best.open_questions}
    return known.stated | answered(best, said | {n: value for n, value in known.stated.items() if n in asked})


def _measured(slot: str, known: _Known, make: Measure, of: object) -> Guess | None:
    """How well the tensors fit, from before or measured now; None, with a sentence, where no network comes of it."""
    stopped = f"{slot}-stopped"
    if st.session_state.get(stopped) == of:
        note(STOPPED, "info")
        return None

    def measure() -> Guess:
        on_stop = partial(st.session_state.update, {stopped: of})
        return with_progress(known.candidate.name, make, on_stop, key=f"{slot}-fitting")

    try:
        return once(slot, "fit", of, measure)
    except HeadlightError as error:
        note(UNLIKE if known.unlike else str(error), "error")
        return None


def _show_fit(slot: str, guess: Guess) -> None:
    from core.ui.models.names_list import names_list  # brings torch along

    note(*fit_words(guess))
    names_list(f"{slot}-missing", "Missing: random weights would stand there", guess.missing)
    names_list(f"{slot}-left", "Left out: the network has no place for them", guess.left)


def _show_tensors(candidate: Candidate, slot: str) -> None:
    from core.ui.models.names_list import names_list

    def said(name: str) -> str:
        return " × ".join(map(str, candidate.tensors[name])) or "one number"

    names_list(f"{slot}-tensors", "Tensors of the file, with their shapes", tuple(candidate.tensors), said)


def _show_config(slot: str, config: Mapping[str, Any]) -> None:
    with st.expander("config.json, as it will be written", key=f"{slot}-config"):
        st.code(json.dumps(config, indent=2, ensure_ascii=True), language="json")
