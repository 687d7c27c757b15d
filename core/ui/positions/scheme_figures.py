"""The figures of one scheme, whether a formula gave its numbers or a model's weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core import views
from core.positions.objects import Bias, Buckets, ByDistance, OffsetVectors, Rotation, Table, Thing
from core.ui.positions.sides import Side
from core.ui.positions.wish import Wish

if TYPE_CHECKING:
    from torch import Tensor

# So many single dimensions are drawn as curves.
CURVES = 5


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


def figures_of(side: Side, wish: Wish, head: int) -> tuple[Made, ...]:
    """What there is to see of a scheme, in the order of the page."""
    if side.thing is None:
        return ()
    length = length_of(side.thing, wish)
    found = _figures(side, side.thing, wish.kind, head, length)
    return tuple(replace(made, key=(*side.key, length, *made.key)) for made in found)


def length_of(thing: Thing, wish: Wish) -> int:
    """Positions that are shown, no more than the thing has."""
    held = wish.settings.length
    if isinstance(thing, Table):
        held = len(thing.values)
    elif isinstance(thing, Bias):
        held = thing.values.shape[-1] // 2 + 1
    elif isinstance(thing, Buckets):
        held = len(thing.numbers) // 2 + 1
    return min(wish.settings.length, held)


def decay_of(thing: Thing, length: int, head: int) -> ByDistance:
    """What distance does, on one scale for every scheme, up to the last position that is shown.

    Raises HeadlightError for a scheme of which that is no number, see `core.positions.measures.effect`.
    """
    from core.positions.measures import effect

    return effect(shown_of(thing, length), length - 1, head)


def shown_of(thing: Thing, length: int) -> Thing:
    """A table up to the last position that is shown; any other thing as it is."""
    return replace(thing, values=thing.values[:length]) if isinstance(thing, Table) else thing


def spread(count: int, most: int = CURVES) -> tuple[int, ...]:
    """Up to `most` of the numbers below `count`, more of them at the fast end, where there is more to see."""
    if count <= most:
        return tuple(range(count))
    shares = ((step / (most - 1)) ** 1.6 for step in range(most))
    return tuple(dict.fromkeys(int(share * (count - 2)) // 2 * 2 for share in shares))


def _figures(side: Side, thing: Thing, kind: str, head: int, length: int) -> Iterator[Made]:
    about = side.about
    if isinstance(thing, (Bias, Buckets)):
        bias = thing
        yield Made(("bias", head), lambda: views.bias_by_distance_figure(bias, about, head=head))
    if isinstance(thing, OffsetVectors):
        vectors = thing
        yield Made(("vectors",), lambda: views.offset_vectors_figure(vectors, about))
    yield Made(("matrix", head), lambda: views.position_matrix_figure(thing, about, length, head))
    if isinstance(thing, Table):
        yield from _of_table(side, thing, kind, length)
    if isinstance(thing, Rotation):
        dims = spread(len(thing.frequencies))
        yield Made(("curves",), lambda: views.position_curves_figure(thing, about, length, dims))
    if isinstance(thing, (Rotation, Bias)):
        yield Made(("decay", head), lambda: _decay(side, length, head))
    frequencies = getattr(thing, "frequencies", None)
    if frequencies is not None:
        yield Made(("wavelengths",), lambda: _wavelengths(side, frequencies))


def _of_table(side: Side, table: Table, kind: str, length: int) -> Iterator[Made]:
    about, dims = side.about, spread(table.values.shape[1])
    shown = replace(table, values=table.values[:length])
    yield Made(("curves",), lambda: views.position_curves_figure(table, about, length, dims))
    yield Made(("product", kind), lambda: views.position_similarity_figure(shown, about, kind, length), is_product=True)
    yield Made(("decay",), lambda: _decay(side, length, 0))
    if table.learned:
        yield Made(("path",), lambda: views.position_path_figure(shown, about), is_wide=True)
        yield Made(("spectrum",), lambda: views.position_spectrum_figure(shown, about), is_wide=True)


def _decay(side: Side, length: int, head: int) -> views.Figure:
    assert side.thing is not None
    return views.position_decay_figure([(side.about, decay_of(side.thing, length, head))], length - 1)


def _wavelengths(side: Side, frequencies: Tensor) -> views.Figure:
    thing = side.thing
    if isinstance(thing, Rotation) and thing.scaling != "none":
        from core.positions.scaling import SCALINGS

        title = SCALINGS[thing.scaling].title if thing.scaling in SCALINGS else thing.scaling
        return views.wavelengths_figure(side.about, frequencies, side.trained, thing.plain, title)
    return views.wavelengths_figure(side.about, frequencies, side.trained)
