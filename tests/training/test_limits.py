"""What a page must not begin, told before it does; estimates against seconds and megabytes measured once."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from core.errors import HeadlightError
from core.training.comparisons import COMPARISONS
from core.training.costs import batch_bytes, step_seconds, weight_bytes, weights
from core.training.defaults import default_recipe
from core.training.frames import MOST_BYTES, MOST_FRAMES, frame_bytes, frames_apart
from core.training.limits import refusal, refusal_of
from core.training.networks import build_network
from core.training.options import Options
from core.training.pace import estimate
from core.training.recipe import Recipe
from core.training.settings import ARCHITECTURES, Settings
from core.training.tasks import TASKS

GIGA = 10**9


def recipe(architecture: str = "additive", task: str = "reverse", **values: Any) -> Recipe:
    names = Settings.__dataclass_fields__
    settings = Settings(architecture, **{name: value for name, value in values.items() if name in names})
    options = Options(**{name: value for name, value in values.items() if name not in names})
    return Recipe(task, settings, options)


# On one core of 2025: seconds of a step, and megabytes that it took beside the weights and the imports.
MEASURED = [
    (recipe(), 0.021, 26),
    (recipe(batch_size=1024), 0.19, 204),
    (recipe(width=512), 0.34, 159),
    (recipe(width=512, batch_size=512), 2.2, 751),
    (recipe("none", width=512, batch_size=256), 0.39, 221),
    (recipe("concat", width=256, cell="lstm", batch_size=256), 0.26, 208),
    (recipe(width=16, batch_size=8, accumulate=8), 0.033, 14),
    (recipe(task="dates", width=128, batch_size=128), 0.065, 75),
    (recipe("transformer"), 0.015, 27),
    (recipe("transformer", batch_size=1024), 0.135, 196),
    (recipe("transformer", width=512), 0.28, 169),
    (recipe("transformer", layers=12), 0.107, 114),
    (recipe("transformer", width=512, heads=512), 0.40, 179),
    (recipe("transformer", layers=2, heads=64, batch_size=256), 0.206, 109),
    (recipe("transformer", width=256, layers=4, batch_size=256, checkpointing=True), 1.39, 550),
]


@pytest.mark.parametrize(("run", "seconds", "megabytes"), MEASURED)
def test_estimates_are_right_to_a_factor_of_two(run: Recipe, seconds: float, megabytes: float) -> None:
    assert seconds / 2 < step_seconds(run) < 2 * seconds
    # The weights themselves were there before the step.
    assert megabytes / 2 < (0.75 * weight_bytes(run) + batch_bytes(run)) / 1e6 < 2 * megabytes


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("values", [{}, {"cell": "lstm", "bidirectional": False, "layers": 2}])
def test_weights_are_counted_about_right(architecture: str, values: dict[str, Any]) -> None:
    settings = Settings(architecture, width=128, **values)
    assert weights(settings) == pytest.approx(build_network(settings, 22, 0).num_parameters(), rel=0.3)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_default_and_every_comparison_may_begin(task: str, architecture: str) -> None:
    default = default_recipe(task, architecture)
    assert refusal(default, GIGA) is None
    for comparison in COMPARISONS.values():
        assert refusal_of(comparison.pair(default), GIGA) is None


def test_what_does_not_fit_is_refused_with_the_numbers() -> None:
    said = refusal(recipe(width=512, batch_size=1024, accumulate=64), GIGA)
    assert said == (
        "Training may need 2.3 GB of memory, for 4.8 million weights and a batch of 1,024, and 1.0 GB are free: lower"
        " batch or width."
    )
    assert refusal(recipe("transformer", layers=12, width=512, batch_size=1), GIGA // 5) == (
        "Training may need 2.2 GB of memory, for 88.1 million weights and a batch of 1, and 200 MB are free: lower"
        " width or layers."
    )
    assert "memory" not in (refusal(recipe(width=512, batch_size=1024), None) or "")


def test_a_step_that_keeps_others_waiting_is_refused() -> None:
    said = refusal(recipe(batch_size=1024, accumulate=64, steps=5), 9 * GIGA)
    assert said is not None
    assert said.startswith(
        "One step would take about 12 s, and nobody else would get a turn: lower batch, accumulation"
    )
    assert said.endswith("or train on the command line.")
    assert refusal(recipe(batch_size=1024, accumulate=64, steps=5), 9 * GIGA, pace=0.1) is None


def test_an_evaluation_that_keeps_others_waiting_is_refused() -> None:
    assert "One evaluation would take" in (
        refusal(recipe("transformer", width=512, layers=12, batch_size=1), None) or ""
    )


def test_a_run_of_hours_is_refused_and_two_runs_are_added_up() -> None:
    long = recipe(steps=100_000)
    assert estimate(long) < 3600 < 2 * estimate(long)
    assert refusal(long, None) is None
    assert "Training would take about" in (refusal_of((long, long), None) or "")


def test_a_film_has_at_most_200_frames_and_64_megabytes() -> None:
    short = recipe(steps=600, snapshot_every=20)
    assert frames_apart(short) == 20
    often = recipe(steps=20_000, snapshot_every=1)
    assert frames_apart(often) == 20_000 / MOST_FRAMES
    wide = recipe("transformer", "dates", width=512, heads=512, layers=12, snapshot_every=1)
    assert wide.options.steps // frames_apart(wide) * frame_bytes(wide) <= MOST_BYTES


def test_what_a_network_cannot_do_makes_no_recipe() -> None:
    with pytest.raises(HeadlightError, match=r"Gradient checkpointing .* only the Transformer"):
        recipe(checkpointing=True)
    with pytest.raises(HeadlightError, match=r"Rotary positions .* a head here has 1"):
        recipe("transformer", width=8, heads=8, positions="rotary")
    assert recipe(width=2).settings.heads == 4
    with pytest.raises(HeadlightError, match="sine and a cosine"):
        recipe("transformer", width=33, heads=3)


def test_limits_are_known_without_torch() -> None:
    code = "import sys, core.training.limits; print('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
