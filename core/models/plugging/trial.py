"""The first runs of a user's module: what it answers, where it looks its tokens up, what its attention lies over.

Shapes: B texts, T tokens.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.capture import record
from core.capture.kept import Call
from core.capture.streams import declared_stream
from core.capture.tap import SOFTMAXES
from core.errors import HeadlightError
from core.models.first_text import first_text
from core.models.plugging.answering import Answering, answering_of
from core.models.plugging.shell import Plugged, called
from core.models.reading import Reading
from core.text import TextEncoder, Tokens

# Numbers of tokens that hardly any network has of anything else; two tell what depends on the text from what does not.
LENGTHS = (11, 7)
ROWS = 5
TEXTS = 2


@dataclass
class Lookups:
    """What the module looked up. tables: those that took the tokens themselves; positions: rows left for positions."""

    tables: list[nn.Embedding] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)


def tried(
    name: str, module: nn.Module, encoder: TextEncoder, device: str, labels: int, start: int
) -> tuple[Answering, Lookups]:
    """How a module answers, and what it looks up. Raises HeadlightError for answers that no page could show."""
    lookups = Lookups()
    answers = [(length, answer_to(module, encoder, device, start, length, lookups)) for length in LENGTHS]
    rows = ROWS if "decoder_input_ids" in inspect.signature(module.forward).parameters else None
    vocabulary = min((table.num_embeddings for table in lookups.tables), default=0)
    return answering_of(name, answers, TEXTS, rows, vocabulary, labels), lookups


@torch.no_grad()
def answer_to(
    module: nn.Module, encoder: TextEncoder, device: str, start: int, length: int, lookups: Lookups | None = None
) -> Any:
    """The module's answer to two texts of so many tokens; what it looks up meanwhile is noted."""
    ids = torch.tensor([probe_tokens(encoder, length).ids] * TEXTS, device=device)  # (B, T)
    others = {"attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    others["decoder_input_ids"] = ids.new_full((TEXTS, ROWS), start)
    taken = {key: value for key, value in others.items() if key in inspect.signature(module.forward).parameters}
    with _watching(module, ids, lookups or Lookups()):
        return called(module, ids, taken)


def probe_tokens(encoder: TextEncoder, length: int) -> Tokens:
    """So many tokens of a short text."""
    ids = encoder.encode(first_text(encoder, length)).ids
    return encoder.tokens_of_ids((ids * length)[:length])


def settle_streams(network: Plugged, encoder: TextEncoder, device: str) -> bool:
    """Tell each of the module's attentions what it lies over, as texts of two lengths show; whether there is any.

    A map as high as wide would not show it, so what has been seen is set as `attention_stream`, which
    `core.capture.streams` reads. Raises HeadlightError, with what to change, for attention that is not about the text's
    tokens, and for a softmax over them that multiplies nothing in a way that can be followed.
    """
    name = str(network.config.name_or_path)
    streams: dict[str, set[str]] = {}
    softmaxes = []
    for length in LENGTHS:
        counting, reading = _Softmaxes(length), _probe(network, encoder, length)
        with torch.no_grad(), record(network) as recording, counting:
            network(**network.taken_of(reading.inputs(device)))
        softmaxes.append(counting.count)
        for call in recording.calls:
            _require_tokens(name, call, reading.sides())
            streams.setdefault(call.path, set()).add(call.stream)
    if not streams and min(softmaxes):
        raise HeadlightError(
            f"{name}: its softmax over the tokens multiplies nothing in a way that can be followed: put the texts "
            "first, and sum the states by weights @ states, by an einsum or by (weights[..., None] * states).sum(1)."
        )
    for path, seen in streams.items():
        module = network.get_submodule(path)
        if len(seen) == 1 and declared_stream(module) is None:
            module.attention_stream = next(iter(seen))  # type: ignore[assignment]
    return bool(streams)


@torch.no_grad()
def runs_on_embeddings(network: Plugged, encoder: TextEncoder, device: str) -> bool:
    """Whether the module runs when embeddings stand in the place of its tokens, as gradients need it.

    Of an encoder-decoder nobody asks: what cannot write is not explained.
    """
    if network.config.is_encoder_decoder:
        return False
    inputs = network.taken_of(_probe(network, encoder, LENGTHS[0]).inputs(device))
    ids = inputs.pop("input_ids")
    try:
        network(inputs_embeds=network.get_input_embeddings()(ids), **inputs)
    except HeadlightError:
        return False
    return True


def _probe(network: Plugged, encoder: TextEncoder, length: int) -> Reading:
    start = network.config.decoder_start_token_id
    decoder = None if start is None else encoder.tokens_of_ids([start] * ROWS)
    return Reading(probe_tokens(encoder, length), decoder)


def _require_tokens(name: str, call: Call, sides: Mapping[str, tuple[Tokens, Tokens]]) -> None:
    """Raise HeadlightError unless the rows and columns of a call are tokens."""
    where = f"the attention in {call.path.removeprefix('module.') or 'its forward'}"
    rows, columns = sides.get(call.stream, (None, None))
    count = len(next(iter(sides.values()))[1] if columns is None else columns)
    if call.keys != count:
        raise HeadlightError(
            f"{name}: {where} is over {call.keys:,} states of a text of {count:,} tokens: let it see one state a "
            "token, hide some by a mask, and leave signs of its own to the tokenizer."
        )
    if rows is None and call.queries == count:
        raise HeadlightError(f"{name}: {where} is that of a decoder: let the module's forward take decoder_input_ids.")
    if rows is None or call.queries != len(rows):
        wanted = "once in all or once a token" if len(sides) < 3 else "once for each of its decoder_input_ids"
        raise HeadlightError(
            f"{name}: {where} asks {call.queries:,} times about a text of {count:,} tokens: let it ask {wanted}, give "
            "each of several attentions a module of its own, and let a decoder take decoder_input_ids."
        )


class _Softmaxes(TorchFunctionMode):
    """Counts softmaxes over as many things as the text has tokens."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length
        self.count = 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in SOFTMAXES:
            dim = (kwargs or {}).get("dim", args[1] if len(args) > 1 else None)
            self.count += result.shape[-1 if dim is None else dim] == self.length
        return result


@contextmanager
def _watching(module: nn.Module, ids: Tensor, lookups: Lookups) -> Iterator[None]:
    """Inside the block, note which tables take the tokens `ids` (B, T), and which their places."""

    def note(table: nn.Module, args: tuple[Any, ...]) -> None:
        given = args[0] if args else None
        if not isinstance(table, nn.Embedding) or not isinstance(given, Tensor):
            return
        if given.shape == ids.shape and torch.equal(given, ids):
            lookups.tables += [] if any(table is known for known in lookups.tables) else [table]
        elif given.dim() and given.shape[-1] == ids.shape[1]:
            places = given.reshape(-1, given.shape[-1])[0]
            if torch.equal(places - places[0], torch.arange(len(places), device=places.device)):
                lookups.positions.append(table.num_embeddings - int(places[0]))

    tables = [each for each in module.modules() if isinstance(each, nn.Embedding)]
    handles = [table.register_forward_pre_hook(note) for table in tables]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
