"""The Training page without a browser: before a run and after one, alone or beside another, and when one goes wrong."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from core import load
from core.ui.training.plan import key_of
from core.ui.training.results import zipped

PATIENCE = 60.0


@pytest.fixture
def training(page):
    """The Training page, before the first run."""
    page.open().app.switch_page("pages/training.py")
    return page.run()


def train(page, **values: object):
    """Set fields, press Train, and wait until all has ended."""
    begin(page, **values)
    for run in runs(page):
        run.background.join(PATIENCE)
    return page.run()


def begin(page, **values: object) -> None:
    for name, value in {"snapshot_every": 2, **values}.items():
        page.app.session_state[key_of(name)] = value
    page.run().app.button(key="train_sidebar").click()
    page.run()


def runs(page):
    return page.app.session_state["training_runs"]


def test_before_the_first_run_the_gold_alignment_stands_there_and_no_figure(training):
    assert training.title == "Reverse · GRU, additive attention"
    assert 'class="headlight-gold"' in training.html
    assert training.drawn == []
    assert training.address == {}
    assert not training.sentences


def test_the_controls_of_each_page_keep_their_values_while_the_other_is_open(training):
    training.tell(training_task="sort", training_steps=7)
    training.app.switch_page("pages/attention.py")
    assert training.run().title == "Layer 3 · Head 1"
    assert "task" not in training.address
    training.app.switch_page("pages/training.py")
    assert training.run().address == {"task": "sort", "architecture": "additive", "steps": "7"}
    assert training.app.number_input(key="training_steps").value == 7


def test_a_run_ends_with_film_curves_results_and_a_checkpoint_that_opens(training):
    train(training, steps=4)
    (run,) = runs(training)
    assert (run.state, run.error) == ("done", "")
    assert training.drawn.count("film") == 1
    assert "plotly_chart" in {element.type for element in training.app.main}
    assert "headlight-results" in training.html
    assert sorted(run.lesson.lengths) == [4, 8, 12, 16]
    assert load(str(run.lesson.checkpoint)).card.streams == ("cross",)
    archive = zipfile.ZipFile(io.BytesIO(zipped(run.lesson.checkpoint, "mine")))
    assert {"mine/config.json", "mine/model.safetensors", "mine/tokenizer.json"} <= set(archive.namelist())


def test_a_stop_keeps_film_curves_and_model(training):
    begin(training, steps=5000)
    training.app.button(key="stop_training").click()
    training.run()
    (run,) = runs(training)
    run.background.join(PATIENCE)
    training.run()
    assert run.state == "stopped"
    assert 'class="state stopped">Stopped<' in training.html
    assert not training.app.button(key="train_sidebar").disabled


def test_a_run_that_has_ended_says_what_came_of_it(training):
    train(training, steps=3, evaluate_every=50)
    (run,) = runs(training)
    assert f"token accuracy <b>{run.result.token_accuracy:.3f}</b>" in training.html
    assert f"gold alignment <b>{run.result.alignment:.3f}</b>" in training.html
    assert '<td class="number">3</td>' in training.html


def test_once_something_ran_here_its_pace_is_the_estimate(training):
    assert "on a laptop" in training.html
    train(training, steps=20)
    assert "on a laptop" not in training.html
    assert "at the pace of the latest run here" in training.html


def test_another_task_is_shown_beside_the_runs_until_it_is_trained(training):
    train(training, steps=1)
    assert 'class="headlight-gold"' not in training.html
    training.tell(training_task="sort")
    assert 'class="headlight-gold"' in training.html
    assert training.title == "Reverse · GRU, additive attention"


def test_runs_of_different_tasks_are_told_apart_and_that_is_said(training):
    train(training, steps=1)
    train(training, steps=1, task="copy")
    training.app.multiselect(key="training_shown").set_value([1, 2])
    training.run()
    assert training.title == "Reverse and Copy · runs 1 and 2"
    assert "Copy: GRU, additive attention" in training.html
    assert any("different tasks" in sentence for sentence in training.sentences)


def test_values_that_a_comparison_sets_cannot_be_changed(training):
    training.tell(training_compare="warmup", training_architecture="transformer")
    grey = {box.label: box.value for box in training.app.text_input if box.disabled}
    assert grey == {
        "Layers": "2", "LayerNorm": "Post-LN", "Learning rate": "0.01", "Schedule": "Constant", "Warm-up": "100 / 0",
    }  # fmt: skip
    assert "warm-up / no warm-up where the two differ" in training.html


def test_two_runs_are_compared_in_one_film_and_listed(training):
    training.tell(training_compare="norm")
    training.app.session_state[key_of("architecture")] = "transformer"
    train(training, steps=2, layers=1, width=16)
    header = json.loads(training.component("film").bytes[4:].split(b"}]}", 1)[0] + b"}]}")
    assert [panel["label"] for panel in header["panels"]] == ["Pre-LN", "Post-LN"]
    assert training.title == "Reverse · Pre-LN and Post-LN"
    assert training.app.multiselect(key="training_shown").value == [1, 2]
    training.app.multiselect(key="training_shown").set_value([2])
    training.run()
    assert 'class="run run-2"' not in training.html


def test_a_network_without_attention_has_no_film_and_that_is_said(training):
    train(training, steps=1, architecture="none")
    assert "film" not in training.drawn
    assert any("there is no film" in sentence for sentence in training.sentences)


def test_a_run_that_diverges_ends_with_one_sentence_and_keeps_its_curves(training):
    train(training, steps=200, learning_rate=10.0, weight_decay=10.0, schedule="constant", warmup=0)
    (run,) = runs(training)
    assert run.state == "failed"
    assert run.record.steps
    assert run.error in training.sentences
    assert "film" in training.drawn


def test_values_that_make_no_network_lock_the_button_and_say_why(training):
    training.tell(training_architecture="transformer", training_heads=5)
    assert training.app.button(key="train_sidebar").disabled
    assert "A width of 64 does not divide into 5 heads: change one of them." in training.html
    # As if the button had been pressed at the moment of the change.
    training.tell(training_pressed=True)
    assert training.drawn == []


def test_talk_mode_has_the_tasks_on_the_number_keys_and_the_comparisons(training):
    training.app.button(key="talk_button").click()
    training.run().app.button(key="task_1").click()
    assert training.run().title.startswith("Copy")
    assert training.address == {"task": "copy", "architecture": "additive", "talk": "1"}
    training.app.selectbox(key="training_talk_compare").set_value("norm")
    assert training.run().title == "Copy · Pre-LN and Post-LN"
    assert training.app.selectbox(key="training_compare").value == "norm"
