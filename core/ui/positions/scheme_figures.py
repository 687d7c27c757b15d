"""The figures of one scheme, whether a formula gave its numbers or a model's weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core import views
from core.positions.cuts import cut
from core.positions.objects import Bias, Buckets, OffsetVectors, Rotation, Table, Thing
from core.ui.positions.sides import Side
from core.views.position_words import About

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Made:
    """A figure to be.

    key         tells it in the store of figures
    make        builds it
    is_product  whether there are kinds of it to choose from
    is_wide     whether it takes the width of the page
    """

    key: tuple[object, ...]
    make: Callable[[], views.Figure]
    is_product: bool = False
    is_wide: bool = False


@dataclass(frozen=True)
class Look:
    """What of a scheme is shown: positions from the first on, one head, the kind of product, dimensions as curves."""

    length: int
    head: int
    kind: str
    dims: tuple[int, ...]


def figures_of(side: Side, look: Look) -> tuple[Made, ...]:
    """What there is to see of a scheme, in the order of the page."""
    if side.thing is None:
        return ()
    found = _figures(side, cut(side.thing, look.length), look)
    return tuple(replace(made, key=(*side.key, look.length, *made.key)) for made in found)


def _figures(side: Side, thing: Thing, look: Look) -> Iterator[Made]:
    about, length, head = side.about, look.length, look.head
    if isinstance(thing, (Bias, Buckets)):
        bias = thing
        yield Made(("bias", head), lambda: views.bias_by_distance_figure(bias, about, head=head))
    if isinstance(thing, OffsetVectors):
        vectors = thing
        yield Made(("vectors",), lambda: views.offset_vectors_figure(vectors, about))
    yield Made(("matrix", head), lambda: views.position_matrix_figure(thing, about, length, head))
    if isinstance(thing, Table):
        yield from _of_table(about, thing, look)
    if isinstance(thing, Rotation):
        yield Made(("curves", look.dims), lambda: views.position_curves_figure(thing, about, length, look.dims))
    if isinstance(thing, (Rotation, Bias)):
        yield Made(("decay", head), lambda: _decay(about, thing, length, head))
    frequencies = getattr(thing, "frequencies", None)
    if frequencies is not None:
        yield Made(("wavelengths",), lambda: _wavelengths(side, frequencies))


def _of_table(about: About, table: Table, look: Look) -> Iterator[Made]:
    length, kind, dims = look.length, look.kind, look.dims
    yield Made(("curves", dims), lambda: views.position_curves_figure(table, about, length, dims))
    yield Made(("product", kind), lambda: views.position_similarity_figure(table, about, kind, length), is_product=True)
    yield Made(("decay",), lambda: _decay(about, table, length, 0))
    if table.learned:
        yield Made(("path",), lambda: views.position_path_figure(table, about), is_wide=True)
        yield Made(("spectrum",), lambda: views.position_spectrum_figure(table, about), is_wide=True)


def _decay(about: About, thing: Thing, length: int, head: int) -> views.Figure:
    from core.positions.measures import effect

    return views.position_decay_figure([(about, effect(thing, length - 1, head))], length - 1)


def _wavelengths(side: Side, frequencies: Tensor) -> views.Figure:
    thing = side.thing
    if isinstance(thing, Rotation) and thing.scaling != "none":
        from core.positions.scaling import SCALINGS

        title = SCALINGS[thing.scaling].title if thing.scaling in SCALINGS else thing.scaling
        return views.wavelengths_figure(side.about, frequencies, side.trained, thing.plain, title, thing.factor)
    return views.wavelengths_figure(side.about, frequencies, side.trained)
