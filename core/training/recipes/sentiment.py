"""Sentiment, or any other classes of texts: words, a classifier with pooling attention or a Transformer encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.training.batches import LengthBuckets
from core.training.card import Card
from core.training.corpora import read_labelled, split
from core.training.evaluation.classification import classifier_scores
from core.training.evaluation.samples import BATCH, batch_of, evaluate_samples
from core.training.history import Record
from core.training.options import Options
from core.training.reading import ids_of
from core.training.recipes.bounds import LONGEST, VOCABULARY, between, held_out, one_of, share
from core.training.recipes.course import CommandRecipe, Course, Say, report_bad
from core.training.recipes.trained import trained_classifier
from core.training.samples import Sample
from core.training.saving import save_model, told_of
from core.training.settings import DEEPEST, NORMS, POSITIONS, WIDEST
from core.training.trainer import Trainer
from core.training.vocabulary import word_tokenizer

if TYPE_CHECKING:
    from core.zoo.pooling import PoolingForSequenceClassification

ENCODERS = ("bilstm", "cnn", "average", "mlp", "transformer")
ATTENTIONS = ("additive", "dot", "uniform", "guided")
# The four kinds of filters of a CNN share its width.
FILTERS = 4


@dataclass(frozen=True)
class ClassifierSettings:
    """encoder: "bilstm", "cnn", "average", "mlp" or "transformer". attention: "additive", "dot", "uniform" or "guided",
    of all but the Transformer.

    guide: of guided attention, a classifier that was trained on the same texts, by name or folder: its weights are
    taken, and never change. With encoder=mlp that is the diagnostic MLP of Wiegreffe & Pinter (2019).
    width: of the states; embedding: of the words, which in a Transformer are as wide as the states. layers, heads,
    positions, norm: of a Transformer. dropout: share of values set to zero in training.
    Raises HeadlightError for values that make no network.
    """

    encoder: str = "bilstm"
    attention: str = "additive"
    guide: str = ""
    width: int = 128
    embedding: int = 100
    layers: int = 2
    heads: int = 4
    positions: str = "sinusoidal"
    norm: str = "pre"
    dropout: float = 0.3

    def __post_init__(self) -> None:
        one_of("encoder", self.encoder, ENCODERS)
        one_of("attention", self.attention, ATTENTIONS)
        one_of("positions", self.positions, POSITIONS)
        one_of("norm", self.norm, NORMS)
        between("width", self.width, (2, WIDEST))
        between("embedding", self.embedding, (1, WIDEST))
        between("layers", self.layers, (1, DEEPEST))
        between("heads", self.heads, (1, WIDEST))
        share("dropout", self.dropout)
        if self.guided != bool(self.guide):
            raise HeadlightError(
                f"guide is “{self.guide}” and attention {self.attention}: guided attention needs a guide, and no other "
                "attention has one."
            )
        number, what = {
            "bilstm": (2, "reading directions"),
            "cnn": (FILTERS, "kinds of filters"),
            "average": (1, "parts"),
            "mlp": (1, "parts"),
            "transformer": (self.heads, "heads"),
        }[self.encoder]
        if self.width % number:
            raise HeadlightError(f"A width of {self.width} does not divide into {number} {what}: change it.")

    @property
    def is_transformer(self) -> bool:
        return self.encoder == "transformer"

    @property
    def guided(self) -> bool:
        return self.attention == "guided" and not self.is_transformer

    @property
    def title(self) -> str:
        return "Transformer encoder" if self.is_transformer else f"{self.encoder}, {self.attention} attention"

    def used(self) -> dict[str, Any]:
        """The values that a network with this encoder has, by name."""
        if self.is_transformer:
            unused = {"attention", "embedding", "guide"}
        else:
            unused = {"layers", "heads", "positions", "norm"} | (set() if self.guided else {"guide"})
        # Of a folder its name is enough: its path would carry the names of one machine into every card.
        told = asdict(self) | {"guide": Path(self.guide).name}
        return {name: value for name, value in told.items() if name not in unused}


@dataclass(frozen=True)
class LabelledData:
    """vocabulary: words. longest: tokens a text, the rest is cut off. development, test: shares of the texts.

    Raises HeadlightError for values that make no data.
    """

    vocabulary: int = 4000
    longest: int = 64
    development: float = 0.1
    test: float = 0.1

    def __post_init__(self) -> None:
        between("vocabulary", self.vocabulary, VOCABULARY)
        between("longest", self.longest, LONGEST)
        held_out(development=self.development, test=self.test)


OPTIONS = Options(
    steps=1500, batch_size=32, learning_rate=1e-3, schedule="linear", warmup=50, word_dropout=0.1, patience=5,
    evaluate_every=100, snapshot_every=10**6,
)  # fmt: skip


@dataclass(frozen=True)
class Labelled:
    """Texts of a file as samples, split by the text itself, and the names of the classes in the order of their ids."""

    labels: tuple[str, ...]
    training: list[tuple[str, str]]
    development: list[tuple[str, str]]
    test: list[tuple[str, str]]

    def samples(
        self, tokenizer: PreTrainedTokenizerBase, rows: Sequence[tuple[str, str]], longest: int
    ) -> list[Sample]:
        """(label, text) rows as ids of at most `longest` tokens and the number of their label."""
        ids = ids_of(tokenizer, [text for _, text in rows], longest)
        return [Sample(tuple(row), (self.labels.index(label),)) for row, (label, _) in zip(ids, rows, strict=True)]


def read_classes(data: Path, values: Any, say: Say) -> Labelled:
    """Read labelled texts and split them. Raises HeadlightError for fewer than two classes or too few texts."""
    corpus = read_labelled(data)
    report_bad(corpus.bad, say)
    labels = tuple(sorted({label for label, _ in corpus.examples}))
    if len(labels) < 2:
        raise HeadlightError(f"{data} has {len(labels)} classes: a classifier needs two or more.")
    parts = split(corpus.examples, lambda row: row[1], values.development, values.test)
    if not all(parts):
        raise HeadlightError(f"{data} has too few texts to hold some out: give at least a few hundred.")
    say(f"{len(parts[0]):,} texts to learn from, {len(parts[1]):,} to judge by; classes {', '.join(labels)}.")
    return Labelled(labels, *parts)


def class_scores(network: PreTrainedModel, samples: Sequence[Sample]) -> dict[str, float | int | str | None]:
    """Accuracy, F1 and AUC on samples that were not trained on."""
    probabilities = np.concatenate(
        [_probabilities(network, samples[start : start + BATCH]) for start in range(0, len(samples), BATCH)]
    )  # (N, K)
    scores = classifier_scores(np.array([sample.target[0] for sample in samples]), probabilities)
    return {"test texts": len(samples), "accuracy": scores.accuracy, "F1": scores.f1, "AUC": scores.auc}


@torch.no_grad()
def _probabilities(network: PreTrainedModel, samples: Sequence[Sample]) -> np.ndarray[Any, np.dtype[np.float32]]:
    network.eval()
    logits = network(**batch_of(network, samples, "classifier").inputs).logits  # (B, K)
    return logits.float().softmax(-1).cpu().numpy()


def begin(parts: tuple[Any, ...], data: Path | None, device: str, say: Say) -> Course:
    """Read the texts, learn the vocabulary, build network and trainer."""
    settings, options, values = parts
    assert data is not None
    texts = read_classes(data, values, say)
    tokenizer = word_tokenizer((text for _, text in texts.training), values.vocabulary)
    guide = trained_classifier(settings.guide, tokenizer, texts.labels, "cpu") if settings.guided else None
    network = build_classifier(settings, len(tokenizer), texts.labels, options.seed, values.longest, guide)
    judged = texts.samples(tokenizer, texts.development, values.longest)
    samples = texts.samples(tokenizer, texts.training, values.longest)
    trainer = Trainer(
        network,
        LengthBuckets(samples, options.batch_size, seed=options.seed, bucketing=options.bucketing),
        options,
        device=device,
        kind="classifier",
        evaluate=lambda step: evaluate_samples(network, judged, "classifier", step),
    )

    def save(folder: Path, history: Record) -> Card:
        scores = class_scores(network, texts.samples(tokenizer, texts.test, values.longest))
        card = Card(
            title=f"Classifier · {settings.title}",
            summary=f"Tells {' from '.join(texts.labels)} texts. {network.num_parameters():,} weights.",
            data=f"{data.name}: {len(samples):,} texts.",
            history=told_of(history),
            values={
                "task": "sentiment", "settings": settings.used(), "options": asdict(options), "data": asdict(values)
            },
            scores={"steps": trainer.step, **scores},
            limits=["Words that it has not seen in training are one and the same to it."],
        )  # fmt: skip
        save_model(network, tokenizer, card, folder)
        return card

    return Course(trainer, save)


def build_classifier(
    settings: ClassifierSettings,
    vocabulary: int,
    labels: Sequence[str],
    seed: int,
    longest: int,
    guide: PoolingForSequenceClassification | None = None,
) -> PreTrainedModel:
    """A classifier with new weights, but for its guide's; the caller's random state stays as it is."""
    from core.zoo.pooling import PoolingConfig, PoolingForSequenceClassification, guide_values
    from core.zoo.transformer import TransformerConfig, TransformerForSequenceClassification

    places = {label: place for place, label in enumerate(labels)}
    named: dict[str, Any] = {"id2label": dict(enumerate(labels)), "label2id": places}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if settings.is_transformer:
            return TransformerForSequenceClassification(
                TransformerConfig(
                    vocab_size=vocabulary, hidden_size=settings.width, num_hidden_layers=settings.layers,
                    num_attention_heads=settings.heads, positions=settings.positions, norm=settings.norm,
                    dropout=settings.dropout, max_position_embeddings=max(512, longest), is_encoder_decoder=False,
                    tie_word_embeddings=False, **named,
                )
            )  # fmt: skip
        network = PoolingForSequenceClassification(
            PoolingConfig(
                vocab_size=vocabulary, hidden_size=settings.width, embedding_size=settings.embedding,
                encoder=settings.encoder, attention=settings.attention, dropout=settings.dropout,
                guide=guide_values(guide.config) if guide is not None else None, **named,
            )
        )  # fmt: skip
    if guide is not None:
        network.guided.follow(guide)
    return network


RECIPE = CommandRecipe(
    "sentiment",
    "Label, tab, text, one a line; or a folder whose files or folders have neg and pos in their names.",
    (ClassifierSettings(), OPTIONS, LabelledData()),
    begin,
)
