"""Trainer: a network, its data and its options become a series of optimiser steps, each reported as it is done."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict
from math import inf, isfinite, nan
from time import perf_counter
from typing import Any, TypeVar

import torch
from torch import nn

from core.errors import HeadlightError
from core.training.batches import Batch, Kind, collate, word_dropout
from core.training.divergence import LARGEST_WEIGHT, Diverged, diverged
from core.training.groups import parameter_groups
from core.training.losses import Objective, cross_entropy_of
from core.training.options import Options
from core.training.precision import Precision
from core.training.randomness import seeded
from core.training.reports import Evaluation, Snapshot, StepReport
from core.training.samples import Supply
from core.training.schedules import rate
from core.training.stopping import EarlyStopping
from core.training.weights import put_back, trained_weights

__all__ = ["Diverged", "Trainer"]

SPECIAL_IDS = (0, 1, 2, 3)

Seen = TypeVar("Seen")


class Trainer:
    """Trains a network in place with Adam, or AdamW where weights decay.

    network   seq2seq: forward(input_ids, attention_mask, decoder_input_ids) with `logits` (B, T, V); classifier:
              forward(input_ids, attention_mask) with (B, labels); language model: the same with (B, T, V), causal
    supply    micro-batches by number; step n, from 1, reads numbers (n - 1) * accumulate … n * accumulate - 1
    evaluate  called with the number of steps done, in evaluation mode and without gradients: before the first step,
              each `evaluate_every` steps, and at the end; `snapshot` likewise, each `snapshot_every` steps
    objective the loss of a micro-batch, summed over its places with a target; smoothed cross-entropy unless given
    unk_id, special_ids   of word dropout: what a token is replaced by, and which are never replaced

    All random numbers of a step follow from the seed and the step's number, and what other threads draw between two
    steps changes nothing. On a CPU a run is therefore the same to the last bit whenever it is repeated, alone or among
    others, in one go or resumed; a GPU adds up in changing order. Not for two threads at once.

    Raises `HeadlightError` where the network or the device cannot do what the options ask for.
    """

    def __init__(
        self,
        network: nn.Module,
        supply: Supply,
        options: Options,
        *,
        kind: Kind = "seq2seq",
        device: torch.device | str = "cpu",
        evaluate: Callable[[int], Evaluation] | None = None,
        snapshot: Callable[[int], Snapshot] | None = None,
        objective: Objective | None = None,
        unk_id: int = 3,
        special_ids: Collection[int] = SPECIAL_IDS,
    ) -> None:
        if options.patience and evaluate is None:
            raise HeadlightError("Early stopping needs development examples; give some, or set “patience” to 0.")
        self.options = options
        self.device = torch.device(device)
        self.step = 0
        self._precision = Precision(options.precision, self.device)
        self._width = _width(network, options)
        if options.checkpointing:
            _checkpoint_layers(network)
        self.network = network.to(self.device)
        self._optimizer = _adam(network, options)
        self._parameters = [value for group in self._optimizer.param_groups for value in group["params"]]
        self._supply, self._kind = supply, kind
        self._evaluate, self._snapshot = evaluate, snapshot
        self._objective = objective or cross_entropy_of(options)
        self._unk_id, self._special_ids = unk_id, special_ids
        self._stopping = EarlyStopping(options.patience)
        self._ended = False
        self._seconds = 0.0

    @property
    def finished(self) -> bool:
        """Whether all steps are done, or early stopping or `finish` ended the run."""
        return self._ended or self.step >= self.options.steps or self._stopping.over

    @property
    def best(self) -> Evaluation | None:
        """With early stopping, the best evaluation so far; a finished run has its weights."""
        return self._stopping.best

    @property
    def kept_step(self) -> int:
        """How many steps made the weights that the network has now: fewer than `step` where the best were put back."""
        return self.best.step if self.finished and self.best is not None else self.step

    def run(self) -> Iterator[StepReport]:
        """Go on from where the trainer is, one optimiser step a `next()`.

        A run that begins reports step 0 first, where there is something to evaluate or to take a snapshot of.
        Raises `Diverged`, which names the step and what to try; the network's weights are finite then, too.
        """
        if self.step == 0 and (self._evaluate or self._snapshot):
            begun = perf_counter()
            yield self._report(begun, loss=nan, learning_rate=0.0, norm=nan, tokens=0)
        while not self.finished:
            yield self._advance()

    def finish(self) -> tuple[Evaluation | None, Snapshot | None]:
        """End the run, as after its last step: `run` yields no more, and early stopping puts back its best weights.

        Returns the evaluation and the snapshot of this moment, None for what was reported before. Does nothing to a run
        that is finished. Call it between two steps. Raises `Diverged` where the evaluation is not finite.
        """
        if self.finished:
            return None, None
        self._ended = True
        return self._looks(again=False)

    def state(self) -> dict[str, Any]:
        """Copies of all that a resumed run needs, in plain values and tensors; take it between two steps."""
        return {
            "step": self.step,
            "seconds": self._seconds,
            "options": asdict(self.options),
            "weights": trained_weights(self.network),
            "optimizer": copy.deepcopy(self._optimizer.state_dict()),
            "precision": self._precision.state(),
            "stopping": self._stopping.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to where `state()` was taken, in this process or in another one.

        Raises `HeadlightError` for the state of another network, or of other options than these; only `steps`,
        `evaluate_every`, `snapshot_every` and `patience` may differ.
        """
        changed = _changed(state["options"], self.options)
        if changed:
            raise HeadlightError(
                f"The checkpoint was trained with another {changed[0]} ({state['options'].get(changed[0])}); set it to"
                " that to go on, or start anew."
            )
        put_back(self.network, state["weights"])
        self._optimizer.load_state_dict(copy.deepcopy(state["optimizer"]))
        self._precision.restore(state["precision"])
        self._stopping.restore(state["stopping"])
        self.step, self._seconds = state["step"], state["seconds"]

    def _advance(self) -> StepReport:
        begun = perf_counter()
        number = self.step + 1
        learning_rate = rate(number, self.options, self._width)
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate * group["factor"]
        with torch.enable_grad(), seeded(self.device, "step", self.options.seed, number):
            self.network.train()
            batches = self._batches(number)
            tokens = sum(batch.tokens for batch in batches)
            loss, norm = self._gradients(batches, tokens)
            self._check(number, loss, norm)
            self._precision.step(self._optimizer)
        self._optimizer.zero_grad()
        self.step = number
        largest = float(nn.utils.get_total_norm([value.detach() for value in self._parameters], inf))
        if not largest <= LARGEST_WEIGHT:
            raise diverged(self.options, number, f"weights have grown to {largest:.1g}")
        return self._report(begun, loss, learning_rate, norm, tokens)

    def _batches(self, number: int) -> list[Batch]:
        """The micro-batches of a step, with words dropped, still on the CPU."""
        first = (number - 1) * self.options.accumulate
        pad, bos = _padding_and_start(self.network)
        return [
            word_dropout(
                collate(self._supply[index], self._kind, pad=pad, bos=bos),
                self.options.word_dropout,
                self._unk_id,
                self._special_ids,
                self.options.dropping,
            )
            for index in range(first, first + self.options.accumulate)
        ]

    def _gradients(self, batches: list[Batch], tokens: int) -> tuple[float, float]:
        """Add up the gradients of the mean loss over all tokens of all micro-batches, and clip them.

        Returns the loss and the gradients' norm before clipping.
        """
        total = torch.zeros((), device=self.device)
        for batch in batches:
            placed = batch.to(self.device)
            with self._precision.forward():
                part = self._objective(self.network, placed)
            self._precision.backward(part / tokens)
            total += part.detach()
        self._precision.unscale(self._optimizer)
        gradients = [value.grad for value in self._parameters if value.grad is not None]
        norm = nn.utils.get_total_norm(gradients)
        if self.options.clip is not None:
            nn.utils.clip_grads_with_norm_(self._parameters, self.options.clip, norm)
        return float(total) / tokens, float(norm)

    def _check(self, number: int, loss: float, norm: float) -> None:
        if isfinite(loss) and (isfinite(norm) or self._precision.may_overflow):
            return
        self._optimizer.zero_grad()
        raise diverged(self.options, number, f"gradient norm is {norm}" if isfinite(loss) else f"loss is {loss}")

    def _report(self, begun: float, loss: float, learning_rate: float, norm: float, tokens: int) -> StepReport:
        """What the step brought, with the evaluation and the snapshot that are due after it."""
        looks = self._looks()
        self._seconds += perf_counter() - begun
        return StepReport(self.step, self.options.steps, loss, learning_rate, norm, tokens, self._seconds, *looks)

    def _looks(self, *, again: bool = True) -> tuple[Evaluation | None, Snapshot | None]:
        """The evaluation and the snapshot that are due, and the best weights put back where the run is finished.

        again: also those that are due by the step's number, which a report of the same step has had.
        """
        evaluation = self._look(self._evaluate, self.options.evaluate_every, again)
        if evaluation is not None:
            if not isfinite(evaluation.loss):
                raise diverged(self.options, self.step, f"development loss is {evaluation.loss}")
            self._stopping.hear(evaluation, self.network)
        snapshot = self._look(self._snapshot, self.options.snapshot_every, again)
        if self.finished and self.best is not None:
            self._stopping.put_back_best(self.network)
        return evaluation, snapshot

    def _look(self, callback: Callable[[int], Seen] | None, every: int, again: bool) -> Seen | None:
        """What a callback says of the network as it is, if it is due."""
        by_number = self.step % every == 0
        if callback is None or (by_number and not again) or not (by_number or self.finished):
            return None
        self.network.eval()
        with torch.no_grad(), seeded(self.device, "look", self.options.seed, self.step):
            return callback(self.step)


def _adam(network: nn.Module, options: Options) -> torch.optim.AdamW:
    """Adam (Kingma and Ba 2015) with decoupled weight decay; the fused form is the fastest on a CPU, too."""
    return torch.optim.AdamW(
        parameter_groups(network, options), lr=options.learning_rate, betas=(0.9, options.beta2), fused=True
    )


def _width(network: nn.Module, options: Options) -> int:
    """The hidden size; 1 where the network does not tell and the schedule does not ask."""
    width = getattr(getattr(network, "config", None), "hidden_size", None)
    if width is None and options.schedule == "noam":
        raise HeadlightError(
            "The Noam schedule needs the network's width, which this one does not tell; choose “inverse_sqrt”."
        )
    return width or 1


def _padding_and_start(network: nn.Module) -> tuple[int, int]:
    """The ids of padding and of the token before the first, 0 and 1 unless the network's config says otherwise."""
    config = getattr(network, "config", None)
    starts = (getattr(config, name, None) for name in ("decoder_start_token_id", "bos_token_id"))
    pad = getattr(config, "pad_token_id", None)
    return (0 if pad is None else pad), next((start for start in starts if start is not None), 1)


def _checkpoint_layers(network: nn.Module) -> None:
    if not getattr(network, "supports_gradient_checkpointing", False):
        raise HeadlightError(
            f"{type(network).__name__} cannot compute its layers' results twice; set “checkpointing” to false."
        )
    # The other way, reentrant, gives a layer no gradients where its input needs none, as above frozen embeddings.
    network.activation_checkpointing_enable({"use_reentrant": False})  # type: ignore[operator]


_FREE_TO_CHANGE = {"steps", "evaluate_every", "snapshot_every", "patience"}


def _changed(before: dict[str, Any], options: Options) -> list[str]:
    now, usual = asdict(options), asdict(Options())
    # What a checkpoint does not tell is newer than it, and was then as it is by default.
    return [name for name in now if name not in _FREE_TO_CHANGE and now[name] != before.get(name, usual[name])]
