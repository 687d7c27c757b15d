"""Which part of which layer a parameter belongs to, told from its name and its module's class."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.positions.facts.reading import stack_of

if TYPE_CHECKING:
    from torch import nn

EMBEDDING, HEAD, NORM, FEED_FORWARD = "embedding", "head", "norm", "feed-forward"
ATTENTION = ("attention query", "attention key", "attention value", "attention output")
# In the order of tables and figures.
PARTS = (EMBEDDING, *ATTENTION, FEED_FORWARD, NORM, HEAD)

_IN_ATTENTION = re.compile("att(n|ention)", re.IGNORECASE)
_CROSS = re.compile("cross|encdec|encoder_attn|around_cross", re.IGNORECASE)
_NAMED = {
    "attention query": re.compile("(to_|w|linear_)?q(uery)?(_proj|_lin)?", re.IGNORECASE),
    "attention key": re.compile("(to_|w|linear_)?k(ey)?(_proj|_lin)?", re.IGNORECASE),
    "attention value": re.compile("(to_|w|linear_)?v(alue)?(_proj|_lin)?", re.IGNORECASE),
    "attention output": re.compile("(to_|w)?o(ut|utput)?(_proj|_lin)?|c_proj|dense|proj|linear_out", re.IGNORECASE),
}
_FEED_FORWARD = re.compile(
    "mlp|ffn?|ffn_output|feed_?forward|intermediate|output|densereludense|(fc|lin|linear|w)_?[123]|.*moe|experts?",
    re.IGNORECASE,
)
_HEAD = re.compile(
    "(?!.*multi).*head|(pre_)?classifier|score|cls|qa_outputs|embed_out|vocab_.*|.*predictions", re.IGNORECASE
)
# How nn.LSTM and nn.GRU name the parameters of a layer.
_RECURRENT = re.compile(r"(?:weight|bias)_(?:ih|hh|hr)_l(\d+)(?:_reverse)?")
# Names that tell nothing without the one before them.
_BARE = re.compile(r"dense|linear|\d+")


@dataclass(frozen=True)
class Place:
    """Where parameters belong; see `core.models.moved.LayerMove`."""

    layer: int | None
    stack: str
    part: str


def places_of(network: nn.Module, names: Iterable[str]) -> dict[str, Place]:
    """The place of each parameter of a network. names: with or without a prefix that the network puts before them."""
    classes = {name: type(module).__name__ for name, module in network.named_modules()}
    found = {name: _place(name, classes) for name in names}
    paths = list(dict.fromkeys(place.stack for place in found.values() if place.layer is not None))
    labels = _labels([path for path in paths if path != "cross"], network) | {"cross": "cross"}
    return {
        name: place if place.layer is None else replace(place, stack=labels[place.stack])
        for name, place in found.items()
    }


def _place(name: str, classes: dict[str, str]) -> Place:
    """The place, with the path of the list of layers for its stack."""
    *path, leaf = name.split(".")
    number = next((at for at, each in enumerate(path) if each.isdigit()), len(path))
    if any(_HEAD.fullmatch(each) for each in path[:number]):
        return Place(None, "", HEAD)
    kind = _class_of(".".join(path), classes)
    if (recurrent := _RECURRENT.fullmatch(leaf)) and number == len(path):
        return Place(int(recurrent[1]), ".".join(path), kind)
    if number == len(path):
        return Place(None, "", _part(path, kind, inside=False) if path else leaf)
    below = path[number + 1 :]
    stack = "cross" if any(_CROSS.search(each) for each in below) else ".".join(path[:number])
    return Place(int(path[number]), stack, _part(below, kind, inside=True) if below else kind or leaf)


def _class_of(path: str, classes: dict[str, str]) -> str:
    """The class of a module, whose prefix may have been taken off."""
    return classes.get(path) or next((kind for name, kind in classes.items() if name.endswith(f".{path}")), "")


def _part(path: list[str], kind: str, inside: bool) -> str:
    """inside: whether it lies in a layer."""
    if "norm" in kind.lower():
        return NORM
    if "embedding" in kind.lower() and not inside:
        return EMBEDDING
    if any(_IN_ATTENTION.search(each) for each in path):
        return next((part for part, named in _NAMED.items() if named.fullmatch(path[-1])), _own_name(path))
    if inside and any(_FEED_FORWARD.fullmatch(each) for each in path):
        return FEED_FORWARD
    return _own_name(path)


def _own_name(path: list[str]) -> str:
    return next((each for each in reversed(path) if not _BARE.fullmatch(each)), path[-1])


def _labels(paths: list[str], network: nn.Module) -> dict[str, str]:
    """What each stack is called: nothing where there is one, else by its side, or its path where that is not unique."""
    if len(paths) == 1:
        return {paths[0]: ""}
    modules = [path for path, _ in network.named_modules()]
    # A prefix may have been taken off.
    whole = {path: next((each for each in modules if f".{each}".endswith(f".{path}")), path) for path in paths}
    sides = {path: stack_of(whole[path], network) for path in paths}
    return sides if len(set(sides.values())) == len(paths) else {path: path for path in paths}
