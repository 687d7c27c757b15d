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
from core.training.evaluation.positions import loss_by_range
from core.training.evaluation.samples import evaluate_samples
from core.training.history import Record
from core.training.networks import transformer_sizes
from core.training.options import Options
from core.training.reading import ids_of
from core.training.recipes.bounds import LONGEST, VOCABULARY, between, held_out
from core.training.recipes.course import CommandRecipe, Course, Say, report_bad
from core.training.samples import Sample
from core.training.saving import save_model, told_of
from core.training.settings import Settings
from core.training.trainer import Trainer
from core.training.vocabulary import END_ID, language_tokenizer

# Development texts that are read at each evaluation.
READ = 1000
BY_POSITION = "Development loss by position"


@dataclass(frozen=True)
class LanguageData:
    """vocabulary: pieces. lowercase: whether letter case is dropped. development: share of the lines.

    length: 0 reads each line by itself; otherwise lines are joined, with </s> between them, and cut into blocks of so
    many tokens, all of one length. longest: tokens that are kept of a line read by itself.
    Raises HeadlightError for values that make no data.
    """

    vocabulary: int = 4000
    lowercase: bool = False
    length: int = 0
    longest: int = 64
    development: float = 0.01

    def __post_init__(self) -> None:
        between("vocabulary", self.vocabulary, VOCABULARY)
        if self.length:
            between("length", self.length, LONGEST)
        between("longest", self.longest, LONGEST)
        held_out(development=self.development)


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
    corpus = read_lines(data)
    report_bad(corpus.bad, say)
    training, development = split(corpus.examples, str.lower, values.development)
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
    network = build_language_model(settings, len(tokenizer), options.seed, max(512, values.length, values.longest))
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
            data=f"{data.name}: {len(samples):,} texts.",
            history=told_of(history),
            values={"task": "language-model", **plan},
            scores={
                "steps": trainer.step,
                "development loss": judgement.loss,
                "next-token accuracy": judgement.token_accuracy,
            },
            tables={BY_POSITION: loss_by_range(network, judged, "language model")},
            limits=[f"Texts of more than {values.length or values.longest} tokens were not trained on."],
        )
        save_model(network, tokenizer, card, folder)
        return card

    return Course(trainer, save)


def samples_of(tokenizer: PreTrainedTokenizerFast, lines: Sequence[str], values: LanguageData) -> list[Sample]:
    """Lines by themselves, or all of them cut into blocks of one length; the last, short block is left out."""
    rows = [[*ids, END_ID] for ids in ids_of(tokenizer, lines, special=False)]
    if not values.length:
        return [Sample((), tuple(row[: values.longest])) for row in rows]
    joined = [token for row in rows for token in row]
    starts = range(0, len(joined) - values.length + 1, values.length)
    return [Sample((), tuple(joined[start : start + values.length])) for start in starts]


def build_language_model(settings: Settings, vocabulary: int, seed: int, longest: int) -> PreTrainedModel:
    """A decoder with new weights; the caller's random state stays as it is."""
    from core.zoo.transformer import TransformerConfig, TransformerForCausalLM

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = transformer_sizes(settings, vocabulary, longest)
        return TransformerForCausalLM(TransformerConfig(is_encoder_decoder=False, tie_word_embeddings=True, **sizes))


RECIPE = CommandRecipe("language-model", "Text, one piece of it a line.", (SETTINGS, OPTIONS, LanguageData()), begin)
