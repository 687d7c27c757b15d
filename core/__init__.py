"""Headlight's library: a `Model` runs text into a `Trace`; everything else reads a `Trace`.

from core import load
trace = load("all-MiniLM-L6-v2").run("The cat sat.")
trace.attention(layer=3, heads=[0, 5])      # float32, [heads, queries, keys]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.models.model import Model

__all__ = ["load"]


def load(name: str, *, device: str | None = None, dtype: str = "float32", insist: bool = False) -> Model:
    """Open a model by its catalogue name, the path of a local folder or file, or the id of a downloaded hub model.

    name: a hub id is "owner/name" or "owner/name@revision"; `core.models.download` fetches it.
    device: "cpu", "cuda:0", "mps" ...; the best one here when None; "auto" spreads the model over all GPUs, main memory
        and the disk. dtype: "float32", "bfloat16", "float16", or "int8" or "int4", which torchao rounds to.
    insist: open a model even if tensors of its layers are not in its files; its report then says so.
    Raises HeadlightError, one sentence, when the model cannot be opened.
    """
    from core.models.loading import load as load_model

    return load_model(name, device=device, dtype=dtype, insist=insist)
