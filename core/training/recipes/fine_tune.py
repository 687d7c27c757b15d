"""Fine-tuning on the command line: a pretrained encoder and labelled texts become a classifier.

As a whole with layer-wise rates of 2e-5 to 5e-5, with frozen lower layers (--set freeze=3), or by LoRA
(--set lora=true learning_rate=5e-4), whose adapter is saved beside the merged model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.loading import positions_of
from core.training.batches import LengthBuckets
from core.training.card import Card
from core.training.checkpoints import explained_when_full
from core.training.evaluation.samples import evaluate_samples
from core.training.fine_tuning import base_folder, classifier_from, merged, with_lora
from core.training.history import Record
from core.training.options import Options
from core.training.recipes.bounds import LONGEST, between, held_out, share
from core.training.recipes.course import CommandRecipe, Course, Say
from core.training.recipes.sentiment import class_scores, read_classes
from core.training.samples import Sample
from core.training.saving import save_model, told_of
from core.training.trainer import Trainer


@dataclass(frozen=True)
class FineTuning:
    """base: a name in the catalogue or a folder. longest: tokens a text. development, test: shares of the texts.

    lora: train low-rank additions instead of the weights. rank, alpha, lora_dropout: of LoRA.
    Raises HeadlightError for values that make no run.
    """

    base: str = "all-MiniLM-L6-v2"
    longest: int = 128
    development: float = 0.1
    test: float = 0.1
    lora: bool = False
    rank: int = 8
    alpha: int = 16
    lora_dropout: float = 0.1

    def __post_init__(self) -> None:
        between("longest", self.longest, LONGEST)
        held_out(development=self.development, test=self.test)
        between("rank", self.rank, (1, 1024))
        between("alpha", self.alpha, (1, 65_536))
        share("lora_dropout", self.lora_dropout)

    def used(self) -> dict[str, Any]:
        """The values that matter, by name: without LoRA none of its own."""
        unused = () if self.lora else ("rank", "alpha", "lora_dropout")
        return {name: value for name, value in asdict(self).items() if name not in unused}


# The top layer learns at 5e-5 and, with six layers, the lowest at about 2e-5.
OPTIONS = Options(
    steps=600, batch_size=32, learning_rate=5e-5, schedule="linear", warmup=60, weight_decay=0.01, patience=3,
    evaluate_every=100, snapshot_every=10**6, layer_decay=0.85,
)  # fmt: skip


def begin(parts: tuple[Any, ...], data: Path | None, device: str, say: Say) -> Course:
    """Read the texts, open the base, build classifier and trainer."""
    options, values = parts
    assert data is not None
    folder = base_folder(values.base)
    texts = read_classes(data, values, say)
    plain, tokenizer = classifier_from(folder, texts.labels, options.seed)
    adapted = with_lora(plain, values.rank, values.alpha, values.lora_dropout, options.seed) if values.lora else None
    network: Any = adapted or plain
    longest = min(values.longest, tokenizer.model_max_length, positions_of(plain))
    judged = texts.samples(tokenizer, texts.development, longest)
    samples = texts.samples(tokenizer, texts.training, longest)
    _require_reading(values.base, network, samples[:2])
    trainer = Trainer(
        network,
        LengthBuckets(samples, options.batch_size, seed=options.seed, bucketing=options.bucketing),
        options,
        device=device,
        kind="classifier",
        evaluate=lambda step: evaluate_samples(network, judged, "classifier", step),
        unk_id=tokenizer.unk_token_id or 0,
        special_ids=tokenizer.all_special_ids,
    )
    trained = sum(value.numel() for value in network.parameters() if value.requires_grad)
    say(f"{trained:,} of {network.num_parameters():,} weights are trained.")

    def save(out: Path, history: Record) -> Card:
        with explained_when_full(out / "adapter"):
            whole = plain if adapted is None else merged(adapted, out / "adapter")
        scores = class_scores(whole, texts.samples(tokenizer, texts.test, longest))
        card = Card(
            title=f"Classifier · {values.base}" + (" with LoRA" if values.lora else ""),
            summary=f"Tells {' from '.join(texts.labels)} texts; {trained:,} weights of it were trained.",
            data=f"{data.name}: {len(samples):,} texts.",
            history=told_of(history),
            values={"task": "fine-tune", "options": asdict(options), "data": values.used()},
            scores={"steps": trainer.step, **scores},
        )
        save_model(whole, tokenizer, card, out)
        return card

    return Course(trainer, save)


def _require_reading(base: str, network: Any, samples: Sequence[Sample]) -> None:
    """Raise HeadlightError where a base cannot classify a first batch, as an encoder of pictures or of pairs cannot."""
    try:
        evaluate_samples(network, samples, "classifier", 0)
    except Exception as error:  # each architecture fails in its own way
        raise HeadlightError(f"{base} fails on a first batch of texts: choose another base.") from error


RECIPE = CommandRecipe(
    "fine-tune", "A pretrained encoder and labelled texts, as for sentiment.", (OPTIONS, FineTuning()), begin
)
