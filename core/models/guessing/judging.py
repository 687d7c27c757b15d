"""A draft judged: the network that its config describes, built without memory for weights, held against the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.models.guessing.results import Draft
from core.models.guessing.tensors import MOST_LAYERS, Shape, bare

MOST_IDS = 1_000_000
MOST_WIDTH = 100_000
MOST_LABELS = 10_000
# Its tensors by bare name: the whole name, and the shape.
Network = dict[str, tuple[str, Shape]]
_ROWS = ("vocab_size", "max_position_embeddings", "n_positions")


def bounded(sizes: Mapping[str, Any]) -> bool:
    """Whether a network of these sizes may be built: beyond, no model is known, and building takes hours."""
    return all(_most(name) >= size > 0 for name, size in sizes.items() if type(size) is int and "_token_id" not in name)


def _most(name: str) -> int:
    if name in _ROWS:
        return MOST_IDS
    if "layers" in name or name == "n_layer":
        return MOST_LAYERS
    return MOST_LABELS if name == "num_labels" else MOST_WIDTH


def network_of(draft: Draft) -> tuple[Network, list[set[str]]] | None:
    """The tensors of a draft's network, by bare name, and the sets of bare names that share one tensor.

    None where no library can build it.
    """
    import transformers

    from core.models.estimate import sketch
    from core.zoo import ARCHITECTURES

    values = {name: value for name, value in draft.config.items() if name != "model_type"}
    try:
        config = transformers.AutoConfig.for_model(draft.model_type, **values)
        model_class = ARCHITECTURES.get(draft.architecture) or getattr(transformers, draft.architecture)
        network: Any = sketch(model_class, config)
        states = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
        ties = dict(network.all_tied_weights_keys or {})
    except Exception:  # sizes that do not go together raise errors of many kinds, and such a draft is no guess
        return None
    tied: dict[str, set[str]] = {}
    for name, source in ties.items():
        tied.setdefault(bare(source), {bare(source)}).add(bare(name))
    return {bare(name): (name, shape) for name, shape in states.items()}, list(tied.values())
