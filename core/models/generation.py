"""Continuations: a decoder or an encoder-decoder goes on by itself, one token at a time.

What is drawn is never taken from these steps: the finished text is read once more in a single pass, which gives the
same attention (each row sees the same keys) without keeping every step's cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import StoppingCriteria, StoppingCriteriaList

from core.errors import HeadlightError
from core.jobs import Job
from core.zoo import ARCHITECTURES

# What each kind of decoding can be told, and what holds where it is not.
KINDS: Mapping[str, Mapping[str, float]] = {
    "greedy": {},
    "sampled": {"temperature": 1.0, "top_p": 1.0, "seed": 0},
    "beam": {"beams": 4},
}


@dataclass(frozen=True)
class Decoding:
    """How the next token is chosen.

    kind          "greedy": the most probable; "sampled": drawn by probability; "beam": the best of several whole texts;
                  where it is not given, that which has the options that are, and "greedy" without any
    beams         number of texts kept side by side by "beam"; 4 where not given
    temperature   by which "sampled" divides the logits: below 1 it keeps to the likely tokens
    top_p         "sampled" draws from the likeliest tokens that together have this probability
    seed          of "sampled": the same seed gives the same text
    Raises HeadlightError for an option that the kind does not have.
    """

    kind: str = ""
    beams: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        given = [name for options in KINDS.values() for name in options if getattr(self, name) is not None]
        kind = self.kind or next((kind for kind, options in KINDS.items() if {*options} & {*given}), "greedy")
        if kind not in KINDS:
            raise HeadlightError(f"There is no decoding called {kind}: choose one of {', '.join(KINDS)}.")
        if strange := [name for name in given if name not in KINDS[kind]]:
            owner = next(other for other, options in KINDS.items() if strange[0] in options)
            raise HeadlightError(
                f"{kind.capitalize()} decoding has no {strange[0]}, which {owner} decoding has: leave one of them out."
            )
        for name, value in {"kind": kind, **KINDS[kind], **{name: getattr(self, name) for name in given}}.items():
            object.__setattr__(self, name, value)
        beams, heat, share = (1 if value is None else value for value in (self.beams, self.temperature, self.top_p))
        if not (beams >= 1 and heat > 0 and 0 < share <= 1):
            raise HeadlightError(
                "Decoding needs at least 1 beam, a temperature above 0 and a top_p above 0 and up to 1."
            )

    def options(self) -> dict[str, Any]:
        """The same as arguments of transformers' `generate`, every one named so that no saved default slips in."""
        sampled = self.kind == "sampled"
        drawn = {"temperature": self.temperature, "top_p": self.top_p, "top_k": 0} if sampled else {}
        # A BART would otherwise end every text at the last place, whatever it had to say there.
        return {"do_sample": sampled, "num_beams": self.beams or 1, "forced_eos_token_id": None, **drawn}


GREEDY = Decoding()


@torch.no_grad()
def continue_with(
    network: Any,
    inputs: dict[str, Tensor],
    count: int,
    decoding: Decoding,
    job: Job | None,
    begun: Sequence[int] = (),
) -> list[int]:
    """At most `count` token ids that the network writes after its inputs (1, T); an end token among them.

    For an encoder-decoder, what comes after the decoder's start token, or after `begun`, which begins with it.
    """
    given = (len(begun) or 1) if network.config.is_encoder_decoder else inputs["input_ids"].shape[1]
    if begun:
        inputs = inputs | {"decoder_input_ids": torch.tensor([begun], device=inputs["input_ids"].device)}  # (1, T)
    # Sampling draws from torch's own generator; the fork leaves everybody else's numbers alone.
    with torch.random.fork_rng():
        torch.manual_seed(decoding.seed or 0)
        written: Any = network.generate(
            **inputs,
            max_new_tokens=count,
            use_cache=_cache_fits(network),
            stopping_criteria=StoppingCriteriaList([_Progress(given, count, job)]),
            **decoding.options(),
        )
    return _without_padding(written[0, given:].tolist(), network)  # (1, given + new) -> (new,)


def _cache_fits(network: Any) -> bool:
    """Our own networks keep none. transformers sizes that of a T5 by its encoder's depth: a deeper decoder fails."""
    layers = getattr(network.config, "num_layers", None)
    fits = layers is None or getattr(network.config, "num_decoder_layers", None) in (None, layers)
    return fits and type(network) not in ARCHITECTURES.values()


def _without_padding(ids: Sequence[int], network: Any) -> list[int]:
    """Beams of different length are filled up after their end token."""
    ends = end_ids(network)
    for place, token in enumerate(ids):
        if token in ends:
            return list(ids[: place + 1])
    return list(ids)


def end_ids(network: Any, tokenizers_own: int | None = None) -> set[int]:
    """Ids that end a text: those of the network's settings, and the tokenizer's own where it has one."""
    end = getattr(getattr(network, "generation_config", None), "eos_token_id", None)
    ends = [] if end is None else [end] if isinstance(end, int) else end
    return {*ends, *([] if tokenizers_own is None else [tokenizers_own])}


class _Progress(StoppingCriteria):
    """Asked by `generate` after each token: tells the job and lets its `Cancelled` end the run."""

    def __init__(self, given: int, count: int, job: Job | None) -> None:
        self._given = given
        self._count = count
        self._job = job

    def __call__(self, input_ids: Tensor, scores: Any, **kwargs: Any) -> Tensor:
        done = min(input_ids.shape[1] - self._given, self._count)
        if self._job is not None:
            self._job.advance(done, self._count, f"writing token {done} of {self._count}")
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)
