"""The sliders: what each field of a scheme's settings may be, and what it does, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from core.positions import SCHEMES
from core.positions.settings import LAYOUTS, Settings
from core.ui.arrival import QUOTED, Arrival, whole_number
from core.ui.positions.deberta_versions import GROWING, USES

# None: as each scheme has it, see `causal_of`.
FIRST: Mapping[str, Any] = MappingProxyType({
    **{each.name: each.default for each in fields(Settings)}, "causal": None,
})  # fmt: skip
# Published with a causal mask.
CAUSAL = ("alibi",)
SCALINGS = ("none", "linear", "ntk", "dynamic", "yarn", "llama3")


@dataclass(frozen=True)
class Field:
    """A field of `Settings` as a control. low, high, step: of a slider; options: of a choice between few values."""

    label: str
    help: str
    low: int = 0
    high: int = 0
    step: int = 1
    options: tuple[Any, ...] = ()

    def takes(self, value: object) -> bool:
        """Whether the control can show the value."""
        if self.options:
            return value in self.options
        return type(value) is int and self.low <= value <= self.high and (value - self.low) % self.step == 0


FIELDS: Mapping[str, Field] = MappingProxyType({
    "length": Field("Positions", "How many positions are shown.", 8, 512, 8),
    "width": Field("Width", "Coordinates of an embedding, or of a head's queries and keys: an even number.", 2, 256, 2),
    "base": Field(
        "Base",
        "Wavelengths grow from one turn in 2π positions to one in almost 2π times this.",
        options=(100.0, 1_000.0, 10_000.0, 50_000.0, 100_000.0, 500_000.0, 1_000_000.0, 10_000_000.0),
    ),
    "heads": Field(
        "Heads", "A slope each, from 2^(−8/H) to 1/256 where the number of heads, H, is a power of two.", 1, 32
    ),
    "causal": Field(
        "Causal",
        "Keys after the query are masked, as in a decoder. ALiBi was published so: not causal is our own variant, with "
        "half slopes after the query. T5 and Shaw have rows of their own for later keys.",
        options=(False, True),
    ),
    "layout": Field(
        "Pairs",
        "Neighbours (the paper), or a coordinate of each half (transformers). It changes only which coordinates turn "
        "together: the angles, and all figures of them, stay the same.",
        options=LAYOUTS,
    ),
    "scaling": Field("Scaling", "How the angles are slowed for texts longer than in training.", options=SCALINGS),
    "factor": Field("Factor", "How many times longer than in training.", options=(1.0, 2.0, 4.0, 8.0, 16.0, 32.0)),
    "trained": Field(
        "Trained on", "Positions of the training.", options=(64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768)
    ),
    "buckets": Field(
        "Buckets", "Rows of the learned table: in all (T5), or a side (DeBERTa).", options=(8, 16, 32, 64, 128, 256)
    ),
    "farthest": Field("Farthest", "From this distance on all keys read one row.", options=(32, 64, 128, 256, 512)),
    "clip": Field("Clip", "From this distance on all offsets read one row.", 1, 64),
    "seed": Field("Seed", "Of the vectors that are drawn at random.", 0, 99),
})  # fmt: skip


def used_by(scheme: str, version: str) -> tuple[str, ...]:
    """The fields that a scheme's formula reads. version: DeBERTa's."""
    return USES if scheme == "deberta" and version == GROWING else SCHEMES[scheme].uses


def causal_of(scheme: str, asked: bool | None) -> bool:
    """Whether keys after the query are masked. asked: what somebody chose for all schemes, None for what each has."""
    return scheme in CAUSAL if asked is None else asked


def value_words(value: object) -> str:
    """A value as a control shows it."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, (int, float)):
        return f"{value:,.0f}"
    return str(value)[:1].upper() + str(value)[1:]


def arrived(arriving: Arrival, name: str) -> Any:
    """A field's value as an address asks for it; where the control cannot show it, the first, with a sentence."""
    field, first, asked = FIELDS[name], FIRST[name], arriving.get(name)
    if asked is None:
        return first
    value = next((each for each in field.options if _spelled(each) == asked), None)
    value = whole_number(asked) if value is None and not field.options else value
    if value is not None and field.takes(value):
        return value
    used = "what each scheme has" if first is None else option_words(name, first)
    arriving.remarks.append(f"{field.label} {_allowed(name)}, not “{asked[:QUOTED]}”: {used} is used.")
    return first


def address_of(settings: Settings, causal: bool | None) -> dict[str, str]:
    """The parameters of what differs from the first settings. causal: what somebody chose, see `causal_of`."""
    values = {name: getattr(settings, name) for name in FIELDS} | {"causal": causal}
    return {name: _spelled(value) for name, value in values.items() if value != FIRST[name]}


def _spelled(value: object) -> str:
    return str(int(value)) if isinstance(value, (bool, int, float)) else str(value)


def option_words(name: str, value: Any) -> str:
    """A value of a menu as it shows it."""
    if name != "scaling":
        return value_words(value)
    from core.positions.scaling import SCALINGS as BY_NAME

    return BY_NAME[value].title


def _allowed(name: str) -> str:
    field = FIELDS[name]
    if not field.options:
        kind = {1: "a whole number", 2: "an even number"}.get(field.step, f"a multiple of {field.step}")
        return f"is {kind} from {field.low} to {field.high}"
    words = [option_words(name, each) for each in field.options]
    return f"is one of {', '.join(words)}"
