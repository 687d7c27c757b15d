"""The names and shapes of a file, as families ask for them: without wrappers' prefixes, layers counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Shape = tuple[int, ...]

# What may stand before a name and says nothing of its place: wrappers, and the name a class with a head has for its
# stack of layers, which loading adds and removes by itself.
WRAPPERS = (
    "module.", "model.", "_orig_mod.", "network.", "net.", "0.auto_model.", "auto_model.", "bert.", "roberta.",
    "xlm_roberta.", "distilbert.", "electra.", "albert.", "transformer.", "gpt_neox.",
)  # fmt: skip
MOST_WRAPPERS = 6
MOST_LAYERS = 1_000
LONGEST_NAME = 1_000
# Names of before: TensorFlow's for the parts of a norm, and GPT-NeoX's for its head.
_FORMER = {".gamma": ".weight", ".beta": ".bias"}
_FORMER_NAMES = {"embed_out.weight": "lm_head.weight"}
# Constants that older versions of the library saved along; networks compute them.
_CONSTANT_ENDS = ("position_ids", "rotary_emb.inv_freq", ".attn.masked_bias", ".attention.masked_bias")
_CAUSAL_MASKS = (".attn.bias", ".attention.bias")


class UnlikeError(Exception):
    """The tensors are not those of the family that asked."""


def bare(name: str) -> str:
    """A tensor's name without what wrappers put before it, and as today's versions call it."""
    for _ in range(MOST_WRAPPERS):
        if not name.startswith(WRAPPERS):
            break
        name = name[len(next(wrapper for wrapper in WRAPPERS if name.startswith(wrapper))) :]
    for end, today in _FORMER.items():
        if name.endswith(end):
            name = name.removesuffix(end) + today
    return _FORMER_NAMES.get(name, name)


def is_constant(name: str, shape: Shape) -> bool:
    """Whether a tensor holds no weights but what every network of its kind computes: ids of places, masks."""
    return name.endswith(_CONSTANT_ENDS) or (name.endswith(_CAUSAL_MASKS) and len(shape) == 4)


@dataclass(frozen=True)
class Tensors:
    """The tensors of a file.

    shapes    by bare name
    raw       the name in the file, by bare name
    layers    shapes by number of the layer, by bare name with "#" for that number, the first in a name
    prefixes  what stood before the names, as "roberta"
    weights   the names in the file of all tensors that are no constants
    masks     whether some constants are causal masks
    turned    the names in the file of matrices that lie there the other way round than their shapes here say
    without   how the names of biases end that the network was built without
    """

    shapes: dict[str, Shape]
    raw: dict[str, str]
    layers: dict[str, dict[int, Shape]]
    prefixes: frozenset[str]
    weights: tuple[str, ...]
    masks: bool = False
    turned: frozenset[str] = frozenset()
    without: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether there is such a tensor; "#" stands for any layer."""
        return name in self.layers if "#" in name else name in self.shapes

    def shape(self, name: str, dimensions: int) -> Shape:
        """Shape of a tensor, with "#" in its name that of the first layer's. Raises UnlikeError without that many."""
        found = self._layer(name) if "#" in name else self.shapes.get(name)
        if found is None or len(found) != dimensions or not all(type(size) is int and size > 0 for size in found):
            raise UnlikeError(name)
        return found

    def rows(self, name: str, width: int) -> int:
        """Rows of a matrix (rows, width). Raises UnlikeError if it is as wide as anything else."""
        rows, columns = self.shape(name, 2)
        if columns != width:
            raise UnlikeError(name)
        return rows

    def depth(self, *names: str) -> int:
        """Number of layers that have such tensors, gaps counted. Raises UnlikeError for more gaps than layers."""
        numbers = {number for name in names for number in self.layers.get(name, ())}
        depth = max(numbers, default=-1) + 1
        if not 0 < depth <= min(MOST_LAYERS, 2 * len(numbers) + 1):
            raise UnlikeError(names[0])
        return depth

    def told(self, name: str) -> str:
        """A tensor with its shape in the file, as a reason says it."""
        found = (self._layer(name) if "#" in name else self.shapes.get(name)) or ()
        first = name.replace("#", f"{min(self.layers[name])}") if name in self.layers else name
        shape = found[::-1] if self.raw.get(first) in self.turned else found
        return f"{name.replace('#', '*')} ({', '.join(map(str, shape))})"

    def _layer(self, name: str) -> Shape | None:
        found = self.layers.get(name)
        return found[min(found)] if found else None


def tensors_of(shapes: Mapping[str, Shape], prefix: str = "") -> Tensors:
    """Sort a file's tensors. Of two with one bare name only the first can have a place; an endless name has none.

    prefix: what is taken off names before the wrappers that are known.
    """
    by_name: dict[str, Shape] = {}
    raw: dict[str, str] = {}
    layers: dict[str, dict[int, Shape]] = {}
    prefixes: set[str] = set()
    weights: list[str] = []
    masks = False
    for name, given in shapes.items():
        shape = _shape_of(given)
        short = bare(name.removeprefix(prefix))
        if is_constant(short, shape):
            masks = masks or short.endswith(_CAUSAL_MASKS)
            continue
        weights.append(name)
        if short in by_name or len(name) > LONGEST_NAME:
            continue
        by_name[short], raw[short] = shape, name
        prefixes.update(name.split(".")[:MOST_WRAPPERS])
        parts = short.split(".")
        for place, part in enumerate(parts):
            if part.isascii() and part.isdigit() and len(part) < 10:
                pattern = ".".join([*parts[:place], "#", *parts[place + 1 :]])
                layers.setdefault(pattern, {})[int(part)] = shape
                break
    return Tensors(by_name, raw, layers, frozenset(prefixes), tuple(weights), masks)


def _shape_of(given: object) -> Shape:
    """A shape as a tuple; what is none, as headers may hold anything, is one of no dimensions."""
    return tuple(given) if isinstance(given, tuple | list) else ()
