"""The pickle of a torch file, read step by step: nothing that it names is imported, made or called.

As in core.models.pickles, with tensors in addition: what would rebuild one becomes its shape and number format.
Only operations that torch.load(weights_only=True) knows are read, so that what passes here opens there too.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass
from typing import Any

from core.models.checking_files.entries import ITEMSIZE, LONGEST_NAME, checked_shape, is_size
from core.models.checking_files.telling import Wrong, quoted

MOST_STEPS = 2_000_000
ONLY_WEIGHTS = "save the model once more with save_pretrained, or its state_dict() alone"
_VALUES = {"BINUNICODE", "BININT", "BININT1", "BININT2", "BINFLOAT", "LONG1", "SHORT_BINSTRING"}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
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
class _Name:
    """What stands for an importable thing: its name, and nothing else."""

    name: str


@dataclass(frozen=True)
class _Storage:
    dtype: str
    key: str
    nbytes: int


class _Opaque:
    """What stands for a value that is no tensor and holds none."""


class _Noted(dict[str, Any]):
    """The attributes of what stands for settings of a program."""


class _Mark:
    """Where a run of values begins on the stack."""


_MARK, _SOMETHING = _Mark(), _Opaque()


def values_in(data: bytes) -> Any:
    """What the pickle of a torch file holds: dicts, lists, texts and numbers, with StoredTensor for every tensor.

    Raises Wrong for one that names anything else, and an error of Python's for one that is damaged.
    """
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    for step, (operation, argument, _) in enumerate(pickletools.genops(data)):
        code = operation.name
        if step >= MOST_STEPS:
            raise Wrong(f"its pickle takes more than {MOST_STEPS:,} steps", ONLY_WEIGHTS)
        if code in _VALUES:
            stack.append(argument)
        elif code in _CONSTANTS:
            stack.append(_CONSTANTS[code])
        elif code in ("BINPUT", "LONG_BINPUT"):
            memo[int(argument or 0)] = stack[-1]
        elif code in ("BINGET", "LONG_BINGET"):
            stack.append(memo[int(argument or 0)])
        elif code == "GLOBAL":
            stack.append(_allowed(str(argument).replace(" ", ".", 1)))
        elif code == "STOP":
            return stack.pop()
        elif code != "PROTO":
            _do(code, stack)
    raise ValueError("no end")


def _do(code: str, stack: list[Any]) -> None:
    """One operation on the stack's upper end."""
    if code == "MARK":
        stack.append(_MARK)
    elif code == "EMPTY_DICT":
        stack.append({})
    elif code == "EMPTY_LIST":
        stack.append([])
    elif code == "EMPTY_SET":
        stack.append(_SOMETHING)
    elif code == "TUPLE":
        stack.append(tuple(_above_mark(stack)))
    elif code in ("TUPLE1", "TUPLE2", "TUPLE3"):
        length = int(code[-1])
        stack[-length:] = [tuple(stack[-length:])]
    elif code in ("APPEND", "APPENDS"):
        run = [stack.pop()] if code == "APPEND" else _above_mark(stack)
        _require(stack[-1], list).extend(run)
    elif code in ("SETITEM", "SETITEMS"):
        run = [stack.pop(-2), stack.pop()] if code == "SETITEM" else _above_mark(stack)
        _set_items(stack[-1], run)
    elif code == "BINPERSID":
        stack.append(_storage(*_require(stack.pop(), tuple)))
    elif code in ("REDUCE", "NEWOBJ"):
        arguments, named = _require(stack.pop(), tuple), _require(stack.pop(), _Name)
        stack.append(_made(named.name, arguments))
    elif code == "BUILD":
        # Attributes of a state dict, such as the versions of its modules.
        attributes, target = _require(stack.pop(), dict), _require(stack[-1], dict)
        if isinstance(target, _Noted):
            target.update(attributes)
    else:
        raise Wrong(f"its pickle has the operation {code}, which torch.save does not write by itself", ONLY_WEIGHTS)


def _allowed(named: str) -> _Name:
    # Protocol 2 says them as Python 2 did.
    name = named.replace("__builtin__.", "builtins.", 1) if named.startswith("__builtin__.") else named
    if name not in _NAMES:
        raise Wrong(f"it wants to call {quoted(name)}, which could run as a program", ONLY_WEIGHTS)
    return _Name(name)


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
        return _tensor(stored, offset, size, stride, _require(arguments[6], _Name).name.removeprefix("torch."))
    if name in _PARAMETERS and len(arguments) in (3, 4):
        return _require(arguments[0], StoredTensor)
    if name in _OPAQUE:
        return _SOMETHING
    raise Wrong(f"it wants to call {quoted(name)} in a way that makes no tensor", ONLY_WEIGHTS)


def _set_items(target: Any, run: list[Any]) -> None:
    keys, values = run[::2], run[1::2]
    if isinstance(target, _Opaque):
        return
    items = zip(keys, values, strict=True)
    # Others are no names, and numbers and tuples can be chosen so that hashing them takes for ever.
    _require(target, dict).update((key, value) for key, value in items if type(key) is str)


def _storage(kind: Any, named: Any, key: Any, _: Any, count: Any) -> _Storage:
    name = _require(named, _Name).name
    if kind != "storage" or not isinstance(key, str) or len(key) > LONGEST_NAME or not is_size(count):
        raise ValueError("no storage")
    if name == _UNTYPED:
        return _Storage("uint8", key, count)
    dtype = _STORAGES[name.removeprefix("torch.")]
    return _Storage(dtype, key, count * ITEMSIZE[dtype])


def _tensor(stored: Any, offset: Any, size: Any, stride: Any, of: str | None = None) -> StoredTensor:
    storage = _require(stored, _Storage)
    dtype = storage.dtype if of is None else of
    shape = checked_shape("a tensor", _require(size, tuple))
    if len(_require(stride, tuple)) != len(shape) or not all(map(is_size, (offset, *stride))):
        raise ValueError("no tensor")
    reach = sum((length - 1) * step for length, step in zip(shape, stride, strict=True))
    last = offset - 1 if 0 in shape else offset + reach
    if (last + 1) * ITEMSIZE[dtype] > storage.nbytes:
        raise Wrong(f"a tensor in it reaches beyond its part {quoted(f'data/{storage.key}')}")
    return StoredTensor(dtype, shape, storage.key, offset, last)


def _above_mark(stack: list[Any]) -> list[Any]:
    place = len(stack) - 1
    while stack[place] is not _MARK:
        place -= 1
        if place < 0:
            raise ValueError("no mark")
    run = stack[place + 1 :]
    del stack[place:]
    return run


def _require(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError("another kind of value")
    return value
