"""A language model: lines of text, byte-pair pieces, a Transformer decoder of any positional scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.errors import HeadlightError
from core.training.batches import LengthBuckets
from core.training.card import Card
from core.training.corpora import read_lines, split
from core.training.evaluation.extrapolation import BLOCKS, FAR, extrapolation
from core.training.evaluation.positions import loss_by_range
from core.training.evaluation.samples import evaluate_samples
from core.training.history import Record
from core.training.networks import transformer_sizes
from core.training.options import Options
from core.training.reading import ids_of
from core.training.recipes.bounds import LONGEST, VOCABULARY, between, held_out, one_of
from core.training.recipes.course import CommandRecipe, Course, Say, report_bad
from core.training.samples import Sample
from core.training.saving import save_model, told_of
from core.training.settings import Settings
from core.training.templates import TEXTS
from core.training.trainer import Trainer
from core.training.vocabulary import END_ID, language_tokenizer

# Development texts that are read at each evaluation.
READ = 1000
BY_POSITION = "Development loss by position"
# More columns no file of texts has.
COLUMNS = 100


@dataclass(frozen=True)
class LanguageData:
    """vocabulary: pieces. lowercase: whether letter case is dropped. development: share of the lines.

    length: 0 reads each line by itself; otherwise lines are joined, with </s> between them, and cut into blocks of so
    many tokens, all of one length. longest: tokens that are kept of a line read by itself. column: which of the columns
    that tabs part is read, counted from 1; 0 reads whole lines. distinct: whether a line that comes again is left out.
    templates: lines of our own that are read beside the data, one of `core.training.templates`.
    Raises HeadlightError for values that make no data.
    """

    vocabulary: int = 4000
    lowercase: bool = False
    length: int = 0
    longest: int = 64
    development: float = 0.01
    column: int = 0
    distinct: bool = False
    templates: str = ""

    def __post_init__(self) -> None:
        between("vocabulary", self.vocabulary, VOCABULARY)
        if self.length:
            between("length", self.length, LONGEST)
        between("longest", self.longest, LONGEST)
        held_out(development=self.development)
        between("column", self.column, (0, COLUMNS))
        if self.templates:
            one_of("templates", self.templates, TEXTS)


SETTINGS = Settings(architecture="transformer", width=192, layers=4, heads=6, positions="rotary", dropout=0.1)
OPTIONS = Options(
    steps=8000, batch_size=64, learning_rate=2e-3, schedule="cosine", warmup=400, weight_decay=0.01, patience=8,
    evaluate_every=400, snapshot_every=10**6, beta2=0.98,
)  # fmt: skip


def begin(parts: tuple[Any, ...], data: Path | None, device: str, say: Say) -> Course:
    """Read the lines, learn the vocabulary, build network and trainer."""
    settings, options, values = parts
    assert data is not None
    if not settings.is_transformer:
        raise HeadlightError(f"A language model is a Transformer here, not “{settings.architecture}”: leave that out.")
    training, development = split(lines_of(data, values, say), str.lower, values.development)
    if not training or not development:
        raise HeadlightError(f"{data} has too few lines to hold some out: give at least a few hundred.")
    tokenizer = language_tokenizer(training, values.vocabulary, values.lowercase)
    samples = samples_of(tokenizer, training, values)
    judged = samples_of(tokenizer, development, values)[:READ]
    if not samples or not judged:
        raise HeadlightError(
            f"{data} has not even one block of {values.length} tokens on either side: set length lower."
        )
    say(f"{len(samples):,} texts to learn from, {len(judged):,} to judge by, {len(tokenizer):,} pieces.")
    network = build_language_model(settings, len(tokenizer), options.seed, _most_positions(values))
    trainer = Trainer(
        network,
        LengthBuckets(samples, options.batch_size, seed=options.seed, bucketing=options.bucketing),
        options,
        device=device,
        kind="language model",
        evaluate=lambda step: evaluate_samples(network, judged, "language model", step),
    )

    def save(folder: Path, history: Record) -> Card:
        judgement = evaluate_samples(network, judged, "language model", trainer.step)
        plan = {"settings": asdict(settings), "options": asdict(options), "data": asdict(values)}
        card = Card(
            title=f"Language model · {settings.positions} positions",
            summary=f"Goes on with a text. {network.num_parameters():,} weights.",
            data=_about(data, samples, values),
            history=told_of(history),
            values={"task": "language-model", **plan},
            scores={
                "steps": trainer.step,
                "development loss": judgement.loss,
                "next-token accuracy": judgement.token_accuracy,
            },
            tables={
                BY_POSITION: loss_by_range(network, judged, "language model"),
                **far_tables(network, tokenizer, development, values),
            },
            limits=[f"Texts of more than {values.length or values.longest} tokens were not trained on."],
        )
        save_model(network, tokenizer, card, folder)
        return card

    return Course(trainer, save)


def lines_of(data: Path, values: LanguageData, say: Say) -> list[str]:
    """The texts of a file or folder, then the templated ones; it says what could not be read."""
    corpus = read_lines(data, values.column)
    report_bad(corpus.bad, say)
    own = TEXTS[values.templates].lines() if values.templates else []
    lines = [*corpus.examples, *own]
    return list(dict.fromkeys(lines)) if values.distinct else lines


def far_tables(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, development: Sequence[str], values: LanguageData
) -> dict[str, dict[str, float]]:
    """How the network does beyond the length that it was trained at; {} for lines that are read by themselves.

    The development lines are cut into blocks of FAR times that length, or as many times as they and the network reach.
    """
    if not values.length:
        return {}
    joined = _joined(tokenizer, development)
    times = max(1, min(FAR, len(joined) // values.length, _most_positions(values) // values.length))
    return extrapolation(network, _blocks(joined, times * values.length)[:BLOCKS], values.length)


def samples_of(tokenizer: PreTrainedTokenizerFast, lines: Sequence[str], values: LanguageData) -> list[Sample]:
    """Lines by themselves, or all of them cut into blocks of one length; the last, short block is left out."""
    if values.length:
        return _blocks(_joined(tokenizer, lines), values.length)
    return [Sample((), tuple(row[: values.longest])) for row in _closed(tokenizer, lines)]


def build_language_model(settings: Settings, vocabulary: int, seed: int, longest: int) -> PreTrainedModel:
    """A decoder with new weights; the caller's random state stays as it is."""
    from core.zoo.transformer import TransformerConfig, TransformerForCausalLM

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = transformer_sizes(settings, vocabulary, longest)
        return TransformerForCausalLM(TransformerConfig(is_encoder_decoder=False, tie_word_embeddings=True, **sizes))


def _closed(tokenizer: PreTrainedTokenizerFast, lines: Sequence[str]) -> list[list[int]]:
    return [[*ids, END_ID] for ids in ids_of(tokenizer, lines, special=False)]


def _joined(tokenizer: PreTrainedTokenizerFast, lines: Sequence[str]) -> list[int]:
    return [token for row in _closed(tokenizer, lines) for token in row]


def _blocks(joined: Sequence[int], length: int) -> list[Sample]:
    starts = range(0, len(joined) - length + 1, length)
    return [Sample((), tuple(joined[start : start + length])) for start in starts]


def _most_positions(values: LanguageData) -> int:
    """Positions that a network has room for: those of training, and beyond them what it is tried on afterwards."""
    return max(512, values.length, values.longest, min(FAR * values.length, LONGEST[1]))


def _about(data: Path, samples: Sequence[Sample], values: LanguageData) -> str:
    files = f" ({', '.join(sorted(entry.name for entry in data.iterdir()))})" if data.is_dir() else ""
    own = f" {TEXTS[values.templates].about}" if values.templates else ""
    return f"{data.name}{files}: {len(samples):,} texts, {sum(len(text.target) for text in samples):,} tokens.{own}"


RECIPE = CommandRecipe(
    "language-model",
    "Text, one piece of it a line, in a file or a folder of files.",
    (SETTINGS, OPTIONS, LanguageData()),
    begin,
)
