"""How far recorded weights are from those that the library's own eager attention returns, or from the formula."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.capture import AttentionCall, Call, Recording, check_of, prepare
from core.capture.paths import is_tapped
from tests.architectures import PRODUCT, SOFTMAX, Architecture

PADDINGS = ("none", "right", "left")


@dataclass(frozen=True)
class Parity:
    """How one architecture does.

    path         as `prepare` chose it
    same_backend whether that left the library's own choice of an attention implementation as it was
    layers       number of calls by stream
    differences  by padding: the largest over all calls, heads and queries of the texts
    output       largest difference of the answer from the default backend's, as a share of its largest number
    error        A·V = O, the worst of all runs
    """

    path: str
    same_backend: bool
    layers: dict[str, int]
    differences: dict[str, float]
    output: float
    error: float


@torch.no_grad()
def parity_of(architecture: Architecture) -> Parity:
    """Measure one architecture with no, right and left padding."""
    network = architecture.network()
    inputs = {padding: architecture.inputs(padding) for padding in PADDINGS}
    # The backend that the library chooses by itself, before anything is prepared.
    default = {padding: network(**given)[0] for padding, given in inputs.items()}
    eager = architecture.network("eager")
    eager.load_state_dict(network.state_dict())
    chosen = network.config._attn_implementation
    path = prepare(network, inputs["right"])
    same_backend = network.config._attn_implementation == chosen
    layers: dict[str, int] = {}
    differences, outputs, errors = {}, [], []
    for padding, given in inputs.items():
        recording = _WithProducts(network)
        with recording.listening(is_tapped(network)):
            answer = network(**given)[0]
        if architecture.truth == PRODUCT:
            differences[padding] = max(recording.row_errors(_rows(given)))
        else:
            maps, rows = eager_maps(eager, given, architecture.truth), _rows(given)
            differences[padding] = max(
                _difference(architecture.kind, call, maps[call.stream], rows) for call in recording.calls
            )
        real = _rows(given)["decoder" if "decoder_input_ids" in given else "self"].bool()
        largest = default[padding][real].abs().max()
        outputs.append(float((answer - default[padding])[real].abs().max() / largest))
        errors.append(check_of(recording.errors(), torch.float32).error)
        layers = dict(Counter(call.stream for call in recording.calls))
    return Parity(path, same_backend, layers, differences, max(outputs), max(errors))


class _WithProducts(Recording):
    """A recording that also keeps what each call's weights multiply, and what came out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self._products: list[tuple[Tensor, Tensor]] = []

    def on_attention(self, module: nn.Module | None, call: AttentionCall, value: Tensor, output: Tensor) -> None:
        super().on_attention(module, call, value, output)
        self._products.append((value, output))

    def row_errors(self, rows: dict[str, Tensor]) -> Iterator[float]:
        """|A·V - O| of every row of every call, as a share of the largest value."""
        for call, (value, output) in zip(self.calls, self._products, strict=True):
            assert isinstance(call, AttentionCall)
            for text, real in enumerate(rows[call.stream]):
                mine = call.apply(call.weights(batch=text), value, text).transpose(0, 1)  # (T, H, D)
                yield float((mine - output[text])[real.bool()].abs().max() / value.abs().max())


def _rows(given: dict[str, Tensor]) -> dict[str, Tensor]:
    """Which queries are no padding, by stream: what padding attends to is of no consequence; kernels differ in it."""
    source = given["attention_mask"]
    target = given.get("decoder_attention_mask", source)
    return {"self": source, "encoder": source, "decoder": target, "cross": target}


def eager_maps(eager: nn.Module, given: dict[str, Tensor], truth: str) -> dict[str, tuple[Tensor, ...]]:
    answer = eager(**given, output_attentions=True)
    if "decoder_input_ids" not in given:
        maps = {"self": answer.attentions}
    else:
        maps = {
            "encoder": answer.encoder_attentions,
            "decoder": answer.decoder_attentions,
            "cross": answer.cross_attentions,
        }
    if truth == SOFTMAX:
        maps = {stream: tuple(_softmax_of(map_) for map_ in maps_) for stream, maps_ in maps.items()}
    return maps


def _softmax_of(map_: Tensor) -> Tensor:
    """ProphetNet returns scores in two of its streams and weights in the third."""
    is_weights = map_.min() >= 0 and bool(torch.allclose(map_.sum(-1), torch.ones(()), atol=1e-4))
    return map_ if is_weights else torch.softmax(map_, -1)


def largest_difference(kind: str, call: Call, maps: tuple[Tensor, ...], given: dict[str, Tensor]) -> float:
    """Between a call's weights and eager's map of it, over the heads and the queries that are no padding."""
    return _difference(kind, call, maps, _rows(given))


def _difference(kind: str, call: Call, maps: tuple[Tensor, ...], rows: dict[str, Tensor]) -> float:
    theirs = maps[LAYERS[kind](call) if kind in LAYERS else call.layer]  # (B, H, T, S)
    if call.stream in ("self", "encoder") and kind in UNFOLDED:
        theirs = UNFOLDED[kind](theirs, call.queries)
    worst = 0.0
    for text, real in enumerate(rows[call.stream]):
        mine = call.weights(batch=text)
        assert torch.all(mine.masked_select(call.masked(batch=text).expand_as(mine)) == 0)
        assert mine.shape[0] == theirs.shape[1]
        worst = max(worst, float((mine - theirs[text, :, : call.queries])[:, real.bool()].abs().max()))
    return worst


def _unfolded_band(band: Tensor, length: int) -> Tensor:
    """Column c of query i is key i + c - w: (B, H, T, 2 w + 1) -> (B, H, T, T)."""
    window = band.shape[-1] // 2
    full = band.new_zeros(*band.shape[:2], length, length)
    for query in range(length):
        for column in range(band.shape[-1]):
            if 0 <= query + column - window < length:
                full[:, :, query, query + column - window] = band[:, :, query, column]
    return full


def _unfolded_blocks(blocks: Tensor, length: int) -> Tensor:
    """Column c of a block is the key c - w after its first: (B, blocks, H, w, 3 w + summaries) -> (B, H, T, T)."""
    texts, _, heads, width, _ = blocks.shape
    full = blocks.new_zeros(texts, heads, length, length)
    for query in range(length):
        block, row = divmod(query, width)
        for column in range(3 * width):
            key = (block - 1) * width + column
            if 0 <= key < length:
                full[:, :, query, key] = blocks[:, block, :, row, column]
    return full


UNFOLDED: dict[str, Callable[[Tensor, int], Tensor]] = {
    "longformer": _unfolded_band,
    "led": _unfolded_band,
    "longt5": _unfolded_blocks,
}
# Which of eager's maps a call is, where that is not the one of its number.
LAYERS: dict[str, Callable[[Call], int]] = {
    "diffllama": lambda call: call.layer // 2,
    "minimax": lambda call: call.own_index or 0,
}
