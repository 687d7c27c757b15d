"""What the tensors of an upload are to be called, and which way round, so that `load` finds a place for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeGuard

from core.errors import HeadlightError
from core.models.guessing import Guess, Places, guesses, places
from core.models.guessing.tensors import MOST_LAYERS, Shape, bare, is_constant
from core.models.quoting import shown

# Of the tensors; below, names of another kind are no better than the file's own.
LEAST_PLACED = 0.5
FEW_MODULES = 1_000
NESTED = 20
LONGEST_LIST = 1_000
FORMER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
# What classes with a head call their stack of layers.
STACKS = {"model", "bert", "roberta", "distilbert", "electra", "albert", "transformer", "gpt_neox"}
SHOWN = 3
_COUNTS_MODULES = re.compile(r"layer|expert|block|depth|stage|group")
# What changes how attention is computed or would have other files loaded, and no name.
_LEFT_OUT = re.compile(r"_.*|.*(attn_implementation|backbone|pretrained|path|token_id).*|auto_map|(torch_)?dtype")
_MOST_WIDTH = 100_000
_VOCABULARIES = ("vocab_size", "max_position_embeddings", "n_positions")


@dataclass(frozen=True)
class Naming:
    """What becomes of a model's tensors.

    names   new name by name in the file, of all tensors that are kept
    notes   sentences for the load report
    turned  names in the file of matrices that are transposed
    zeros   shapes of biases, by new name, that the network has and the file was built without
    tied    for tensors in the file that the network has as one unless it is told otherwise, two names in the file
    """

    names: dict[str, str]
    notes: tuple[str, ...] = ()
    turned: frozenset[str] = frozenset()
    zeros: dict[str, Shape] = field(default_factory=dict)
    tied: tuple[tuple[str, str], ...] = ()


def naming(tensors: Mapping[str, Shape], config: Mapping[str, Any]) -> Naming:
    """The names that tensors have in the network of a config, where it has a place for most of them.

    Those without a place keep their name but for the wrapper's part, and loading reports them. What every network
    computes by itself, such as the numbers of places, and a tensor whose name another one gets, are left out.
    Raises HeadlightError where two tensors have one place, as those of two networks in one file.
    """
    found = _placed(tensors, config)
    placed = found.names
    _require_one_each(tensors, placed)
    if len(placed) < LEAST_PLACED * len(tensors):
        return Naming({name: name for name in tensors})
    if all(old == new for old, new in placed.items()) and not found.turned and not found.zeros:
        return Naming({name: name for name in tensors}, tied=found.tied)
    names, taken = dict(placed), {*placed.values(), *found.zeros}
    constant: list[str] = []
    hidden: list[str] = []
    prefix = _wrapper(placed)
    for name in (name for name in tensors if name not in placed):
        if is_constant(bare(name), tuple(tensors[name])):
            constant.append(name)
        # Under the model's own name, loading says that its shape is another.
        elif (free := next((new for new in (name.removeprefix(prefix), name) if new not in taken), None)) is None:
            hidden.append(name)
        else:
            names[name] = free
            taken.add(free)
    notes = (*_notes(placed, constant, hidden), *_notes_of_linear(found))
    return Naming(names, notes, found.turned, found.zeros, found.tied)


def _require_one_each(tensors: Mapping[str, Shape], placed: Mapping[str, str]) -> None:
    """Names tell only by what wraps them whose tensor is whose; one of each place could be of either network."""
    by_bare = {bare(name): name for name in placed}
    for name, shape in tensors.items():
        other = by_bare.get(bare(name), name)
        if name not in placed and tuple(shape) == tuple(tensors[other]) and other != name:
            raise HeadlightError(
                f"“{shown(other)}” and “{shown(name)}” have one place in the model, so the file may hold two networks: "
                "save the one that you want alone."
            )


def _wrapper(placed: Mapping[str, str]) -> str:
    """What stands before most names in the file and is taken off."""
    before = Counter(old.removesuffix(new) for old, new in placed.items() if old.endswith(new))
    return max(before, key=before.__getitem__, default="")


def _placed(tensors: Mapping[str, Shape], config: Mapping[str, Any]) -> Places:
    """The places that the config's network has for the tensors; none where it is not to be built here."""
    # Not above: a box for pickles imports this package too, and would wait for what this imports.
    from core.models.opening.config_trust import is_plain

    model_type, architecture, sizes = config.get("model_type"), _architecture(tensors, config), _sizes(config)
    if not isinstance(model_type, str) or not _is_network_of(architecture, model_type):
        return Places({})
    sizes |= {"model_type": model_type, "architectures": [architecture]}
    # Of other families nobody knows what their configs count; their names stay, and loading takes wrappers off.
    if not is_plain(sizes) or not _is_small(sizes, len(tensors)):
        return Places({})
    return places(tensors, Guess(model_type, architecture, sizes, 1.0, (), (), "", ()))


def _architecture(tensors: Mapping[str, Shape], config: Mapping[str, Any]) -> Any:
    """The class that a config names, or, for one that names none, the likeliest of its family."""
    if named := config.get("architectures"):
        return named[0] if isinstance(named, list) else None
    alike = (guess for guess in guesses(tensors) if guess.model_type == config.get("model_type"))
    return next((guess.architecture for guess in alike), None)


def _is_network_of(architecture: Any, model_type: str) -> TypeGuard[str]:
    """Whether a name is that of a family's network: transformers has much else, which would be called all the same."""
    import transformers

    from core.zoo import ARCHITECTURES

    if not isinstance(architecture, str) or architecture == "PreTrainedModel":
        return False
    named = ARCHITECTURES.get(architecture) or getattr(transformers, architecture, None)
    if not isinstance(named, type) or not issubclass(named, transformers.PreTrainedModel):
        return False
    return getattr(named.config_class, "model_type", None) == model_type


def _sizes(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a config bears on names and shapes; a network of what is left out is of the library's usual sizes."""
    return {
        key: value
        for key, value in config.items()
        if not _LEFT_OUT.fullmatch(key) and key not in ("model_type", "architectures") and _is_plain(key, value)
    }


def _is_plain(key: str, value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= LONGEST_LIST and all(type(part) is not list and _is_plain(key, part) for part in value)
    if type(value) is int and key not in _VOCABULARIES:
        return 0 < value <= _MOST_WIDTH
    return isinstance(value, bool | int | float | str)


def _is_small(sizes: Mapping[str, Any], count: int) -> bool:
    """Whether a network of these sizes has about as many modules as the file has tensors: building others takes long.

    What is nested in others multiplies.
    """
    listed = (size if isinstance(size, list) else [size] for key, size in sizes.items() if _COUNTS_MODULES.search(key))
    counts = [max((size for size in some if type(size) is int), default=1) for some in listed]
    most = max(count, FEW_MODULES)
    return all(size <= min(most, MOST_LAYERS) for size in counts) and prod(counts) <= NESTED * most


def loads_as_named(named: Naming) -> bool:
    """Whether loading finds the tensors under their old names too, for it knows former ones and the stack's own."""
    return (
        not named.turned
        and not named.zeros
        and all(old == new or _differs_by_stack(old, new) for old, new in named.names.items())
    )


def _differs_by_stack(old: str, new: str) -> bool:
    for former, today in FORMER.items():
        old = old.removesuffix(former) + today if old.endswith(former) else old
    if old == new:
        return True
    longer, shorter = (old, new) if len(old) > len(new) else (new, old)
    return longer.endswith(f".{shorter}") and longer.removesuffix(f".{shorter}") in STACKS


def _notes(placed: Mapping[str, str], constant: list[str], hidden: list[str]) -> list[str]:
    changed = [(old, new) for old, new in placed.items() if old != new]
    notes = []
    if changed:
        old, new = changed[0]
        notes.append(
            f"{_counted(len(changed))} renamed to what the model calls {'it' if len(changed) == 1 else 'them'}: "
            f"“{shown(old)}” became “{shown(new)}”."
        )
    if constant:
        notes.append(f"{_counted(len(constant))} left out, because the model computes it itself{_some(constant)}.")
    if hidden:
        notes.append(f"{_counted(len(hidden))} left out, because another has that name in the model{_some(hidden)}.")
    return notes


def _notes_of_linear(found: Places) -> list[str]:
    """What is told of GPT-2's tensors out of nn.Linear."""
    notes = []
    if found.turned:
        counted = "1 matrix was" if len(found.turned) == 1 else f"{len(found.turned):,} matrices were"
        notes.append(
            f"{counted} transposed: nn.Linear keeps them the other way round than transformers' GPT-2, which has "
            "Conv1D."
        )
    if found.zeros:
        counted = "1 bias" if len(found.zeros) == 1 else f"{len(found.zeros):,} biases"
        notes.append(f"Zeros, which change nothing, stand for {counted} that the network was built without.")
    return notes


def _counted(count: int) -> str:
    return "1 tensor was" if count == 1 else f"{count:,} tensors were"


def _some(names: list[str]) -> str:
    more = ", …" if len(names) > SHOWN else ""
    return f" ({', '.join(f'“{shown(name)}”' for name in names[:SHOWN])}{more})"
