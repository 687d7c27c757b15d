"""In the model: mean attention weight at each distance, a line a head, beside what its scheme alone would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamlit.delta_generator import DeltaGenerator

from core.errors import HeadlightError
from core.positions import SCHEMES
from core.positions.objects import Bias
from core.ui.card import figure_card
from core.ui.first_texts import text_of
from core.ui.positions.answering import distances_of, facts_of_model, figure_of, run_of
from core.ui.positions.parts import STREAMS, choose_head, choose_layer, choose_stream
from core.ui.positions.reading import reading_notes
from core.ui.positions.wish import Wish
from core.ui.words import note, small_print
from core.views import attention_by_distance_figure, captions
from core.views.position_words import About

if TYPE_CHECKING:
    from core.positions.facts import Fact
    from core.positions.objects import ByDistance

HOW_TO = "A head whose line falls faster with the distance than the dashed one looks nearby."
OF_SCHEME = "The lowest panel is of the positional scheme alone, without any text."
NO_ATTENTION = "This model has no layer of attention within one text: choose another model."


def model_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """Run the text, and show one layer of one stream."""
    trace = run_of(wish.model, wish.text)
    if trace is None:
        return
    reading_notes(captions.reading_notes(trace))
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
    curve = None if fact is None else curves_of(fact, int(found.offsets.abs().max()))
    title = "" if fact is None else _title(fact, head)
    source = source_of(wish.model, stream)
    about = About("attention weight", source, f"{text_words(wish)}, special tokens left out", "model")
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


def source_of(model: str, stream: str) -> str:
    """Whose weights these are."""
    return f"{model} · {STREAMS[stream].lower()}"


def text_words(wish: Wish) -> str:
    """Which text it was; one of the reader's own is not repeated in a file."""
    if wish.example is not None:
        return f"example “{wish.example.title}”"
    return "the model's first text" if wish.text == text_of(wish.model) else "a text of one's own"


def _title(fact: Fact, head: int | None) -> str:
    """The scheme's name, with the head where it treats heads differently and one is chosen."""
    of = f", head {head}" if head is not None and isinstance(fact.thing, Bias) and len(fact.thing.values) > 1 else ""
    return SCHEMES[fact.scheme].title + of


def curves_of(fact: Fact, reach: int) -> ByDistance | None:
    """What the scheme alone does with distance, a row a head of a bias; None where it says nothing without a query."""
    if fact.thing is None:
        return None
    from core.positions.measures import cut, effect_by_head

    try:
        return effect_by_head(cut(fact.thing, reach + 1), reach)
    except HeadlightError:
        return None
