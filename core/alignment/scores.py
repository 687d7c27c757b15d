"""How well attention aligns the words of one sentence pair, beside links that do not look at the words at all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from core.alignment.error_rate import AlignmentScore, error_rate
from core.alignment.links import Link, links_of
from core.capture import WordWeights
from core.errors import HeadlightError


@dataclass(frozen=True)
class Judged:
    """Scores of the links of attention and of the diagonal.

    links   what the attention links: each word to the source word with most of its weight, unless that is on a special
            token such as </s>; places among the words, special tokens not counted
    """

    attention: AlignmentScore
    diagonal: AlignmentScore
    links: set[Link]

    @property
    def is_beaten(self) -> bool:
        """Whether the diagonal makes fewer errors than the attention."""
        return self.attention.error > self.diagonal.error


def diagonal(rows: int, columns: int) -> set[Link]:
    """Each row linked to the column that lies as far along: the guess of a reader who knows neither language."""
    return {(row, (2 * row + 1) * columns // (2 * rows)) for row in range(rows)} if columns else set()


def judge(weights: WordWeights, sure: Collection[Link], possible: Collection[Link]) -> Judged:
    """Gold links against the links that the weights draw; special tokens are no words, and link to nothing.

    sure, possible: links between words, the target's first, counted from 0 without special tokens; `weights` must have
    been made with the same words (`source_words`, `target_words`). A target word that has no row has no link.
    Raises HeadlightError for links beyond the source's words, and for sure links that are not possible.
    """
    rows = _word_of_place(len(weights.rows), weights.end_rows)
    columns = _word_of_place(len(weights.columns), weights.end_columns)
    beyond = [source for _, source in possible if source >= len(columns)]
    if beyond:
        raise HeadlightError(
            f"A gold link names source word {beyond[0] + 1} of {len(columns)}: give links between these words."
        )
    drawn = links_of(weights.weights, columns)
    links = {(rows[row], columns[column]) for row, column in drawn if row in rows}
    targets = max([len(rows), *(target + 1 for target, _ in possible)])
    return Judged(
        attention=error_rate(links, sure, possible),
        diagonal=error_rate(diagonal(targets, len(columns)), sure, possible),
        links=links,
    )


def _word_of_place(count: int, ends: Collection[int]) -> dict[int, int]:
    """The number of the word at each place that is no special token."""
    return {place: word for word, place in enumerate(place for place in range(count) if place not in ends)}
