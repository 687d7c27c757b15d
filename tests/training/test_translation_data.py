"""Translation with templated pairs: what training has, and what it must never have."""

from pathlib import Path

import pytest

from core.training.recipes.translation import TranslationData, parted
from core.training.templates import TEMPLATES

OWN = TEMPLATES["zh-en"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Pairs as in the lists, English first: sentences of templates in other words, some held out, and others."""
    path = tmp_path / "pairs.tsv"
    rows = [(f"version of {target}", source) for source, target in OWN.pairs()[:600]]
    rows += [("The cat hunts a mouse!", "猫追老鼠！"), ("A mouse hunts a cat.", "老鼠追猫。")]
    rows += [(f"Sentence {number}.", f"句子{number}。") for number in range(200)]
    path.write_text("".join(f"{english}\t{chinese}\n" for english, chinese in rows), encoding="utf-8")
    return path


def pieces(file: Path, **values: object) -> tuple[list[tuple[str, str]], ...]:
    return parted(file, TranslationData(swap=True, development=0.1, test=0.1, **values), lambda _: None)


def test_held_out_sentences_are_not_trained_on_even_where_the_file_has_them(file: Path) -> None:
    training, _, _ = pieces(file, templates="zh-en")
    assert OWN.without_held_out(training) == training
    assert any(target == "Sentence 7." for _, target in training)


def test_templated_pairs_are_trained_on_but_for_sentences_that_are_judged_by(file: Path) -> None:
    training, development, test = pieces(file, templates="zh-en")
    judged = {source for source, _ in development + test}
    own = set(OWN.pairs())
    assert not judged & {source for source, _ in training}
    assert len(own & set(training)) > 0.7 * len(own)
    assert not own & set(development + test)
    assert pieces(file)[1:] == (development, test)


def test_without_templates_the_files_pairs_are_all_there_is(file: Path) -> None:
    training, _, _ = pieces(file)
    assert not set(OWN.pairs()) & set(training)
