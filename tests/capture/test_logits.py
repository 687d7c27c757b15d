"""Scores before the softmax: those that lead to the weights, however a call was kept."""

from dataclasses import replace

import pytest
import torch

from core.capture import AttentionCall, Call, HeadChange, changed, prepare, query_key_detail, record
from core.capture.logits import logits_of
from core.capture.origin import Origin
from core.capture.scores import Addition
from core.capture.stored import StoredCall
from core.models.model import Model
from tests.architectures import ARCHITECTURES, Architecture

CALL = AttentionCall(
    "p", "self", 0, *torch.randn(2, 1, 4, 7, 8, generator=torch.Generator().manual_seed(0)).unbind(), None,
    causal=True, scale=8**-0.5, bias=None,
)  # fmt: skip
# Each shows its weights in another way: handed over, or watched, with and without all that was added.
SEEN = (
    *(each for each in ARCHITECTURES if each.title in {"bert", "bloom", "mpt", "xlnet", "t5"}),
    Architecture("deberta", dict(relative_attention=True, pos_att_type=["c2p", "p2c"])),
    Architecture("deberta-v2", dict(relative_attention=True, pos_att_type=["c2p", "p2c"])),
)


def weights_of(logits: torch.Tensor) -> torch.Tensor:
    """Zero in rows that could attend to nothing."""
    return torch.softmax(logits, -1).nan_to_num(0)


def stored_from(added: Addition, query: torch.Tensor) -> StoredCall:
    origin = Origin(torch.zeros(1, 4, 7), query, CALL.key, CALL.scale, (added,))
    return StoredCall("p", "self", 0, CALL.weights()[None], CALL.masked()[None], origin=origin)


def scores_of(call: Call, **window) -> torch.Tensor:
    scores = logits_of(call, **window)
    assert scores is not None
    return scores


def test_a_trace_gives_scores_that_lead_to_its_weights(minilm: Model) -> None:
    trace = minilm.run("The cat sat on the 猫 mat 😀.")
    scores = trace.scores(3)
    assert scores is not None
    n = len(trace.tokens)
    assert (scores.shape, scores.dtype, scores.device.type) == ((12, n, n), torch.float32, "cpu")
    torch.testing.assert_close(weights_of(scores), trace.attention(3))
    torch.testing.assert_close(scores[5, 2], trace.query_key(3, 5, 2).logits)
    window = trace.scores(3, heads=[7, 0], stream="self", rows=slice(2, 6))
    assert window is not None
    torch.testing.assert_close(window, scores[[7, 0], 2:6])
    with pytest.raises(IndexError, match="0 to 5"):
        trace.scores(6)


def test_masked_cells_have_no_score() -> None:
    scores = scores_of(CALL)
    assert torch.equal(torch.isneginf(scores[0]), torch.ones(7, 7).triu(1).bool())
    torch.testing.assert_close(weights_of(scores), CALL.weights())


def test_what_is_added_and_what_is_capped_is_part_of_a_score() -> None:
    bias = torch.arange(7.0).expand(1, 4, 7, 7)
    torch.testing.assert_close(scores_of(replace(CALL, bias=bias)), scores_of(CALL) + bias[0])
    capped = scores_of(replace(CALL, softcap=0.5, causal=False))
    torch.testing.assert_close(capped, 0.5 * torch.tanh(scores_of(replace(CALL, causal=False)) / 0.5))


@pytest.mark.parametrize("architecture", SEEN, ids=lambda each: each.kind)
@torch.no_grad()
def test_scores_of_other_models_lead_to_their_weights(architecture: Architecture) -> None:
    network = architecture.network()
    prepare(network, architecture.inputs("right"))
    with record(network) as recording:
        network(**architecture.inputs("left"))
    for call in recording.calls:
        for text in range(2):
            scores = scores_of(call, heads=[2, 0], rows=slice(3, 12), batch=text)
            weights = call.weights([2, 0], slice(3, 12), batch=text)
            torch.testing.assert_close(weights_of(scores), weights, atol=1e-5, rtol=0)
            detail = query_key_detail(call, 2, 9, text)
            apart = (scores[0, 6] - detail.logits)[~detail.masked]
            # But for a number that is the same for all keys.
            assert apart.max() - apart.min() < 1e-4


def test_weights_that_were_kept_alone_have_no_scores() -> None:
    assert logits_of(StoredCall("p", "self", 0, CALL.weights()[None], CALL.masked()[None])) is None


def test_weights_with_the_size_of_their_rows_have_scores() -> None:
    wanted = scores_of(CALL)
    origin = Origin(lse=wanted.logsumexp(-1)[None])
    stored = StoredCall("p", "self", 0, CALL.weights()[None], CALL.masked()[None], origin=origin)
    torch.testing.assert_close(scores_of(stored), wanted)
    torch.testing.assert_close(scores_of(stored, heads=[3], rows=slice(4, 6)), wanted[[3], 4:6])


def test_queries_and_keys_behind_kept_weights_give_scores_as_they_are() -> None:
    """Some models subtract a row's largest score, which the size of the row alone cannot tell."""
    added = Addition(2.0, torch.arange(49.0).view(1, 1, 7, 7))
    scores = scores_of(stored_from(added, CALL.query))
    torch.testing.assert_close(scores, scores_of(CALL) + 2 * added.tensor[0])


def test_what_is_added_by_key_alone_counts_from_the_query() -> None:
    slope = 0.25
    scores = scores_of(stored_from(Addition(slope, torch.arange(7.0).view(1, 1, 1, 7)), torch.zeros_like(CALL.query)))
    distance = torch.arange(7)[:, None] - torch.arange(7)
    expected = (-slope * distance).masked_fill(distance < 0, -torch.inf)
    torch.testing.assert_close(scores, expected.expand(4, -1, -1))


def test_a_changed_head_has_no_scores_and_the_others_do(minilm: Model) -> None:
    with changed(minilm.network, [HeadChange("self", 2, 5)]):
        trace = minilm.run("The cat sat.")
    assert trace.scores(2) is None
    assert trace.scores(2, heads=[5]) is None
    assert trace.scores(2, heads=[4, 6]) is not None
    assert trace.scores(1) is not None
