"""Contents and positions kept apart, and compared crosswise (DeBERTa: He and others 2021, section 3.1).

The score of two tokens is a sum of three products: content with content, content with position, position with content.
The second version (and the third) gathers far offsets in buckets that grow; the first clips them.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.positions.effects import held
from core.positions.encoding import Encoding, distances
from core.positions.objects import Buckets, ByDistance, Formula, Terms
from core.positions.settings import Settings

# As in the published models: offsets of the first version, buckets on a side and farthest offset of the others.
CLIP, BUCKETS, FARTHEST = 512, 256, 512

FORMULA = Formula(
    latex=(
        r"e_{ij} = \frac{Q^c_i \cdot K^c_j + Q^c_i \cdot K^r_{d(i,j)} + K^c_j \cdot Q^r_{d(j,i)}}{\sqrt{3d}}, \qquad "
        r"d(i,j) = \begin{cases} 0 & i - j \le -k \\ 2k - 1 & i - j \ge k \\ i - j + k & \text{else} \end{cases}"
    ),
    symbols=(
        (r"e_{ij}", "score of key j for query i, before the softmax"),
        (r"Q^c_i,\ K^c_j", "query and key of the contents: of the hidden states at positions i and j"),
        (r"K^r,\ Q^r", "keys and queries of the positions: of one learned table of 2k rows"),
        (r"d(i,j)", "row for the offset of two positions; the second version has buckets that grow instead"),
        (r"3d", "the number of terms, times the width of a head"),
        (r"k", "clip: offsets from it on count as one"),
    ),
    source="He, Liu, Gao and Chen 2021, equations 3 and 4",
)

# Of the second and third version.
LOG_FORMULA = Formula(
    latex=(
        r"\begin{gathered} e_{ij} = \frac{Q^c_i \cdot K^c_j + Q^c_i \cdot K^r_{d(i,j)} + K^c_j \cdot "
        r"Q^r_{d(j,i)}}{\sqrt{3d}}, \qquad d(i,j) = \min\big(\beta(i - j) + B,\ 2B - 1\big) \\[0.4em] "
        r"\beta(n) = \begin{cases} n & |n| \le B/2 \\ \pm \min\Big(B,\ \frac{B}{2} + \Big\lceil "
        r"\big(\tfrac{B}{2} - 1\big) \frac{\ln(2|n|/B)}{\ln(2(N - 1)/B)} \Big\rceil\Big) & |n| > B/2 \end{cases} "
        r"\end{gathered}"
    ),
    symbols=(
        *(each for each in FORMULA.symbols if each[0] in (r"e_{ij}", r"Q^c_i,\ K^c_j")),
        (r"K^r,\ Q^r", "keys and queries of the positions: of one learned table of 2B rows"),
        (r"d(i,j)", "row for the offset of two positions"),
        (r"3d", "the number of terms, times the width of a head"),
        (r"\beta(n)", "the offset n itself where it is small, else the number of its bucket, with its sign"),
        (r"B", "buckets on each side: half of them hold one distance each"),
        (r"N", "farthest: distances from about N on share the last row of their side"),
    ),
    source="He, Gao and Chen 2021, DeBERTaV3, and the authors' code",
)


def rows(difference: Tensor, clip: int = CLIP) -> Tensor:
    """d(i, j) for each i - j (integers of any shape): 0 up to 2 * clip - 1.

    Query minus key: the other way round than an offset is counted elsewhere here.
    """
    return (difference + clip).clamp(0, 2 * clip - 1)


def log_rows(difference: Tensor, buckets: int = BUCKETS, farthest: int = FARTHEST) -> Tensor:
    """The same of the second and third version: half of a side's `buckets` hold one distance each, others grow.

    Distance farthest - 1 reaches the last bucket. As in the authors' code, rows are 0 up to 2 * buckets - 1.
    """
    half = buckets // 2
    if half < 1 or farthest - 1 <= half:
        return rows(difference, buckets)
    distance = difference.abs().clamp(min=half).float()
    grown = torch.ceil(torch.log(distance / half) / math.log((farthest - 1) / half) * (half - 1)) + half
    signed = torch.where(difference.abs() <= half, difference, grown.long() * difference.sign())
    return rows(signed, buckets)


def thing(settings: Settings) -> Buckets:
    """Which of the 2 * clip rows each offset reads in the first version; the table itself is a model's."""
    return _buckets(settings, rows(-_offsets(settings), settings.clip), 2 * settings.clip)


def log_thing(settings: Settings) -> Buckets:
    """The same of the second and third version, of `buckets` rows a side up to `farthest`.

    Raises HeadlightError where nothing is left to grow.
    """
    _require_growth(settings)
    numbers = log_rows(-_offsets(settings), settings.buckets, settings.farthest)
    return _buckets(settings, numbers, 2 * settings.buckets)


def _require_growth(settings: Settings) -> None:
    half = settings.buckets // 2
    if half < 1 or settings.farthest - 1 <= half:
        raise HeadlightError(
            f"The first {half:,} distances have a bucket each, so {settings.buckets:,} buckets a side cannot end at "
            f"distance {settings.farthest:,}: choose at least 2 buckets, and a farthest distance above {half + 1:,}."
        )


def _offsets(settings: Settings) -> Tensor:
    return torch.arange(-(settings.length - 1), settings.length)  # (2R + 1,)


def _buckets(settings: Settings, numbers: Tensor, count: int) -> Buckets:
    before = numbers[: settings.length].flip(0)  # (R + 1,), of distances 0 up to R
    changes = (before.diff() != 0).nonzero()[:, 0] + 1
    return Buckets(numbers, (0, *changes.tolist()), count)


def by_distance(settings: Settings) -> ByDistance:
    """The row at each offset, as far as the length reaches."""
    return held(thing(settings), settings.length - 1)


def terms(
    query: Tensor,
    key: Tensor,
    position_query: Tensor | None,
    position_key: Tensor | None,
    numbers: Tensor,
    query_numbers: Tensor | None = None,
    scale: float | None = None,
) -> Terms:
    """The three terms of all scores: float32 (H, T, T) each, scaled. A term without its table is zero.

    query, key      of the contents: (H, T, W)
    position_query  Qr, (H, rows, W); None where there is no third term
    position_key    Kr, (H, rows, W); None where there is no second term
    numbers         whole numbers (T, T): d(i, j), the row of Kr for query i and key j
    query_numbers   whole numbers (T, T): the row of Qr for them; d(j, i) where it is None, as the paper has it
    scale           factor on the products; 1 / √(terms · W) where it is None
    """
    tables = {"content_to_position": position_key, "position_to_content": position_query}
    absent = tuple(name for name, table in tables.items() if table is None)
    scale = ((3 - len(absent)) * query.shape[-1]) ** -0.5 if scale is None else scale
    query_numbers = numbers.T if query_numbers is None else query_numbers
    query, key = query.float() * scale, key.float()
    content = query @ key.mT  # (H, T, W) @ (H, W, T) -> (H, T, T)
    nothing = torch.zeros_like(content)
    return Terms(
        content,
        nothing if position_key is None else _gathered(query, position_key, numbers),
        nothing if position_query is None else _gathered(key * scale, position_query, query_numbers.T).mT,
        absent,
    )


def _gathered(content: Tensor, positions: Tensor, numbers: Tensor) -> Tensor:
    """The product of each content vector with the row that each cell names: (H, T, W), (H, rows, W) -> (H, T, T)."""
    products = content @ positions.float().mT  # (H, T, W) @ (H, W, rows) -> (H, T, rows)
    return products.gather(-1, numbers.expand(content.shape[0], -1, -1))  # (H, T, rows) -> (H, T, T)


def illustration(settings: Settings) -> Terms:
    """The terms of one head of the first version, whose vectors are drawn at random from `seed`: (1, length, length).

    Nothing is learned and no text is read: only where the terms are constant means anything.
    """
    clip = min(settings.clip, settings.length)  # no difference reaches further
    return _drawn(settings, 2 * clip, rows(_differences(settings), clip))


def log_illustration(settings: Settings) -> Terms:
    """The same of the second and third version. Raises HeadlightError where `log_thing` does."""
    _require_growth(settings)
    numbers = log_rows(_differences(settings), settings.buckets, settings.farthest)
    return _drawn(settings, 2 * settings.buckets, numbers)


def _differences(settings: Settings) -> Tensor:
    return -distances(settings.length, settings.length)  # (T, T)


def _drawn(settings: Settings, table_rows: int, numbers: Tensor) -> Terms:
    generator = torch.Generator().manual_seed(settings.seed)
    shapes = [settings.length] * 2 + [table_rows] * 2
    query, key, position_query, position_key = (
        torch.randn(1, count, settings.width, generator=generator) for count in shapes
    )  # (1, T or rows, W)
    return terms(query, key, position_query, position_key, numbers)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """Raises HeadlightError: no model is trained here with it."""
    raise HeadlightError(
        "DeBERTa's positions are a way to compute attention, and models trained here have none of it: open a DeBERTa."
    )
