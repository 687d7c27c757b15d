"""What is looked at: stream, layer, head, how it is drawn, and which tokens are picked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.heads import is_long
from core.ui import display, own_models, remarks
from core.ui.address import take
from core.ui.arrival import Arrival
from core.ui.examples import EXAMPLES
from core.ui.looking import Looking, looking_at
from core.ui.picks import follow_head
from core.ui.shape import Shape, last_shape, shape_of
from core.ui.sidebar import Request
from core.views import View
from core.views.words import STREAM_WORDS

if TYPE_CHECKING:
    from core.capture import Trace

ONLY_STREAM = "self"
WANTED_STREAM = "wanted_stream"
MEAN = "mean"
# The film of training draws its weights so.
SCALE_OF_FILM = "linear"


@dataclass(frozen=True)
class Selection:
    """One head of one stream or the mean over a layer's heads, how it is drawn, and what is picked in it.

    heads: number of heads of the layer; long: whether its maps are shown as a whole and a window.
    """

    view: View
    heads: int
    long: bool
    looking: Looking

    @property
    def address(self) -> dict[str, str]:
        """The parameters that reopen this view."""
        view = self.view
        stream = {} if view.stream == ONLY_STREAM else {"stream": view.stream}
        head = MEAN if view.head is None else str(view.head)
        window = {"row": str(view.row), "col": str(view.col)} if self.long and (view.row or view.col) else {}
        drawn = display.display_address(view.scale, view.span, view.filters)
        return {**stream, "layer": str(view.layer), "head": head, **drawn, **window, **self.looking.address}

    @property
    def for_figures(self) -> dict[str, object]:
        """The same as the figures in the browser follow it."""
        shown = [*range(self.heads)] if self.view.head is None else [self.view.head]
        return {"layer": self.view.layer, "head": self.view.head, **self.looking.for_figures(shown)}


def selection_controls(trace: Trace, request: Request) -> Selection:
    """Draw the controls into their place in the sidebar, set to what an address asks for if somebody arrives by one.

    Where an address leaves the head open, that of the opening example is opened, else head 0 of layer 0 is.
    """
    arriving = take("selection")
    if arriving is not None:
        display.arrive(arriving)
        if _is_bare(arriving, request) and "scale" not in arriving:
            st.session_state[display.SCALE] = SCALE_OF_FILM
    shape, slot, state = shape_of(trace), request.view_slot, st.session_state
    stream = _stream(shape, slot, arriving)
    _settle_head(shape.heads[stream], arriving, _opening(shape.heads[stream], arriving, request))
    averaged = _head_controls(shape.heads[stream], slot)
    scale, span, filters = display.display_controls(slot, shape.special[stream])
    looking, window = looking_at(trace, stream, request, arriving)
    head = None if averaged else int(state.head)
    view = View(stream, int(state.layer), head, scale, span, filters, *window)
    remarks.keep(() if arriving is None else arriving.remarks)
    long, heads = is_long(trace, stream, filters), shape.heads[stream][view.layer]
    return Selection(view, heads, long, looking)


def keep_controls(request: Request) -> None:
    """Draw the controls where a run failed, as the last one that did not has left them."""
    shape = last_shape()
    if shape is None:
        return
    stream = _stream(shape, request.view_slot, None)
    _settle_head(shape.heads[stream], None, (0, 0))
    _head_controls(shape.heads[stream], request.view_slot)
    display.display_controls(request.view_slot, shape.special[stream])


def first_visit() -> dict[str, str]:
    """The part of a first visit's address that says what is looked at."""
    opening = EXAMPLES[0]
    view = View(ONLY_STREAM, opening.layer, opening.head)
    return Selection(view, 0, False, Looking(query=opening.query)).address


def _stream(shape: Shape, slot: DeltaGenerator, arriving: Arrival | None) -> str:
    """The stream that is looked at, with a remark if another was asked for; a model with only one is not asked."""
    streams = shape.streams
    wanted = st.session_state.get("stream", st.session_state.get(WANTED_STREAM))
    asked = wanted if arriving is None else arriving.get("stream")
    there = asked if asked in streams else streams[-1]
    if arriving is not None and asked not in (None, *streams):
        arriving.remarks.append(f"There is no {str(asked)[:20]} stream in this model: {STREAM_WORDS[there]} is shown.")
    if len(streams) == 1:
        return there
    st.session_state.stream = there
    with slot:
        chosen = st.selectbox("Attention", streams, format_func=STREAM_WORDS.__getitem__, key="stream")
    # Kept apart from the menu, which goes away while a model with one stream is open.
    st.session_state[WANTED_STREAM] = chosen
    return str(chosen)


def _is_bare(arriving: Arrival | None, request: Request) -> bool:
    """Whether somebody comes to a model that was trained in this session without naming a head."""
    if arriving is None or "layer" in arriving or "head" in arriving:
        return False
    model = request.task.model
    return own_models.folder_of(model) is not None and not own_models.was_brought(model)


def _opening(heads: tuple[int, ...], arriving: Arrival | None, request: Request) -> tuple[int, int | str]:
    """Layer and head to open where none is named: what the film of training showed, else the example's head."""
    if _is_bare(arriving, request):
        return len(heads) - 1, MEAN
    return (request.opening.layer, request.opening.head) if request.opening else (0, 0)


def _settle_head(heads: tuple[int, ...], arriving: Arrival | None, opening: tuple[int, int | str]) -> None:
    """Set layer and head to what is asked for, as far as the model has it. heads: number of heads of each layer."""
    state = st.session_state
    layer, head = state.get("layer", 0), state.get("head", 0)
    if arriving is not None:
        layer, head = arriving.get("layer") or opening[0], arriving.get("head") or opening[1]
        state.mean = head == MEAN
        if head == MEAN:
            head = 0 if opening[1] == MEAN else opening[1]
    state.setdefault("mean", False)
    _settle("layer", layer, len(heads))
    _settle("head", head, heads[int(state.layer)], "layer")


def _settle(key: str, asked: object, count: int, whole: str = "model") -> None:
    """Open the number that is asked for, or 0 with a remark that there is no such number."""
    there = str(asked) in map(str, range(count))
    settled = int(str(asked)) if there else 0
    # Only where it must change: a number that is being typed would be lost.
    if st.session_state.get(key) != settled:
        st.session_state[key] = settled
    if not there:
        remarks.keep(
            [f"There is no {key} {str(asked)[:20]} in this {whole}, which has 0 to {count - 1}: {key} 0 is shown."]
        )


def _head_controls(heads: tuple[int, ...], slot: DeltaGenerator) -> bool:
    """Draw the controls of layer and head; whether the mean over the heads is looked at. One head has no mean."""
    counts = {"layer": len(heads), "head": heads[int(st.session_state.layer)]}
    with slot:
        for column, (key, count) in zip(st.columns(2), counts.items(), strict=True):
            column.number_input(
                f"{key.capitalize()} (0–{count - 1})" if count > 1 else f"Only {key}",
                0,
                count - 1,
                step=1,
                key=key,
                persist_state="session",
                on_change=follow_head,
                disabled=count == 1 or (key == "head" and bool(st.session_state.mean)),
            )
        if counts["head"] > 1:
            st.toggle("Mean over heads", key="mean", persist_state="session", on_change=follow_head)
    return counts["head"] > 1 and bool(st.session_state.mean)
