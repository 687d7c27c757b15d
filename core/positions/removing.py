"""Positions taken out of a network: a copy on the same weights, in which no token of the text knows its place.

Every rule makes what depended on the place the same for all places: a table of zeros for vectors that are added and
for biases, no turn for what is rotated, no penalty for what grows with the distance. Only the stack that reads the text
is changed: an encoder-decoder's decoder still writes from left to right. Causal masks and windows stay.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.positions.encoding import Encoding

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# How transformers calls tables that are added to embeddings, biases of a distance, and vectors of a distance.
_TABLE = re.compile(
    r"(^|\.)(position_embeddings?|positions_embed|embed_positions|wpe|(global_)?relative_attention_bias|rel_embeddings)$"
)
# Sinusoids that are a buffer of the stack itself and added.
_ADDED_BUFFERS = ("pos_encoding",)
# Sines and cosines by which heads are turned, a row a position: a buffer of each attention, or a module of the stack.
_TURNING_BUFFERS = ("embed_positions",)
_TURNING_TABLES = ("RoFormerSinusoidalPositionalEmbedding",)
_ROTARY = re.compile(r"Rotary\w*Emb")
# Blocks that are handed what ALiBi adds to the scores, and as what.
_PENALISED = {"BloomBlock": "alibi", "MptBlock": "position_bias"}
# A state or a sum that runs over the tokens.
_RUNNING = re.compile(r"Mamba|RecurrentLayers|GatedDeltaNet|LightningAttention|LinearAttention|Rglru|RecurrentBlock")
# Of our own: a pooling classifier whose encoder runs over nothing reads each word by itself.
_WITHOUT_ANY = ("headlight_pooling",)


def without_positions(network: PreTrainedModel) -> PreTrainedModel:
    """The same network without positions in the stack that reads the text; the given one is left as it is.

    network: a model of transformers or one of our own, as `core.capture.prepare` left it. The copy shares all weights
    that are not positions, and is recorded as the network itself is.
    Raises HeadlightError where order comes in by other ways than positions, or in ways that are not known here.
    """
    _require_in_one_place(network)
    tensors = [*network.parameters(), *network.buffers()]
    bare: Any = copy.deepcopy(network, {id(tensor): tensor for tensor in tensors})
    reading: nn.Module = bare.get_encoder() if bare.config.is_encoder_decoder else bare
    _require_nothing_else(reading, bare.config)
    # A list, because any() would stop at the first that was removed.
    removed = [rule(path, module) for path, module in list(reading.named_modules()) for rule in _RULES]
    if not any(removed) and bare.config.model_type not in _WITHOUT_ANY:
        raise HeadlightError(
            f"Where a model of the family {bare.config.model_type} has its positions is not known here, so they cannot "
            "be taken out: choose another model."
        )
    return bare


def _require_in_one_place(network: nn.Module) -> None:
    if any(hasattr(module, "_hf_hook") for module in network.modules()):
        raise HeadlightError(
            "This model is spread over several devices, so no copy without positions can share its weights: open it on "
            "one device."
        )


def _require_nothing_else(reading: nn.Module, config: Any) -> None:
    """Raise HeadlightError where a module of the stack knows its neighbours or its past."""
    reasons = (_reason(module) for module in reading.modules())
    found = next(filter(None, reasons), None)
    if found is None and getattr(config, "trigram_input", False):
        found = "each embedding is joined with its neighbours'"
    if found is None and getattr(config, "alibi", False) and config.model_type == "falcon":
        found = "its ALiBi is made inside its layers"
    if found:
        raise HeadlightError(
            f"Positions cannot be taken out of a model of the family {config.model_type}, because {found}: choose "
            "another model."
        )


def _reason(module: nn.Module) -> str | None:
    if isinstance(module, nn.RNNBase | nn.RNNCellBase) or _RUNNING.search(type(module).__name__):
        return "order is in its recurrence, which reads word after word"
    if isinstance(module, nn.Conv1d | nn.Conv2d) and max(module.kernel_size) > 1:
        return "order is in its convolution, which reads neighbours together"
    return None


def _without_encoding(path: str, module: nn.Module) -> bool:
    """Our own schemes: the encoding that changes nothing stands in for them."""
    names = [name for name, child in module.named_children() if isinstance(child, Encoding)]
    for name in names:
        setattr(module, name, Encoding())
    return bool(names)


def _without_table(path: str, module: nn.Module) -> bool:
    """Learned tables, fixed sinusoids and biases: zeros of the same shape."""
    if not _TABLE.search(path) or type(module).__name__ in _TURNING_TABLES:
        return False
    return _replaced(module, _names(module), torch.zeros_like)


def _without_added_buffer(path: str, module: nn.Module) -> bool:
    return _replaced(module, [name for name in _ADDED_BUFFERS if name in module._buffers], torch.zeros_like)


def _without_turning_table(path: str, module: nn.Module) -> bool:
    """Tables of sines and cosines: the row of position 0, whose angle is 0, for all positions."""
    names = [name for name in _TURNING_BUFFERS if name in module._buffers]
    if type(module).__name__ in _TURNING_TABLES:
        names = _names(module)
    return _replaced(module, names, _first_row)


def _without_turn(path: str, module: nn.Module) -> bool:
    """Rotary modules: for each position they give the cosine and sine of position 0."""
    if not _ROTARY.search(type(module).__name__):
        return False
    module.register_forward_hook(_unturned)
    return True


def _without_penalty(path: str, module: nn.Module) -> bool:
    """ALiBi that a block is handed: zeros."""
    argument = _PENALISED.get(type(module).__name__)
    if argument is None:
        return False
    module.register_forward_pre_hook(partial(_unpenalised, argument), with_kwargs=True)
    return True


_RULES: tuple[Callable[[str, nn.Module], bool], ...] = (
    _without_encoding,
    _without_table,
    _without_added_buffer,
    _without_turning_table,
    _without_turn,
    _without_penalty,
)


def _names(module: nn.Module) -> list[str]:
    """Tensors of a module's own that are tables: a row a position."""
    own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
    return [name for name, tensor in own if tensor.dim() == 2 and tensor.is_floating_point()]


def _replaced(module: nn.Module, names: Iterable[str], other: Callable[[Tensor], Tensor]) -> bool:
    """Put other tensors in the place of some of a module's; whether there were any."""
    names = list(names)
    for name in names:
        if name in module._buffers:
            module._buffers[name] = other(getattr(module, name))
        else:
            module._parameters[name] = nn.Parameter(other(getattr(module, name).detach()), requires_grad=False)
    return bool(names)


def _first_row(table: Tensor) -> Tensor:
    return table[:1].expand_as(table).clone()  # (1, D) -> (T, D)


def _unturned(module: nn.Module, args: tuple[Any, ...], output: Any) -> Any:
    """What a rotary module gives, as if every token stood at position 0; a scaled cosine keeps its scale."""
    if isinstance(output, tuple | list):
        return type(output)(_unturned(module, args, part) for part in output)
    return output[..., :1, :].expand_as(output)  # (..., T, P), or turned heads (B, H, T, D)


def _unpenalised(
    argument: str, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs | {argument: torch.zeros_like(kwargs[argument])}
