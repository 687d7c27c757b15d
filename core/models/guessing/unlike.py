"""Why no architecture fits a file whose kind is known all the same: networks that only their own program can run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.models.guessing.tensors import Shape

PLUGIN = "open it with its own code, as a plugin (README, “Your own code”; HEADLIGHT_PLUGINS)"
_OF_TORCH = (".in_proj_weight", ".out_proj.weight")
_RECURRENT = "weight_hh_l0"


def why_unlike(tensors: Mapping[str, Shape]) -> str:
    """One sentence on why no architecture fits a file of a known kind, and what to do; "" for other files."""
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


def _ends_with(names: Iterable[str], end: str) -> bool:
    return any(name.endswith(end) for name in names)
