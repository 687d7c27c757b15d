"""One run of a model, recorded: its attention calls, and for each the proof that its weights are the model's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import torch
from torch import Tensor, nn

from core.capture.call import AttentionCall
from core.capture.families import Prompt, prompts_of
from core.capture.interface import listener
from core.capture.kept import Call
from core.capture.paths import is_tapped
from core.capture.proof import error_of_call, rounding_of_call, rounding_of_sum
from core.capture.sparse import SparseCall
from core.capture.stored import StoredCall
from core.capture.streams import Streams, declared_stream
from core.capture.tap import tapping


class Recording:
    """The calls seen so far. After the run, `errors()` gives the check of each call and head."""

    def __init__(
        self, model: nn.Module, on_call: Callable[[int], None] | None = None, store: torch.dtype | None = None
    ) -> None:
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._streams = Streams(model)
        self._prompts = prompts_of(model)
        self._on_call = on_call
        self._store = store
        self._counts: Counter[str] = Counter()
        self._calls: list[Call] = []
        self._errors: list[Tensor] = []
        self._roundings: list[Tensor] = []
        # Where in the list the rows of a module are that asks once for each token.
        self._single_rows: dict[int, int] = {}

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    def errors(self) -> list[list[float]]:
        """For each call and head: max |A·V - O| of the last query over the head's max |V|; NaN where the result is."""
        return [[float(e) for e in errors.cpu()] for errors in self._errors]

    def roundings(self) -> list[list[float]]:
        """For each call and head: units of float32 that rounding alone may have cost, for `check_of`."""
        return [[float(units) for units in roundings.cpu()] for roundings in self._roundings]

    @contextmanager
    def listening(self, tapped: bool) -> Iterator[None]:
        """Inside the block, keep what this thread runs; tapped: of torch's own functions too."""
        token = listener.set(self)
        try:
            with self._streams.following(), tapping(self) if tapped else nullcontext():
                yield
        finally:
            listener.reset(token)

    def on_attention(self, module: nn.Module | None, call: AttentionCall, value: Tensor, output: Tensor) -> None:
        """Keep one call by reference; part of the contract with `core.capture.interface`."""
        call = call.detached()
        error, rounding = error_of_call(call, value.detach(), output.detach()), rounding_of_call(call)
        for stream, part, values in self._streams.parts(module, call, value):
            self._keep(module, stream, part, error, rounding)
            self.on_values(values, output)

    def on_values(self, value: Tensor, output: Tensor) -> None:
        """Nothing is kept of the values of a call; see `core.capture.gradients` for who does."""

    def on_weights(self, module: nn.Module | None, call: StoredCall | SparseCall, value: Tensor, error: Tensor) -> None:
        """Keep one call as its weights; part of the contract with `core.capture.tap`.

        A decoder over an RNN asks once for each token: its rows become one call.
        """
        if (prompt := self.prompt_of(module)).keys and isinstance(call, StoredCall):
            call = call.after(prompt.rows, prompt.keys, prompt.words)
        before = self._single_rows.get(id(module))
        if before is not None and isinstance(call, StoredCall):
            rows = self._calls[before]
            if isinstance(rows, StoredCall) and call.queries == 1 and rows.keys == call.keys:
                self._join(module, before, rows.followed_by(call), value, error)
                return
        stream = self._streams.of_map(module, call, value)
        # Over one key nobody can tell a decoder's first row from a layer that is used again, unless its module does.
        if call.queries == 1 and (call.keys > 1 or declared_stream(module) == "cross"):
            self._single_rows[id(module)] = len(self._calls)
        # These weights were not worked out again, so no score was rounded another way.
        self._keep(module, stream, call, error, torch.full_like(error, rounding_of_sum(call.keys)))

    def on_live_weights(self, weights: Tensor, laid_out: Callable[[Tensor], Tensor]) -> None:
        """Nothing is kept of a graph; see `core.capture.gradients` for who does."""

    def prompt_of(self, module: nn.Module | None) -> Prompt:
        """What stands in a module's maps before the text's own rows and keys."""
        return Prompt() if module is None else self._prompts.get(module, Prompt())

    def _path_of(self, module: nn.Module | None) -> str:
        return self._paths.get(id(module), "")

    def _keep(self, module: nn.Module | None, stream: str, call: Call, error: Tensor, rounding: Tensor) -> None:
        call = call.labelled(self._path_of(module), stream, self._counts[stream])
        self._counts[stream] += 1
        self._calls.append(call if self._store is None else call.rounded(self._store))
        self._errors.append(error)
        self._roundings.append(rounding)
        if self._on_call is not None:
            self._on_call(len(self._calls))

    def _join(self, module: nn.Module | None, place: int, call: StoredCall, value: Tensor, error: Tensor) -> None:
        stream = self._streams.of_map(module, call, value)
        if stream != call.stream:
            # What seemed to pool when it had one row turns out to be a decoder.
            self._counts[call.stream] -= 1
            call = call.labelled(call.path, stream, self._counts[stream])
            self._counts[stream] += 1
        self._calls[place] = call
        self._errors[place] = torch.maximum(self._errors[place], error)


@contextmanager
def record(
    model: nn.Module, on_call: Callable[[int], None] | None = None, store: torch.dtype | None = None
) -> Iterator[Recording]:
    """Record the attention calls that run inside the block, in this thread.

        with record(model) as recording:
            model(**inputs)
        recording.calls

    on_call: called after each attention call with their number so far; what it raises ends the run.
    store: torch.float16 or torch.bfloat16 to copy what is kept to 16 bits; the calls then are not `exact`. The checks
        are made before.
    Threads may record one model at the same time once `core.capture.prepare` has seen it.
    """
    recording = Recording(model, on_call, store)
    with recording.listening(is_tapped(model)):
        yield recording
