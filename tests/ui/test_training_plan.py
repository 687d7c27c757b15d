"""What the controls of the Training page ask for: defaults, links, comparisons, values that make no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from hypothesis import given
from hypothesis.strategies import floats

from core.training import Options
from core.training.comparisons import COMPARISONS
from core.training.defaults import default_recipe
from core.training.settings import ARCHITECTURES, Settings
from core.training.tasks import TASKS
from core.ui.arrival import Arrival
from core.ui.training import empty, plan
from core.ui.training.empty import gold_matrix
from core.ui.training.fields import EVERY, NETWORK, OF_OPTIONS, Switch

# Of fine-tuning, which this page does not do.
ELSEWHERE = {"freeze", "layer_decay"}


@pytest.fixture(autouse=True)
def _state():
    st.session_state.clear()
    yield
    st.session_state.clear()


def arrive(**parameters: str) -> plan.Plan:
    arriving = Arrival({name: (value,) for name, value in parameters.items()})
    plan.arrive(arriving)
    plan.fill()
    st.session_state.remarks = arriving.remarks
    return plan.planned()


def test_every_setting_and_option_has_a_control_with_help():
    assert {field.name for field in OF_OPTIONS} == set(Options.__dataclass_fields__) - ELSEWHERE
    assert {field.name for field in NETWORK} == set(Settings.__dataclass_fields__) - {"architecture"}
    assert all(field.help and field.label for field in EVERY)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_choice_of_task_and_architecture_gives_its_default_recipe(task: str, architecture: str):
    found = arrive(task=task, architecture=architecture)
    assert found.recipe == default_recipe(task, architecture)
    assert plan.plan_address() == {"task": task, "architecture": architecture}


def test_a_first_visit_is_the_address_without_parameters():
    arrive()
    assert plan.plan_address() == plan.first_visit()


def test_every_value_that_is_not_as_at_first_is_in_the_link_and_comes_back():
    asked = {
        "task": "sort", "architecture": "transformer", "width": "96", "layers": "3", "heads": "8", "norm": "post",
        "positions": "rotary", "scaled": "0", "dropout": "0.1", "steps": "50", "learning_rate": "1", "clip": "0",
        "schedule": "noam", "bucketing": "1", "seed": "7", "label_smoothing": "0.1", "smoothing": "others",
    }  # fmt: skip
    recipe = arrive(**asked).recipe
    assert recipe is not None
    assert (recipe.settings.heads, recipe.settings.scaled, recipe.options.clip) == (8, False, None)
    assert plan.plan_address() == asked


def test_what_an_architecture_does_not_have_is_neither_used_nor_linked():
    recipe = arrive(architecture="dot", heads="5").recipe
    assert recipe == default_recipe("reverse", "dot")
    assert "heads" not in plan.plan_address()


@pytest.mark.parametrize("field", EVERY, ids=lambda field: field.name)
def test_nonsense_in_a_link_falls_back_with_a_sentence(field):
    found = arrive(architecture="transformer", **{field.name: "<img>"})
    assert found.recipe == default_recipe("reverse", "transformer")
    assert len(st.session_state.remarks) == 1
    assert "<img>" in st.session_state.remarks[0]


def test_values_that_make_no_network_give_one_sentence_and_nothing_to_run():
    found = arrive(architecture="transformer", width="64", heads="5")
    assert (found.runs, found.recipe) == ((), None)
    assert found.problem == "A width of 64 does not divide into 5 heads: change one of them."


def test_a_run_too_large_for_the_machine_gives_one_sentence_with_the_numbers():
    arrive(compare="accumulation", batch_size="1024", width="512")
    found = plan.planned(free=10**9)
    assert not found.runs
    assert re.fullmatch(r"Training may need .* GB of memory, .* and 1\.0 GB are free: lower .*\.", found.problem)


def test_a_step_that_keeps_all_others_waiting_is_refused():
    found = arrive(batch_size="1024", accumulate="64")
    assert not found.runs
    assert "nobody else would get a turn" in found.problem


@given(floats(1e-6, 10))
def test_a_link_carries_every_digit(rate: float):
    arrive(learning_rate=repr(rate))
    assert float(plan.plan_address().get("learning_rate", "0.004")) == rate


def test_untouched_values_follow_the_architecture_and_touched_ones_stay():
    arrive(seed="5")
    st.session_state[plan.key_of("architecture")] = "transformer"
    plan.follow_architecture()
    recipe = plan.planned().recipe
    wanted = default_recipe("reverse", "transformer")
    assert recipe is not None
    assert recipe.options.steps == wanted.options.steps
    assert recipe.options.seed == 5
    assert plan.plan_address() == {"task": "reverse", "architecture": "transformer", "seed": "5"}


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_comparison_opens_the_architecture_that_it_is_about(name: str):
    found = arrive(compare=name)
    (first, one), (second, other) = found.runs
    assert (first, second) == COMPARISONS[name].labels
    assert one != other
    assert found.architecture == one.settings.architecture
    assert plan.plan_address()["compare"] == name


def changed(field):
    """A value that a field has not, by default, for a Transformer or a recurrent network."""
    special = {"width": 96, "heads": 2, "cell": "lstm", "norm": "post", "schedule": "linear", "smoothing": "others"}
    special |= {"positions": "rotary", "precision": "bfloat16", "learning_rate": 0.123, "beta2": 0.9}
    special |= {"dropping": "texts"}
    if field.name in special:
        return special[field.name]
    now = st.session_state[plan.key_of(field.name)]
    return not now if isinstance(field, Switch) else now + field.step


@pytest.mark.parametrize("name", COMPARISONS)
def test_each_value_is_either_set_by_a_comparison_or_taken_from_its_control(name: str):
    found = arrive(compare=name)
    fields = list(plan.fields_of(found.architecture))
    assert set(found.fixed) == set(COMPARISONS[name].fixes) <= {field.name for field in fields}
    differing = {f.name for f in fields if len({plan.value_of(recipe, f.name) for _, recipe in found.runs}) > 1}
    # A batch that is cut has the size of its control in one run, and as many samples in the other.
    assert differing - {"batch_size"} <= set(found.fixed)
    for field in fields:
        before, value = st.session_state[plan.key_of(field.name)], changed(field)
        st.session_state[plan.key_of(field.name)] = value
        now = plan.planned()
        if field.name in found.fixed:
            assert now.runs == found.runs
            assert field.name not in plan.plan_address()
        elif field.name != "batch_size" or name != "accumulation":
            assert [plan.value_of(recipe, field.name) for _, recipe in now.runs] == [value, value], (
                now.problem or field.name
            )
        st.session_state[plan.key_of(field.name)] = before


def test_what_a_comparison_sets_is_told_for_both_runs():
    assert arrive(compare="warmup").fixed == {
        "layers": "2", "norm": "Post-LN", "learning_rate": "0.01", "schedule": "Constant", "warmup": "100 / 0",
    }  # fmt: skip
    assert arrive(compare="scale").fixed == {"heads": "1", "scaled": "on / off"}
    assert arrive(compare="accumulation").fixed == {"accumulate": "1 / 8", "dropout": "0"}
    assert arrive(compare="heads").fixed == {"heads": "1 / 8"}
    assert arrive(compare="attention").fixed == {}


def test_a_batch_that_does_not_divide_is_not_cut_into_parts():
    found = arrive(compare="accumulation", batch_size="60")
    assert found.runs == ()
    assert "8" in found.problem


def test_the_story_of_a_network_without_attention_promises_none():
    for story in (empty.story_of(arrive(architecture="none")), empty.story_of(arrive(architecture="dot"))):
        told = " ".join(text for _, text in story)
        assert ("no film" in told) != ("gold links" in told)


def test_another_architecture_leaves_a_comparison_that_is_not_about_it():
    arrive(compare="norm")
    st.session_state[plan.key_of("architecture")] = "dot"
    plan.follow_architecture()
    assert plan.planned().comparison == ""


def test_the_gold_matrix_has_a_cell_for_each_pair_and_marks_the_links():
    html = gold_matrix(TASKS["dates"].shown)
    pair = TASKS["dates"].shown
    assert html.count("<td") == len(pair.source) * len(pair.target) + 1
    assert html.count('<td class="sure"') == len(pair.sure) == 4
    assert html.count('<td class="possible"') == len(set(pair.possible) - set(pair.sure))


def test_the_page_before_the_first_run_needs_no_torch():
    code = (
        "import sys; from core.ui.training import controls, empty, plan, runs, talk_row;"
        "sys.exit('torch' in sys.modules or 'core.views' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
