"""Adversarial attention on the command line: a classifier that answers as a base does, from other weights."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from core.errors import HeadlightError
from core.training.adversary import away_from, distance, evaluate_against
from core.training.batches import LengthBuckets
from core.training.card import Card
from core.training.history import Record
from core.training.recipes.bounds import up_to
from core.training.recipes.course import CommandRecipe, Course, Say
from core.training.recipes.sentiment import OPTIONS, LabelledData, class_scores, read_classes
from core.training.recipes.trained import trained_classifier
from core.training.samples import Sample
from core.training.saving import save_model, told_of
from core.training.trainer import Trainer
from core.training.vocabulary import word_tokenizer

if TYPE_CHECKING:
    from core.zoo.pooling import PoolingForSequenceClassification

TVD, JSD = "TVD from the base", "JSD from the base"


@dataclass(frozen=True)
class Adversary:
    """base: a classifier that sentiment trained on the same texts, by name or folder; the adversary is of its kind.

    strength: λ of TVD(ŷ, ŷ_base) - λ KL(α ‖ α_base), the mean of which over texts is made small (Wiegreffe & Pinter
    2019); 0 only copies the answers. others: classifiers like the base but for their seeds, separated by commas, to
    compare with: how far these are from the base, a new training takes a classifier by itself.
    Raises HeadlightError for values that make no run.
    """

    base: str = ""
    strength: float = 1e-3
    others: str = ""

    def __post_init__(self) -> None:
        up_to("strength", self.strength, 1)
        names = [Path(name).name for name in (self.base, *self.seeds)]
        if len(set(names)) < len(names):
            raise HeadlightError(f"others is “{self.others}”: name each classifier once, and not the base.")

    @property
    def seeds(self) -> tuple[str, ...]:
        """The other classifiers, one by one."""
        return tuple(name.strip() for name in self.others.split(",") if name.strip())

    def told(self) -> dict[str, Any]:
        """The values for a card: of folders the names, since a path would tell of one machine."""
        return {
            "base": Path(self.base).name,
            "strength": self.strength,
            "others": ", ".join(Path(name).name for name in self.seeds),
        }


def begin(parts: tuple[Any, ...], data: Path | None, device: str, say: Say) -> Course:
    """Read the texts, open the base, build the adversary and its trainer."""
    settings, options, values = parts
    assert data is not None
    if not settings.base:
        raise HeadlightError("An adversary needs a classifier to copy: give one with --set base=FOLDER.")
    texts = read_classes(data, values, say)
    tokenizer = word_tokenizer((text for _, text in texts.training), values.vocabulary)
    base, *others = (
        trained_classifier(name, tokenizer, texts.labels, device) for name in (settings.base, *settings.seeds)
    )
    network = built_like(base, options.seed)
    samples = texts.samples(tokenizer, texts.training, values.longest)
    judged = texts.samples(tokenizer, texts.development, values.longest)
    trainer = Trainer(
        network,
        LengthBuckets(samples, options.batch_size, seed=options.seed, bucketing=options.bucketing),
        options,
        device=device,
        kind="classifier",
        evaluate=lambda step: evaluate_against(network, base, judged, settings.strength, step),
        objective=away_from(base, settings.strength),
    )

    def save(folder: Path, history: Record) -> Card:
        test = texts.samples(tokenizer, texts.test, values.longest)
        found = distance(network, base, test)
        card = Card(
            title=f"Adversary · {Path(settings.base).name}",
            summary="Answers as its base does, from attention weights that were pushed away from the base's "
            f"(Wiegreffe & Pinter 2019). {network.num_parameters():,} weights.",
            data=f"{data.name}: {len(samples):,} texts.",
            history=told_of(history),
            values={
                "task": "adversary", "settings": settings.told(), "options": asdict(options), "data": asdict(values)
            },
            scores={
                "steps": trainer.step, **class_scores(network, test),
                TVD: found.tvd, JSD: found.jsd, "answers as the base": found.agreement,
            },
            tables=_band(base, settings.seeds, others, test),
            limits=["Its attention is trained to mislead: it says nothing of what its answers rest on."],
        )  # fmt: skip
        save_model(network, tokenizer, card, folder)
        return card

    return Course(trainer, save)


def built_like(base: PoolingForSequenceClassification, seed: int) -> PoolingForSequenceClassification:
    """A classifier of the base's kind with new weights. Raises HeadlightError where its attention could not differ."""
    if base.config.attention == "uniform":
        raise HeadlightError("The base weighs all words alike, so that no other weights can be learnt: choose another.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return type(base)(copy.deepcopy(base.config))


def _band(
    base: PoolingForSequenceClassification,
    names: Sequence[str],
    others: Sequence[PoolingForSequenceClassification],
    test: Sequence[Sample],
) -> dict[str, dict[str, float]]:
    """How far a new training alone takes a classifier from the base: two tables, a row each other seed."""
    found = {Path(name).name: distance(other, base, test) for name, other in zip(names, others, strict=True)}
    if not found:
        return {}
    return {
        f"{TVD}, other seeds": {name: each.tvd for name, each in found.items()},
        f"{JSD}, other seeds": {name: each.jsd for name, each in found.items()},
    }


RECIPE = CommandRecipe(
    "adversary",
    "Labelled texts, as for sentiment, and a classifier that was trained on them.",
    (Adversary(), replace(OPTIONS, word_dropout=0.5, dropping="texts"), LabelledData()),
    begin,
)
