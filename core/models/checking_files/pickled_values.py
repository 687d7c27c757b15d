"""The pickle of a torch file, read step by step: nothing that it names is imported, made or called.

What would rebuild a tensor becomes its shape and number format. Only steps that torch.load(weights_only=True) knows
are taken, so that what passes here opens there too.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass
from typing import Any

from core.models.checking_files.entries import ITEMSIZE, LONGEST_NAME, checked_shape, is_size
from core.models.checking_files.telling import Wrong, quoted
from core.models.pickle_steps import STEPS, Name, Stack, Steps, required

MOST_STEPS = 2_000_000
ONLY_WEIGHTS = "save the model once more with save_pretrained, or its state_dict() alone"
_STORAGES = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
    "ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}  # fmt: skip
_UNTYPED = "torch.storage.UntypedStorage"
_ORDERED, _REBUILT, _REBUILT_TYPED = (
    "collections.OrderedDict", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3"
)  # fmt: skip
# What Lightning and others keep of a command line: attributes, and nothing that runs.
_NOTED = "argparse.Namespace"
_PARAMETERS = {"torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state"}
# Values beside the tensors, which stay unread; torch.load knows them without being told.
_OPAQUE = {
    "collections.Counter", "torch.Size", "torch.device", "_codecs.encode", "builtins.bytearray", "builtins.set",
    "builtins.complex",
}  # fmt: skip
_NAMES = (
    {_UNTYPED, _ORDERED, _REBUILT, _REBUILT_TYPED, _NOTED} | _PARAMETERS | _OPAQUE
    | {f"torch.{name}" for name in _STORAGES} | {f"torch.{name}" for name in ITEMSIZE}
)  # fmt: skip


@dataclass(frozen=True)
class StoredTensor:
    """A tensor that the pickle would rebuild from a part of the file.

    key         the part's name below data/
    first, last the numbers of the part that it begins and ends with; last is first - 1 without numbers
    """

    dtype: str
    shape: tuple[int, ...]
    key: str
    first: int
    last: int


@dataclass(frozen=True)
class _Storage:
    dtype: str
    key: str
    nbytes: int


class _Opaque:
    """What stands for a value that is no tensor and holds none."""


class _Noted(dict[str, Any]):
    """The attributes of what stands for settings of a program."""


_SOMETHING = _Opaque()


def values_in(data: bytes) -> Any:
    """What the pickle of a torch file holds: dicts, lists, texts and numbers, with StoredTensor for every tensor.

    Raises Wrong for one that names anything else, and an error of Python's for one that is damaged.
    """
    stack = Stack()
    for step, (operation, argument, _) in enumerate(pickletools.genops(data)):
        code = operation.name
        if step >= MOST_STEPS:
            raise Wrong(f"its pickle takes more than {MOST_STEPS:,} steps", ONLY_WEIGHTS)
        if code not in _STEPS:
            raise Wrong(f"its pickle has the operation {code}, which torch.save does not write by itself", ONLY_WEIGHTS)
        _STEPS[code](stack, argument)
    return stack.pop()


def _push_name(stack: Stack, argument: str) -> None:
    named = argument.replace(" ", ".", 1)
    # Protocol 2 says them as Python 2 did.
    name = named.replace("__builtin__.", "builtins.", 1) if named.startswith("__builtin__.") else named
    if name not in _NAMES:
        raise Wrong(f"it wants to call {quoted(name)}, which could run as a program", ONLY_WEIGHTS)
    stack.push(Name(name))


def _push_made(stack: Stack, _: Any) -> None:
    arguments, named = stack.pop(tuple), stack.pop(Name)
    stack.push(_made(named.name, arguments))


def _append(stack: Stack, run: list[Any]) -> None:
    stack.top(list).extend(run)


def _set_items(stack: Stack, run: list[Any]) -> None:
    target = stack.top()
    if isinstance(target, _Opaque):
        return
    items = zip(run[::2], run[1::2], strict=True)
    # Others are no names, and numbers and tuples can be chosen so that hashing them takes for ever.
    required(target, dict).update((key, value) for key, value in items if type(key) is str)


def _set_attributes(stack: Stack, _: Any) -> None:
    # Those of a state dict, such as the versions of its modules, are none of its tensors.
    attributes, target = stack.pop(dict), stack.top(dict)
    if isinstance(target, _Noted):
        stack.count_copied(len(attributes))
        target.update(attributes)


_STEPS: Steps = {
    **STEPS,
    "LONG1": Stack.push,
    "SHORT_BINSTRING": Stack.push,
    "EMPTY_LIST": lambda stack, _: stack.push([]),
    "EMPTY_SET": lambda stack, _: stack.push(_SOMETHING),
    "TUPLE": lambda stack, _: stack.push(tuple(stack.run())),
    "TUPLE2": lambda stack, _: stack.push(tuple(stack.last(2))),
    "TUPLE3": lambda stack, _: stack.push(tuple(stack.last(3))),
    "BINPUT": Stack.remember,
    "LONG_BINPUT": Stack.remember,
    "APPEND": lambda stack, _: _append(stack, stack.last(1)),
    "APPENDS": lambda stack, _: _append(stack, stack.run()),
    "SETITEM": lambda stack, _: _set_items(stack, stack.last(2)),
    "SETITEMS": lambda stack, _: _set_items(stack, stack.run()),
    "GLOBAL": _push_name,
    "BINPERSID": lambda stack, _: stack.push(_storage(*stack.pop(tuple))),
    "REDUCE": _push_made,
    "NEWOBJ": _push_made,
    "BUILD": _set_attributes,
}


def _made(name: str, arguments: tuple[Any, ...]) -> Any:
    """What calling `name` with `arguments` would give, told and not done."""
    if name == _ORDERED and not arguments:
        return {}
    if name == _NOTED and not arguments:
        return _Noted()
    if name == _REBUILT and len(arguments) in (6, 7):
        return _tensor(*arguments[:4])
    if name == _REBUILT_TYPED and len(arguments) in (7, 8):
        stored, offset, size, stride = arguments[:4]
        return _tensor(stored, offset, size, stride, required(arguments[6], Name).name.removeprefix("torch."))
    if name in _PARAMETERS and len(arguments) in (3, 4):
        return required(arguments[0], StoredTensor)
    if name in _OPAQUE:
        return _SOMETHING
    raise Wrong(f"it wants to call {quoted(name)} in a way that makes no tensor", ONLY_WEIGHTS)


def _storage(kind: Any, named: Any, key: Any, _: Any, count: Any) -> _Storage:
    name = required(named, Name).name
    if kind != "storage" or not isinstance(key, str) or len(key) > LONGEST_NAME or not is_size(count):
        raise ValueError("no storage")
    if name == _UNTYPED:
        return _Storage("uint8", key, count)
    dtype = _STORAGES[name.removeprefix("torch.")]
    return _Storage(dtype, key, count * ITEMSIZE[dtype])


def _tensor(stored: Any, offset: Any, size: Any, stride: Any, of: str | None = None) -> StoredTensor:
    storage = required(stored, _Storage)
    dtype = storage.dtype if of is None else of
    shape = checked_shape("a tensor", required(size, tuple))
    if len(required(stride, tuple)) != len(shape) or not all(map(is_size, (offset, *stride))):
        raise ValueError("no tensor")
    reach = sum((length - 1) * step for length, step in zip(shape, stride, strict=True))
    last = offset - 1 if 0 in shape else offset + reach
    if (last + 1) * ITEMSIZE[dtype] > storage.nbytes:
        raise Wrong(f"a tensor in it reaches beyond its part {quoted(f'data/{storage.key}')}")
    return StoredTensor(dtype, shape, storage.key, offset, last)
