"""How well a config fits the tensors of a file: measured, in words, and as lists to look into."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.boxed import Unboxed, boxed
from core.models.guessing import Guess, answered, revised
from core.ui.models.architecture.guess_json import guess_of
from core.ui.progress import AT_ONCE

Shapes = Mapping[str, tuple[int, ...]]

SECONDS, NBYTES = 15.0, 2_000_000_000
# So many layers may share few tensors.
FEW_LAYERS = 64
NO_NETWORK = (
    "No network can be built of these values, or hardly a tensor of the file has its shapes: write the sizes that "
    "the file's tensors have, or choose another architecture."
)
TOO_LARGE = "A network of these values takes too long to build, so they are hardly this file's: write smaller ones."


def fit_here(tensors: Shapes, guess: Guess, answers: Mapping[str, Any], job: Job) -> Guess:
    """A guess of a known family held against the tensors once more, with values that fields hold within bounds.

    Raises HeadlightError where no network comes of it, and for more layers than the file could have.
    """
    job.check()
    config = answered(guess, answers)
    layers = sum(size for name, size in config.items() if "layer" in name and type(size) is int)
    if layers > max(FEW_LAYERS, len(tensors)):
        raise HeadlightError(f"{layers:,} layers are more than {len(tensors):,} tensors can fill: write fewer.")
    return _required(revised(tensors, guess, answers))


def fit_in_box(tensors: Shapes, guess: Guess, answers: Mapping[str, Any], job: Job) -> Guess:
    """The same for a config that a person wrote, which may describe a network of any size.

    Raises HeadlightError where no network comes of it in time.
    """
    argument = {"tensors": tensors, "guess": asdict(guess), "answers": answers}
    job.advance(0, 1, AT_ONCE)
    try:
        told = boxed("core.ui.models.architecture.fit_box:fit", argument, seconds=SECONDS, nbytes=NBYTES, job=job)
    except Unboxed as error:
        raise HeadlightError(TOO_LARGE if error.reason in ("time", "asleep", "memory") else NO_NETWORK) from error
    return _required(None if told is None else guess_of(told))


def fit_words(guess: Guess) -> tuple[str, str]:
    """How well a guess fits, as a sentence and its kind."""
    parts = [f"{share_words(guess.share)} of the file {'have' if guess.share < 1 else 'has'} a place in it"]
    if guess.left:
        parts.append(f"{_tensors(guess.left)} in the file would be left out")
    if guess.missing:
        parts.append(f"{_tensors(guess.missing)} of the network would be random")
    if len(parts) == 1:
        parts.append("nothing is left and nothing is missing")
    return f"{'; '.join(parts)}.", "info" if guess.share == 1 and not guess.missing else "warning"


def share_words(share: float) -> str:
    """A share of the tensors: never "100 %" for less than all."""
    return "Every tensor" if share == 1 else f"{math.floor(100 * share)} % of the tensors"


def _required(found: Guess | None) -> Guess:
    if found is None:
        raise HeadlightError(NO_NETWORK)
    return found


def _tensors(names: tuple[str, ...]) -> str:
    return "1 tensor" if len(names) == 1 else f"{len(names):,} tensors"
