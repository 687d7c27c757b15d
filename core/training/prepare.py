"""From a recipe to all that a run on the Training page needs: network, tokenizer, trainer and the film's labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.training.evaluation.toys import alignment_error, evaluate
from core.training.frames import frames_apart
from core.training.networks import build_network
from core.training.recipe import Recipe
from core.training.reports import Evaluation
from core.training.snapshots import film, labels_of
from core.training.tasks import Task
from core.training.toys import JUDGED, ToySupply, judged_by_length, judging_pairs
from core.training.trainer import Trainer
from core.training.vocabulary import SPECIALS, character_tokenizer


@dataclass(frozen=True)
class Prepared:
    """A run that is ready to start; `trainer.run()` trains `network` in place.

    rows, cols: labels of the film's frames, characters and </s>; rows are what is written, columns what is read.
    """

    recipe: Recipe
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    trainer: Trainer
    task: Task
    rows: tuple[str, ...]
    cols: tuple[str, ...]

    def evaluate(self) -> Evaluation:
        """How good the network is with the weights that it has now, on the same pairs as during training.

        Its `step` is the number of steps that made these weights, which early stopping may have put back.
        """
        return evaluate(self.network, self.task, judging_pairs(self.task, JUDGED), self.trainer.kept_step)

    def alignment_error(self) -> float | None:
        """The alignment error rate over the same pairs; None without attention."""
        return alignment_error(self.network, self.task, judging_pairs(self.task, JUDGED))

    def evaluate_by_length(self) -> dict[int, Evaluation]:
        """How good it is on sources of 4, 8, 12 characters and of the unseen length; empty where lengths are given."""
        return {
            length: evaluate(self.network, self.task, pairs, self.trainer.kept_step)
            for length, pairs in judged_by_length(self.task).items()
        }


def prepared(recipe: Recipe, device: str | torch.device = "cpu") -> Prepared:
    """Everything for a run of a recipe on a device. Two calls with one recipe give runs that are equal on a CPU.

    The film has fewer frames than the recipe asks for where they were too many or too large (`frames_apart`).
    """
    task = recipe.toy
    options = recipe.options
    network = build_network(recipe.settings, len(SPECIALS) + len(task.alphabet), options.seed)
    judged = judging_pairs(task, JUDGED)
    trainer = Trainer(
        network,
        ToySupply(task, options.batch_size, options.seed, accumulate=options.accumulate, bucketing=options.bucketing),
        replace(options, snapshot_every=frames_apart(recipe)),
        device=device,
        evaluate=lambda step: evaluate(network, task, judged, step),
        snapshot=film(network, task),
    )
    tokenizer = character_tokenizer(task.alphabet)
    return Prepared(
        recipe, network, tokenizer, trainer, task, labels_of(task.shown.target), labels_of(task.shown.source)
    )
