"""The tensors of a file in each way in which they may be meant: without wrappers' prefixes, and turned round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from core.models.guessing.linear_gpt2 import turned
from core.models.guessing.tensors import Shape, Tensors, tensors_of

# How many parts of names that are in no list are tried without.
MOST_UNKNOWN = 3


def unwrapped(shapes: Mapping[str, Shape]) -> Iterator[Tensors]:
    """The tensors as they are named, and then without each part that most names begin with, one more each time.

    After each follow, where they are GPT-2's out of nn.Linear, the same as GPT-2 has them.
    """
    for prefix in _prefixes(shapes):
        known = tensors_of(shapes, prefix)
        yield known
        if (as_gpt2 := turned(known, shapes, prefix)) is not None:
            yield as_gpt2


def is_linear_gpt2(shapes: Mapping[str, Shape]) -> bool:
    """Whether these are GPT-2's tensors out of nn.Linear, as nanoGPT's and minGPT's are."""
    return any(known.turned for known in unwrapped(shapes))


def _prefixes(shapes: Mapping[str, Shape]) -> Iterator[str]:
    prefix = ""
    for _ in range(MOST_UNKNOWN):
        yield prefix
        begun = Counter(name[len(prefix) :].partition(".")[0] for name in shapes if name.startswith(prefix))
        part, count = max(begun.items(), key=lambda pair: pair[1], default=("", 0))
        if 2 * count <= len(shapes):
            return
        prefix += f"{part}."
    yield prefix
