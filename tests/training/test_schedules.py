from itertools import pairwise
from math import sqrt

import pytest

from core.training.options import Options
from core.training.schedules import SCHEDULES, noam, rate

NOAM = Options(schedule="noam", learning_rate=1.0, warmup=4000, steps=100_000)


def curve(name: str, steps: int = 40, warmup: int = 8, width: int = 64) -> list[float]:
    options = Options(schedule=name, steps=steps, warmup=warmup, learning_rate=1.0)
    return [rate(step, options, width) for step in range(1, steps + 1)]


def test_noam_has_the_papers_value_and_peaks_at_the_end_of_the_warm_up() -> None:
    rates = {step: rate(step, NOAM, 512) for step in range(1, 12_001)}
    assert max(rates, key=rates.__getitem__) == 4000
    assert rates[4000] == pytest.approx(6.99e-4, abs=5e-7)
    assert rates[4000] == pytest.approx((512 * 4000) ** -0.5)
    assert rates[1000] == pytest.approx(rates[4000] / 4)
    assert rate(16_000, NOAM, 512) == pytest.approx(rates[4000] / 2)


def test_noam_without_warm_up_only_falls() -> None:
    assert [noam(step, 64, 0) for step in (1, 4, 16)] == pytest.approx([1 / 8, 1 / 16, 1 / 32])


def test_the_learning_rate_is_a_factor_on_noams_own() -> None:
    twice = Options(schedule="noam", learning_rate=2.0, warmup=4000, steps=100_000)
    assert rate(500, twice, 512) == pytest.approx(2 * rate(500, NOAM, 512))


@pytest.mark.parametrize("name", ["constant", "linear", "cosine", "inverse_sqrt"])
def test_the_rate_rises_linearly_to_the_learning_rate(name: str) -> None:
    assert curve(name)[:8] == pytest.approx([step / 8 for step in range(1, 9)])


@pytest.mark.parametrize("name", ["constant", "linear", "cosine", "inverse_sqrt"])
def test_without_warm_up_the_first_step_has_the_whole_rate(name: str) -> None:
    assert curve(name, warmup=0)[0] == 1


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_a_falling_rate_ends_near_0_and_never_reaches_it_before_the_end(name: str) -> None:
    rates = curve(name, steps=400)
    assert all(later < earlier for earlier, later in pairwise(rates[8:]))
    assert 0 < rates[-1] < 0.003


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_a_falling_rate_would_be_0_one_step_after_the_last(name: str) -> None:
    options = Options(schedule=name, steps=100, warmup=10, learning_rate=1.0)
    assert rate(101, options, 64) == pytest.approx(0, abs=1e-12)
    assert "0 after the last step" in SCHEDULES[name].summary


def test_the_shapes_are_those_they_are_named_for() -> None:
    assert set(curve("constant")[8:]) == {1.0}
    assert curve("linear", warmup=0)[10:30:10] == pytest.approx([0.75, 0.5])
    assert curve("cosine", warmup=0)[10:30:10] == pytest.approx([(1 + sqrt(0.5)) / 2, 0.5])
    assert curve("inverse_sqrt")[31] == pytest.approx(0.5)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_warm_up_longer_than_the_run_only_rises(name: str) -> None:
    rates = curve(name, steps=5, warmup=50)
    assert rates == sorted(rates)
    assert 0 < rates[0] < rates[-1]


@pytest.mark.parametrize("name", ["constant", "linear", "cosine", "inverse_sqrt"])
def test_only_noam_asks_for_the_width(name: str) -> None:
    assert curve(name, width=64) == curve(name, width=512)
    assert curve("noam", width=64) != curve("noam", width=512)


def test_steps_count_from_1() -> None:
    with pytest.raises(ValueError, match="from 1"):
        rate(0, Options(), 64)
