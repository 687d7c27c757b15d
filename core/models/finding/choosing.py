"""Which sets of weight files of one folder are offered, and which say the same once more."""

from __future__ import annotations

from core.models.finding.looking import Weights
from core.models.finding.sets import Role, Sets, WeightSet
from core.models.quoting import shown

ADAPTER = "adapter_model"
_LORA = (".lora_A.", ".lora_B.", ".lora_embedding_A", ".lora_embedding_B", ".lora_magnitude_vector")


def chosen(found: Sets) -> list[WeightSet]:
    """The sets that are models of their own, those with transformers' names first; the roles of the others are noted.

    Of sets that hold the same, safetensors go before pickles, and one file before several.
    """
    groups: dict[str, list[WeightSet]] = {}
    for one in found.sets:
        # No file can have a name without letters.
        groups.setdefault("" if one.is_standard else one.stem, []).append(one)
    offered: list[WeightSet] = []
    for key in sorted(groups):
        best, *others = sorted(groups[key], key=_rank)
        offered.append(best)
        for other in others:
            if other.is_standard or _same(best, other):
                _leave_out(other, best, found)
            else:
                offered.append(other)
    return offered


def is_adapter(one: WeightSet) -> bool:
    """Whether the weights are what PEFT trains beside a model, by their file's name or those of their tensors."""
    # A whole network that was saved with its adapter has more tensors of its own.
    added = sum(any(part in name for part in _LORA) for name in one.tensors)
    return one.stem == ADAPTER or 0 < len(one.tensors) <= 2 * added


def is_gguf(one: WeightSet) -> bool:
    """Whether it is a GGUF file, whatever it is called."""
    return one.members[0].kind == "gguf"


def _rank(one: WeightSet) -> tuple[bool, bool, str]:
    return one.suffix != ".safetensors", len(one.members) > 1, one.suffix


def _same(best: WeightSet, other: WeightSet) -> bool:
    return not is_gguf(best) and not is_gguf(other) and best.tensors == other.tensors


def _leave_out(other: WeightSet, best: WeightSet, found: Sets) -> None:
    role = Role(f"left out, because {_named(best.members)} the same weights")
    found.roles.update({member.entry.name: role for member in other.members})


def _named(members: tuple[Weights, ...]) -> str:
    first = shown(members[0].entry.name)
    return f"{first} holds" if len(members) == 1 else f"{first} and those beside it hold"
