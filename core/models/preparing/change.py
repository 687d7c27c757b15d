"""What becomes of the tensors of a weight file when it is written again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Shape = tuple[int, ...]
# Number format, as torch names it, and shape.
Described = tuple[str, Shape]


@dataclass(frozen=True)
class Change:
    """What a new file has of another one.

    names   new name by name in the other; tensors without one are left out
    turned  names in the other of matrices that are transposed
    zeros   tensors of zeros that are added, by name
    """

    names: Mapping[str, str]
    turned: frozenset[str] = frozenset()
    zeros: Mapping[str, Described] = field(default_factory=dict)

    def of(self, tensors: Mapping[str, Described]) -> dict[str, Described]:
        """What the new file holds, by new name, where the other holds these."""
        kept = {
            self.names[name]: (dtype, shape[::-1] if name in self.turned else shape)
            for name, (dtype, shape) in tensors.items()
            if name in self.names
        }
        return kept | dict(self.zeros)

    def is_none_for(self, tensors: Mapping[str, Described]) -> bool:
        """Whether the new file would be the other one."""
        return not self.turned and not self.zeros and all(self.names.get(name) == name for name in tensors)
