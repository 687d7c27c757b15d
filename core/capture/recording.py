"""One run of a model, recorded: its attention calls, and for each the proof that its weights are the model's.

The proof: for the last query, the weights times the values must give the output that the model went on with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from core.capture.call import AttentionCall
from core.capture.interface import listener
from core.capture.streams import stream_of

# Below this, values are as good as zero, and a share of them would only measure the rounding of a 16-bit format.
SMALLEST_VALUE = 1e-4


class Recording:
    """The calls seen so far. After the run, `errors()` gives the check of each call and head."""

    def __init__(self, model: nn.Module, on_call: Callable[[int], None] | None = None) -> None:
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._encoder_decoder = bool(getattr(getattr(model, "config", None), "is_encoder_decoder", False))
        self._on_call = on_call
        self._counts: Counter[str] = Counter()
        self._calls: list[AttentionCall] = []
        self._errors: list[Tensor] = []

    @property
    def calls(self) -> tuple[AttentionCall, ...]:
        return tuple(self._calls)

    def errors(self) -> list[list[float]]:
        """For each call and head: max |A·V - O| of the last query over the head's max |V|; NaN where the result is."""
        return [[float(e) for e in errors.cpu()] for errors in self._errors]

    def on_attention(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        causal: bool,
        scale: float | None,
        bias: Tensor | None,
        output: Tensor,
    ) -> None:
        """Keep one call; part of the contract with `core.capture.interface`."""
        path = self._paths.get(id(module), "")
        stream = stream_of(path, self._encoder_decoder)
        if causal and key.shape[2] > query.shape[2]:
            # A static cache hands over its empty slots too; the library's function crops them the same way.
            key, value = key[:, :, : query.shape[2]], value[:, :, : query.shape[2]]
        call = AttentionCall(
            path=path,
            stream=stream,
            layer=self._counts[stream],
            query=query.detach(),
            key=key.detach(),
            mask=None if mask is None else mask.detach(),
            causal=causal,
            scale=query.shape[-1] ** -0.5 if scale is None else float(scale),
            bias=None if bias is None else bias.detach(),
        )
        self._counts[stream] += 1
        self._calls.append(call)
        self._errors.append(_error(call, value.detach(), output.detach()))
        if self._on_call is not None:
            self._on_call(len(self._calls))


@contextmanager
def record(model: nn.Module, on_call: Callable[[int], None] | None = None) -> Iterator[Recording]:
    """Record the attention calls that run inside the block, in this thread.

        with record(model) as recording:
            model(**inputs)
        recording.calls

    on_call: called after each attention call with their number so far; what it raises ends the run.
    """
    recording = Recording(model, on_call)
    token = listener.set(recording)
    try:
        yield recording
    finally:
        listener.reset(token)


@torch.no_grad()
def _error(call: AttentionCall, value: Tensor, output: Tensor) -> Tensor:
    """The check of each head, the worst of the batch: (H,), not yet fetched from the device."""
    last = slice(call.queries - 1, call.queries)
    errors = []
    for b in range(output.shape[0]):
        mine = call.apply(call.weights(rows=last, batch=b), value, b)[:, 0]  # (H, 1, D) -> (H, D)
        theirs = output[b, -1].float()  # (H, D)
        largest = call.heads_of(value[b].abs().amax(dim=(1, 2))).float().clamp_min(SMALLEST_VALUE)  # (G, S, D) -> (H,)
        # One number that is not finite makes its head's sum so, and a sum needs no tensor of the output's size.
        finite = torch.isfinite(output[b].sum(dim=(0, 2), dtype=torch.float32))  # (T, H, D) -> (H,)
        errors.append(torch.where(finite, (mine - theirs).abs().amax(-1) / largest, torch.nan))
    return torch.stack(errors).amax(0)
