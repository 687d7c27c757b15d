"""The numbers behind a figure as files that other programs read."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.errors import HeadlightError

if TYPE_CHECKING:
    from core.capture import Trace


def exact_only(trace: Trace, build: Callable[[], bytes]) -> Callable[[], bytes]:
    """The same builder for a trace that was kept exactly; for one kept in 16 bits, a refusal in one sentence."""

    def refuse() -> bytes:
        raise HeadlightError("This run was kept in 16 bits, which is good for pictures only: run it again in float32.")

    return build if trace.exact else refuse


def csv_bytes(columns: Mapping[str, object]) -> bytes:
    """A CSV with one header line. The byte-order mark makes spreadsheets read Chinese and emoji as what they are."""
    return pd.DataFrame(dict(columns)).to_csv(index=False).encode("utf-8-sig")


def npz_bytes(arrays: Mapping[str, np.ndarray], caption: str) -> bytes:
    """A compressed NumPy archive without pickles; the caption goes in as the array `caption`."""
    file = io.BytesIO()
    contents = {**arrays, "caption": np.array(caption)}
    np.savez_compressed(file, allow_pickle=False, **contents)
    return file.getvalue()


def label_array(labels: tuple[str, ...]) -> np.ndarray:
    """Token labels as a unicode array, for an archive."""
    return np.array(labels, dtype=np.str_)


def label_column(labels: tuple[str, ...], index: np.ndarray) -> np.ndarray:
    """The labels at these indices, for a table: references, because a unicode array would copy the longest for each."""
    return np.array(labels, dtype=object)[index]
