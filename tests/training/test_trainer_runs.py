"""Runs as a whole: seeds, pauses, resuming, evaluation, early stopping and divergence."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from core.errors import HeadlightError
from core.training import Evaluation, Options, Snapshot
from core.training.batches import LengthBuckets
from core.training.trainer import Diverged, Trainer
from tests.training.small import Listed, bart, dropping_trainer, evaluation, gru, reversals, same, weights


def trained(trainer: Trainer) -> dict[str, torch.Tensor]:
    list(trainer.run())
    return weights(trainer.network)


def finite(network: nn.Module) -> bool:
    return all(bool(value.isfinite().all()) for value in network.state_dict().values())


def snapshot(step: int) -> Snapshot:
    return Snapshot(step, np.zeros((1, 1, 2, 3), np.float32))


def test_the_same_seed_gives_the_same_weights_to_the_last_bit() -> None:
    assert same(trained(dropping_trainer(8, seed=1)), trained(dropping_trainer(8, seed=1)))


def test_another_seed_gives_others() -> None:
    assert not same(trained(dropping_trainer(8, seed=1)), trained(dropping_trainer(8, seed=2)))


def test_the_seed_also_governs_dropout() -> None:
    runs = []
    for seed in (0, 0, 1):
        trainer = Trainer(bart(dropout=0.3), Listed(reversals(8)), Options(steps=3, seed=seed))
        runs.append(trained(trainer))
    assert same(runs[0], runs[1])
    assert not same(runs[0], runs[2])


def test_two_runs_side_by_side_are_as_each_alone() -> None:
    alone = [trained(dropping_trainer(6, seed=seed)) for seed in (1, 2)]
    trainers = [dropping_trainer(6, seed=seed) for seed in (1, 2)]
    for _ in zip(*(trainer.run() for trainer in trainers), strict=True):
        torch.manual_seed(0)
        torch.rand(3)
    assert all(same(weights(trainer.network), before) for trainer, before in zip(trainers, alone, strict=True))


def test_a_step_leaves_everybody_elses_random_numbers_as_they_were() -> None:
    torch.manual_seed(5)
    expected = torch.rand(4)
    torch.manual_seed(5)
    next(dropping_trainer(2).run())
    assert torch.equal(torch.rand(4), expected)


def test_looking_on_does_not_change_what_is_learnt() -> None:
    def curious(step: int) -> Evaluation:
        torch.rand(7)
        return evaluation(step, 1.0)

    watched = dropping_trainer(6, evaluate_every=2)
    watched._evaluate = curious
    assert same(trained(watched), trained(dropping_trainer(6)))


@pytest.mark.parametrize("stop", [0, 1, 4])
def test_a_resumed_run_ends_with_the_same_weights_to_the_last_bit(stop: int) -> None:
    first = dropping_trainer(9, schedule="cosine", weight_decay=0.1)
    before = [report.loss for report in islice(first.run(), stop)]
    state = first.state()
    list(first.run())
    second = dropping_trainer(9, schedule="cosine", weight_decay=0.1)
    second.restore(state)
    after = list(second.run())
    assert [report.step for report in after] == list(range(stop + 1, 10))
    assert same(weights(second.network), weights(first.network))
    whole = [report.loss for report in dropping_trainer(9, schedule="cosine", weight_decay=0.1).run()]
    assert before + [report.loss for report in after] == whole


def test_a_state_is_a_copy() -> None:
    trainer = dropping_trainer(6)
    run = trainer.run()
    next(run)
    state = trainer.state()
    start = {name: value.clone() for name, value in state["weights"].items()}
    list(run)
    assert same(state["weights"], start)
    trainer.restore(state)
    list(trainer.run())
    assert same(state["weights"], start)


def test_a_state_of_other_options_or_of_another_network_is_refused() -> None:
    state = dropping_trainer(3).state()
    with pytest.raises(HeadlightError, match="another seed \\(0\\)"):
        dropping_trainer(3, seed=1).restore(state)
    with pytest.raises(HeadlightError, match="another network"):
        Trainer(gru(), Listed(reversals(2)), Options(**state["options"])).restore(state)
    dropping_trainer(30).restore(state)


def test_evaluations_and_snapshots_come_at_the_start_when_they_are_due_and_at_the_end() -> None:
    looks: list[tuple[str, int, bool, bool]] = []

    def evaluate(step: int) -> Evaluation:
        looks.append(("evaluation", step, network.training, torch.is_grad_enabled()))
        return evaluation(step, 1.0)

    def shot(step: int) -> Snapshot:
        looks.append(("snapshot", step, network.training, torch.is_grad_enabled()))
        return snapshot(step)

    network = gru()
    options = Options(steps=7, evaluate_every=3, snapshot_every=2)
    reports = list(Trainer(network, Listed(reversals(4)), options, evaluate=evaluate, snapshot=shot).run())
    assert [report.step for report in reports] == list(range(8))
    assert [report.step for report in reports if report.evaluation] == [0, 3, 6, 7]
    assert [report.step for report in reports if report.snapshot] == [0, 2, 4, 6, 7]
    assert all(not training and not grad for _, _, training, grad in looks)
    assert [step for what, step, *_ in looks if what == "evaluation"] == [0, 3, 6, 7]
    assert math.isnan(reports[0].loss)
    assert reports[0].tokens == 0


def test_seconds_add_up_over_steps_and_resumed_runs() -> None:
    trainer = dropping_trainer(4)
    seconds = [report.seconds for report in trainer.run()]
    assert seconds == sorted(seconds)
    assert seconds[0] > 0
    longer = dropping_trainer(5)
    longer.restore(trainer.state())
    assert next(longer.run()).seconds > seconds[-1]


def test_early_stopping_ends_with_the_weights_of_the_best_evaluation() -> None:
    losses = {0: 9.0, 2: 5.0, 4: 6.0, 6: 3.0, 8: 4.0, 10: 3.5, 12: 3.2, 14: 1.0}
    seen = {}

    def evaluate(step: int) -> Evaluation:
        seen[step] = weights(network)
        return evaluation(step, losses[step])

    network = gru()
    options = Options(steps=100, patience=3, evaluate_every=2)
    trainer = Trainer(network, Listed(reversals(4)), options, evaluate=evaluate, snapshot=snapshot)
    reports = list(trainer.run())
    assert reports[-1].step == 12
    assert reports[-1].snapshot is not None
    assert trainer.finished
    assert trainer.best == evaluation(6, 3.0)
    assert same(weights(network), seen[6])
    assert not same(weights(network), seen[12])
    assert list(trainer.run()) == []


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_a_development_loss_that_is_not_finite_ends_the_run_at_its_step(loss: float) -> None:
    options = Options(steps=9, patience=3, evaluate_every=2)
    losses = {0: 4.0, 2: 3.0, 4: loss}
    trainer = Trainer(gru(), Listed(reversals(4)), options, evaluate=lambda step: evaluation(step, losses[step]))
    with pytest.raises(Diverged, match=f"step 4 because the development loss is {loss}; try a learning rate below"):
        list(trainer.run())
    assert trainer.best == evaluation(2, 3.0)
    assert finite(trainer.network)


def test_weights_that_grow_beyond_all_use_end_the_run_while_they_are_finite() -> None:
    options = Options(steps=99, learning_rate=100, weight_decay=10, clip=None)
    trainer = Trainer(gru(), Listed(reversals(4)), options)
    with pytest.raises(Diverged, match=r"step \d because the weights have grown to .* or a smaller weight decay"):
        list(trainer.run())
    assert finite(trainer.network)


def test_a_run_that_is_finished_by_hand_keeps_its_weights_without_patience() -> None:
    network = gru()
    options = Options(steps=9, evaluate_every=2, snapshot_every=3)
    trainer = Trainer(
        network, Listed(reversals(4)), options, evaluate=lambda step: evaluation(step, 1.0), snapshot=snapshot
    )
    run = trainer.run()
    list(islice(run, 4))
    before = weights(network)
    looks = trainer.finish()
    assert looks[0] == evaluation(3, 1.0)
    assert looks[1] is None
    assert trainer.finished
    assert trainer.kept_step == trainer.step == 3
    assert list(run) == []
    assert trainer.finish() == (None, None)
    assert same(weights(network), before)


@pytest.mark.parametrize(("at_the_stop", "kept"), [(5.0, 2), (2.0, 3)])
def test_a_run_that_is_finished_by_hand_ends_with_its_best_weights(at_the_stop: float, kept: int) -> None:
    losses, seen = {0: 9.0, 2: 3.0, 3: at_the_stop}, {}

    def evaluate(step: int) -> Evaluation:
        seen[step] = weights(network)
        return evaluation(step, losses[step])

    network = gru()
    options = Options(steps=9, patience=2, evaluate_every=2)
    trainer = Trainer(network, Listed(reversals(4)), options, evaluate=evaluate)
    list(islice(trainer.run(), 4))
    assert trainer.finish()[0] == evaluation(3, at_the_stop)
    assert trainer.kept_step == kept
    assert same(weights(network), seen[kept])


def test_a_run_to_the_last_step_ends_with_the_best_weights_too() -> None:
    seen = {}

    def evaluate(step: int) -> Evaluation:
        seen[step] = weights(network)
        return evaluation(step, abs(step - 2) + 1.0)

    network = gru()
    options = Options(steps=4, patience=9, evaluate_every=1)
    list(Trainer(network, Listed(reversals(4)), options, evaluate=evaluate).run())
    assert same(weights(network), seen[2])


def test_without_patience_the_last_weights_stay() -> None:
    network = gru()
    trainer = Trainer(
        network, Listed(reversals(4)), Options(steps=2), evaluate=lambda step: evaluation(step, step + 1.0)
    )
    assert same(trained(trainer), trained(Trainer(gru(), Listed(reversals(4)), Options(steps=2))))


def test_patience_survives_resuming() -> None:
    def trainer() -> Trainer:
        options = Options(steps=50, patience=2, evaluate_every=1)
        return Trainer(
            gru(), Listed(reversals(4)), options, evaluate=lambda step: evaluation(step, abs(step - 3) + 1.0)
        )

    whole, first, second = trainer(), trainer(), trainer()
    reports = list(whole.run())
    list(islice(first.run(), 5))
    second.restore(first.state())
    assert [report.step for report in second.run()] == [5]
    assert reports[-1].step == 5
    assert same(weights(second.network), weights(whole.network))


def test_early_stopping_needs_something_to_evaluate_on() -> None:
    with pytest.raises(HeadlightError, match="development examples"):
        Trainer(gru(), Listed(reversals(4)), Options(patience=1))


class Poisoned(LengthBuckets):
    """Spoils the network's output once a step has begun."""

    def __init__(self, network: nn.Module, step: int, what: Any) -> None:
        super().__init__(reversals(), 4)
        self._step, self._what = step, what
        network.register_forward_hook(self._spoil)
        self._number = 0

    def __getitem__(self, index: int) -> Any:
        self._number = index + 1
        return super().__getitem__(index)

    def _spoil(self, module: nn.Module, inputs: Any, output: Any) -> Any:
        if self._number == self._step:
            output.logits = self._what(output.logits)
        return output


def infinite_gradient(logits: torch.Tensor) -> torch.Tensor:
    """A finite value with an infinite slope."""
    return logits + (logits - logits.detach()).clamp(min=0).sqrt()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda logits: logits * math.nan, "loss is nan"),
        (lambda logits: logits.index_fill(-1, torch.arange(4, 12), -math.inf), "loss is inf"),
        (infinite_gradient, "gradient norm is (nan|inf)"),
    ],
)
def test_a_loss_or_gradient_that_is_not_finite_stops_before_the_step(spoil: Any, said: str) -> None:
    network = gru()
    trainer = Trainer(network, Poisoned(network, 4, spoil), Options(steps=9, learning_rate=0.02, clip=None))
    run = trainer.run()
    list(islice(run, 3))
    before = weights(network)
    with pytest.raises(
        Diverged, match=f"step 4 because the {said}; try a learning rate below 0.02, a warm-up or clipping."
    ):
        next(run)
    assert same(weights(network), before)
    assert all(value.grad is None for value in network.parameters())
    assert trainer.step == 3
    assert trainer.state()["step"] == 3


def test_a_run_can_begin_where_gradients_are_off() -> None:
    with torch.no_grad():
        reports = list(Trainer(gru(), Listed(reversals(4)), Options(steps=2)).run())
    assert reports[-1].gradient_norm > 0
