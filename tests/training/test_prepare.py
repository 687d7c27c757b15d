"""A run as the page prepares it: it learns, is repeatable, is judged, and its checkpoint opens."""

import json
import math
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch

from core import load
from core.training.defaults import default_recipe
from core.training.history import History
from core.training.prepare import Prepared, prepared
from core.training.recipe import Recipe, recipe_of
from core.training.saving import save
from core.training.settings import ARCHITECTURES
from core.training.tasks import TASKS


def tiny(task: str, architecture: str, **options: object) -> Recipe:
    recipe = default_recipe(task, architecture)
    settings = replace(recipe.settings, width=16, heads=2)
    values = {"steps": 3, "batch_size": 8, "evaluate_every": 3, "snapshot_every": 1, **options}
    return replace(recipe, settings=settings, options=replace(recipe.options, **values))


def run(recipe: Recipe) -> tuple[Prepared, History]:
    made, history = prepared(recipe), History()
    for report in made.trainer.run():
        history.append(report)
    return made, history


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_trains_and_is_filmed(architecture: str) -> None:
    made, history = run(tiny("copy", architecture))
    assert [snapshot.step for snapshot in history.snapshots] == [0, 1, 2, 3]
    weights = history.snapshots[-1].weights
    assert weights.dtype == np.float32
    assert weights.shape[2:] == (len(made.rows), len(made.cols)) == (11, 11)
    if made.recipe.settings.attends:
        assert weights.shape[0] == made.recipe.settings.layers
        at_most_one = weights.sum(-1)
        assert (at_most_one < 1 + 1e-5).all()
        assert architecture == "local" or np.allclose(at_most_one, 1, atol=1e-5)
    assert (history.evaluations[-1].alignment is None) == (architecture == "none")


@pytest.mark.parametrize("task", TASKS)
def test_every_task_trains_and_labels_its_film(task: str) -> None:
    made, history = run(tiny(task, "general"))
    assert len(made.rows) == len(made.task.shown.target) + 1
    assert made.rows[-1] == made.cols[-1] == "</s>"
    assert " " not in made.cols
    assert len(history.steps) == 3


def test_short_copies_are_learnt_in_seconds() -> None:
    recipe = default_recipe("copy", "transformer")
    options = replace(recipe.options, steps=140, warmup=30, evaluate_every=140, snapshot_every=140)
    recipe = replace(recipe, settings=replace(recipe.settings, heads=2), options=options)
    made, history = run(recipe)
    short = made.evaluate_by_length()[4]
    assert (short.token_accuracy, short.sequence_accuracy) == (1.0, 1.0)
    assert short.alignment is not None
    assert short.alignment > 0.9
    assert history.evaluations[-1].loss < 0.2 * history.evaluations[0].loss


def test_equal_recipes_give_equal_runs_and_another_seed_another() -> None:
    (one, _), (two, _), (three, _) = (run(tiny("sort", "dot", seed=seed)) for seed in (1, 1, 2))
    weights = [made.network.get_output_embeddings().weight for made in (one, two, three)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_one_batch_and_its_eighths_learn_the_same() -> None:
    whole, _ = run(tiny("reverse", "general", batch_size=16, accumulate=1))
    parts, _ = run(tiny("reverse", "general", batch_size=2, accumulate=8))
    for (name, one), other in zip(whole.network.named_parameters(), parts.network.parameters(), strict=True):
        # Adam divides by the gradient's own size, so that rounding shows where a gradient is almost zero.
        assert torch.allclose(one, other, atol=1e-4), name


def test_lengths_are_judged_where_a_task_has_them() -> None:
    assert list(prepared(tiny("copy", "dot")).evaluate_by_length()) == [4, 8, 12, 16]
    assert prepared(tiny("dates", "dot")).evaluate_by_length() == {}


@pytest.mark.parametrize("architecture", ["additive", "transformer", "none"])
def test_a_saved_model_opens_and_attends_as_it_did(architecture: str, tmp_path: Path) -> None:
    made, history = run(tiny("dates", architecture))
    save(made, tmp_path, history.now())
    shown = made.task.shown
    trace = load(str(tmp_path)).run(shown.source, target=shown.target)
    if architecture == "none":
        assert trace.streams == ()
        return
    opened = trace.attention(layer=0, stream="cross")
    made.network.eval()
    source = made.tokenizer(shown.source, return_tensors="pt").input_ids
    target = made.tokenizer(shown.target, return_tensors="pt").input_ids
    target = torch.cat([torch.tensor([[1]]), target[:, :-1]], dim=1)
    answer = made.network(input_ids=source, decoder_input_ids=target, output_attentions=True)
    assert torch.allclose(opened, answer.cross_attentions[0][0].detach(), atol=1e-5)
    assert trace.keys("cross").labels[-1] == "</s>"


def test_after_early_stopping_the_card_is_of_the_weights_that_are_kept(tmp_path: Path) -> None:
    # At this rate the loss rises from the first step on, so that the best weights are the untrained ones.
    made, history = run(tiny("copy", "dot", patience=2, evaluate_every=1, steps=9, learning_rate=5.0, warmup=0))
    kept = made.evaluate()
    assert (kept.step, made.trainer.step) == (0, 2)
    assert kept == made.trainer.best == history.evaluations[0]
    save(made, tmp_path, history.now())
    told = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    assert (told["scores"]["steps"], told["scores"]["development loss"]) == (0, kept.loss)
    assert [row[0] for row in told["history"]["evaluations"]] == [0, 1, 2, 0]


def test_a_run_that_is_stopped_is_judged_by_the_weights_that_it_keeps() -> None:
    made = prepared(tiny("copy", "dot", steps=9, evaluate_every=4))
    list(islice(made.trainer.run(), 3))
    assert made.trainer.finish()[0] == made.evaluate()
    assert made.evaluate().step == 2


def test_numbers_that_json_has_not_are_saved_as_null(tmp_path: Path) -> None:
    made, history = run(tiny("copy", "dot"))
    record = history.now()
    bad = replace(record.evaluations[0], loss=math.inf, alignment=math.nan)
    save(made, tmp_path, replace(record, evaluations=(bad, *record.evaluations[1:])))
    told = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert [told["history"]["evaluations"][0][place] for place in (1, 4)] == [None, None]


def test_a_film_of_too_many_frames_is_thinned_out() -> None:
    made = prepared(tiny("copy", "dot", steps=1000))
    assert made.recipe.options.snapshot_every == 1
    assert made.trainer.options.snapshot_every == 5


def test_a_saved_model_tells_its_recipe_and_scores(tmp_path: Path) -> None:
    made, history = run(tiny("copy", "additive"))
    save(made, tmp_path, history.now())
    told = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    assert recipe_of(told["recipe"]) == made.recipe
    assert told["scores"]["steps"] == 3
    assert [row[0] for row in told["history"]["evaluations"]] == [0, 3]
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# Copy · GRU, additive attention\n")
    assert "gold alignment accuracy" in card
    assert "| cell | gru |" in card
    assert not any(f"| {name} |" in card for name in ("heads", "positions", "norm", "scaled"))
    assert {path.name for path in tmp_path.iterdir()} >= {"config.json", "model.safetensors", "tokenizer.json"}
    assert not list(tmp_path.glob(".saving-*"))
