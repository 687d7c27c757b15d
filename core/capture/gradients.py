"""How a number that a network gives changes with its attention weights: dF/dA, without a map in any graph.

Of each call the values V are kept, and by a hook on its output the gradient dF/dO, both as small as the queries. Then
dF/dA = dF/dO Vᵀ for the asked layer, heads and rows, when somebody asks. The backward pass runs through the model's own
attention function. Where attention was tapped, the hook sits on the weights themselves.

Shapes: B batch, H query heads, G key-value heads, T queries, S keys, D width of a head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.capture.call import AttentionCall
from core.capture.families import Prompt
from core.capture.kept import EVERYTHING, Call
from core.capture.paths import is_tapped
from core.capture.recording import Recording
from core.capture.sparse import SparseCall
from core.capture.stored import StoredCall
from core.capture.streams import is_encoder_decoder
from core.errors import HeadlightError


@dataclass(eq=False)
class _Output:
    """What is kept of a call of the interface: value (B, G, S, D), and dF/dO (B, T, H, D) once a gradient has come."""

    value: Tensor
    gradient: Tensor | None = None

    def take(self, gradient: Tensor) -> None:
        self.gradient = gradient.detach()


@dataclass(eq=False)
class _Weights:
    """What is kept of a tapped call: dF/dA (B, H, rows, S) by part: a decoder over an RNN has one a row."""

    laid_out: list[Callable[[Tensor], Tensor]] = field(default_factory=list)
    gradients: dict[int, Tensor] = field(default_factory=dict)

    def watch(self, weights: Tensor, laid_out: Callable[[Tensor], Tensor]) -> None:
        part = len(self.laid_out)
        self.laid_out.append(laid_out)

        def take(gradient: Tensor) -> None:
            self.gradients[part] = gradient.detach()

        if weights.requires_grad:
            weights.register_hook(take)


class GradientRecording(Recording):
    """A recording whose calls can be asked for dF/dA once F has been walked back with `back`.

    roots  embeddings that were looked up inside the block, beside the leaf that F is asked about
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.roots: list[Tensor] = []
        self._sources: list[_Output | _Weights] = []
        self._waiting: list[tuple[Tensor, Callable[[Tensor], Tensor]]] = []

    def back(self, value: Tensor, leaf: Tensor) -> Tensor:
        """dF/dleaf, on a walk that passes every attention: one towards the leaf alone leaves out the decoder's first.

        value () is F. Raises RuntimeError where F does not depend on the leaf.
        """
        found, *_ = torch.autograd.grad(value, (leaf, *self.roots), allow_unused=True)
        if found is None:
            raise RuntimeError("F does not depend on the leaf")
        self.roots.clear()
        return found

    def on_values(self, value: Tensor, output: Tensor) -> None:
        """See `Recording.on_values`; the hook holds what is kept and no part of the graph."""
        source = _Output(value.detach())
        if output.requires_grad:
            output.register_hook(source.take)
        self._sources.append(source)

    def on_live_weights(self, weights: Tensor, laid_out: Callable[[Tensor], Tensor]) -> None:
        """See `core.capture.tap`."""
        self._waiting.append((weights, laid_out))

    def on_weights(self, module: nn.Module | None, call: StoredCall | SparseCall, value: Tensor, error: Tensor) -> None:
        """See `Recording.on_weights`; rows that become one call keep their gradients together."""
        before = len(self.calls)
        place = self._single_rows.get(id(module))
        super().on_weights(module, call, value, error)
        if len(self.calls) > before:
            self._sources.append(_Weights())
            place = len(self._sources) - 1
        assert place is not None
        source = self._sources[place]
        assert isinstance(source, _Weights)
        for weights, laid_out in self._waiting:
            source.watch(weights, partial(_of_text, self.prompt_of(module), laid_out))
        self._waiting.clear()

    def gradient(
        self, place: int, heads: Sequence[int] | None = None, rows: slice = EVERYTHING, batch: int = 0
    ) -> Tensor:
        """dF/dA of the call at a place: float32 (heads, rows, S) on the model's device; zero where nothing flows back.

        Raises HeadlightError where the call's weights stand in no graph.
        """
        call, source = self.calls[place], self._sources[place]
        if isinstance(source, _Weights):
            found = self._of_weights(call, source, batch)  # (H, T, S)
            return (found if heads is None else found[list(heads)])[:, rows]
        assert isinstance(call, AttentionCall)
        if source.gradient is None:
            return torch.zeros_like(call.weights(heads, rows, batch=batch))
        value = call.heads_of(source.value[batch], heads).float()  # (heads, S, D)
        back = source.gradient[batch].transpose(0, 1).float()  # (T, H, D) -> (H, T, D)
        back = (back if heads is None else back[list(heads)])[:, rows]
        return back @ value.transpose(1, 2)  # (heads, rows, D) @ (heads, D, S) -> (heads, rows, S)

    def product(self, place: int, rows: slice = EVERYTHING, batch: int = 0) -> Tensor:
        """A · dF/dA of all heads of a call, cell by cell: float32 (H, rows, S)."""
        return self.calls[place].weights(None, rows, batch=batch) * self.gradient(place, None, rows, batch)

    def _of_weights(self, call: Call, source: _Weights, batch: int) -> Tensor:
        if not source.laid_out:
            raise HeadlightError(
                "This model computes attention in blocks, whose gradient cannot be had: choose another."
            )
        parts = []
        for part, laid_out in enumerate(source.laid_out):
            gradient = source.gradients.get(part)
            if gradient is not None:
                parts.append(laid_out(gradient)[batch].float())  # (H, rows, S)
            else:
                count = call.queries if len(source.laid_out) == 1 else 1
                parts.append(torch.zeros(call.heads, count, call.keys, device=_device_of(call)))
        return torch.cat(parts, dim=1)


class _Rooted(TorchFunctionMode):
    """Lets gradients reach a decoder's first attention too, whose embeddings are looked up and hang on no leaf.

    width  of an embedding: tables of another width hold biases of attention, which would be as large as a map
    """

    def __init__(self, roots: list[Tensor], width: int) -> None:
        super().__init__()
        self._roots = roots
        self._width = width

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        new = func is F.embedding and result.shape[-1] == self._width and not result.requires_grad
        if new and torch.is_grad_enabled():
            self._roots.append(result.requires_grad_())
        return result


def _of_text(prompt: Prompt, laid_out: Callable[[Tensor], Tensor], weights: Tensor) -> Tensor:
    """As they are laid out, without what the network itself puts before a text."""
    return laid_out(weights)[:, :, prompt.rows :, prompt.keys :]


def _device_of(call: Call) -> torch.device:
    return call.stored.device if isinstance(call, StoredCall) else torch.device("cpu")


@contextmanager
def record_gradients(network: nn.Module) -> Iterator[GradientRecording]:
    """Record the attention calls of the block in this thread, so that their gradients can be asked for afterwards.

    with record_gradients(network) as recording, torch.enable_grad():
        value = scalar(network(inputs_embeds=embeddings))
    recording.back(value, embeddings)
    recording.gradient(0)
    """
    recording = GradientRecording(network)
    with recording.listening(is_tapped(network)), _rooted(network, recording.roots):
        yield recording


def _rooted(network: nn.Module, roots: list[Tensor]) -> AbstractContextManager[object]:
    if not is_encoder_decoder(network):
        return nullcontext()
    embeddings: Any = network
    return _Rooted(roots, embeddings.get_input_embeddings().weight.shape[-1])
