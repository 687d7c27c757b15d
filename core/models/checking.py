"""Whether a recorded run can be trusted: the drawn weights must reproduce what the model computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import torch

from core.capture import Call, Check, Recording, check_of
from core.errors import HeadlightError
from core.text import Tokens


def checked(recording: Recording, name: str, dtype: torch.dtype) -> Check:
    """The check A·V = O of a model called `name` that computes in `dtype`. Raises HeadlightError where it fails."""
    errors = recording.errors()
    for call, by_head in zip(recording.calls, errors, strict=True):
        bad = [head for head, error in enumerate(by_head) if math.isnan(error)]
        if bad:
            advice = "choose another model" if dtype == torch.float32 else "choose float32"
            raise HeadlightError(
                f"{name} produced values that are not numbers in layer {call.layer}, head {bad[0]} "
                f"in {str(dtype).removeprefix('torch.')}: {advice}."
            )
    check = check_of(errors, dtype, recording.roundings())
    if not check.passed:
        raise HeadlightError(
            f"{name}: the recorded weights do not reproduce the model's output (A·V = O is off by "
            f"{check.error:.1e}, {check.tolerance:.1e} is allowed), so nothing is drawn; choose another model."
        )
    return check


def require_sides(calls: Iterable[Call], sides: Mapping[str, tuple[Tokens, Tokens]], name: str) -> None:
    """Raise HeadlightError where the maps of a model called `name` are about other units than its tokens.

    sides: tokens of the rows and of the columns, by stream.
    """
    for call in calls:
        rows, columns = (len(side) for side in sides.get(call.stream, ((), ())))
        if (call.queries, call.keys) != (rows, columns):
            raise HeadlightError(
                f"{name} cannot be shown because its attention {call.path or call.stream} has {call.queries:,} rows "
                f"and {call.keys:,} columns where {rows:,} and {columns:,} tokens were read, so its weights are not "
                "about tokens: choose another model."
            )
