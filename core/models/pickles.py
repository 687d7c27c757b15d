"""Plain data out of a pickle, read step by step: nothing that it names is imported, made or called."""

from __future__ import annotations

import pickletools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from core.errors import HeadlightError

MOST_BYTES = 1 << 20
_NUMBERS_AND_TEXTS = {
    "SHORT_BINUNICODE", "BINUNICODE", "BININT", "BININT1", "BININT2", "BINFLOAT",
}  # fmt: skip
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_SILENT = {"PROTO", "FRAME"}


@dataclass(frozen=True)
class _Name:
    """What stands for an importable thing: its name, and nothing else."""

    name: str


class _Mark:
    """Where a run of values begins on the stack."""


_MARK = _Mark()


def plain_data(data: bytes, names: Collection[str]) -> Any:
    """What a pickle holds, with a dict of its attributes in the place of every object.

    names: the classes that it may mention, as "module.name"; what it says of them is never done.
    Raises HeadlightError, one sentence, for a pickle that mentions others, holds anything but dicts, texts and numbers,
    or is damaged.
    """
    if len(data) > MOST_BYTES:
        raise HeadlightError(f"The pickle has {len(data):,} bytes and {MOST_BYTES:,} are read: get its file again.")
    try:
        return _read(data, names)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, UnicodeDecodeError, RecursionError) as error:
        raise HeadlightError("The pickle is damaged: get its file again.") from error


def _read(data: bytes, names: Collection[str]) -> Any:
    stack: list[Any] = []
    memo: list[Any] = []
    for operation, argument, _ in pickletools.genops(data):
        code = operation.name
        if code in _NUMBERS_AND_TEXTS:
            stack.append(argument)
        elif code in _CONSTANTS:
            stack.append(_CONSTANTS[code])
        elif code == "MEMOIZE":
            memo.append(stack[-1])
        elif code in ("BINGET", "LONG_BINGET"):
            stack.append(memo[int(argument or 0)])
        elif code == "STOP":
            return stack.pop()
        elif code not in _SILENT:
            _do(code, stack, names)
    raise ValueError("no end")


def _do(code: str, stack: list[Any], names: Collection[str]) -> None:
    """One operation on the stack's upper end."""
    if code == "MARK":
        stack.append(_MARK)
    elif code == "EMPTY_DICT":
        stack.append({})
    elif code == "EMPTY_TUPLE":
        stack.append(())
    elif code == "TUPLE1":
        stack.append((stack.pop(),))
    elif code == "STACK_GLOBAL":
        name, module = stack.pop(), stack.pop()
        stack.append(_allowed(f"{module}.{name}", names))
    elif code in ("NEWOBJ", "REDUCE"):
        _, named = stack.pop(), stack.pop()
        _require(named, _Name)
        stack.append({})
    elif code == "SETITEM":
        value, key = stack.pop(), stack.pop()
        _require(stack[-1], dict)[key] = value
    elif code == "SETITEMS":
        run = _above_mark(stack)
        _require(stack[-1], dict).update(zip(run[::2], run[1::2], strict=True))
    elif code == "BUILD":
        attributes = _require(stack.pop(), dict)
        _require(stack[-1], dict).update(attributes)
    else:
        raise HeadlightError(
            f"The pickle does more than hold plain data ({code}), so it is not read: get its file again."
        )


def _allowed(name: str, names: Collection[str]) -> _Name:
    if name not in names:
        raise HeadlightError(
            f"The pickle names {name[:80]}, which has no place in it, so it is not read: get its file again."
        )
    return _Name(name)


def _above_mark(stack: list[Any]) -> list[Any]:
    place = next(i for i in reversed(range(-1, len(stack))) if i < 0 or stack[i] is _MARK)
    if place < 0:
        raise ValueError("no mark")
    run = stack[place + 1 :]
    del stack[place:]
    return run


def _require(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} in the place of {kind.__name__}")
    return value
