"""Seconds against length, measured live: reading a source, reading a target at once, writing one token by token.

The source is n tokens of the model's own vocabulary, and n tokens are written, whatever the model would say. A
recurrent network carries its state from token to token, a library's Transformer its cache of keys and values; networks
that keep nothing read all that is written at each step.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.model import Model

# A model gives no more points once one of them would take so long, all its passes together.
MOST_SECONDS = 10.0
# A first pass warms up; then so many are timed as fit into so many seconds, at least and at most these.
SECONDS_A_PART = 0.25
LEAST, MOST = 3, 15

# Given the newest token of the one target (1,), the logits (1, V) of the next.
_Write = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Timing:
    """Medians of a model at one length, in seconds.

    model            its name
    length           tokens of the source
    encode_seconds   the encoder reads the source
    forced_seconds   encoder and decoder read source and target (teacher forcing), the target's tokens all given
    decode_seconds   the target is written token by token, for a source that was read before
    tokens           of the target, as many as the source has
    """

    model: str
    length: int
    encode_seconds: float
    forced_seconds: float
    decode_seconds: float
    tokens: int


def timings(models: Sequence[Model], lengths: Sequence[int], job: Job | None = None) -> Iterator[Timing]:
    """Measure each model at each length, the shortest first, and yield each point when it is there.

    A model ends early at the tokens it reads, and where a point takes more than MOST_SECONDS or would, as foreseen from
    those before. Others who use the device meanwhile spoil the numbers. job: told of each point, and may end the
    measuring between two tokens. Raises HeadlightError for a model that does not write an answer to a source.
    """
    for model in models:
        if not model.card.answers or not model.card.writes:
            raise HeadlightError(f"{model.name} is no encoder-decoder that writes: leave it out of the comparison.")
    points = [(length, model) for length in sorted(set(lengths)) for model in models]
    known: dict[int, tuple[Timing, ...]] = {id(model): () for model in models}
    for done, (length, model) in enumerate(points):
        if job is not None:
            job.advance(done, len(points), f"{model.name}, {length:,} tokens")
        before = known[id(model)]
        if length > model.card.max_tokens or (1 + LEAST) * foreseen(before, length) > MOST_SECONDS:
            continue
        timing = _measured(model, length, job)
        known[id(model)] = (*before, timing)
        if math.isfinite(_total(timing)):
            yield timing


def foreseen(before: Sequence[Timing], length: int) -> float:
    """Seconds of one pass of all parts at a length, from the points before: by the power law of the last two.

    Its power is 1 to 3, and 2 where there is only one point. 0 where there is none.
    """
    if not before:
        return 0.0
    *_, last = before
    power = 2.0
    if len(before) > 1 and 0.0 < _total(before[-2]) <= _total(last) < math.inf:
        power = math.log(_total(last) / _total(before[-2])) / math.log(last.length / before[-2].length)
    return _total(last) * (length / last.length) ** min(3.0, max(1.0, power))


def _total(timing: Timing) -> float:
    return timing.encode_seconds + timing.forced_seconds + timing.decode_seconds


class _TooLong(Exception):
    """A point takes more than MOST_SECONDS."""


@torch.no_grad()
def _measured(model: Model, length: int, job: Job | None) -> Timing:
    """One point; of infinite seconds where it takes too long."""
    network: Any = model.network
    source, target = _tokens(model, length, seed=0), _tokens(model, length, seed=1)
    mask, encoder = torch.ones_like(source), network.get_encoder()
    deadline = time.perf_counter() + MOST_SECONDS

    def check() -> None:
        if job is not None:
            job.check()
        if time.perf_counter() > deadline:
            raise _TooLong

    def encode() -> Any:
        return encoder(input_ids=source, attention_mask=mask)

    def force() -> None:
        network(input_ids=source, attention_mask=mask, decoder_input_ids=target)

    encoded = encode()

    def decode() -> None:
        write, newest = _writer(network, encoded, mask), target[:, 0]
        for _ in range(length):
            newest = write(newest).argmax(-1)  # (1, V) -> (1,)
            check()

    try:
        read, forced, written = (_typical_seconds(part, model.device, check) for part in (encode, force, decode))
    except _TooLong:
        read = forced = written = math.inf
    return Timing(model.name, length, read, forced, written, length)


def _typical_seconds(part: Callable[[], Any], device: str, check: Callable[[], None]) -> float:
    """The median of several passes after a first that does not count."""
    first = _seconds(part, device)
    took = []
    for _ in range(min(MOST, max(LEAST, int(SECONDS_A_PART / max(first, 1e-6))))):
        check()
        took.append(_seconds(part, device))
    return median(took)


def _seconds(step: Callable[[], Any], device: str) -> float:
    _finish(device)
    start = time.perf_counter()
    step()
    _finish(device)
    return time.perf_counter() - start


def _finish(device: str) -> None:
    """Wait for what a GPU still computes."""
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()


def _tokens(model: Model, length: int, seed: int) -> Tensor:
    """Ids (1, n) drawn from the vocabulary without what the network's config names as special."""
    config = model.network.config
    named = ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id", "unk_token_id")
    special = {getattr(config, name, None) for name in named}
    size = min(model.report.tokenizer_size, model.report.embedding_rows)
    plain = torch.tensor([token for token in range(size) if token not in special])
    drawn = torch.randint(len(plain), (1, length), generator=torch.Generator().manual_seed(seed))
    return plain[drawn].to(model.device)


def _writer(network: PreTrainedModel, encoded: Any, mask: Tensor) -> _Write:
    """What writes one token after the other, as the network does it best."""
    if (writer := getattr(network, "writer", None)) is not None:
        write: _Write = writer(encoded, mask)
        return write
    takes_cache = "past_key_values" in inspect.signature(network.forward).parameters
    return (_with_cache if takes_cache else _reading_again)(network, encoded, mask)


def _with_cache(network: Any, encoded: Any, mask: Tensor) -> _Write:
    cache = None

    def write(newest: Tensor) -> Tensor:
        nonlocal cache
        given = {"encoder_outputs": encoded, "attention_mask": mask, "past_key_values": cache, "use_cache": True}
        answer = network(**given, decoder_input_ids=newest[:, None])  # (1,) -> (1, 1)
        cache = answer.past_key_values
        return answer.logits[:, -1]  # (1, 1, V) -> (1, V)

    return write


def _reading_again(network: Any, encoded: Any, mask: Tensor) -> _Write:
    written: list[Tensor] = []

    def write(newest: Tensor) -> Tensor:
        written.append(newest)
        target = torch.stack(written, dim=1)  # T of (1,) -> (1, T)
        return network(encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=target).logits[:, -1]

    return write
