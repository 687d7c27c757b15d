"""Options: how a network is trained, each value checked, and one plain sentence on what each of them does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.errors import HeadlightError

Smoothing = Literal["uniform", "others"]
Dropping = Literal["even", "texts"]
Precision = Literal["float32", "bfloat16", "float16"]

SCHEDULE_NAMES = ("constant", "linear", "cosine", "inverse_sqrt", "noam")
SMOOTHINGS = ("uniform", "others")
DROPPINGS = ("even", "texts")
PRECISIONS = ("float32", "bfloat16", "float16")

# Below this a factor on the Noam rate is almost surely a learning rate that was meant for another schedule.
SMALLEST_NOAM_FACTOR = 0.02
# torch takes no larger seed.
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Options:
    """How to train. A value that makes no sense raises `HeadlightError` with one sentence.

    steps            optimiser steps in all
    batch_size       samples in a micro-batch
    accumulate       micro-batches whose gradients are added before a step; a step sees batch_size * accumulate samples
    learning_rate    of Adam (Kingma and Ba 2015) at the top of the schedule; with "noam" a factor on the paper's rate
    schedule         name of one of `core.training.schedules.SCHEDULES`
    warmup           steps over which the rate rises linearly from 0 (Goyal et al. 2017; Vaswani et al. 2017)
    clip             longest gradient, as the 2-norm over all weights (Pascanu et al. 2013); None never shortens it
    label_smoothing  epsilon, the probability taken from the right answer (Szegedy et al. 2016)
    smoothing        who gets it: "uniform" all K answers alike (torch), "others" the K - 1 wrong ones (tutorials)
    word_dropout     share of source tokens replaced by <unk> in training (Iyyer et al. 2015; Bowman et al. 2016)
    dropping         where: "even" in all texts alike; "texts" in a share `word_dropout` of the texts, each of which
                     loses a share of its own from none to all, so that erased words are nothing new to the network
    weight_decay     pull of the weight matrices towards 0, decoupled from the gradient (Loshchilov and Hutter 2019)
    precision        number format of forward and backward; float16 needs a GPU (Micikevicius et al. 2018)
    checkpointing    forget inner results and compute them again for the backward pass (Chen et al. 2016)
    bucketing        put samples of like length into a batch, for less padding
    patience         evaluations without a better loss before training stops (Prechelt 1998); 0 never stops early.
                     However the run ends, the network then has the weights of its best evaluation
    evaluate_every   steps between two evaluations
    snapshot_every   steps between two snapshots of the attention weights; a run on a toy task takes them less often
                     where its film would grow too large (`core.training.frames`)
    seed             of the order of the samples, word dropout and dropout
    freeze           lowest layers of a pretrained encoder that keep their weights; from 1 on the embeddings do too
    layer_decay      factor on the learning rate from a layer to the one below it (Howard and Ruder 2018)
    beta2            memory of Adam's squared gradients: 0.999 is Adam's own, 0.98 the Transformer paper's
    """

    steps: int = 600
    batch_size: int = 64
    accumulate: int = 1
    learning_rate: float = 3e-3
    schedule: str = "constant"
    warmup: int = 0
    clip: float | None = 1.0
    label_smoothing: float = 0.0
    smoothing: Smoothing = "uniform"
    word_dropout: float = 0.0
    dropping: Dropping = "even"
    weight_decay: float = 0.0
    precision: Precision = "float32"
    checkpointing: bool = False
    bucketing: bool = True
    patience: int = 0
    evaluate_every: int = 50
    snapshot_every: int = 20
    seed: int = 0
    freeze: int = 0
    layer_decay: float = 1.0
    beta2: float = 0.999

    def __post_init__(self) -> None:
        for name, (fits, needed) in _RULES.items():
            value = getattr(self, name)
            if not fits(value):
                raise HeadlightError(f"The training option “{name}” is {value!r}; set it to {needed}.")
        if self.schedule == "noam" and self.learning_rate < SMALLEST_NOAM_FACTOR:
            raise HeadlightError(
                f"With the Noam schedule the learning rate is a factor on the paper's own rate, so"
                f" {self.learning_rate:g} would hardly train; set it to about 1, or choose another schedule."
            )


ABOUT: dict[str, str] = {
    "steps": "How often the weights are changed; more steps take longer and learn more.",
    "batch_size": "Samples read at once; larger batches give steadier gradients and take longer a step.",
    "accumulate": "Batches whose gradients are added up before the weights change: the same as one batch as many times"
    " larger, in the memory of a small one.",
    "learning_rate": "How far a step moves the weights at the top of the schedule; with Noam, a factor on the paper's"
    " rate, where 1 is the paper's.",
    "schedule": "How the learning rate changes over the steps.",
    "warmup": "Steps over which the learning rate rises from 0 to its top, so that the first, unreliable gradients move"
    " little.",
    "clip": "Longest gradient allowed: a longer one is shortened to this length and keeps its direction.",
    "label_smoothing": "Probability taken from the right answer and spread over others, so that the network does not"
    " grow overconfident; the loss can then not reach 0.",
    "smoothing": "Whether the smoothed probability goes to all answers alike or only to the wrong ones; the right"
    " answer differs by ε/K between the two.",
    "word_dropout": "Share of source tokens replaced by <unk> while training, so that the network does not lean on"
    " single words; never in evaluation.",
    "dropping": "Whether all texts lose words alike, or only that share of the texts does, each a share of its own from"
    " none to all; then a text with words erased, as by occlusion, is nothing new to the network.",
    "weight_decay": "Pull of the weight matrices towards 0 at each step, in proportion to the learning rate; biases"
    " and norms are left alone.",
    "precision": "Number format of the computation: 16 bits are faster and need half the memory, where a device has"
    " them.",
    "checkpointing": "Computes inner results twice instead of keeping them: same gradients, less memory, more time.",
    "bucketing": "Puts texts of like length into a batch, so that less time goes into padding.",
    "patience": "Evaluations in a row without a better development loss before training stops; it then ends with the"
    " best weights, also when you stop it, and 0 trains to the last step.",
    "evaluate_every": "Steps between two evaluations on development examples.",
    "snapshot_every": "Steps between two frames of the attention film; a film of more than 200 frames or 64 MB gets"
    " fewer.",
    "seed": "Start of all random numbers: on a CPU the same seed gives the same weights to the last bit.",
    "freeze": "How many of the lowest layers of a pretrained encoder keep their weights, with its embeddings; 0 trains"
    " all.",
    "layer_decay": "Factor on the learning rate from each layer to the one below, so that lower layers of a pretrained"
    " encoder change less; 1 treats all alike.",
    "beta2": "How long Adam remembers the size of past gradients: 0.999 over about 1,000 steps, 0.98, as in the"
    " Transformer paper, over about 50.",
}

_Rule = tuple[Callable[[object], bool], str]


def _whole(least: int) -> _Rule:
    return lambda value: type(value) is int and value >= least, f"a whole number, {least} or more"


def _is_seed(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_SEED


def _number(low: float, high: float, needed: str, *, open_low: bool = False, open_high: bool = False) -> _Rule:
    def fits(value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return (low < value if open_low else low <= value) and (value < high if open_high else value <= high)

    return fits, needed


def _one_of(names: tuple[str, ...]) -> _Rule:
    return lambda value: value in names, f"one of {', '.join(names)}"


_SWITCH: _Rule = (lambda value: isinstance(value, bool), "true or false")
_POSITIVE = _number(0, float("inf"), "a number above 0, or none", open_low=True, open_high=True)

_RULES: dict[str, _Rule] = {
    "steps": _whole(1),
    "batch_size": _whole(1),
    "accumulate": _whole(1),
    "learning_rate": _number(0, 100, "a number above 0 and at most 100", open_low=True),
    "schedule": _one_of(SCHEDULE_NAMES),
    "warmup": _whole(0),
    "clip": (lambda value: value is None or _POSITIVE[0](value), _POSITIVE[1]),
    "label_smoothing": _number(0, 1, "a number from 0 to below 1", open_high=True),
    "smoothing": _one_of(SMOOTHINGS),
    "word_dropout": _number(0, 1, "a number from 0 to below 1", open_high=True),
    "dropping": _one_of(DROPPINGS),
    "weight_decay": _number(0, 10, "a number from 0 to 10"),
    "precision": _one_of(PRECISIONS),
    "checkpointing": _SWITCH,
    "bucketing": _SWITCH,
    "patience": _whole(0),
    "evaluate_every": _whole(1),
    "snapshot_every": _whole(1),
    "seed": (_is_seed, f"a whole number from 0 to {LARGEST_SEED}"),
    "freeze": _whole(0),
    "layer_decay": _number(0, 1, "a number above 0 and at most 1", open_low=True),
    "beta2": _number(0, 1, "a number from 0 to below 1", open_high=True),
}
