"""Which architecture an upload is of: the best guesses first with their reasons, and all that they take shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import HeadlightError
from core.models.guessing import Guess, guesses
from core.ui.models.architecture_fields import HEAD_HELP, following_words, values_of_fields
from core.ui.models.architectures import classes_of, families, template, with_class
from core.ui.models.config_by_hand import LONGEST, typed_config, typed_guess
from core.ui.models.config_words import class_words, head_in_words
from core.ui.models.fit import fit_here, fit_in_box, fit_words, share_words
from core.ui.models.kept_forms import once
from core.ui.models.names_list import names_list
from core.ui.models.stated_config import stated_config
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
    "No architecture that can be told by names and shapes has most of these tensors: choose one from the menu, or "
    "write its config.json."
)
MENU_HELP = "The model_type of config.json. Type to search."
STOPPED = "This was stopped before it was known how well the values fit: change one of them to go on."
HAND_HELP = "It begins as the best guess, and must name model_type. Press Ctrl+Enter when it is done."
Measure = Callable[[Any], Guess]


def architecture_form(candidate: Candidate, slot: str) -> dict[str, Any] | None:
    """Draw the form, and return the config.json that is chosen, whole; None while none fits.

    slot: what the keys of its fields begin with.
    """
    stated = stated_config(candidate.config)
    with st.container(key=f"{slot}-architecture-form"):
        st.markdown("**Which architecture is it?**")
        for missing in candidate.missing:
            if missing.what in ("config", "model_type"):
                small_print(missing.sentence, "caption")
        found = _guesses(candidate, slot)
        way = _way(slot, found)
        _show_tensors(candidate, slot)
        if way == HAND:
            return _by_hand(candidate, slot, found, stated)
        guess = _from_menu(slot) if way == MENU else found[int(way)]
        if guess is None:
            return None
        return _of_guess(candidate, f"{slot}-{way}-{guess.model_type}", guess, stated)


def _guesses(candidate: Candidate, slot: str) -> tuple[Guess, ...]:
    def make() -> tuple[Guess, ...]:
        return with_progress(candidate.name, work, key=f"{slot}-guessing")

    def work(job: Any) -> tuple[Guess, ...]:
        job.advance(0, 1, "comparing names and shapes")
        return guesses(candidate.tensors)

    return once(slot, "guesses", len(candidate.tensors), make)


def _way(slot: str, found: tuple[Guess, ...]) -> str:
    """Which of the guesses, or of the other ways, is chosen."""
    if not found:
        note(NO_GUESS, "info")
    labels = {str(at): (_title(guess), _reason(guess)) for at, guess in enumerate(found)} | _WAYS
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


def _from_menu(slot: str) -> Guess | None:
    family = st.selectbox(
        "Architecture", families(), index=None, placeholder="Choose one", help=MENU_HELP, width=420,
        key=f"{slot}-family", persist_state="session",
    )  # fmt: skip
    if family is None:
        return None
    guess = template(family)
    if guess is None:
        note(f"{family} cannot be described by these fields: write its config.json by hand.", "error")
    return guess


def _of_guess(candidate: Candidate, slot: str, guess: Guess, stated: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of a family, and how well the tensors fit them."""
    chosen = with_class(guess, _class(slot, guess))
    answers = values_of_fields(slot, chosen, stated)
    if answers is None:
        return None
    again = _measured(slot, candidate, partial(fit_here, candidate.tensors, chosen, answers), (chosen.config, answers))
    if again is None:
        return None
    if follows := following_words(again.config):
        small_print(follows, "follows")
    _show_fit(slot, again)
    config = dict(stated) | again.config
    _show_config(slot, config)
    return config


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


def _by_hand(
    candidate: Candidate, slot: str, found: tuple[Guess, ...], stated: Mapping[str, Any]
) -> dict[str, Any] | None:
    first = dict(stated) | (found[0].config if found else {"model_type": "", "architectures": []})
    text = st.text_area(
        "config.json", json.dumps(first, indent=2), height=320, max_chars=LONGEST, key=f"{slot}-typed",
        persist_state="session", help=HAND_HELP,
    )  # fmt: skip
    try:
        config = typed_config(text)
    except HeadlightError as error:
        note(str(error), "error")
        return None
    make = partial(fit_in_box, candidate.tensors, typed_guess(config), {})
    again = _measured(slot, candidate, make, config)
    if again is None:
        return None
    _show_fit(slot, again)
    return config


def _measured(slot: str, candidate: Candidate, make: Measure, of: object) -> Guess | None:
    """How well the tensors fit, from before or measured now; None, with a sentence, where no network comes of it."""
    stopped = f"{slot}-stopped"
    if st.session_state.get(stopped) == of:
        note(STOPPED, "info")
        return None

    def measure() -> Guess:
        on_stop = partial(st.session_state.update, {stopped: of})
        return with_progress(candidate.name, make, on_stop, key=f"{slot}-fitting")

    try:
        return once(slot, "fit", of, measure)
    except HeadlightError as error:
        note(str(error), "error")
        return None


def _show_fit(slot: str, guess: Guess) -> None:
    note(*fit_words(guess))
    names_list(f"{slot}-missing", "Missing: random weights would stand there", guess.missing)
    names_list(f"{slot}-left", "Left out: the network has no place for them", guess.left)


def _show_tensors(candidate: Candidate, slot: str) -> None:
    def said(name: str) -> str:
        return " × ".join(map(str, candidate.tensors[name])) or "one number"

    names_list(f"{slot}-tensors", "Tensors of the file, with their shapes", tuple(candidate.tensors), said)


def _show_config(slot: str, config: Mapping[str, Any]) -> None:
    with st.expander("config.json, as it will be written", key=f"{slot}-config"):
        st.code(json.dumps(config, indent=2, ensure_ascii=True), language="json")
