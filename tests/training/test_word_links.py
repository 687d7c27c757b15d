"""Words and gold links: text taken apart and put together, files read, links judged."""

import math
from pathlib import Path

import numpy as np
import pytest

from core.alignment import error_rate
from core.alignment.gold import GOLD
from core.alignment.scores import diagonal as page_diagonal
from core.capture.word_weights import WordWeights
from core.errors import HeadlightError
from core.training.evaluation.alignments import link_scores
from core.training.evaluation.gold import read_alibi, read_gold, written
from core.training.evaluation.quality import quality_by_length
from core.training.evaluation.word_links import diagonal, links_between
from core.training.evaluation.words import length_of, words_of

FILES = Path(__file__).parents[2] / "core" / "alignment" / "gold"


def test_words_are_counted_as_people_count_them() -> None:
    assert length_of("Don't go, Tom!") == 3
    assert length_of("猫追老鼠。") == 4
    assert words_of("L’ami n'a pas dit « aujourd'hui » : don't!") == [
        "l'", "ami", "n'", "a", "pas", "dit", "«", "aujourd'hui", "»", ":", "don't", "!",
    ]  # fmt: skip
    assert words_of("猫追 Tom。") == ["猫", "追", "tom", "。"]


def test_scores_are_those_of_the_alignment_page() -> None:
    predicted, sure, possible = {(0, 0), (1, 1), (2, 0)}, {(0, 0), (3, 3)}, {(0, 0), (3, 3), (1, 1)}
    one, other = link_scores([(predicted, sure, possible)]), error_rate(predicted, sure, possible)
    assert (one.precision, one.recall, one.error) == (other.precision, other.recall, other.error)
    assert math.isnan(link_scores([]).error)


def test_the_diagonal_is_that_of_the_alignment_page() -> None:
    assert all(diagonal(t, s) == page_diagonal(t, s) for t in range(1, 9) for s in range(1, 9))
    assert diagonal(2, 4) == {(0, 1), (1, 3)}


def test_a_word_whose_weight_is_on_the_end_has_no_link() -> None:
    weights = WordWeights(
        np.array([[0.7, 0.1, 0.2], [0.1, 0.2, 0.7], [0.0, 0.9, 0.1], [np.nan, 0, 0]], np.float32),
        ("un", "chat", "noir", "!"), ("black", "cat", "</s>"), ((0,), (1,), (2,), (3,)), frozenset(), frozenset({2}),
    )  # fmt: skip
    assert links_between(weights) == {(0, 0), (2, 1)}


def test_gold_of_our_own_is_read_and_spelled_as_the_page_does() -> None:
    for direction, pairs in GOLD.items():
        for mine, page in zip(read_gold(FILES / f"{direction}.tsv"), pairs, strict=True):
            assert (mine.source, mine.target, mine.sure, mine.possible) == (
                page.source, page.target, page.sure, page.possible,
            )  # fmt: skip
            assert written(mine.source, french=False) == page.source_text
            assert written(mine.target, french=direction == "en-fr") == page.target_text


def test_alibi_links_name_the_french_word_first(tmp_path: Path) -> None:
    folder = tmp_path / "ali" / "LeChat_TheCat"
    folder.mkdir(parents=True)
    (folder / "TheCat_sents.txt").write_text("0\tthe black cat\n1\tso it is\n2\ta b c d\n", encoding="utf-8")
    (folder / "LeChat_sents.txt").write_text("0\tle chat noir\n1\toui\n2\te f g h\n", encoding="utf-8")
    links = "0\t0-0 1-2 2p1 \n1\t\n2\t0-0\n"
    (folder / "ali_w2w_LeChat_TheCat.txt").write_text(links, encoding="utf-8")
    (pair,) = read_alibi(tmp_path, longest=3)
    assert pair.source == ("the", "black", "cat")
    assert pair.sure == {(0, 0), (1, 2)}
    assert pair.possible == {(0, 0), (1, 2), (2, 1)}
    with pytest.raises(HeadlightError, match="no aligned pair"):
        read_alibi(tmp_path / "ali", longest=3)


@pytest.mark.parametrize(
    ("line", "sentence"), [("a\tb", "source, tab"), ("a\tb\t0+0", "no link"), ("a\tb\t0-1", "is not there")]
)
def test_a_line_that_is_no_gold_pair_is_named(line: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "gold.tsv"
    file.write_text(f"a\tb\t0-0\n{line}\n", encoding="utf-8")
    with pytest.raises(HeadlightError, match=f"line 2: .*{sentence}"):
        read_gold(file)


def test_quality_is_told_by_length_and_an_open_range_ends_where_its_longest_source_does() -> None:
    sources = ["one", "one two three four five", " ".join(["w"] * 17), " ".join(["w"] * 30)]
    said = ["un chat noir dort ici", "le chien mange un os", "x", "y"]
    found = quality_by_length(sources, said, [[said[0]], ["rien de tout cela ici"], ["z"], ["q"]])
    assert [(part.low, part.high, part.sentences) for part in found] == [(1, 4, 1), (5, 8, 1), (17, 30, 2)]
    assert found[0].bleu == pytest.approx(100)
    assert found[1].bleu < 20
    assert found[0].as_dict()["words"] == [1, 4]
