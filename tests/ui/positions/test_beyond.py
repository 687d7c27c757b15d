"""What the page claims of the twins beyond their training holds for the numbers that they came with."""

from __future__ import annotations

import pytest

from core.models.shipped import shipped
from core.ui.positions.beyond_panel import HONEST
from core.views import Twin, twin_of

TRAINED = 64
Losses = dict[str, list[tuple[int, float]]]


@pytest.fixture(scope="module")
def losses() -> Losses:
    """Last position of each range beyond training, and by how much the loss is above that of the last one in it."""
    return {name: _risen(twin) for name, twin in twins().items()}


def twins() -> dict[str, Twin]:
    found = {each.name: twin_of(each.name, each.told) for each in shipped() if each.name.startswith("lm-")}
    return {name.removeprefix("lm-"): twin for name, twin in found.items() if twin is not None}


def _risen(twin: Twin) -> list[tuple[int, float]]:
    before = next(loss for (_, last), loss in twin.loss.items() if last == TRAINED)
    return [(last, loss - before) for (first, last), loss in twin.loss.items() if first > TRAINED]


def holds_to(risen: list[tuple[int, float]], small: float = 0.02) -> int:
    """The last position up to which the loss is no more than `small` nats above what it was in training."""
    first_bad = next((place for place, (_, above) in enumerate(risen) if above > small), len(risen))
    return risen[first_bad - 1][0] if first_bad else TRAINED


def test_only_alibi_stays_level(losses: Losses):
    assert {name for name, risen in losses.items() if holds_to(risen) == 512} == {"alibi"}
    assert "Only the loss of ALiBi stays level" in HONEST


def test_rotary_holds_to_twice_and_the_relative_bias_to_one_and_a_half_times_the_training(losses: Losses):
    assert holds_to(losses["rotary"]) == 2 * TRAINED
    assert holds_to(losses["relative"]) == 1.5 * TRAINED


def test_sinusoids_and_learned_rows_get_worse_at_once(losses: Losses):
    assert holds_to(losses["sinusoidal"]) == holds_to(losses["learned"]) == TRAINED


def test_without_positions_the_loss_is_high_from_the_start_and_creeps_up(losses: Losses):
    first = {name: next(iter(twin.loss.values())) for name, twin in twins().items()}
    assert max(first, key=first.__getitem__) == "none"
    steps = [above for _, above in losses["none"]]
    assert TRAINED < holds_to(losses["none"]) < 512
    assert max(steps) < min(max(above for _, above in losses[name]) for name in losses if name not in ("none", "alibi"))
    assert sum(steps[-3:]) > sum(steps[:3])


def test_every_twin_is_claimed_of(losses: Losses):
    assert set(losses) == {"none", "sinusoidal", "learned", "relative", "rotary", "alibi"}
