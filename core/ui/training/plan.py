"""What the controls ask for: a recipe, or two that are compared, kept in the state of the controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.errors import HeadlightError
from core.training.comparisons import COMPARISONS
from core.training.defaults import default_recipe
from core.training.limits import refusal_of
from core.training.pace import estimate
from core.training.recipe import Recipe
from core.training.settings import ARCHITECTURES
from core.training.tasks import TASKS
from core.ui.arrival import Arrival
from core.ui.training.fields import EVERY, OF_SETTINGS, Choice, Field, Real, Switch, Whole

FIRST_TASK, FIRST_ARCHITECTURE = "reverse", "additive"
NOTHING = "nothing"
# What the controls' values were last filled in for, so that those nobody touched follow a new choice.
_FILLED_FOR = "training_filled_for"

Value = bool | int | float | str


@dataclass(frozen=True)
class Plan:
    """recipe: None where the values make none, and `problem` says in a sentence why. comparison: its name, or "".

    fixed: the values that the comparison sets, in words by the field's name: "0.01", or "100 / 0" where runs differ.
    """

    task: str
    architecture: str
    comparison: str
    recipe: Recipe | None
    problem: str
    fixed: Mapping[str, str]

    @property
    def runs(self) -> tuple[tuple[str, Recipe], ...]:
        """Label and recipe of the runs that this plan asks for."""
        if self.recipe is None:
            return ()
        if not self.comparison:
            return ((self.recipe.settings.title, self.recipe),)
        comparison = COMPARISONS[self.comparison]
        return tuple(zip(comparison.labels, comparison.pair(self.recipe), strict=True))

    @property
    def title(self) -> str:
        """What is planned, in a few words."""
        task = TASKS[self.task].title
        if self.comparison:
            return f"{task} · {COMPARISONS[self.comparison].title}"
        return self.recipe.title if self.recipe else task

    @property
    def seconds(self) -> float:
        """How long it may take in all."""
        return sum(estimate(recipe) for _, recipe in self.runs)


def key_of(name: str) -> str:
    """The state of the control of a field, or of "task", "architecture" and "compare"."""
    return f"training_{name}"


def fields_of(architecture: str) -> Iterator[Field]:
    """The fields that matter for an architecture."""
    return (each for each in EVERY if each.is_of(architecture))


def defaults_for(task: str, architecture: str) -> dict[str, Value]:
    """The values of all fields at first."""
    recipe = default_recipe(task, architecture)
    return {field.name: _shown(field, value_of(recipe, field.name)) for field in EVERY}


def fill() -> None:
    """Give every control a value that has none yet, and those that nobody touched the ones of what is chosen now."""
    state = st.session_state
    task = state.setdefault(key_of("task"), FIRST_TASK)
    architecture = state.setdefault(key_of("architecture"), FIRST_ARCHITECTURE)
    state.setdefault(key_of("compare"), NOTHING)
    new, before = defaults_for(task, architecture), state.get(_FILLED_FOR, (task, architecture))
    old = new if before == (task, architecture) else defaults_for(*before)
    for name, value in new.items():
        key = key_of(name)
        if key not in state or (state[key] == old[name] and state[key] != value):
            state[key] = value
    state[_FILLED_FOR] = (task, architecture)


def follow_comparison() -> None:
    """A comparison was chosen: open the architecture that it is about."""
    if wanted := _architecture_of_comparison():
        st.session_state[key_of("architecture")] = wanted
    fill()


def follow_architecture() -> None:
    """An architecture was chosen: leave a comparison that is about another one."""
    fill()
    if _architecture_of_comparison() not in ("", st.session_state[key_of("architecture")]):
        st.session_state[key_of("compare")] = NOTHING


def planned(free: int | None = None, pace: float = 1.0) -> Plan:
    """What the controls ask for now; `fill` comes first.

    free: bytes of memory that a run may take, None where nobody knows. pace: see `core.training.limits.refusal_of`.
    """
    state = st.session_state
    compare = state[key_of("compare")]
    task, architecture = state[key_of("task")], state[key_of("architecture")]
    recipe, problem = None, ""
    try:
        recipe = _recipe()
        recipes = (recipe,) if compare == NOTHING else COMPARISONS[compare].pair(recipe)
        if refused := refusal_of(recipes, free, pace):
            recipe, problem = None, refused
    except HeadlightError as error:
        recipe, problem = None, str(error)
    return Plan(task, architecture, "" if compare == NOTHING else compare, recipe, problem, _fixed())


def arrive(arriving: Arrival) -> None:
    """Set the controls to what an address asks for, as far as it can be had."""
    state = st.session_state
    task = arriving.choice("task", tuple(TASKS), FIRST_TASK, "task")
    architecture = arriving.choice("architecture", tuple(ARCHITECTURES), FIRST_ARCHITECTURE, "architecture")
    compare = arriving.choice("compare", (NOTHING, *COMPARISONS), NOTHING, "comparison")
    state[key_of("task")], state[key_of("architecture")], state[key_of("compare")] = task, architecture, compare
    state[_FILLED_FOR] = (task, architecture)
    for name, value in defaults_for(task, architecture).items():
        state[key_of(name)] = value
    for field in EVERY:
        state[key_of(field.name)] = _asked(arriving, field, state[key_of(field.name)])
    follow_comparison()


def plan_address() -> dict[str, str]:
    """The parameters that ask for the same: what is chosen, and every value that is not as at first."""
    state = st.session_state
    task, architecture, compare = (state[key_of(name)] for name in ("task", "architecture", "compare"))
    first = defaults_for(task, architecture)
    changed = {
        field.name: _written(state[key_of(field.name)])
        for field in fields_of(architecture)
        if field.name not in _fixes() and state[key_of(field.name)] != first[field.name]
    }
    compared = {} if compare == NOTHING else {"compare": compare}
    return {"task": task, "architecture": architecture, **compared, **changed}


def first_visit() -> dict[str, str]:
    """The address of a first visit."""
    return {"task": FIRST_TASK, "architecture": FIRST_ARCHITECTURE}


def _recipe() -> Recipe:
    """The recipe of the controls' values. Raises HeadlightError where they make none."""
    state = st.session_state
    task, architecture = state[key_of("task")], state[key_of("architecture")]
    # What an architecture does not have, and what a comparison sets, keeps its default.
    free = [each for each in fields_of(architecture) if each.name not in _fixes()]
    if any(state[key_of(each.name)] is None for each in free):
        raise HeadlightError("A box is empty: type a number into it.")
    default = default_recipe(task, architecture)
    own: dict[str, Any] = {each.name: _kept(each, state[key_of(each.name)]) for each in free}
    settings = replace(default.settings, **{name: value for name, value in own.items() if name in OF_SETTINGS})
    options = replace(default.options, **{name: value for name, value in own.items() if name not in OF_SETTINGS})
    return Recipe(task, settings, options)


def _fixes() -> tuple[str, ...]:
    """Names of the fields that the chosen comparison sets."""
    compare = st.session_state[key_of("compare")]
    return () if compare == NOTHING else COMPARISONS[compare].fixes


def _fixed() -> dict[str, str]:
    """The values of these fields in both runs, in words; no other field has a say in them."""
    state = st.session_state
    if not _fixes():
        return {}
    recipe = default_recipe(state[key_of("task")], state[key_of("architecture")])
    sides = COMPARISONS[state[key_of("compare")]].pair(recipe)
    return {
        each.name: " / ".join(dict.fromkeys(_worded(each, value_of(side, each.name)) for side in sides))
        for each in EVERY
        if each.name in _fixes()
    }


def value_of(recipe: Recipe, name: str) -> Value:
    """The value that a recipe has for a field."""
    value: Value = getattr(recipe.settings if name in OF_SETTINGS else recipe.options, name)
    return value


def _worded(field: Field, value: Value) -> str:
    match field:
        case Choice():
            return field.options[str(value)]
        case Switch():
            return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _architecture_of_comparison() -> str:
    """The architecture that the chosen comparison makes of the one that is chosen; "" where nothing is compared."""
    state = st.session_state
    compare = state[key_of("compare")]
    if compare == NOTHING:
        return ""
    recipe = default_recipe(state[key_of("task")], state[key_of("architecture")])
    return COMPARISONS[compare].pair(recipe)[0].settings.architecture


def _asked(arriving: Arrival, field: Field, default: Value) -> Value:
    match field:
        case Choice():
            return arriving.choice(field.name, tuple(field.options), str(default), field.label)
        case Switch():
            return arriving.choice(field.name, ("0", "1"), "1" if default else "0", field.label) == "1"
        case Whole():
            return arriving.number(field.name, field.low, field.high, int(default), field.label)
        case Real():
            return arriving.real(field.name, field.low, field.high, float(default), field.label)
    raise TypeError(f"There is no way to read a {type(field).__name__}.")


def _shown(field: Field, value: Value | None) -> Value:
    """A recipe's value as its control has it."""
    if isinstance(field, Real):
        return 0.0 if value is None else float(value)
    return value if value is not None else ""


def _kept(field: Field, value: Value) -> Value | None:
    """A control's value as a recipe has it."""
    return None if isinstance(field, Real) and field.or_none and not value else value


def _written(value: Value) -> str:
    """As an address has it: every digit, for a link must ask for the same run."""
    match value:
        case bool():
            return str(int(value))
        case float():
            return repr(value).removesuffix(".0")
    return str(value)
