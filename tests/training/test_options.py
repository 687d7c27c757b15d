from dataclasses import fields

import pytest

from core.errors import HeadlightError
from core.training.options import ABOUT, DROPPINGS, PRECISIONS, SCHEDULE_NAMES, SMOOTHINGS, Options
from core.training.schedules import SCHEDULES

NAMES = [field.name for field in fields(Options)]


def test_each_option_says_what_it_does() -> None:
    assert list(ABOUT) == NAMES
    assert all(sentence.endswith(".") for sentence in ABOUT.values())
    assert all(f"    {name} " in (Options.__doc__ or "") for name in NAMES)


def test_options_know_exactly_the_schedules_that_there_are() -> None:
    assert set(SCHEDULE_NAMES) == set(SCHEDULES)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("steps", 10.0),
        ("batch_size", 0),
        ("accumulate", 0),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("learning_rate", "3e-3"),
        ("schedule", "step"),
        ("warmup", -1),
        ("clip", 0.0),
        ("clip", float("nan")),
        ("label_smoothing", 1.0),
        ("label_smoothing", -0.1),
        ("smoothing", "rest"),
        ("word_dropout", 1.0),
        ("dropping", "words"),
        ("weight_decay", -1.0),
        ("precision", "int8"),
        ("checkpointing", 1),
        ("bucketing", None),
        ("patience", -1),
        ("evaluate_every", 0),
        ("snapshot_every", 0),
        ("seed", -1),
        ("seed", 2**64),
        ("seed", True),
        ("freeze", -1),
        ("layer_decay", 0.0),
        ("layer_decay", 1.5),
        ("beta2", 1.0),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(HeadlightError, match=f"“{name}” is .*; set it to "):
        Options(**{name: value})  # type: ignore[arg-type]


def test_every_named_choice_is_accepted() -> None:
    for schedule in SCHEDULE_NAMES:
        assert Options(schedule=schedule, learning_rate=1.0).schedule == schedule
    for smoothing in SMOOTHINGS:
        assert Options(smoothing=smoothing).smoothing == smoothing  # type: ignore[arg-type]
    for dropping in DROPPINGS:
        assert Options(dropping=dropping).dropping == dropping  # type: ignore[arg-type]
    for precision in PRECISIONS:
        assert Options(precision=precision).precision == precision  # type: ignore[arg-type]
    assert Options(clip=None).clip is None


def test_a_learning_rate_of_another_schedule_is_no_factor_for_noam() -> None:
    with pytest.raises(HeadlightError, match="factor"):
        Options(schedule="noam", learning_rate=3e-3)
