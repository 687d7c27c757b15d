"""Settings, recipes, comparisons and the estimate: what the page needs before a run, without torch."""

import json
import subprocess
import sys
from dataclasses import fields, replace
from itertools import product

import pytest

from core.errors import HeadlightError
from core.training.comparisons import COMPARISONS
from core.training.defaults import default_recipe
from core.training.options import Options
from core.training.pace import estimate
from core.training.recipe import Recipe, recipe_of
from core.training.settings import ABOUT, ARCHITECTURES, Settings
from core.training.tasks import TASKS


@pytest.mark.parametrize(
    "values",
    [
        {"architecture": "cnn"},
        {"cell": "qrnn"},
        {"positions": "deberta"},
        {"norm": "none"},
        {"width": 0},
        {"width": 63},
        {"layers": 0},
        {"heads": 0},
        {"dropout": 1.0},
        {"architecture": "transformer", "heads": 3},
    ],
)
def test_settings_that_make_no_network_are_refused_in_one_sentence(values: dict) -> None:
    with pytest.raises(HeadlightError, match=r"^[^.]+(\.\d[^.]*)*\.$"):
        Settings(**values)


@pytest.mark.parametrize(("task", "architecture"), list(product(TASKS, ARCHITECTURES)))
def test_every_task_and_architecture_has_a_recipe_that_json_keeps(task: str, architecture: str) -> None:
    recipe = default_recipe(task, architecture)
    assert recipe_of(json.loads(json.dumps(recipe.as_dict()))) == recipe
    assert 5 < estimate(recipe) < 120


def test_a_recipe_of_unknown_values_is_refused() -> None:
    with pytest.raises(HeadlightError, match="no recipe"):
        recipe_of({"task": "copy", "settings": {"depth": 3}, "options": {}})
    with pytest.raises(HeadlightError, match="choose one of copy"):
        Recipe("paint", Settings(), Options())


def test_a_recipe_says_what_it_is_and_how_it_differs() -> None:
    recipe = default_recipe("reverse", "additive")
    warm = replace(recipe, options=replace(recipe.options, warmup=77, clip=None, learning_rate=2e-3))
    cold = replace(recipe, options=replace(recipe.options, warmup=0, clip=0.5, learning_rate=1e-3))
    assert recipe.title == "Reverse · GRU, additive attention"
    assert warm.differs(cold) == ("learning rate 0.002", "warm-up 77", "no clipping")
    assert recipe.differs(recipe) == ()


@pytest.mark.parametrize(("name", "architecture"), list(product(COMPARISONS, ARCHITECTURES)))
def test_a_comparison_changes_one_thing_only(name: str, architecture: str) -> None:
    recipe = default_recipe("reverse", architecture)
    recipe = replace(recipe, options=replace(recipe.options, seed=7))
    first, second = COMPARISONS[name].pair(recipe)
    changed = {
        "attention": {"architecture"},
        "warmup": {"warmup"},
        "norm": {"norm"},
        "scale": {"scaled"},
        "accumulation": {"batch_size", "accumulate"},
        "heads": {"heads"},
    }[name]
    assert differing(first, second) == changed
    assert {first.options.seed, second.options.seed} == {7}
    assert {first.task, second.task} == {"reverse"}


def test_every_value_of_a_network_is_explained() -> None:
    assert list(ABOUT) == [field.name for field in fields(Settings)]


@pytest.mark.parametrize("name", ["warmup", "norm"])
def test_depth_and_rate_are_such_that_the_place_of_layer_norm_matters(name: str) -> None:
    for side in COMPARISONS[name].pair(default_recipe("copy", "transformer")):
        assert (side.settings.layers, side.options.learning_rate, side.options.schedule) == (2, 1e-2, "constant")
    assert 5 < estimate(side) < 60


def test_without_warm_up_at_a_high_rate_pre_ln_learns_and_post_ln_does_not() -> None:
    sides = COMPARISONS["norm"].pair(default_recipe("copy", "transformer"))
    assert [(side.settings.norm, side.options.warmup) for side in sides] == [("pre", 0), ("post", 0)]


def test_both_sides_of_accumulation_see_as_many_samples_a_step() -> None:
    first, second = COMPARISONS["accumulation"].pair(default_recipe("copy", "additive"))
    assert first.options.batch_size == second.options.batch_size * second.options.accumulate
    assert first.settings.dropout == 0


def test_longer_runs_are_estimated_longer() -> None:
    recipe = default_recipe("copy", "transformer")
    twice = replace(recipe, options=replace(recipe.options, steps=2 * recipe.options.steps))
    assert estimate(twice) == pytest.approx(2 * estimate(recipe), rel=0.2)


def test_what_the_page_needs_before_a_run_imports_without_torch() -> None:
    modules = "settings", "tasks", "recipe", "defaults", "comparisons", "pace"
    code = f"import sys, {', '.join('core.training.' + name for name in modules)}; print('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def differing(first: Recipe, second: Recipe) -> set[str]:
    parts = (first.settings, second.settings), (first.options, second.options)
    return {
        field.name
        for own, other in parts
        for field in fields(own)
        if getattr(own, field.name) != getattr(other, field.name)
    }
