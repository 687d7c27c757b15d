"""A loaded model: text in, `Trace` out."""

from __future__ import annotations

import inspect
import math
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.capture import AttentionCall, Check, Output, Provenance, Recording, Trace, check_of, record
from core.errors import HeadlightError
from core.jobs import Job
from core.models.card import ModelCard, positional_scheme
from core.models.devices import describe_device
from core.models.report import LoadReport
from core.text import TextEncoder, Tokens

BACKEND = "sdpa, recorded"


class Model:
    """A network with its tokenizer, its card and its load report. Threads may share it: a run changes nothing in it.

    Opening runs one short probe text, so a model whose attention cannot be read is refused before anybody sees it.
    """

    def __init__(
        self,
        name: str,
        network: PreTrainedModel,
        encoder: TextEncoder,
        report: LoadReport,
        revision: str,
        device: str,
    ) -> None:
        self.name = name
        self.network = network
        self.encoder = encoder
        self.report = report
        self.revision = revision
        self.device = device
        self._accepted = set(inspect.signature(network.forward).parameters)
        self.card = self._probe()

    @property
    def dtype(self) -> torch.dtype:
        return self.network.dtype

    @property
    def _dtype_name(self) -> str:
        return str(self.dtype).removeprefix("torch.")

    @property
    def nbytes(self) -> int:
        """Memory of the weights."""
        return self.report.nbytes

    def run(self, text: str, text_pair: str | None = None, *, job: Job | None = None) -> Trace:
        """Run a text, or a pair of texts, through the model once and keep what its attention layers saw.

        job: told after each layer how far the run is; its `Cancelled` ends the run.
        Raises HeadlightError, one sentence, for a text that cannot be run or a result that cannot be trusted.
        """
        tokens = self.encoder.encode(text, text_pair)
        total = sum(self.card.layers.values())

        def on_call(done: int) -> None:
            if job is not None:
                job.advance(done, total, f"layer {done} of {total}")

        with record(self.network, on_call) as recording:
            answer = self._forward(tokens)
        provenance = Provenance(
            model=self.name,
            revision=self.revision,
            dtype=self._dtype_name,
            device=describe_device(self.device),
            backend=BACKEND,
            mask=_mask_name(recording.calls[0]),
            checks=(self._checked(recording),),
        )
        return Trace(tokens, recording.calls, provenance, self._output(answer))

    @torch.no_grad()
    def _forward(self, tokens: Tokens) -> Any:
        rows: dict[str, Any] = {
            "input_ids": tokens.ids,
            "attention_mask": [1] * len(tokens),
            "token_type_ids": tokens.type_ids,
        }
        inputs = {
            name: torch.tensor([row], device=self.device)  # (1, T)
            for name, row in rows.items()
            if name in self._accepted
        }
        options = {"use_cache": False} if "use_cache" in self._accepted else {}
        return self.network(**inputs, **options)

    def _checked(self, recording: Recording) -> Check:
        errors = recording.errors()
        for call, by_head in zip(recording.calls, errors, strict=True):
            bad = [head for head, error in enumerate(by_head) if math.isnan(error)]
            if bad:
                raise HeadlightError(
                    f"{self.name} produced values that are not numbers in layer {call.layer}, head {bad[0]} "
                    f"in {self._dtype_name}: choose float32."
                )
        check = check_of(errors, self.dtype)
        if not check.passed:
            raise HeadlightError(
                f"{self.name}: the recorded weights do not reproduce the model's output (A·V = O is off by "
                f"{check.error:.1e}, {check.tolerance:.1e} is allowed), so nothing is drawn; choose another model."
            )
        return check

    def _output(self, answer: Any) -> Output:
        logits = getattr(answer, "logits", None)
        if logits is None:
            return Output("hidden states", _fetched(answer[0][0]))  # (1, T, width) -> (T, width)
        if logits.dim() == 2:
            named: dict[Any, str] = self.network.config.id2label or {}
            names = tuple(str(named.get(i, i)) for i in range(logits.shape[1]))
            return Output("labels", _fetched(logits[0]), names)  # (1, labels) -> (labels,)
        return Output("next tokens", _fetched(logits[0, -1]))  # (1, T, vocabulary) -> (vocabulary,)

    def _probe(self) -> ModelCard:
        tokens = self.encoder.encode("a b")
        with record(self.network) as recording:
            self._forward(tokens)
        if not recording.calls:
            raise HeadlightError(
                f"{self.name} ran without calling the attention interface, so there is nothing to show; "
                "choose another model."
            )
        self._checked(recording)
        by_stream: dict[str, list[AttentionCall]] = {}
        for call in recording.calls:
            by_stream.setdefault(call.stream, []).append(call)
        config = self.network.config
        return ModelCard(
            name=self.name,
            family=config.model_type,
            streams=tuple(by_stream),
            layers={stream: len(calls) for stream, calls in by_stream.items()},
            heads={stream: max(c.heads for c in calls) for stream, calls in by_stream.items()},
            key_value_heads={stream: max(c.key_value_heads for c in calls) for stream, calls in by_stream.items()},
            positions=positional_scheme(config),
            max_tokens=self.encoder.max_length,
        )


def _fetched(tensor: Tensor) -> Tensor:
    return tensor.detach().float().cpu()


def _mask_name(call: AttentionCall) -> str:
    """What the first query may see tells the two common masks apart."""
    hidden = int(call.masked(rows=slice(0, 1))[0, 0].sum())
    return {0: "bidirectional", call.keys - 1: "causal"}.get(hidden, "restricted")
