"""Whether a recorded run can be trusted: the drawn weights must reproduce what the model computed."""

from __future__ import annotations

import math

import torch

from core.capture import Check, Recording, check_of
from core.errors import HeadlightError


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
