"""A config's network, sketched in a box before the server builds it: absurd sizes end there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.boxed import Unboxed, boxed
from core.models.checking_configs.checked import checked_config
from core.models.quoting import shown

SECONDS, NBYTES = 30.0, 2 << 30
# A network may have parts that a file lacks, such as a table that two layers share, or a new head.
MOST_TIMES, FEW_PARAMETERS = 4, 10_000_000
# Older networks keep a mask of all positions by all positions in each layer.
MOST_TABLES_NBYTES = 4_000_000_000
# Quantised weights take half a byte, others at least one.
WEIGHTS_A_BYTE = 2


@dataclass(frozen=True)
class Sketch:
    """A network's size.

    parameters     numbers, shared ones once
    tensors        how many hold them
    tables_nbytes  of what is computed and lies in no file: masks, positions
    """

    parameters: int
    tensors: int
    tables_nbytes: int


def sketched(name: str, folder: Path, nbytes: int, job: Job | None = None) -> Sketch:
    """The network that the config.json of a folder describes, built in a box without memory for its weights.

    nbytes: of the tensors in its files, those of an adapter's base included.
    Raises HeadlightError, one sentence, for a config that `checked_config` refuses, of which no network can be built
    within bounds, or whose network is far larger than its files.
    """
    config = checked_config(name, folder)
    try:
        told = boxed(
            "core.models.checking_configs.inside_sketch:sketched",
            {"name": name, "folder": str(folder.resolve())},
            seconds=SECONDS,
            nbytes=NBYTES,
            job=job,
        )
    except Unboxed as error:
        raise HeadlightError(f"{shown(name)}: {_why(error)}.") from error
    found = Sketch(int(told["parameters"]), int(told["tensors"]), int(told["tables_nbytes"]))
    require_proportion(name, found, nbytes, is_quantised=bool(config.get("quantization_config")))
    return found


def require_proportion(name: str, found: Sketch, nbytes: int, is_quantised: bool) -> None:
    """Raise HeadlightError for a network far larger than files whose tensors have so many bytes."""
    if found.tables_nbytes > MOST_TABLES_NBYTES:
        raise HeadlightError(
            f"{shown(name)}: its config.json asks for tables of {found.tables_nbytes / 1e9:,.0f} GB beside weights, "
            f"and {MOST_TABLES_NBYTES / 1e9:,.0f} GB are allowed; correct its number of positions."
        )
    most = MOST_TIMES * nbytes * (WEIGHTS_A_BYTE if is_quantised else 1)
    if found.parameters > max(most, FEW_PARAMETERS):
        raise HeadlightError(
            f"{shown(name)}: its config.json describes a network of {found.parameters:,} numbers, and its files hold "
            f"{nbytes:,} bytes; get its files again, or correct its config.json."
        )


def _why(error: Unboxed) -> str:
    if error.reason in ("time", "asleep", "memory"):
        return f"building the network of its config.json {error.why}; correct its sizes, or get its files again"
    return "no network can be built of its config.json, whose values contradict one another; get its files again"
