"""Diverged: the end of a run whose numbers are no longer finite, or of no use, in a sentence that says what to try."""

from __future__ import annotations

from core.errors import HeadlightError
from core.training.options import Options

# Weights beyond it are of no use, and still so far from float32's end that no single step can lead from below it to
# infinity: a rate of 100 with a decay of 10 multiplies a weight by a thousand at the most.
LARGEST_WEIGHT = 1e6


class Diverged(HeadlightError):
    """A loss, gradient or evaluation that is not finite, or weights beyond all use; the network's weights are finite.

    After a loss or a gradient they are those from before that step, else those from after it.
    """


def diverged(options: Options, step: int, what: str) -> Diverged:
    """The error for a step after which, or in which, something went wrong: "loss is nan"."""
    return Diverged(f"Training stopped at step {step} because the {what}; {_remedy(options)}.")


def _remedy(options: Options) -> str:
    """What to try first: what the run did not do yet."""
    tries = [f"try a learning rate below {options.learning_rate:g}"]
    if not options.warmup:
        tries.append("a warm-up")
    if options.clip is None:
        tries.append("clipping")
    if options.learning_rate * options.weight_decay > 1:
        tries.append("a smaller weight decay")
    if options.precision == "float16":
        tries.append("bfloat16")
    return ", ".join(tries[:-1]) + f" or {tries[-1]}" if len(tries) > 1 else tries[0]
