"""The fields of the two expanders: what each is called, how it is chosen, and between which bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.training import ABOUT, SCHEDULES
from core.training.options import PRECISIONS
from core.training.settings import ABOUT as OF_NETWORK
from core.training.settings import CELLS, DEEPEST, WIDEST, Settings

RECURRENT, TRANSFORMER, BOTH = "recurrent", "transformer", "both"
LARGEST = 1_000_000


@dataclass(frozen=True)
class Field:
    """One value of a recipe.

    name: of the attribute, of the parameter in an address and, after a prefix, of the control's state.
    label: beside the control; help: what pointing at the question mark tells.
    of: the architectures that have it.
    """

    name: str
    label: str
    help: str = ""
    of: str = BOTH

    def is_of(self, architecture: str) -> bool:
        """Whether an architecture has this field."""
        return self.of == BOTH or (self.of == TRANSFORMER) == (architecture == TRANSFORMER)


@dataclass(frozen=True)
class Choice(Field):
    """One of some names. short: few enough words for a row of buttons."""

    options: Mapping[str, str] = field(default_factory=dict)
    short: bool = True


@dataclass(frozen=True)
class Switch(Field):
    """On or off."""


@dataclass(frozen=True)
class Whole(Field):
    """A whole number."""

    low: int = 0
    high: int = LARGEST
    step: int = 1


@dataclass(frozen=True)
class Real(Field):
    """A number; 0 stands for none where `or_none`."""

    low: float = 0.0
    high: float = 1.0
    step: float = 0.05
    or_none: bool = False


_POSITIONS = {
    "none": "None",
    "sinusoidal": "Sinusoidal",
    "learned": "Learned",
    "shaw": "Relative vectors",
    "relative": "Relative bias",
    "rotary": "Rotary",
    "alibi": "ALiBi",
}

ARCHITECTURE_HELP = (
    f"{OF_NETWORK['architecture']} RNN: a recurrent neural network, which reads and writes one character after the "
    "other. With s the decoder's state and h a state of the encoder, the score of a character is v · tanh(W s + U h) "
    "for additive attention (Bahdanau), s · h for dot, s · W h for general, v · tanh(W [s; h]) for concat (Luong); "
    "local looks only into a window around a place that it predicts."
)

NETWORK: tuple[Field, ...] = (
    Choice(
        "cell",
        "Cell",
        f"{OF_NETWORK['cell']} A plain RNN takes all that it reads through a tanh; LSTM (long short-term memory) and "
        "GRU (gated recurrent unit) have gates that decide what to keep, so that they remember longer.",
        RECURRENT,
        CELLS,
    ),
    Switch("bidirectional", "Read in both directions", OF_NETWORK["bidirectional"], RECURRENT),
    Whole("width", "Width", OF_NETWORK["width"], low=2, high=WIDEST, step=16),
    Whole("layers", "Layers", OF_NETWORK["layers"], low=1, high=DEEPEST),
    Whole("heads", "Heads", OF_NETWORK["heads"], TRANSFORMER, low=1, high=WIDEST),
    Choice("positions", "Positions", OF_NETWORK["positions"], TRANSFORMER, _POSITIONS, short=False),
    Choice(
        "norm",
        "LayerNorm",
        f"Where the numbers of a state are brought to mean 0 and variance 1. {OF_NETWORK['norm']}",
        TRANSFORMER,
        {"pre": "Pre-LN", "post": "Post-LN"},
    ),
    Switch("scaled", "Scale the scores", OF_NETWORK["scaled"], TRANSFORMER),
    Real("dropout", "Dropout", OF_NETWORK["dropout"], high=0.9),
)


def _about(name: str) -> str:
    return ABOUT[name]


# By the words over each group.
PRACTICE: dict[str, tuple[Field, ...]] = {
    "Steps": (
        Whole("steps", "Steps", _about("steps"), low=1, high=20_000, step=100),
        Whole("batch_size", "Batch", _about("batch_size"), low=1, high=1024, step=8),
        Whole("accumulate", "Accumulate", _about("accumulate"), low=1, high=64),
    ),
    "Learning rate": (
        Real("learning_rate", "Learning rate", _about("learning_rate"), high=100.0, step=0.001),
        Choice(
            "schedule",
            "Schedule",
            _about("schedule"),
            options={name: schedule.title for name, schedule in SCHEDULES.items()},
            short=False,
        ),
        Whole("warmup", "Warm-up", _about("warmup"), high=20_000, step=10),
        Real("beta2", "Adam's β₂", _about("beta2"), high=0.99999, step=0.001),
    ),
    "Gradients and weights": (
        Real("clip", "Clip norm", f"{_about('clip')} 0 never shortens.", high=1000.0, step=0.5, or_none=True),
        Real("weight_decay", "Weight decay", _about("weight_decay"), high=10.0, step=0.01),
    ),
    "Regularisation": (
        Real("label_smoothing", "Smoothing ε", _about("label_smoothing"), high=0.9),
        Choice(
            "smoothing",
            "Smoothed over",
            _about("smoothing"),
            options={"uniform": "All answers", "others": "Wrong ones"},
        ),
        Real("word_dropout", "Word dropout", _about("word_dropout"), high=0.9),
        Choice("dropping", "Dropped from", _about("dropping"), options={"even": "All texts", "texts": "Some texts"}),
        Whole("patience", "Patience", _about("patience"), high=1000),
    ),
    "Computation": (
        Choice("precision", "Precision", _about("precision"), options={name: name for name in PRECISIONS}, short=False),
        Switch("checkpointing", "Gradient checkpointing", _about("checkpointing"), TRANSFORMER),
        Switch("bucketing", "Batches of like length", _about("bucketing")),
    ),
    "Steps between, and the seed": (
        Whole("evaluate_every", "Evaluations", _about("evaluate_every"), low=1, high=20_000, step=10),
        Whole("snapshot_every", "Frames", _about("snapshot_every"), low=1, high=20_000, step=5),
        Whole("seed", "Seed", _about("seed"), high=999_999),
    ),
}
OF_OPTIONS: tuple[Field, ...] = tuple(each for group in PRACTICE.values() for each in group)
EVERY: tuple[Field, ...] = (*NETWORK, *OF_OPTIONS)
OF_SETTINGS = frozenset(Settings.__dataclass_fields__)
