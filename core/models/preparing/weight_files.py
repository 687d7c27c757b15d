"""The weight files of an upload, safetensors or pickles, turned into the safetensors that `load` opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.jobs.boxed import Unboxed
from core.models.checking_files import Header, header_of, state_dict_of
from core.models.preparing.filling import Filling
from core.models.preparing.known_files import INDEX, WEIGHTS, shard
from core.models.preparing.safetensors_writing import CODES, Shape, header_bytes, nbytes_of, renamed
from core.models.quoting import shown

BOX = "core.models.preparing.pickle_box:write_safetensors"
# A box for pickles: it maps a file as a whole, and lays out one tensor after the other. 650 MB take 5 s.
SECONDS, BYTES_A_SECOND = 60.0, 20_000_000
USUAL_SECONDS, USUALLY_A_SECOND = 3.0, 130_000_000
SPARE_BYTES = 512 << 20

Names = Mapping[str, str]


@dataclass(frozen=True)
class WeightFile:
    """A file, with its header if it is safetensors, and else the keys that lead to its state dict.

    tensors: number format, as torch names it, and shape by name.
    """

    path: Path
    tensors: dict[str, tuple[str, Shape]]
    header: Header | None = None
    keys: tuple[str, ...] = ()


def read(path: Path) -> WeightFile:
    """Read a file's header. Raises HeadlightError for a damaged or hostile file, and for numbers not to be kept."""
    if path.suffix.lower() == ".safetensors":
        header = header_of(path)
        return WeightFile(path, {name: (entry.dtype, entry.shape) for name, entry in header.tensors.items()}, header)
    held = state_dict_of(path)
    tensors = {name: (tensor.dtype, tensor.shape) for name, tensor in held.tensors.items()}
    if odd := next((name for name, (dtype, _) in tensors.items() if dtype not in CODES), None):
        raise HeadlightError(
            f"“{shown(path.name)}” holds numbers of the format {tensors[odd][0]} (“{shown(odd)}”), which safetensors "
            "does not know: save it again without them."
        )
    return WeightFile(path, tensors, keys=held.path)


def read_all(paths: Sequence[Path]) -> tuple[WeightFile, ...]:
    """Read the headers of one model's files. Raises HeadlightError also where two of them hold the same tensor."""
    files = tuple(read(path) for path in sorted(paths, key=lambda path: path.name))
    holders: dict[str, Path] = {}
    for file in files:
        for name in file.tensors:
            if name in holders:
                raise HeadlightError(
                    f"The tensor “{shown(name)}” is both in “{shown(holders[name].name)}” and in "
                    f"“{shown(file.path.name)}”: upload the files of one model alone."
                )
            holders[name] = file.path
    if not holders:
        raise HeadlightError("The model's weight files hold no tensor: get them again.")
    return files


def shapes_of(files: Sequence[WeightFile]) -> dict[str, Shape]:
    """All tensors' shapes by name."""
    return {name: shape for file in files for name, (_, shape) in file.tensors.items()}


def put(files: Sequence[WeightFile], names: Names, into: Filling, whole: str = WEIGHTS) -> None:
    """Put a model's weights into a folder as safetensors: linked, written under new names, or turned by a box.

    names: new name by name in the files; tensors without one are left out. whole: what a single file is called;
    several get numbers and an index.
    Raises HeadlightError, one sentence, where a file does not open as its header said, and `Cancelled`.
    """
    files = [file for file in files if any(name in names for name in file.tensors)]
    called = [shard(number, len(files)) for number in range(1, len(files) + 1)] if len(files) > 1 else [whole]
    targets = dict(zip(called, files, strict=True))
    _put_pickles({target: file for target, file in targets.items() if file.header is None}, names, into)
    for target, file in targets.items():
        if file.header is None:
            continue
        if all(names.get(name) == name for name in file.tensors):
            into.link(file.path, target)
        else:
            into.tell(f"writing {target}")
            into.require(_size(file, names))
            into.write(target, renamed(file.path, file.header, names))
    if len(files) > 1:
        _write_index(targets, names, into)


def _put_pickles(files: Mapping[str, WeightFile], names: Names, into: Filling) -> None:
    if not files:
        return
    requests = [
        {
            "source": str(file.path.resolve()),
            "keys": file.keys,
            "target": target,
            "names": {name: names[name] for name in file.tensors if name in names},
        }
        for target, file in files.items()
    ]
    sizes = [file.path.stat().st_size for file in files.values()]
    exact = [_size(file, names) for file in files.values()]
    written = sum(exact)
    largest = max((nbytes_of(*told) for file in files.values() for told in file.tensors.values()), default=0)
    seconds = SECONDS + (sum(sizes) + written) / BYTES_A_SECOND
    memory = 2 * max(sizes) + 2 * largest + SPARE_BYTES
    first = next(iter(files.values())).path.name
    step, usual = f"reading {shown(first)} in a process of its own", USUAL_SECONDS + written / USUALLY_A_SECOND
    try:
        with into.boxed(
            BOX, {"files": requests}, seconds=seconds, nbytes=memory, written=written, step=step, usual=usual
        ) as made:
            for target, file in files.items():
                _check(file, names, into.take(made / target, target))
    except Unboxed as error:
        raise HeadlightError(
            f"“{shown(first)}” cannot be read as weights, because reading it {error.why}: save the model once more "
            "with save_pretrained, which writes safetensors."
        ) from error
    into.notes.append(
        "The weights were pickled; they were turned into safetensors in a process of its own, and nothing in the "
        "pickle was run."
    )


def _size(file: WeightFile, names: Names) -> int:
    """Bytes of the safetensors file that comes out of another."""
    kept = [(names[name], *told) for name, told in file.tensors.items() if name in names]
    return len(header_bytes(kept)) + sum(nbytes_of(dtype, shape) for _, dtype, shape in kept)


def _check(file: WeightFile, names: Names, made: Path) -> None:
    """What comes out of a box is as untrusted as what went in: it must be what the pickle's header said."""
    found = {name: (entry.dtype, entry.shape) for name, entry in header_of(made).tensors.items()}
    if found != {names[name]: told for name, told in file.tensors.items() if name in names}:
        raise HeadlightError(f"“{shown(file.path.name)}” does not hold what its beginning says: get it again.")


def _write_index(targets: Mapping[str, WeightFile], names: Names, into: Filling) -> None:
    places = {names[name]: target for target, file in targets.items() for name in file.tensors if name in names}
    total = sum(nbytes_of(*told) for file in targets.values() for name, told in file.tensors.items() if name in names)
    into.write_json(INDEX, {"metadata": {"total_size": total}, "weight_map": dict(sorted(places.items()))})
