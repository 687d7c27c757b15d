"""In the model: mean attention weight at each distance, a line a head, beside what its scheme alone would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamlit.delta_generator import DeltaGenerator

from core.errors import HeadlightError
from core.positions import SCHEMES
from core.ui.card import figure_card
from core.ui.positions.answering import distances_of, facts_of_model, figure_of, run_of
from core.ui.positions.parts import choose_head, choose_layer, choose_stream
from core.ui.positions.scheme_figures import shown_of
from core.ui.positions.wish import Wish
from core.ui.words import note, small_print
from core.views import attention_by_distance_figure, captions
from core.views.position_words import About

if TYPE_CHECKING:
    from core.positions.facts import Fact
    from core.positions.objects import ByDistance

HOW_TO = "A head whose line falls with the distance looks nearby."
OF_SCHEME = "The lowest panel is of its positional scheme alone, without any text."
NO_ATTENTION = "This model has no layer of attention within one text: choose another model."


def model_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """Run the text, and show one layer of one stream."""
    trace = run_of(wish.model, wish.text)
    if trace is None:
        return
    streams = [stream for stream in trace.streams if stream in ("self", "encoder", "decoder")]
    if not streams:
        note(NO_ATTENTION, "info")
        return
    with slot:
        stream = choose_stream(streams)
        layer = choose_layer(trace.layers(stream), wish)
        head = choose_head(trace.heads(stream), wish)
    found = distances_of(wish.model, wish.text, trace, stream, layer)
    if found is None:
        return
    fact = _fact_of(facts_of_model(wish.model) or (), stream, layer)
    curve = None if fact is None else _curve(fact, int(found.offsets.abs().max()), head or 0)
    title = "" if fact is None else _title(fact)
    about = About(wish.model, "attention weight", "", "model")
    figure = figure_of(
        (wish.model, wish.text, stream, layer, head),
        lambda: attention_by_distance_figure(found, about, layer, head, curve, title),
    )
    if figure is not None:
        note(HOW_TO if curve is None else f"{HOW_TO} {OF_SCHEME}", "info")
        figure_card(figure, {}, {})
        small_print(captions.provenance_line(trace, stream), "provenance")


def _fact_of(facts: tuple[Fact, ...], stream: str, layer: int) -> Fact | None:
    mine = (fact for fact in facts if fact.stack == stream and (fact.layers is None or layer in fact.layers))
    return next(mine, None)


def _title(fact: Fact) -> str:
    return SCHEMES[fact.scheme].title


def _curve(fact: Fact, reach: int, head: int) -> ByDistance | None:
    """What the scheme alone does with distance; None where it says nothing without a query."""
    if fact.thing is None:
        return None
    from core.positions.measures import effect

    try:
        return effect(shown_of(fact.thing, reach + 1), reach, head)
    except HeadlightError:
        return None
