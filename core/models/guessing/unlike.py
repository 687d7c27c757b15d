"""Why no architecture fits a file whose kind is known all the same: networks that only their own program can run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.models.guessing.families.gpt2 import JOINT, PLACES, WORDS
from core.models.guessing.tensors import Shape, Tensors, unwrapped

PLUGIN = "open it with its own code, as a plugin (README, “Your own code”; HEADLIGHT_PLUGINS)"
_OF_TORCH = (".in_proj_weight", ".out_proj.weight")
_RECURRENT = "weight_hh_l0"


def why_unlike(tensors: Mapping[str, Shape]) -> str:
    """One sentence on why no architecture fits a file of a known kind, and what to do; "" for other files."""
    known = list(unwrapped(tensors))
    if any(map(_is_transposed_gpt2, known)):
        return (
            "Its tensors have GPT-2's names, and its matrices lie the other way round: nn.Linear keeps them transposed "
            f"(nanoGPT does), and transformers' GPT-2 has Conv1D. Transpose them, or {PLUGIN}."
        )
    if _ends_with(tensors, _OF_TORCH[0]) and _ends_with(tensors, _OF_TORCH[1]):
        return (
            "Its layers are those of PyTorch's nn.MultiheadAttention (nn.TransformerEncoder has them), which is no "
            f"architecture of transformers: {PLUGIN}."
        )
    if any(name.rpartition(".")[2] == _RECURRENT for name in tensors):
        return (
            "Its layers are those of PyTorch's nn.LSTM, nn.GRU or nn.RNN, and only its own code says what lies between "
            f"them: {PLUGIN}."
        )
    return ""


def _is_transposed_gpt2(tensors: Tensors) -> bool:
    words, joint = tensors.shapes.get(WORDS, ()), tensors.layers.get(JOINT, {})
    if len(words) != 2 or not tensors.has(PLACES):
        return False
    return any(shape == (3 * words[1], words[1]) for shape in joint.values())


def _ends_with(names: Iterable[str], end: str) -> bool:
    return any(name.endswith(end) for name in names)
