"""Does order matter? One text in two orders, through a model with its positions and without them.

Without positions a stack in which every token sees every other treats a text as a set: f(Px) = P f(x), so its maps
are A(Px) = P A(x) Pᵀ. It is equivariant, not invariant: the outputs are permuted as the words are. Under a causal mask
it is not, for a token still sees only those before it (Haviv and others 2022, "Transformer Language Models without
Positional Encodings Still Learn Positional Information"). Computed here is how far A(Px) is from P A(x) Pᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from core.capture import Trace
from core.errors import HeadlightError
from core.jobs import Job
from core.mechanics.order_maps import map_difference, rearranged, rounding_of
from core.mechanics.order_outputs import output_distance, output_words
from core.models.model import Model
from core.positions.removing import without_positions
from core.text import Tokens, moved_places, reordered

Order = tuple[int, ...]

# Whole maps of one head are held, two at a time: 64 MB each at this length.
MOST_TOKENS = 4096
WHICH = ("original", "moved", "bare_original", "bare_moved")


@dataclass(frozen=True, eq=False)
class OrderComparison:
    """A text and the same text with its words in another order, read by one model, and by it without positions.

    original, moved            traces of the two, of the model as it is
    bare_original, bare_moved  of the model without positions in the stack that reads the text; None where they cannot
                               be taken out, and `refused` then says why
    stream                     the maps that are compared: "self" or "encoder"; over an RNN "pooling" or "cross"
    order                      of the words, as it was asked for: word order[i] stands where word i was
    places                     token p of the moved text is token places[p] of the original
    difference                 max |A(Px) - P A(x) Pᵀ| over all layers and heads, with positions; 0 to 1. NaN where the
                               rows are words of two translations, which have no common places
    bare_difference            the same without positions
    tolerance                  what rounding alone may make of it: 64 units of float32 (4 of a 16-bit format) a layer,
                               as for A·V = O; sums over permuted keys are rounded in another order
    output_difference          how far the outputs are apart, 0 for the same; see `core.mechanics.order_outputs`
    bare_output_difference     the same without positions
    """

    original: Trace
    moved: Trace
    bare_original: Trace | None
    bare_moved: Trace | None
    refused: str
    stream: str
    order: Order
    places: tuple[int, ...]
    difference: float
    bare_difference: float | None
    tolerance: float
    output_difference: float
    bare_output_difference: float | None

    @property
    def equivariant(self) -> bool | None:
        """Whether the maps without positions are exactly permuted, up to rounding; None where there are none."""
        return None if self.bare_difference is None else self.bare_difference <= self.tolerance

    @property
    def causal(self) -> bool:
        """Whether a token sees only those before it, so that order is known without positions."""
        return self.original.mask_name(self.stream) == "causal"

    def trace(self, which: str) -> Trace | None:
        """One of `WHICH`; None for a trace without positions where there is none."""
        return {
            "original": self.original,
            "moved": self.moved,
            "bare_original": self.bare_original,
            "bare_moved": self.bare_moved,
        }[which]

    def output_words(self, which: str) -> str:
        """What came out of one of `WHICH`: the translation, the likeliest label or next token; "" for others."""
        trace = self.trace(which)
        return "" if trace is None else output_words(trace)

    def rearranged(self, layer: int, heads: Sequence[int] | None = None, bare: bool = False) -> Tensor:
        """P A(x) Pᵀ: the original's maps with rows and columns put into the moved order, float32 (heads, T, T).

        Raises HeadlightError where maps without positions are asked for and there are none.
        """
        trace = self.bare_original if bare else self.original
        if trace is None:
            raise HeadlightError(self.refused)
        return rearranged(trace.attention(layer, heads, self.stream), self.places, self.stream)


def compare_orders(
    model: Model, text: str, order: Sequence[int], *, target: str | None = None, job: Job | None = None
) -> OrderComparison:
    """Read a text and the same words in another order, with positions and without, and compare maps and outputs.

    order: a permutation of `core.text.movable`'s words. The moved text's ids are the original's, not tokenized again.
    target: what an encoder-decoder is made to say to all of them; without one it translates each.
    job: told of each pass and of each layer that is compared; its `Cancelled` ends the comparison.
    Raises HeadlightError for an order that is none, a text too long to compare, and a model without attention.
    """
    tokens = model.encode(text)
    if len(tokens) > MOST_TOKENS:
        raise HeadlightError(
            f"The text has {len(tokens):,} tokens, more than the {MOST_TOKENS:,} whose orders are compared: shorten it."
        )
    places = moved_places(tokens, order)
    texts = (tokens, reordered(tokens, order))
    both = _read_both(model, texts, target, job)
    stream = both.original.first_stream
    bare_model, refused = _without_positions(model)
    bare = None if bare_model is None else _read_both(bare_model, texts, target, job)
    return OrderComparison(
        original=both.original,
        moved=both.moved,
        bare_original=None if bare is None else bare.original,
        bare_moved=None if bare is None else bare.moved,
        refused=refused,
        stream=stream,
        order=tuple(order),
        places=places,
        difference=both.difference(places, stream, job),
        bare_difference=None if bare is None else bare.difference(places, stream, job),
        tolerance=rounding_of(model.dtype, both.original.layers(stream)),
        output_difference=both.output_difference(places),
        bare_output_difference=None if bare is None else bare.output_difference(places),
    )


@dataclass(frozen=True, eq=False)
class _Both:
    """One model's traces of the two orders; in `forced` it is made to say of the moved text what it said before."""

    original: Trace
    moved: Trace
    forced: Trace

    def difference(self, places: Sequence[int], stream: str, job: Job | None) -> float:
        return map_difference(self.original, self.moved, places, stream, job)

    def output_difference(self, places: Sequence[int]) -> float:
        return output_distance(self.original, self.moved, self.forced, places)


def _read_both(model: Model, texts: tuple[Tokens, Tokens], target: str | None, job: Job | None) -> _Both:
    first, second = (model.read_tokens(tokens, target, job=job) for tokens in texts)
    original, moved = model.run_reading(first, job), model.run_reading(second, job)
    if first.decoder is None or second.decoder is None or first.decoder.ids == second.decoder.ids:
        return _Both(original, moved, moved)
    return _Both(original, moved, model.run_reading(replace(first, tokens=second.tokens), job))


def _without_positions(model: Model) -> tuple[Model | None, str]:
    """The model without positions, or None and the sentence that says why there is none."""
    try:
        network = without_positions(model.network)
    except HeadlightError as error:
        return None, str(error)
    return model.with_network(network, "without positions"), ""
