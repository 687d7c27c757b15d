"""Values from the command line."""

import pytest

from core.errors import HeadlightError
from core.training.options import Options
from core.training.settings import Settings
from core.training.values import with_values


def test_each_value_goes_where_its_name_is_known() -> None:
    texts = ["width=128", "steps=7", "clip=none", "learning-rate=1e-3", "bidirectional=no", "smoothing=others"]
    settings, options = with_values((Settings(), Options()), texts)
    assert settings == Settings(width=128, bidirectional=False)
    assert options == Options(steps=7, clip=None, learning_rate=1e-3, smoothing="others")


def test_values_that_fit_only_together_may_be_set_together() -> None:
    (settings,) = with_values((Settings(architecture="transformer"),), ["heads=3", "width=66"])
    assert (settings.heads, settings.width) == (3, 66)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("depth=3", "--set depth is unknown"),
        ("steps", "write --set key=value"),
        ("steps=many", "a whole number is needed"),
        ("clip=tight", "a number or none is needed"),
        ("bidirectional=maybe", "true or false is needed"),
        ("smoothing=some", "uniform, others is needed"),
        ("norm=middle", "choose one of pre, post"),
    ],
)
def test_wrong_values_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(HeadlightError, match=sentence):
        with_values((Settings(), Options()), [text])
