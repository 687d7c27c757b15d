"""Heads switched off or given another map, in this thread only: the shared model itself is never altered.

A changed head still multiplies a map with its values; only the map is another one. So a recording inside the block
reports the map that really ran, and its proof A·V = O holds for it.

    "zero"      no weight at all: the head's output is zero (Michel et al. 2019, "Are sixteen heads really better than
                one?", section 3.1)
    "uniform"   equal weights over the keys that each query may attend to (Kovaleva et al. 2019, "Revealing the dark
                secrets of BERT", section 4.5)
    "mean"      for every query the mean of the map's rows over the queries of the same text, and so the mean of the
                head's output. Mean ablation as in Wang et al. 2022, "Interpretability in the wild", but over the
                positions of one text instead of a set of texts: in a decoder it lets a query see later keys.
    a tensor    the given map, (queries, keys) or (texts, queries, keys), as it is: rows need not sum to one
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from core.capture.call import AttentionCall, HeadMap
from core.capture.interface import changer, listener
from core.capture.kept import EVERYTHING
from core.capture.streams import Streams, is_encoder_decoder
from core.errors import HeadlightError

KINDS = ("zero", "uniform", "mean")
# Maps are computed in blocks of rows of about this many cells (16 MB of float32).
CELLS = 2**22


@dataclass(frozen=True, eq=False)
class HeadChange:
    """Which head becomes what; see the module for the kinds. Layers and heads are numbered as in a `Trace`."""

    stream: str
    layer: int
    head: int
    kind: str | Tensor = "zero"

    def __post_init__(self) -> None:
        if self.layer < 0 or self.head < 0:
            raise ValueError(f"no head can be at {self.place}: layers and heads count from 0")
        if isinstance(self.kind, Tensor):
            if self.kind.dim() not in (2, 3) or not self.kind.is_floating_point():
                raise ValueError("a map is a float tensor (queries, keys) or (texts, queries, keys)")
            if not bool(torch.isfinite(self.kind).all()):
                raise ValueError(f"the map for {self.place} holds values that are not numbers")
        elif self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not one of {KINDS}, and no tensor")

    @property
    def place(self) -> str:
        return f"layer {self.layer}, head {self.head} ({self.stream})"

    def weights(self, call: AttentionCall, rows: slice, batch: int) -> Tensor:
        """The map that the head uses instead of its own: float32 (rows, keys). Part of the contract with the call."""
        asked = range(call.queries)[rows]
        if self.kind == "uniform":
            visible = (~call.masked(rows, EVERYTHING, batch, [self.head]))[0].float()  # (1, rows, S) -> (rows, S)
            return (visible / visible.sum(dim=-1, keepdim=True).clamp_min(1)).expand(len(asked), -1)
        if self.kind == "mean":
            return _mean_row(call, self.head, batch).expand(len(asked), -1)  # (S,) -> (rows, S)
        if isinstance(self.kind, Tensor):
            return self._given(call, batch)[rows].to(call.query.device, torch.float32)
        return torch.zeros(len(asked), call.keys, device=call.query.device)

    def output(self, call: AttentionCall, value: Tensor, own: Tensor, batch: int) -> Tensor:
        """What the head hands on: float32 (T, D). value: (S, D), what it reads; own: (T, D), what it computed."""
        if self.kind == "zero":
            return torch.zeros_like(own, dtype=torch.float32)
        if self.kind == "mean":
            real = _real_queries(call, self.head, batch)
            return (own[real].float().sum(dim=0) / real.sum().clamp_min(1)).expand_as(own)  # (D,) -> (T, D)
        blocks = [self.weights(call, rows, batch) @ value.float() for rows in _blocks(call)]  # (rows, S) @ (S, D)
        return torch.cat(blocks)

    def _given(self, call: AttentionCall, batch: int) -> Tensor:
        """The given map of one text of the batch, (T, S)."""
        assert isinstance(self.kind, Tensor)
        texts, given = call.query.shape[0], self.kind
        wanted = (call.queries, call.keys)
        if given.shape[-2:] != wanted or (given.dim() == 3 and given.shape[0] != texts):
            raise HeadlightError(
                f"The map for {self.place} has {_size(given.shape)} cells, but this run has {_size(wanted)} of them in "
                f"{texts} text(s): make the map for this text."
            )
        return given[batch] if given.dim() == 3 else given


class _Changes:
    """The changes of one block, applied to each call of the network they were made for."""

    def __init__(self, network: nn.Module, changes: Sequence[HeadChange]) -> None:
        self.places = _Places(network)
        self._by_layer: dict[tuple[str, int], dict[int, HeadChange]] = {}
        for change in changes:
            heads = self._by_layer.setdefault((change.stream, change.layer), {})
            if change.head in heads:
                raise ValueError(f"{change.place} is changed twice")
            heads[change.head] = change
        self._outer = changer.get()
        self.met: set[tuple[str, int]] = set()

    @property
    def missing(self) -> list[HeadChange]:
        """Changes whose layer has not run."""
        return [change for place, heads in self._by_layer.items() if place not in self.met for change in heads.values()]

    def on_output(
        self, module: nn.Module, call: AttentionCall, value: Tensor, output: Tensor
    ) -> tuple[Tensor, Mapping[int, HeadMap]]:
        """The output (B, T, H, D) with the changed heads' parts replaced, and the maps that made them."""
        base, maps = output, dict[int, HeadMap]()
        if self._outer is not None:
            base, outer_maps = self._outer.on_output(module, call, value, output)
            maps.update(outer_maps)
        place = self.places.next(module, call, value)
        changes = self._by_layer.get(place, {}) if place else {}
        if place is None or not changes:
            return base, maps
        if self.places.streams.own_keys(value) is not None:
            raise HeadlightError(
                "One softmax of this model runs over the decoder's own tokens and the encoder's, so neither part of a "
                "head can be changed by itself: choose another model."
            )
        self.met.add(place)
        stream, layer = place
        call = replace(call, stream=stream, layer=layer)
        changed = base.clone()  # the kernel's own output may be what its backward pass reads
        for head, change in changes.items():
            if head >= call.heads:
                raise HeadlightError(
                    f"There is no head {head} in layer {layer} ({stream}): choose one of 0 to {call.heads - 1}."
                )
            for b in range(output.shape[0]):
                read = value[b, head // (call.heads // value.shape[1])]  # (S, D)
                changed[b, :, head] = change.output(call, read, output[b, :, head], b).to(output.dtype)
        return changed, maps | {head: change.weights for head, change in changes.items()}


class _Places:
    """Numbers the layers as a recording does, through as many passes as a block runs."""

    def __init__(self, network: nn.Module) -> None:
        config = getattr(network, "config", None)
        self._paths = {id(module): path for path, module in network.named_modules()}
        self.streams = Streams(network)
        # ALBERT's one attention module is all of its layers; elsewhere a module that is alone is the only layer.
        self._layers_of_one = 1 if is_encoder_decoder(network) else int(getattr(config, "num_hidden_layers", 1))
        self._listener: object | None = None
        self._seen: dict[str, list[str]] = {}

    def next(self, module: nn.Module, call: AttentionCall, value: Tensor) -> tuple[str, int] | None:
        """Stream and layer of the call that the module makes now; None if the module is not the network's."""
        path = self._paths.get(id(module))
        if path is None:
            return None
        if listener.get() is not self._listener:
            self._listener, self._seen = listener.get(), {}
        stream = self.streams.of(module, call.query, value)
        seen = self._seen.setdefault(stream, [])
        if self._listener is None and self._begins_again(path, seen):
            seen.clear()
        seen.append(path)
        return stream, len(seen) - 1

    def _begins_again(self, path: str, seen: list[str]) -> bool:
        """Whether a call is the first of another pass, as in generation, where nothing else tells."""
        return bool(seen) and path == seen[0] and (seen[-1] != path or len(seen) >= self._layers_of_one)


@contextmanager
def changed(network: nn.Module, changes: Sequence[HeadChange]) -> Iterator[None]:
    """Run the block with some heads of the network changed, in this thread; others that share it see nothing of it.

        with changed(network, [HeadChange("self", layer=3, head=5, kind="zero")]), record(network) as recording:
            network(**inputs)

    Blocks may be nested: the inner one has the last word. A recording counts as one pass over the layers; without
    one, each pass begins where the network's first attention module is called again. All heads that are not named
    keep their output to the bit in the changed layer; later layers see the change.

    Raises HeadlightError when a head or a map does not fit the run, and at the end of the block for a head that was
    never met, so that nobody takes an unchanged run for a changed one.
    """
    active = _Changes(network, changes)
    token = changer.set(active)
    try:
        with active.places.streams.following():
            yield
    finally:
        changer.reset(token)
    if active.missing:
        raise HeadlightError(
            f"The run did not pass through {active.missing[0].place}, so nothing was changed there: choose a head that "
            "this model has and whose attention goes through the library's interface."
        )


def _mean_row(call: AttentionCall, head: int, batch: int) -> Tensor:
    """The mean of the rows of a head's own map over the queries of the text: (S,)."""
    own, real = replace(call, replaced={}), _real_queries(call, head, batch)
    total = torch.zeros(call.keys, device=call.query.device)
    for rows in _blocks(call):
        total += own.weights([head], rows, batch=batch)[0][real[rows]].sum(dim=0)  # (rows, S) -> (S,)
    return total / real.sum().clamp_min(1)


def _real_queries(call: AttentionCall, head: int, batch: int) -> Tensor:
    """Which queries belong to the text and can attend: bool (T,).

    Padding shows in self-attention as a key that nobody may see. In cross-attention padded queries do not show.
    """
    alive, seen = [], torch.zeros(call.keys, dtype=torch.bool, device=call.query.device)
    for rows in _blocks(call):
        visible = ~call.masked(rows, EVERYTHING, batch, [head])[0]
        visible = visible.expand(len(range(call.queries)[rows]), -1)  # (1 or rows, S) -> (rows, S)
        alive.append(visible.any(dim=-1))
        seen |= visible.any(dim=0)
    real = torch.cat(alive)
    return real & seen if call.stream != "cross" and call.queries == call.keys else real


def _blocks(call: AttentionCall) -> list[slice]:
    """The queries in blocks small enough that a map of one head never stands in memory as a whole."""
    step = max(1, CELLS // max(1, call.keys))
    return [slice(start, min(start + step, call.queries)) for start in range(0, call.queries, step)]


def _size(shape: Sequence[int]) -> str:
    return " × ".join(str(n) for n in shape)
