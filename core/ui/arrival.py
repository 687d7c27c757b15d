"""What an address asks for, read with suspicion: anybody can write one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

# Of what an address says, a sentence repeats so many characters.
QUOTED = 40


class Arrival:
    """The parameters that somebody arrived with. What cannot be had falls back, and `remarks` gets a sentence."""

    def __init__(self, parameters: Mapping[str, Sequence[str]]) -> None:
        self._parameters = parameters
        self.remarks: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def __bool__(self) -> bool:
        """Whether the address says anything at all."""
        return bool(self._parameters)

    def get(self, name: str) -> str | None:
        """The last value of a parameter, None where the address has none; said where it has several."""
        values = self._parameters.get(name)
        if not values:
            return None
        if len(values) > 1:
            self.remarks.append(f"The address gives {name} {len(values)} times: the last one counts.")
        return values[-1]

    def choice(self, name: str, options: Sequence[str], default: str, what: str) -> str:
        """One of some names; `what` they are names of."""
        asked = self.get(name)
        if asked is None or asked in options:
            return default if asked is None else asked
        self.remarks.append(f"There is no {what} {asked[:QUOTED]} here: {default} is used.")
        return default

    def number(self, name: str, low: int, high: int, default: int, what: str) -> int:
        """A whole number from low to high; `what` it counts."""
        asked = self.get(name)
        found = default if asked is None else whole_number(asked)
        if found is not None and low <= found <= high:
            return found
        self.remarks.append(f"{what} is a whole number from {low} to {high}, not {_quoted(asked)}: {default} is used.")
        return default

    def real(self, name: str, low: float, high: float, default: float, what: str) -> float:
        """A number from low to high; `what` it measures."""
        asked = self.get(name)
        try:
            found = default if asked is None or len(asked) > QUOTED else float(asked)
        except ValueError:
            found = math.nan
        if low <= found <= high and (asked is None or len(asked) <= QUOTED):
            return found
        self.remarks.append(f"{what} is a number from {low:g} to {high:g}, not {_quoted(asked)}: {default:g} is used.")
        return default

    def place(self, name: str, count: int, what: str) -> int | None:
        """A position among `count` tokens, None where the address has none; `what` kind of token it is."""
        asked = self.get(name)
        found = None if asked is None else whole_number(asked)
        if asked is None or (found is not None and found < count):
            return found
        self.remarks.append(
            f"There is no {what} {_quoted(asked)} in this text, which has tokens 0 to {count - 1}: none is picked."
        )
        return None

    def flag(self, name: str, what: str) -> bool:
        """Whether something is on: 1, or 0 or absent."""
        asked = self.get(name)
        if asked not in (None, "0", "1"):
            self.remarks.append(f"{what} is 1 or 0, not {_quoted(asked)}: it is off.")
        return asked == "1"

    def heads(self, name: str, count: int) -> tuple[int, ...] | None:
        """Numbers of heads below `count`, None where the address has none."""
        asked = self.get(name)
        if asked is None:
            return None
        found = [whole_number(part) for part in asked.split(",", count)] if asked else []
        there = tuple(sorted({head for head in found if head is not None and head < count}))
        if len(there) < len(set(found)):
            self.remarks.append(f"Not all heads of {_quoted(asked)} are in this layer, which has 0 to {count - 1}.")
        return there if there or not asked else None


def whole_number(text: str) -> int | None:
    """The number that up to nine plain digits spell, else None."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _quoted(asked: str | None) -> str:
    return f"“{(asked or '')[:20]}”"
