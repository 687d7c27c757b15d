"""The bounds of an upload come from the environment, and nonsense there is named."""

import pytest

from core.models.intake import Limits, in_words, limits
from tests.sentences import is_one_sentence, refused


def test_an_upload_may_hold_two_gigabytes_unless_told_otherwise() -> None:
    assert limits().nbytes == 2_048_000_000


def test_the_environment_sets_the_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOAD_MB", " 50 ")
    assert limits() == Limits(nbytes=50_000_000)


@pytest.mark.parametrize("written", ["0", "-1", "2.5", "1e3", "inf", "much", "2,048", "٣", "9" * 5_000])
def test_nonsense_in_the_environment_names_the_variable(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOAD_MB", written)
    with refused("HEADLIGHT_UPLOAD_MB"):
        limits()


def test_the_bounds_are_told_in_one_sentence() -> None:
    sentence = in_words(limits())
    assert is_one_sentence(sentence)
    assert all(number in sentence for number in ("2,048 MB", "2,000", "8", "255", "100"))
