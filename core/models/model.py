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
        tokens = self._encode(text, text_pair)
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

    def _encode(self, text: str, text_pair: str | None) -> Tokens:
        tokens = self.encoder.encode(text, text_pair)
        embedding: Any = self.network.get_input_embeddings()
        rows = embedding.weight.shape[0]
        strange = [label for label, number in zip(tokens.labels, tokens.ids, strict=True) if number >= rows]
        if strange:
            raise HeadlightError(
                f"{self.name} has no embedding for the token “{strange[0]}” of its tokenizer: the two do not belong "
                "together, so check its files."
            )
        return tokens

    @torch.no_grad()
    def _forward(self, tokens: Tokens) -> Any:
        rows: dict[str, Any] = {
            "input_ids": tokens.ids,
            "attention_mask": [1] * len(tokens),
        }
        # GPT-2 and its kin accept segment numbers as well, but look them up among their words.
        if getattr(self.network.config, "type_vocab_size", 0) > 1:
            rows["token_type_ids"] = tokens.type_ids
        inputs = {
            name: torch.tensor([row], device=self.device)  # (1, T)
            for name, row in rows.items()
            if name in self._accepted
        }
        # No cache is needed for one pass, and only the last token's logits are kept.
        options = {"use_cache": False, "logits_to_keep": 1}
        return self.network(**inputs, **{name: value for name, value in options.items() if name in self._accepted})

    def _checked(self, recording: Recording) -> Check:
        errors = recording.errors()
        for call, by_head in zip(recording.calls, errors, strict=True):
            bad = [head for head, error in enumerate(by_head) if math.isnan(error)]
            if bad:
                advice = "choose another model" if self.dtype == torch.float32 else "choose float32"
                raise HeadlightError(
                    f"{self.name} produced values that are not numbers in layer {call.layer}, head {bad[0]} "
                    f"in {self._dtype_name}: {advice}."
                )
        check = check_of(errors, self.dtype)
        if not check.passed:
            raise HeadlightError(
                f"{self.name}: the recorded weights do not reproduce the model's output (A·V = O is off by "
                f"{check.error:.1e}, {check.tolerance:.1e} is allowed), so nothing is drawn; choose another model."
            )
        return check

    def _output(self, answer: Any) -> Output:
        first = answer[0][0]  # the logits or the last hidden states of the one text
        if type(self.network).__name__.endswith("ForSequenceClassification"):
            named: dict[Any, str] = self.network.config.id2label or {}
            names = tuple(str(named.get(i, i)) for i in range(len(first)))
            return Output("labels", _fetched(first), names)  # (labels,)
        if self.network.can_generate():
            return Output("next tokens", _fetched(answer.logits[0, -1]))  # (1, T, vocabulary) -> (vocabulary,)
        return Output("hidden states" if "last_hidden_state" in answer else "token logits", _fetched(first))

    def _probe(self) -> ModelCard:
        tokens = self._encode("a b", None)
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
    """A copy of its own: what it was cut from may be a thousand times larger."""
    return tensor.detach().float().cpu().clone()


def _mask_name(call: AttentionCall) -> str:
    """What the first query may see tells the two common masks apart."""
    hidden = int(call.masked(rows=slice(0, 1))[0, 0].sum())
    return {0: "bidirectional", call.keys - 1: "causal"}.get(hidden, "restricted")
