"""What is known about a loaded model before it reads anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.positions.facts import facts_of

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel

    from core.capture import Call

# Of our own networks, by what their configs say: a state that is carried on knows the order, a mean does not.
_OF_OURS = {
    "none": "no",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
    "shaw": "Shaw relative",
    "relative": "relative bias",
    "rotary": "rotary",
    "alibi": "ALiBi",
    "bilstm": "recurrence",
    "cnn": "convolution",
    "average": "no",
    "mlp": "no",
}
# Of all others, by what was read from their weights. The first that a model has names it: what acts in the scores tells
# more than a table beside it.
_BY_FACT = {
    "relative": "relative bias",
    "deberta": "disentangled",
    "shaw": "Shaw relative",
    "alibi": "ALiBi",
    "rotary": "rotary",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
}
# Where nothing was read from weights, but the family is known. Some have recurrent layers between those that attend.
_BY_FAMILY = {
    "xlnet": "Transformer-XL relative",
    "granitemoehybrid": "recurrence",
    "jamba": "recurrence",
    "nemotron_h": "recurrence",
}


@dataclass(frozen=True)
class ModelCard:
    """Facts about a model, read from its config and from one probe run.

    family            transformers' model type, such as "bert"
    streams           as in `core.capture.Trace`; () for a model without attention
    layers, heads     by stream; heads is the largest count where layers differ
    key_value_heads   by stream; fewer than heads where query heads share them
    widths            by stream; width of one head's queries and keys, 0 where only its weights are kept
    positions         positional scheme: "learned", "sinusoidal", "rotary", "relative bias", "disentangled", "Shaw
                      relative", "ALiBi", "Transformer-XL relative" or "unknown"; "no" where a network of our own has
                      none; "recurrence" or "convolution" in the place of a scheme
    max_tokens        tokens it reads, special ones included
    writes            whether it can go on by itself: decoders and encoder-decoders
    answers           whether it is an encoder-decoder that can be made to say a target
    """

    name: str
    family: str
    streams: tuple[str, ...]
    layers: dict[str, int]
    heads: dict[str, int]
    key_value_heads: dict[str, int]
    widths: dict[str, int]
    positions: str
    max_tokens: int
    writes: bool
    answers: bool = False


def card_of(name: str, network: PreTrainedModel, calls: Sequence[Call], max_tokens: int) -> ModelCard:
    """The card of a network, from its config and the attention calls of one run."""
    by_stream: dict[str, list[Call]] = {}
    for call in calls:
        by_stream.setdefault(call.stream, []).append(call)
    return ModelCard(
        name=name,
        family=network.config.model_type,
        streams=tuple(by_stream),
        layers={stream: len(calls) for stream, calls in by_stream.items()},
        heads={stream: max(c.heads for c in calls) for stream, calls in by_stream.items()},
        key_value_heads={stream: max(c.key_value_heads for c in calls) for stream, calls in by_stream.items()},
        widths={stream: max(_width(c) for c in calls) for stream, calls in by_stream.items()},
        positions=positional_scheme(network),
        max_tokens=max_tokens,
        writes=network.can_generate(),
        answers=bool(network.config.is_encoder_decoder),
    )


def _width(call: Any) -> int:
    query = getattr(call, "query", None)
    return 0 if query is None else int(query.shape[-1])


def positional_scheme(network: nn.Module) -> str:
    """The positional scheme of a network with a config, in the words of `ModelCard.positions`."""
    config: Any = network.config
    if str(config.model_type).startswith("headlight_"):
        declared = getattr(config, "positions", None) or getattr(config, "encoder", None)
        return _OF_OURS.get(str(declared), "unknown") if declared else "recurrence"
    found = {fact.scheme for fact in facts_of(network)}
    told = (words for scheme, words in _BY_FACT.items() if scheme in found)
    return next(told, _BY_FAMILY.get(config.model_type, "unknown"))
