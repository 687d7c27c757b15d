"""Mean weight by distance: known answers on maps made by hand, and what trained heads do."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core import load
from core.capture import AttentionCall, Trace
from core.capture.stored import StoredCall
from core.errors import HeadlightError
from core.heads import AttentionByDistance, by_distance
from core.heads.blocks import CELLS
from core.jobs import Job
from core.jobs.job import Cancelled
from core.models.model import Model
from core.positions.alibi import penalties, slopes
from tests.heads.hand_made import (
    future,
    nothing_masked,
    random_trace,
    random_weights,
    stored_trace,
    tokens_of,
    trace_of,
)

OWN = [None, 0, 1, 2, None]


def at(found: AttentionByDistance, values: Tensor) -> dict[int, float]:
    """One row of numbers by offset."""
    return dict(zip(found.offsets.tolist(), values.tolist(), strict=True))


def reference(trace: Trace, own: list[bool], head: int) -> dict[int, float]:
    """The same, a cell at a time."""
    weights, masked = trace.attention(0)[head], trace.masked(0)
    cells: dict[int, list[float]] = {}
    for i in range(len(own)):
        for j in range(len(own)):
            if own[i] and own[j] and not masked[i, j]:
                cells.setdefault(j - i, []).append(float(weights[i, j]))
    return {offset: sum(cells[offset]) / len(cells[offset]) for offset in sorted(cells)}


def test_weights_are_averaged_over_the_pairs_of_an_offset() -> None:
    weights = torch.tensor([[[0.2, 0.8, 0.0], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]]])
    found = by_distance(stored_trace(weights, nothing_masked(3), tokens_of([0, 1, 2])), "self", 0)
    assert found.offsets.tolist() == [-2, -1, 0, 1, 2]
    assert found.counts.tolist() == [1, 2, 3, 2, 1]
    assert found.weights[0].tolist() == pytest.approx([0.3, 0.4, 0.7 / 3, 0.6, 0.0])
    assert found.uniform.tolist() == pytest.approx([1 / 3] * 5)
    assert found.weights.dtype == found.uniform.dtype == torch.float32


def test_special_tokens_are_left_out_of_rows_and_columns_unless_asked_for() -> None:
    trace = stored_trace(random_weights(2, nothing_masked(5)), nothing_masked(5), tokens_of(OWN))
    without, with_them = by_distance(trace, "self", 0), by_distance(trace, "self", 0, special=True)
    assert without.offsets.tolist() == [-2, -1, 0, 1, 2]
    assert with_them.offsets.tolist() == [*range(-4, 5)]
    for head in range(2):
        assert at(without, without.weights[head]) == pytest.approx(
            reference(trace, [False, True, True, True, False], head)
        )
        assert at(with_them, with_them.weights[head]) == pytest.approx(reference(trace, [True] * 5, head))
    # A uniform row spreads over the special tokens too, as the model's own rows do.
    assert without.uniform.tolist() == pytest.approx([1 / 5] * 5)


def test_all_weights_are_counted_once() -> None:
    trace = random_trace(40, heads=3)
    found = by_distance(trace, "self", 0, special=True)
    assert (found.weights * found.counts).sum(-1).tolist() == pytest.approx([40.0] * 3, rel=1e-5)
    assert float((found.uniform * found.counts).sum()) == pytest.approx(40.0, rel=1e-5)
    assert int(found.counts.sum()) == 40 * 41 // 2


def test_masked_cells_are_in_no_mean() -> None:
    """A causal mask, with one more cell masked and a last row that sees nothing."""
    masked = future(5)
    masked[3, 1] = True
    masked[4] = True
    trace = stored_trace(random_weights(2, masked), masked, tokens_of(range(5)))
    found = by_distance(trace, "self", 0)
    assert found.offsets.tolist() == [-3, -2, -1, 0]
    assert found.counts.tolist() == [1, 1, 3, 4]
    assert at(found, found.weights[1]) == pytest.approx(reference(trace, [True] * 5, 1))
    assert found.uniform.tolist() == pytest.approx(
        [1 / 3, 1 / 3, (1 / 2 + 1 / 3 + 1 / 3) / 3, (1 + 1 / 2 + 1 / 3 + 1 / 3) / 4]
    )


@pytest.mark.parametrize("causal", [True, False])
def test_heads_that_spread_evenly_lie_on_the_uniform_curve(causal: bool) -> None:
    zeros = torch.zeros(1, 2, 30, 4)
    call = AttentionCall("p", "self", 0, zeros, zeros, None, causal=causal, scale=1.0, bias=None)
    found = by_distance(trace_of([call], tokens_of([None, *range(28), None])), "self", 0)
    assert bool((found.offsets <= 0).all()) == causal
    torch.testing.assert_close(found.weights, found.uniform.expand(2, -1))
    assert found.scores is not None
    assert torch.equal(found.scores, torch.zeros(2, len(found.offsets)))


def test_a_head_that_looks_one_back_has_all_its_weight_there() -> None:
    weights = torch.eye(7).roll(1, 0)
    weights[0] = 1 / 7
    found = by_distance(stored_trace(weights[None], nothing_masked(7), tokens_of(range(7))), "self", 0)
    looked = at(found, found.weights[0])
    assert looked[-1] == 1
    assert all(looked[offset] == 0 for offset in range(-6, -1))
    assert looked[0] == pytest.approx(1 / 49)


@pytest.mark.parametrize("causal", [True, False])
def test_scores_of_equal_content_are_the_bias_itself(causal: bool) -> None:
    """ALiBi with queries and keys of zero: minus the slope times the distance, half as much to the right."""
    zeros, bias = torch.zeros(1, 4, 20, 8), penalties(20, 20, slopes(4), 0.5)
    call = AttentionCall("p", "self", 0, zeros, zeros, None, causal=causal, scale=1.0, bias=bias[None])
    found = by_distance(trace_of([call], tokens_of(range(20))), "self", 0)
    offsets = found.offsets.float()
    expected = -slopes(4)[:, None] * torch.where(offsets > 0, offsets / 2, -offsets)
    assert found.scores is not None
    torch.testing.assert_close(found.scores, expected)
    assert len(found.offsets) == (20 if causal else 39)


def test_a_score_that_one_head_alone_may_not_have_is_left_out_of_its_mean() -> None:
    mask = torch.ones(1, 2, 3, 3, dtype=torch.bool)
    mask[0, 1, 2, 1] = False
    query = torch.ones(1, 2, 3, 1)
    key = torch.arange(3.0).expand(1, 2, 3)[..., None]
    call = AttentionCall("p", "self", 0, query, key, mask, causal=False, scale=1.0, bias=None)
    found = by_distance(trace_of([call], tokens_of(range(3))), "self", 0)
    assert found.scores is not None
    # One back are the keys 0 and 1, which score 0 and 1; the second head does not see the latter.
    assert [at(found, row)[-1] for row in found.scores] == [0.5, 0.0]
    assert at(found, found.counts)[-1] == 2


def test_there_are_no_scores_where_only_weights_were_kept() -> None:
    trace = stored_trace(random_weights(1, nothing_masked(3)), nothing_masked(3), tokens_of(range(3)))
    assert by_distance(trace, "self", 0).scores is None


def test_reach_cuts_far_offsets_and_changes_no_other() -> None:
    trace = random_trace(50, causal=False)
    whole = by_distance(trace, "self", 0)
    near = by_distance(trace, "self", 0, reach=7)
    kept = whole.offsets.abs() <= 7
    assert near.offsets.tolist() == [*range(-7, 8)]
    assert near.scores is not None
    assert whole.scores is not None
    for mine, theirs in ((near.weights, whole.weights), (near.scores, whole.scores), (near.uniform, whole.uniform)):
        torch.testing.assert_close(mine, theirs[..., kept])
    assert by_distance(trace, "self", 0, reach=0).offsets.tolist() == [0]


def test_long_texts_are_read_in_blocks_that_add_up_to_the_same() -> None:
    tokens, heads = 800, 4
    assert heads * tokens * tokens > 2 * CELLS
    trace = random_trace(tokens, heads=heads)
    steps: list[int] = []
    job = Job("owner", "by distance", lambda progress: steps.append(progress.done))
    found = by_distance(trace, "self", 0, job=job)
    assert steps == [*range(1, len(steps) + 1)]
    assert len(steps) > 2
    weights, scores = trace.attention(0), trace.scores(0)
    assert scores is not None
    assert found.scores is not None
    for offset in (-797, -400, -1, 0):
        place = found.offsets.tolist().index(offset)
        cells = slice(1, tokens - 1)
        for mine, cell in ((found.weights, weights), (found.scores, scores)):
            diagonal = cell[:, cells, cells].diagonal(offset, dim1=1, dim2=2)
            torch.testing.assert_close(mine[:, place], diagonal.mean(-1), atol=1e-6, rtol=1e-5)


def test_what_a_trace_keeps_is_left_as_it_is() -> None:
    stored = random_weights(2, nothing_masked(5))
    trace = trace_of([StoredCall("p", "self", 0, stored[None].clone(), None)], tokens_of(OWN))
    by_distance(trace, "self", 0)
    assert torch.equal(trace.attention(0), stored)


def test_a_stopped_job_ends_it() -> None:
    job = Job("owner", "by distance")
    job.cancel()
    with pytest.raises(Cancelled):
        by_distance(random_trace(5), "self", 0, job=job)


def test_what_has_no_distances_is_refused_in_words() -> None:
    crossed = stored_trace(torch.full((1, 2, 3), 1 / 3), nothing_masked(2, 3), tokens_of([0, 1]), tokens_of([0, 1, 2]))
    with pytest.raises(HeadlightError, match="cross-attention are not the same tokens"):
        by_distance(crossed, "cross", 0)
    with pytest.raises(HeadlightError, match="m has no encoder-attention: choose"):
        by_distance(random_trace(4), "encoder", 0)
    with pytest.raises(HeadlightError, match="from 0 on, not -1"):
        by_distance(random_trace(4), "self", 0, reach=-1)


def test_each_stack_of_an_encoder_decoder_has_distances_of_its_own() -> None:
    trace = load("en-fr-transformer").run("The cat sat on the mat .")
    words = sum(not special for special in trace.tokens.special)
    assert by_distance(trace, "encoder", 0).offsets.tolist() == [*range(1 - words, words)]
    assert by_distance(trace, "decoder", 0).offsets.max() == 0
    with pytest.raises(HeadlightError, match="cross-attention are not the same tokens"):
        by_distance(trace, "cross", 0)


def test_a_text_of_special_tokens_alone_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="only special tokens"):
        by_distance(random_trace(2), "self", 0)
    assert by_distance(random_trace(2), "self", 0, special=True).offsets.tolist() == [-1, 0]


def test_heads_of_a_trained_encoder_differ_in_the_distance_they_prefer(minilm: Model) -> None:
    trace = minilm.run("The quick brown fox jumps over the lazy dog, and the cat sat on the mat while it rained. " * 3)
    found = by_distance(trace, "self", 0)
    # Head 2 of the first layer looks at the token before, and hardly anywhere else.
    before, first = at(found, found.weights[2]), at(found, found.weights[0])
    assert before[-1] > 0.9
    assert max(before[0], before[1], before[-2]) < 0.05
    assert max(first.values()) < 0.2


def test_weights_fall_with_the_distance_in_the_steepest_head_of_alibi() -> None:
    model = load("lm-alibi")
    trace = model.run("the old man went to the sea and he saw a ship that was far away from the land . " * 6)
    found = by_distance(trace, "self", 0)
    assert found.scores is not None
    back = -found.offsets
    far = [(back >= low) & (back < 2 * low) for low in (1, 4, 8, 16, 32, 64)]
    means = [float(found.weights[0, those].mean()) for those in far]
    assert means == sorted(means, reverse=True)
    assert means[0] > 100 * means[-1]
    # The penalty is a quarter a token; content adds to it, and averages out.
    fall = (found.scores[0, far[-1]] / back[far[-1]]).mean()
    assert float(fall) == pytest.approx(-0.25, abs=0.02)
