"""Values of the command-line recipes: what makes no sense is one sentence before anything is read."""

import pytest

from core.errors import HeadlightError
from core.training.recipes import RECIPES
from core.training.values import with_values
from tests.sentences import is_one_sentence

WRONG = {
    "translation": [
        "vocabulary=-5", "vocabulary=0", "vocabulary=100000000", "longest=-1", "longest=0", "longest=100000000",
        "development=2", "development=0", "development=nan", "test=-0.1", "versions=-1", "templates=foo",
    ],
    "sentiment": [
        "dropout=2", "dropout=nan", "width=0", "width=-4", "width=15", "encoder=foo", "attention=foo", "positions=foo",
        "norm=foo", "embedding=0", "layers=-1", "longest=0", "vocabulary=0", "test=0", "heads=0", "attention=guided",
        "guide=somewhere", "dropping=foo",
    ],
    "adversary": ["strength=-1", "strength=nan", "strength=2", "longest=0", "others=a,a"],
    "language-model": [
        "longest=0", "longest=-3", "length=-5", "length=1", "vocabulary=0", "development=1",
        "column=-1", "templates=zh-en",
    ],
    "fine-tune": ["longest=0", "rank=0", "alpha=0", "lora_dropout=1", "development=0"],
    "copy": ["dropout=nan", "width=0", "layers=-1", "steps=0", "seed=18446744073709551616"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_a_wrong_value_is_one_sentence_that_names_it(name: str, text: str) -> None:
    with pytest.raises(HeadlightError) as error:
        with_values(RECIPES[name].parts, [text])
    key, _, value = text.partition("=")
    assert is_one_sentence(str(error.value))
    assert key in str(error.value)
    assert value in str(error.value)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("sentiment", ["encoder=transformer", "heads=3", "width=64"]),
        ("sentiment", ["encoder=cnn", "width=62"]),
        ("sentiment", ["development=0.5", "test=0.5"]),
        ("translation", ["development=0.9", "test=0.2"]),
    ],
)
def test_values_that_do_not_go_together_are_one_sentence(name: str, texts: list[str]) -> None:
    with pytest.raises(HeadlightError, match=r"does not divide into|nothing to learn from"):
        with_values(RECIPES[name].parts, texts)


@pytest.mark.parametrize("name", RECIPES)
def test_the_defaults_and_the_ends_of_their_ranges_are_right(name: str) -> None:
    assert with_values(RECIPES[name].parts, []) == RECIPES[name].parts
    ends = {
        "translation": ["vocabulary=16", "longest=4096", "versions=0", "test=0"],
        "sentiment": ["encoder=average", "width=15", "layers=12", "dropout=0", "longest=3"],
        "language-model": ["length=0", "longest=3", "vocabulary=200000", "column=100", "templates=english"],
        "fine-tune": ["rank=1", "lora_dropout=0"],
    }
    parts = with_values(RECIPES[name].parts, ends.get(name, []))
    assert len(parts) == len(RECIPES[name].parts)
