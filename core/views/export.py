"""The numbers behind a figure as files that other programs read."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.errors import HeadlightError

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Filters

# What a spreadsheet runs when a cell begins with it; the full-width signs, where it is set to Chinese or Japanese.
_FORMULA = re.compile("'*[=+\\-@＝＋－＠].", re.DOTALL)

READING = (
    "In pandas, read the table with keep_default_na=False, or words such as “null” go missing. A label that a "
    "spreadsheet would run as a formula has an apostrophe before it; the archive has it as it is."
)


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


def source_columns(trace: Trace, stream: str, filters: Filters) -> dict[str, object]:
    """What every row of a table says of its origin; `special` and `merged` tell a filtered export from a full one."""
    return {
        "model": guarded(trace.provenance.model),
        "stream": stream,
        "special": filters.special,
        "merged": filters.words,
    }


def guarded(label: str) -> str:
    """A label as a table holds it: an apostrophe goes before what a spreadsheet would run as a formula.

    A sign alone is no formula and stays as it is.
    """
    return f"'{label}" if _FORMULA.match(label) else label


def unguarded(cell: str) -> str:
    """The label that a table's cell stands for, letter for letter: what `guarded` made the cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def label_array(labels: Sequence[str]) -> np.ndarray:
    """Token labels as a unicode array, for an archive."""
    return np.array(labels, dtype=np.str_)


def label_column(labels: Sequence[str], index: np.ndarray) -> np.ndarray:
    """The labels at these indices, for a table: references, because a unicode array would copy the longest for each."""
    return np.array([guarded(label) for label in labels], dtype=object)[index]


def place_column(places: Sequence[int], index: np.ndarray) -> np.ndarray:
    """The token positions of the entries at these indices, for a table."""
    return np.array(places, dtype=np.int64)[index]
