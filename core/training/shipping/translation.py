"""Scores of a translation model: sentences held out of its training, and quality against the length of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.training.evaluation.quality import Quality, quality_by_length
from core.training.evaluation.translation import told_scores
from core.training.evaluation.words import length_of
from core.training.recipes.course import Say
from core.training.recipes.translation import Pairs, TranslationData, parted, samples_of, translated

# Sentences that the scores are told of have at most so many words.
SHORT = 12
MOST_LONG = 400
ENGLISH_EXAMPLES = (
    "I love you.", "The cat is black.", "Where is the station?", "She is reading a book.",
    "He bought a new red car yesterday.", "I don't know why she left.",
)  # fmt: skip
CHINESE_EXAMPLES = ("我爱你。", "你是谁？", "他很高。", "我喜欢音乐。", "猫追老鼠", "老鼠追猫")

Scores = dict[str, float | int | str | None]


@dataclass(frozen=True)
class HeldOut:
    """The pairs of a training, parted as it did: what it learnt from, and what it never saw."""

    values: TranslationData
    training: Pairs
    development: Pairs
    test: Pairs


def held_out_of(recipe: Mapping[str, Any], data: Path, say: Say) -> HeldOut:
    """The pairs as a training parted them. recipe: what its training.json has under that key."""
    known = {field.name for field in fields(TranslationData)}
    values = TranslationData(**{name: value for name, value in recipe["data"].items() if name in known})
    return HeldOut(values, *parted(data, values, say))


def versions_of(pairs: Pairs) -> dict[str, list[str]]:
    """Every source with its translations as they are written, in the order of the file."""
    versions: dict[str, list[str]] = {}
    for source, target in pairs:
        versions.setdefault(source, []).append(target)
    return versions


@dataclass(frozen=True)
class Said:
    """Sources, in order, with what a model made of them and all their translations in the data."""

    sources: tuple[str, ...]
    answers: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    def __add__(self, other: Said) -> Said:
        return Said(
            self.sources + other.sources, self.answers + other.answers, self.references + other.references
        )  # fmt: skip


def said_to(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, versions: Mapping[str, Sequence[str]], say: Say
) -> Said:
    """Greedy translations of sources; versions: their translations in the data."""
    answers = translated(network, tokenizer, list(versions), say)
    return Said(tuple(versions), tuple(answers), tuple(map(tuple, versions.values())))


def short_scores(said: Said, part: str) -> Scores:
    """BLEU and chrF of the sources of at most SHORT words; part: what they are called in the names of the scores."""
    places = [place for place, source in enumerate(said.sources) if length_of(source) <= SHORT]
    answers = [said.answers[place] for place in places]
    counted = {f"{part} sentences of at most {SHORT} words": len(places)}
    return counted | told_scores(answers, [said.references[place] for place in places], f"{part} ")


def quality_of(said: Said) -> tuple[Quality, ...]:
    """Quality by source length, against the first reference."""
    return quality_by_length(said.sources, said.answers, [targets[:1] for targets in said.references])


def left_out(tokenizer: PreTrainedTokenizerFast, held: HeldOut) -> dict[str, list[str]]:
    """Sources of more than SHORT words that the network never read, because all their pairs were too long for it.

    At most MOST_LONG, evenly spread over the data. The vocabulary was learnt from their text, too.
    """
    pairs = [pair for pair in held.training if length_of(pair[0]) > SHORT]
    lengths = [max(len(sample.source), len(sample.target)) for sample in samples_of(tokenizer, pairs)]
    read = {source for (source, _), length in zip(pairs, lengths, strict=True) if length <= held.values.longest}
    unread = versions_of([pair for pair in pairs if pair[0] not in read])
    step = max(1, -(-len(unread) // MOST_LONG))
    return dict(list(unread.items())[::step])


def examples_of(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, chinese: bool) -> dict[str, str]:
    """What it says to a few fixed sentences."""
    texts = CHINESE_EXAMPLES if chinese else ENGLISH_EXAMPLES
    return dict(zip(texts, translated(network, tokenizer, texts, _quiet), strict=True))


def _quiet(_line: str) -> None:
    """Says nothing: a few sentences are no news."""
