"""The questions that tensors leave open, with the value taken for each and why."""

from __future__ import annotations

from core.models.guessing.results import Question

HEAD_WIDTHS = (32, 64, 80, 96, 128)
# Small networks, which are built for lessons and tests, have few heads of whatever width.
SMALL = 256
FEW_HEADS = (1, 2, 4, 8)
USUAL_FEW = 4
ACTIVATIONS = ("gelu", "gelu_new", "relu", "silu", "gelu_pytorch_tanh")
MOST_OPTIONS = 40


def heads(name: str, width: int, usual: int = 64, *, group: int = 0) -> Question:
    """The number of heads that share a width.

    usual: the head width that published networks of this family and width have; the nearest possible is taken.
    group: width of all keys, where fewer heads share it than queries have.
    """
    few = {width // n for n in FEW_HEADS if width <= SMALL and width % n == 0}
    widths = sorted({*HEAD_WIDTHS, *few})
    possible = [w for w in widths if width % w == 0 and group % w == 0] or _any_divisors(width, group)
    options = tuple(sorted({width // w for w in possible}))
    known = [w for w in possible if w in HEAD_WIDTHS]
    if known or options[0] > USUAL_FEW:
        taken = min(known or possible, key=lambda w: (abs(w - usual), -w))
        count, because = width // taken, f"heads of {taken} are the usual ones nearest"
    else:
        count = max(option for option in options if option <= USUAL_FEW)
        because = f"small networks often have {USUAL_FEW} heads, or the next fewer"
    return Question(name, count, options, f"Tensors have the heads side by side, {width} wide in all; {because}.")


def epsilon(name: str, value: float) -> Question:
    """What norms add to a variance."""
    options = tuple(sorted({value, 1e-12, 1e-6, 1e-5}))
    return Question(name, value, options, "Norms keep no trace of it; this is the family's own.")


def activation(name: str, value: str) -> Question:
    """What bends the states within feed-forward layers."""
    options = tuple(dict.fromkeys((value, *ACTIVATIONS)))
    return Question(name, value, options, "It has no weights; this is the family's own.")


def theta(value: float = 10_000.0, name: str = "rope_theta") -> Question:
    """The base of rotary positions."""
    options = (10_000.0, 100_000.0, 500_000.0, 1_000_000.0)
    return Question(name, value, options, "Rotary positions have no weights; this is the family's own.")


def positions(value: int) -> Question:
    """The longest text, in tokens, where no table of positions ends."""
    options = tuple(sorted({512, 1_024, 2_048, 4_096, 8_192, 32_768, 131_072} | {value}))
    return Question(
        "max_position_embeddings", value, options, "Positions without a table have no end that tensors would tell."
    )


def _any_divisors(width: int, group: int) -> list[int]:
    """Head widths where no usual one divides: those that give a few heads, or a single one."""
    counts = [n for n in range(1, MOST_OPTIONS) if width % n == 0 and group % (width // n) == 0]
    return [width // n for n in counts] or [width]
