"""GPT-2 as nanoGPT and minGPT build it: its names, with nn.Linear for Conv1D, which keeps matrices the other way round.

gpt_bigcode with as many keys as queries has the same names and shapes, and queries, keys and values in another order:
names and shapes cannot tell it apart, and its files have a config.json.
Sources: https://github.com/karpathy/nanoGPT, https://github.com/karpathy/minGPT (model.py)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from core.models.guessing.families.gpt2 import JOINT, PLACES, WORDS
from core.models.guessing.tensors import Shape, Tensors, tensors_of

_MATRICES = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
# nanoGPT leaves them all out with bias=False, its usual setting; networks made after it, those of one kind. Where one
# of a kind is there, the others were lost.
_BIASES = (
    ("ln_1.bias", "ln_2.bias", "ln_f.bias"),
    ("attn.c_attn.bias", "attn.c_proj.bias", "mlp.c_fc.bias", "mlp.c_proj.bias"),
)


def turned(known: Tensors, shapes: Mapping[str, Shape], prefix: str) -> Tensors | None:
    """The tensors with the shapes that GPT-2's have, where they are its own out of nn.Linear; None for others.

    Their joint matrices tell, for the whole file: the one after attention is square and has no shape of its own.
    """
    if not _is_linear(known):
        return None
    matrices = frozenset(
        name for short, name in known.raw.items() if short.endswith(_MATRICES) and len(known.shapes[short]) == 2
    )
    flipped = {name: tuple(shape)[::-1] if name in matrices else shape for name, shape in shapes.items()}
    without = (kind for kind in _BIASES if not any(name.endswith(kind) for name in known.shapes))
    return replace(tensors_of(flipped, prefix), turned=matrices, without=tuple(chain.from_iterable(without)))


def _is_linear(known: Tensors) -> bool:
    """Whether joint matrices are (3 W, W) where GPT-2's are (W, 3 W); no width makes the two one."""
    words = known.shapes.get(WORDS, ())
    if len(words) != 2 or not known.has(PLACES):
        return False
    width = words[1]
    if type(width) is not int or width < 1:
        return False
    joint = list(known.layers.get(JOINT, {}).values())
    return (3 * width, width) in joint and (width, 3 * width) not in joint
