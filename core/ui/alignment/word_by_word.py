"""One model's text, step by step of its decoder, and from here to the Attention page with the same run.

A step is one run of the decoder: its weights, its next tokens and the token that it wrote. So it stays whichever way
the rows of the matrices are put to words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.errors import HeadlightError
from core.ui import address, own_texts
from core.ui.alignment.going_on import GoingOn, go_back, take_alternative
from core.ui.alignment.looking import Looking
from core.ui.alignment.models import labels_of
from core.ui.alignment.panels import about_of, place_of, which
from core.ui.alignment.running import Outcome, Run
from core.ui.alignment.state import WORD_MODEL
from core.ui.alignment.step import go_to_step, opened_at
from core.ui.alignment.wish import Wish
from core.ui.card import figure_card
from core.ui.words import note, small_print
from core.views import Figure, Steps, steps_figure

if TYPE_CHECKING:
    from core.capture import Trace

ONE_STEP = (
    "Here the weights, the next tokens and the token are always those of one step of the decoder. The matrix, read "
    "with input, has the weights of the step after in the marked row."
)
_SPACE = "␣"


def word_by_word(outcomes: Sequence[Outcome], wish: Wish, looking: Looking, going_on: GoingOn | None) -> None:
    """The chosen model's text, with the way back to its own words where it was led away from them."""
    runs = {outcome.model: outcome.run for outcome in outcomes if outcome.run is not None}
    run = runs.get(looking.word)
    if run is None:
        _back_button(going_on)
        return
    labels = labels_of(list(runs))
    _bar(run, labels, going_on)
    if run.attends and looking.reads == "input":
        small_print(ONE_STEP, "one-step")
    led = going_on if going_on is not None and going_on.model == run.reading.model else None
    if led is not None:
        small_print(chosen_words(run.trace, led), "chosen")
    written = () if run.trace.said is None else run.trace.said.ids[1:]
    try:
        figure = steps_of(run, labels[run.reading.model], wish, looking, None if led is None else led.own)
    except HeadlightError as error:
        note(str(error), "error")
        return
    triggers = {
        "alternative": partial(take_alternative, wish, run.reading.model, written),
        "step": partial(go_to_step, run),
    }
    figure_card(figure, triggers, {})


def _bar(run: Run, labels: Mapping[str, str], going_on: GoingOn | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="word_bar"):
        st.selectbox(
            "Word by word",
            list(labels),
            format_func=labels.__getitem__,
            key=WORD_MODEL,
            persist_state="session",
            label_visibility="collapsed",
            width=220,
        )
        _back_button(going_on)
        st.space("stretch")
        _open_button(run)


def chosen_words(trace: Trace, going_on: GoingOn) -> str:
    """Which of the tokens that the text begins with somebody chose, and how many were kept as the model had them."""
    labels = () if trace.produced is None else trace.produced.labels
    chosen = [f"“{as_text(labels[place])}”" for place in going_on.own if place < len(labels)]
    count, kept = len(going_on.prefix), len(going_on.prefix) - len(going_on.own)
    before = f" Kept as the model had it: {kept} of the first {count} tokens." if kept else ""
    return f"Chosen by you: {', '.join(chosen)}.{before}"


def _back_button(going_on: GoingOn | None) -> None:
    if going_on is not None:
        st.button("Back to its own words", icon=":material/undo:", on_click=go_back, key="go_back")


def steps_of(run: Run, label: str, wish: Wish, looking: Looking, own: tuple[int, ...] | None) -> Figure:
    """One model's text token by token. own: places of the tokens that the reader chose, see `GoingOn`."""
    trace, produced = run.trace, run.trace.produced
    assert produced is not None
    rows = range(len(produced))
    found = Steps(
        label=label,
        about=which(run, looking) if run.attends else "",
        source=source_words(trace),
        weights=step_weights(trace, *place_of(run, looking)) if run.attends else None,
        tokens=tuple(as_text(token) for token in produced.labels),
        alternatives=tuple(trace.next_tokens(row) for row in rows),
        chosen_probability=tuple(trace.probability(row) or 0.0 for row in rows),
        forced=len(rows) if run.reading.target else min(len(rows), len(run.reading.prefix)),
        own=own,
        ids=trace.said_ids,
    )
    opened = opened_at(run)
    return steps_figure(found, "output", about_of(wish), start=opened.step, opening=opened.opening)


def as_text(label: str) -> str:
    """A token as it stands in a text, where the space before a word is seen without a sign for it."""
    return label.removeprefix(_SPACE) or label


def source_words(trace: Trace) -> tuple[str, ...]:
    """The words of the source as the user typed them, and its special tokens: the columns of `step_weights`."""
    units = trace.tokens.merged()
    return tuple(
        label if span is None else units.text[slice(*span)].strip() or label
        for label, span in zip(units.labels, units.spans, strict=True)
    )


def step_weights(trace: Trace, layer: int | None, head: int | None) -> np.ndarray:
    """(tokens, words): the weights with which each token was produced, summed over the tokens of a source word.

    layer, head: None for the mean over all.
    """
    layers = range(trace.layers("cross")) if layer is None else (layer,)
    heads = None if head is None else (head,)
    each = [trace.attention(number, heads, "cross").numpy().mean(axis=0) for number in layers]  # (H, T, S) -> (T, S)
    rows = np.mean(each, axis=0)[: len(trace.said_ids)]  # (L, T, S) -> (T, S)
    words = trace.keys("cross").merged().members
    columns = [rows[:, list(places)].sum(axis=1) for places in words]  # (T, S) -> (T,) each
    return np.stack(columns, axis=1).astype(np.float32)  # (T, C)


def _open_button(run: Run) -> None:
    """The way to the Attention page, with what it opens in its words; nothing for a model without attention."""
    streams = run.trace.streams
    if not streams:
        st.empty()
        return
    has_encoder = "encoder" in streams
    label = "Self-attention" if has_encoder else "Attention page"
    help_ = (
        f"{'The self-attention of the encoder' if has_encoder else 'Every weight'} for the same sentence and output."
    )
    if st.button(label, icon=":material/grid_view:", key="open_on_attention", type="tertiary", help=help_):
        address.go("", parameters_of(run))


def parameters_of(run: Run) -> dict[str, str]:
    """What opens the same run there. Its texts go by a number, so that none of them comes into the address."""
    reading, streams = run.reading, run.trace.streams
    said = run.trace.said
    # What went on after another word cannot be asked for there, but it can be said again.
    target = reading.target or (said.text if reading.prefix and said is not None else "")
    texts = {"text": reading.text, **({"target": target} if target else {})}
    beams = {"decoding": "beam", "beams": str(reading.beams)} if reading.decoding == "beam" and not target else {}
    stream = {"stream": "encoder"} if "encoder" in streams else {}
    return {"model": reading.model, **beams, **stream, own_texts.NUMBER: own_texts.number_of(texts)}
