"""IBM model 1: known probabilities, the same numbers as plain loops, and links to the empty word."""

from collections import defaultdict

import pytest

from core.training.evaluation.ibm1 import train

HOUSE = [(["das", "haus"], ["the", "house"]), (["das", "buch"], ["the", "book"]), (["ein", "buch"], ["a", "book"])]


def by_loops(pairs: list, iterations: int) -> dict:
    """The algorithm of Brown et al. as it is printed, one cell at a time."""
    table = defaultdict(lambda: 1.0)
    for _ in range(iterations):
        counts, totals = defaultdict(float), defaultdict(float)
        for source, target in pairs:
            for word in target:
                whole = sum(table[word, other] for other in [None, *source])
                for other in [None, *source]:
                    share = table[word, other] / whole
                    counts[word, other] += share
                    totals[other] += share
        table = defaultdict(float, {key: count / totals[key[1]] for key, count in counts.items()})
    return table


def test_one_round_over_three_sentences_gives_the_known_probabilities() -> None:
    table = train(HOUSE, iterations=1)
    assert [table.probability("das", word) for word in ("the", "house", "book", "a")] == pytest.approx(
        [0.5, 0.25, 0.25, 0]
    )
    assert table.probability("ein", "a") == pytest.approx(0.5)
    assert table.probability(None, "the") == pytest.approx(1 / 3)


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_it_is_the_same_as_plain_loops(iterations: int) -> None:
    pairs = [*HOUSE, (["ein", "ein", "haus"], ["a", "house", "house"]), (["alt"], ["old"]), (["alt", "haus"], ["old"])]
    table, expected = train(pairs, iterations), by_loops(pairs, iterations)
    for source in (None, "das", "haus", "buch", "ein", "alt"):
        for target in ("the", "house", "book", "a", "old"):
            assert table.probability(source, target) == pytest.approx(expected[target, source])


def test_each_source_word_spends_all_its_probability() -> None:
    table = train(HOUSE)
    for source in (None, "das", "haus", "buch", "ein"):
        assert sum(table.probability(source, target) for target in ("the", "house", "book", "a")) == pytest.approx(1)


def test_words_find_each_other_whatever_their_order() -> None:
    assert train(HOUSE, 20).links(["buch", "das"], ["the", "book"]) == {(0, 1), (1, 0)}


def test_the_empty_word_and_unknown_words_link_to_nothing() -> None:
    pairs = [([word], ["uh", word.upper()]) for word in "abcdef"]
    table = train(pairs, 10)
    assert table.links(["a"], ["uh", "A"]) == {(1, 0)}
    assert table.links(["new"], ["uh"]) == set()
    assert table.links(["a"], ["new"]) == set()
    assert table.links([], ["A"]) == set()


def test_without_words_there_is_nothing_to_learn() -> None:
    with pytest.raises(ValueError, match="no pair"):
        train([])
