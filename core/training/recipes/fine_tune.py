"""Fine-tuning on the command line: a pretrained encoder and labelled texts become a classifier.

As a whole with layer-wise rates of 2e-5 to 5e-5, with frozen lower layers (--set freeze=3), or by LoRA
(--set lora=true learning_rate=5e-4), whose adapter is saved beside the merged model.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.training.batches import LengthBuckets
from core.training.card import Card
from core.training.evaluation.samples import evaluate_samples
from core.training.fine_tuning import base_folder, classifier_from, merged, with_lora
from core.training.history import Record
from core.training.options import Options
from core.training.recipes.course import CommandRecipe, Course, Say
from core.training.recipes.sentiment import class_scores, read_classes
from core.training.saving import save_model, told_of
from core.training.trainer import Trainer


@dataclass(frozen=True)
class FineTuning:
    """base: a name in the catalogue or a folder. longest: tokens a text. development, test: shares of the texts.

    lora: train low-rank additions instead of the weights. rank, alpha, lora_dropout: of LoRA.
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
        if self.rank < 1:
            raise HeadlightError(f"rank is {self.rank}: LoRA needs 1 or more.")


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
    longest = min(values.longest, tokenizer.model_max_length)
    judged = texts.samples(tokenizer, texts.development, longest)
    samples = texts.samples(tokenizer, texts.training, longest)
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
        whole = plain if adapted is None else merged(adapted, out / "adapter")
        scores = class_scores(whole, texts.samples(tokenizer, texts.test, longest))
        card = Card(
            title=f"Classifier · {values.base}" + (" with LoRA" if values.lora else ""),
            summary=f"Tells {' from '.join(texts.labels)} texts; {trained:,} weights of it were trained.",
            data=f"{data.name}: {len(samples):,} texts.",
            history=told_of(history),
            values={"task": "fine-tune", "options": asdict(options), "data": asdict(values)},
            scores={"steps": trainer.step, **scores},
        )
        save_model(whole, tokenizer, card, out)
        return card

    return Course(trainer, save)


RECIPE = CommandRecipe(
    "fine-tune", "A pretrained encoder and labelled texts, as for sentiment.", (OPTIONS, FineTuning()), begin
)
