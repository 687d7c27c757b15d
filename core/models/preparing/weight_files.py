"""The weight files of an upload, safetensors or pickles, turned into the safetensors that `load` opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.jobs.boxed import Unboxed
from core.models.checking_files import Header, header_of, state_dict_of
from core.models.preparing.change import Change, Described, Shape
from core.models.preparing.filling import Filling
from core.models.preparing.known_files import INDEX, WEIGHTS, shard
from core.models.preparing.naming import Naming
from core.models.preparing.safetensors_writing import CODES, changed, header_bytes, nbytes_of
from core.models.quoting import shown

BOX = "core.models.preparing.pickle_box:write_safetensors"
# A box for pickles: it maps a file as a whole, and lays out one tensor after the other. 650 MB take 5 s.
SECONDS, BYTES_A_SECOND = 60.0, 20_000_000
USUAL_SECONDS, USUALLY_A_SECOND = 3.0, 130_000_000
SPARE_BYTES = 512 << 20


@dataclass(frozen=True)
class WeightFile:
    """A file, with its header if it is safetensors, and else the keys that lead to its state dict.

    tensors: by name.
    """

    path: Path
    tensors: dict[str, Described]
    header: Header | None = None
    keys: tuple[str, ...] = ()


# What is made, by the name of its file: out of which file, and what becomes of its tensors.
Targets = Mapping[str, tuple[WeightFile, Change]]


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


def put(files: Sequence[WeightFile], named: Naming, into: Filling, whole: str = WEIGHTS) -> list[Path]:
    """Put a model's weights into a folder as safetensors: linked, written as they are to be, or turned by a box.

    Returns the files that were made. Tensors without a new name are left out. whole: what a single file is called;
    several get numbers and an index.
    Raises HeadlightError, one sentence, where a file does not open as its header said, and `Cancelled`.
    """
    files = [file for file in files if any(name in named.names for name in file.tensors)]
    called = [shard(number, len(files)) for number in range(1, len(files) + 1)] if len(files) > 1 else [whole]
    targets = dict(zip(called, zip(files, _changes(files, named), strict=True), strict=True))
    _put_pickles({target: (file, change) for target, (file, change) in targets.items() if file.header is None}, into)
    for target, (file, change) in targets.items():
        if file.header is None:
            continue
        if change.is_none_for(file.tensors):
            into.link(file.path, target)
        else:
            into.tell(f"writing {target}")
            into.require(_size(file, change))
            into.write(target, changed(file.path, file.header, change))
    if len(files) > 1:
        _write_index(targets, into)
    return [into.folder / target for target in targets]


def _changes(files: Sequence[WeightFile], named: Naming) -> list[Change]:
    """What becomes of each file; the first one takes what is added, in the number format of most of its tensors."""
    changes = []
    for number, file in enumerate(files):
        names = {name: named.names[name] for name in file.tensors if name in named.names}
        usual = Counter(file.tensors[name][0] for name in names).most_common(1)[0][0]
        zeros = {} if number else {name: (usual, shape) for name, shape in named.zeros.items()}
        changes.append(Change(names, named.turned.intersection(names), zeros))
    return changes


def _put_pickles(files: Targets, into: Filling) -> None:
    if not files:
        return
    requests = [
        {
            "source": str(file.path.resolve()),
            "keys": file.keys,
            "target": target,
            "names": change.names,
            "turned": sorted(change.turned),
            "zeros": change.zeros,
        }
        for target, (file, change) in files.items()
    ]
    sizes = [file.path.stat().st_size for file, _ in files.values()]
    written = sum(_size(file, change) for file, change in files.values())
    largest = max((nbytes_of(*told) for file, _ in files.values() for told in file.tensors.values()), default=0)
    seconds = SECONDS + (sum(sizes) + written) / BYTES_A_SECOND
    memory = 2 * max(sizes) + 2 * largest + SPARE_BYTES
    first = next(file.path.name for file, _ in files.values())
    step, usual = f"reading {shown(first)} in a process of its own", USUAL_SECONDS + written / USUALLY_A_SECOND
    try:
        with into.boxed(
            BOX, {"files": requests}, seconds=seconds, nbytes=memory, written=written, step=step, usual=usual
        ) as made:
            for target, (file, change) in files.items():
                _check(file, change, into.take(made / target, target))
    except Unboxed as error:
        raise HeadlightError(
            f"“{shown(first)}” cannot be read as weights, because reading it {error.why}: save the model once more "
            "with save_pretrained, which writes safetensors."
        ) from error
    into.notes.append(
        "The weights were pickled; they were turned into safetensors in a process of its own, and nothing in the "
        "pickle was run."
    )


def _size(file: WeightFile, change: Change) -> int:
    """Bytes of the safetensors file that comes out of another."""
    made = change.of(file.tensors)
    return len(header_bytes((name, *told) for name, told in made.items())) + sum(nbytes_of(*t) for t in made.values())


def _check(file: WeightFile, change: Change, made: Path) -> None:
    """What comes out of a box is as untrusted as what went in: it must be what the pickle's header said."""
    found = {name: (entry.dtype, entry.shape) for name, entry in header_of(made).tensors.items()}
    if found != change.of(file.tensors):
        raise HeadlightError(f"“{shown(file.path.name)}” does not hold what its beginning says: get it again.")


def _write_index(targets: Targets, into: Filling) -> None:
    made = {target: change.of(file.tensors) for target, (file, change) in targets.items()}
    places = {name: target for target, held in made.items() for name in held}
    total = sum(nbytes_of(*told) for held in made.values() for told in held.values())
    into.write_json(INDEX, {"metadata": {"total_size": total}, "weight_map": dict(sorted(places.items()))})
