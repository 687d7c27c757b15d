"""The stack that a pickle works on, and the steps that only put values on it: nothing is imported, made or called.

A reader knows these steps and its own, which say what stands for a thing that the pickle names or would call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Name:
    """What stands for an importable thing: its name, and nothing else."""

    name: str


# A pickle of a few bytes may ask again and again for what takes long.
MOST_COPIED = 4_000_000


class _Mark:
    """Where a run of values begins on the stack."""


_MARK = _Mark()


class Stack:
    """The values that a pickle has put down and not taken up, and those that it remembers by number.

    Whatever is not there, or of another kind than asked for, raises IndexError, KeyError, TypeError or ValueError.
    """

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._copied = 0

    def push(self, value: Any) -> None:
        """Put a value down."""
        self._values.append(value)

    def top(self, kind: type | tuple[type, ...] = object) -> Any:
        """The uppermost value, which stays."""
        return required(self._values[-1], kind)

    def pop(self, kind: type | tuple[type, ...] = object) -> Any:
        """Take the uppermost value up."""
        value = self.top(kind)
        del self._values[-1]
        return value

    def last(self, count: int) -> list[Any]:
        """Take so many values up, in the order in which they were put down."""
        return [self.pop() for _ in range(count)][::-1]

    def count_copied(self, values: int) -> None:
        """Count values that a step copies, which are no steps of their own. Raises ValueError beyond a bound."""
        self._copied += values
        if self._copied > MOST_COPIED:
            raise ValueError("copies too much")

    def mark(self) -> None:
        """Begin a run of values."""
        self._values.append(_MARK)

    def run(self) -> list[Any]:
        """Take up the last mark and the values since."""
        place = len(self._values) - 1
        while self._values[place] is not _MARK:
            place -= 1
            if place < 0:
                raise ValueError("no mark")
        run = self._values[place + 1 :]
        del self._values[place:]
        return run

    def remember(self, number: int) -> None:
        """Remember the uppermost value."""
        self._memo[number] = self.top()

    def remember_next(self) -> None:
        """Remember the uppermost value under the first number that is free."""
        self.remember(len(self._memo))

    def recall(self, number: int) -> None:
        """Put a remembered value down once more."""
        self.push(self._memo[number])


def required(value: Any, kind: type | tuple[type, ...]) -> Any:
    """The value, or TypeError where it is of another kind; a mark is of none."""
    if value is _MARK or not isinstance(value, kind):
        raise TypeError("another kind of value")
    return value


def nothing(stack: Stack, argument: Any) -> None:
    """The step that changes no value."""


Steps = Mapping[str, Callable[[Stack, Any], None]]
# What every reader knows, by the names of pickletools; each is given its argument, None where it takes none.
STEPS: Steps = {
    **dict.fromkeys(("PROTO", "STOP"), nothing),
    **dict.fromkeys(("BINUNICODE", "BININT", "BININT1", "BININT2", "BINFLOAT"), Stack.push),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), Stack.recall),
    "NONE": lambda stack, _: stack.push(None),
    "NEWTRUE": lambda stack, _: stack.push(True),
    "NEWFALSE": lambda stack, _: stack.push(False),
    "EMPTY_TUPLE": lambda stack, _: stack.push(()),
    "EMPTY_DICT": lambda stack, _: stack.push({}),
    "TUPLE1": lambda stack, _: stack.push((stack.pop(),)),
    "MARK": lambda stack, _: stack.mark(),
}
