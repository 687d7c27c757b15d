"""IBM model 1, the classical word aligner: each target word comes from one source word, or from none.

Brown et al. (1993), The Mathematics of Statistical Machine Translation, section 4. Word order plays no part, so the
expectation step is exact and the likelihood has one maximum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.training.evaluation.alignments import Link

ITERATIONS = 5
# The empty source word, which stands before every sentence and takes what no word accounts for.
NULL = 0


@dataclass(frozen=True)
class WordTable:
    """t(target word | source word) of the pairs of words that occurred together.

    sources, targets: numbers of the words; a source word's is 1 or more, 0 is the empty word. keys: sorted
    source · len(targets) + target (N,). probabilities: (N,).
    """

    sources: Mapping[str, int]
    targets: Mapping[str, int]
    keys: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def probability(self, source: str | None, target: str) -> float:
        """t(target | source), None for the empty word; 0 for words that never occurred together."""
        places = [NULL] if source is None else [self.sources.get(source, -1)]
        return float(self._column(places, target)[0])

    def links(self, source: Sequence[str], target: Sequence[str]) -> set[Link]:
        """The likeliest source word of each target word, as (target place, source place); the first of equal ones.

        None for a target word that the empty word explains best, or that never occurred with any of them.
        """
        places = [NULL, *(self.sources.get(word, -1) for word in source)]
        links = set()
        for row, word in enumerate(target):
            column = self._column(places, word)  # (S + 1,)
            if (best := int(column.argmax())) > 0:
                links.add((row, best - 1))
        return links

    def _column(self, places: Sequence[int], target: str) -> NDArray[np.float64]:
        """t(target | each source word): (S,)."""
        number = self.targets.get(target, -1)
        wanted = np.array(places, dtype=np.int64) * len(self.targets) + number
        found = np.searchsorted(self.keys, wanted).clip(max=len(self.keys) - 1)
        known = (self.keys[found] == wanted) & (np.array(places) >= 0) & (number >= 0)
        return np.where(known, self.probabilities[found], 0.0)


def train(pairs: Sequence[tuple[Sequence[str], Sequence[str]]], iterations: int = ITERATIONS) -> WordTable:
    """The table after some rounds of expectation maximisation, begun from equal probabilities.

    pairs: (source words, target words) of each sentence. Raises ValueError without any word to learn from.
    """
    sources = _numbered((word for source, _ in pairs for word in source), first=NULL + 1)
    targets = _numbered((word for _, target in pairs for word in target), first=0)
    if not targets:
        raise ValueError("no pair has a target word")
    cells, rows = _cells(pairs, sources, targets)
    keys, where = np.unique(cells, return_inverse=True)  # (C,) -> (N,), (C,)
    of_source = keys // len(targets)  # (N,)
    probabilities = np.full(len(keys), 1 / len(targets))
    for _ in range(iterations):
        shares = probabilities[where]  # (C,)
        shares /= np.bincount(rows, shares)[rows]
        counts = np.bincount(where, shares)  # (C,) -> (N,)
        probabilities = counts / np.bincount(of_source, counts)[of_source]
    return WordTable(sources, targets, keys, probabilities)


def _numbered(words: Iterable[str], first: int) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for word in words:
        numbers.setdefault(word, len(numbers) + first)
    return numbers


def _cells(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], sources: Mapping[str, int], targets: Mapping[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each target word beside each source word of its sentence and the empty one: its key, and the target's number.

    Both (C,), with C the sum over all pairs of T · (S + 1); rows are counted through all sentences.
    """
    cells, rows, row = [], [], 0
    for source, target in pairs:
        left = np.array([NULL, *(sources[word] for word in source)], dtype=np.int64)  # (S + 1,)
        right = np.array([targets[word] for word in target], dtype=np.int64)  # (T,)
        cells.append((left[None, :] * len(targets) + right[:, None]).ravel())  # (T, S + 1) -> (T · (S + 1),)
        rows.append(np.repeat(np.arange(row, row + len(target)), len(left)))
        row += len(target)
    return np.concatenate(cells), np.concatenate(rows)
