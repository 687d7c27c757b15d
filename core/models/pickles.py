"""Plain data out of a pickle, read step by step: nothing that it names is imported, made or called."""

from __future__ import annotations

import pickletools
from collections.abc import Collection
from functools import partial
from typing import Any

from core.errors import HeadlightError
from core.models.pickle_steps import STEPS, Name, Stack, Steps, nothing, required
from core.models.quoting import shown

MOST_BYTES = 1 << 20
# Never a tuple: hashing tuples in tuples takes more of the interpreter's own stack than there is.
_KEYS = (str, int, float)
_VALUES = (*_KEYS, dict, type(None))


def plain_data(data: bytes, names: Collection[str]) -> Any:
    """What a pickle holds, with a dict of its attributes in the place of every object.

    names: the classes that it may mention, as "module.name"; what it says of them is never done.
    Raises HeadlightError, one sentence, for a pickle that mentions others, holds anything but dicts, texts and numbers,
    or is damaged.
    """
    if len(data) > MOST_BYTES:
        raise HeadlightError(f"The pickle has {len(data):,} bytes and {MOST_BYTES:,} are read: get its file again.")
    try:
        return _read(data, _STEPS | {"STACK_GLOBAL": partial(_push_name, names)})
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, UnicodeDecodeError, RecursionError) as error:
        raise HeadlightError("The pickle is damaged: get its file again.") from error


def _read(data: bytes, steps: Steps) -> Any:
    stack = Stack()
    for operation, argument, _ in pickletools.genops(data):
        if operation.name not in steps:
            raise HeadlightError(
                f"The pickle does more than hold plain data ({operation.name}), so it is not read: get its file again."
            )
        steps[operation.name](stack, argument)
    return stack.pop(_VALUES)


def _push_name(names: Collection[str], stack: Stack, _: Any) -> None:
    module, name = stack.last(2)
    named = f"{required(module, str)}.{required(name, str)}"
    if named not in names:
        raise HeadlightError(
            f"The pickle names {shown(named)}, which has no place in it, so it is not read: get its file again."
        )
    stack.push(Name(named))


def _push_object(stack: Stack, _: Any) -> None:
    stack.pop(tuple)
    stack.pop(Name)
    stack.push({})


def _set_items(stack: Stack, run: list[Any]) -> None:
    target = stack.top(dict)
    for key, value in zip(run[::2], run[1::2], strict=True):
        target[required(key, _KEYS)] = required(value, _VALUES)


def _set_attributes(stack: Stack, _: Any) -> None:
    attributes = stack.pop(dict)
    stack.count_copied(len(attributes))
    stack.top(dict).update(attributes)


_STEPS = {
    **STEPS,
    "FRAME": nothing,
    "SHORT_BINUNICODE": Stack.push,
    "MEMOIZE": lambda stack, _: stack.remember_next(),
    "NEWOBJ": _push_object,
    "REDUCE": _push_object,
    "SETITEM": lambda stack, _: _set_items(stack, stack.last(2)),
    "SETITEMS": lambda stack, _: _set_items(stack, stack.run()),
    "BUILD": _set_attributes,
}
