"""What the figures of training share: the colours of the two runs, their words, and what an evaluation offers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

# Run 1 and run 2, in every figure: read on white and on black, and told apart in every kind of colour vision. The
# second is dashed too.
COLOURS = ("#2f7bdc", "#d9730d")
DASHES = ("solid", "dash")
# In bytes; the first holds ten words of a sentence, the second leaves room for an ending of the file's name.
LONGEST_PART, LONGEST_STEM = 60, 220
# What the measures of `EvaluationLike` are, for captions.
DEVELOPMENT = "development: examples that were not trained on"
ACCURACY_WORDS = "token accuracy: share of target tokens that are right where the model writes by itself"
ALIGNMENT_WORDS = (
    "gold alignment: share of target tokens whose largest attention weight lies on a gold link, read with teacher "
    "forcing (last decoder layer, mean over heads)"
)


class EvaluationLike(Protocol):
    """What the development examples told after a step. Shares are between 0 and 1, the loss is in nats a token.

    alignment: share of the target tokens whose largest attention weight lies on a gold link; None without attention.
    """

    @property
    def step(self) -> int: ...
    @property
    def loss(self) -> float: ...
    @property
    def token_accuracy(self) -> float: ...
    @property
    def sequence_accuracy(self) -> float: ...
    @property
    def alignment(self) -> float | None: ...


def colour_of(run: int) -> str:
    """The colour of a run, counted from 0."""
    return COLOURS[run % len(COLOURS)]


def dash_of(run: int) -> str:
    """Its kind of line, as Plotly calls it."""
    return DASHES[run % len(DASHES)]


def run_words(label: str, about: str) -> str:
    """A run in a caption: its label, and what is known of it."""
    return f"{label}: {about}" if about else label


def stem_of(name: str, labels: Iterable[str]) -> str:
    """A file name that says what is in it, safe on every system: words are not cut, and 255 bytes are enough."""
    parts = (_cut(re.sub(r"[^\w.-]+", "-", part).strip("-"), LONGEST_PART) for part in (name, *labels))
    return _cut("_".join(filter(None, parts)), LONGEST_STEM)


def _cut(text: str, most: int) -> str:
    """The words of a file name, and a single long word's letters, that fit into so many bytes."""
    whole = text.encode()
    if len(whole) <= most:
        return text
    begin = whole[: most + 1].decode(errors="ignore")
    words = re.match(r".+(?=[-_])", begin)
    return (words[0] if words else whole[:most].decode(errors="ignore")).rstrip("-_")


def joined(parts: Iterable[str]) -> str:
    """The parts of a caption, without the empty ones."""
    return " · ".join(filter(None, parts))
