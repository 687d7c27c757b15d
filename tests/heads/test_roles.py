import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from core.capture import AttentionCall, Output, Provenance, Trace
from core.heads import ROLES, role_scores
from core.jobs import Job
from core.models.model import Model
from core.text import Tokens
from tests.sentences import refused

PROVENANCE = Provenance("m", "r", "float32", "CPU", "sdpa", "causal", ())
PERIOD = 8
SHARP = 1000.0  # times a one-hot query: the softmax puts all its weight on one key, to the bit


def tokens_of(ids: list[int], special: tuple[int, ...] = ()) -> Tokens:
    n = len(ids)
    labels = tuple(str(i) for i in ids)
    marks = tuple(i in special for i in range(n))
    return Tokens(" ".join(labels), None, tuple(ids), labels, labels, ((0, 1),) * n, (0,) * n, (None,) * n, (0,) * n,
                  marks, (False,) * n)  # fmt: skip


def random_ids(length: int, seed: int = 0) -> list[int]:
    return torch.randperm(500, generator=torch.Generator().manual_seed(seed))[:length].tolist()


def call_of(targets: list[list[int]], causal: bool, keys: int | None = None, layer: int = 0) -> AttentionCall:
    """A call whose heads look at exactly one key each: targets[head][query]; -1 looks at all keys alike."""
    keys = keys or len(targets[0])
    looks = torch.zeros(1, len(targets), len(targets[0]), keys)
    for head, row in enumerate(targets):
        for query, key in enumerate(row):
            if key >= 0:
                looks[0, head, query, key] = SHARP
    eyes = torch.eye(keys).expand(1, len(targets), keys, keys)
    return AttentionCall("p", "self", layer, looks, eyes, mask=None, causal=causal, scale=1.0, bias=None)


def trace_of(tokens: Tokens, *calls: AttentionCall) -> Trace:
    return Trace(tokens, calls, PROVENANCE, Output("hidden states", torch.zeros(1)))


def scores_of(trace: Trace) -> dict[str, Tensor]:
    return {name: found.scores for name, found in role_scores(trace).items()}


def named_heads(n: int) -> list[list[int]]:
    """One head for each role, in the order of ROLES, on a text that repeats itself with period PERIOD."""
    return [
        [max(0, i - 1) for i in range(n)],
        [min(n - 1, i + 1) for i in range(n)],
        list(range(n)),
        [0] * n,
        [i - PERIOD if i >= PERIOD else i for i in range(n)],
        [i - PERIOD + 1 if i >= PERIOD else 0 for i in range(n)],
    ]


def test_each_role_is_played_to_the_full_by_the_head_made_for_it() -> None:
    n = 2 * PERIOD
    found = role_scores(trace_of(tokens_of(random_ids(PERIOD) * 2), call_of(named_heads(n), causal=False)))
    assert list(found) == list(ROLES)
    for head, role in enumerate(found.values()):
        assert role.scores[0, head] == 1
        assert (0, head) in role.holders()
    assert found["next token"].scores[0].tolist()[:4] == [0, 1, 0, 0]
    assert found["own token"].scores[0].tolist()[2:] == [1, 1 / n, 0.5, 1 / n]
    assert found["induction"].scores[0].tolist()[3:] == [0, 0, 1]
    assert [found[name].queries[0] for name in ROLES] == [n - 1, n - 1, n, n - 1, PERIOD, PERIOD]


def test_a_causal_head_cannot_look_ahead() -> None:
    n = 2 * PERIOD
    found = role_scores(trace_of(tokens_of(random_ids(PERIOD) * 2), call_of(named_heads(n), causal=True)))
    assert found["next token"].scores.isnan().all()
    assert found["next token"].uniform.isnan().all()
    assert found["next token"].queries == (0,)
    assert found["next token"].holders() == []
    assert found["induction"].scores[0, 5] == found["duplicate token"].scores[0, 4] == 1


def test_without_repetition_nobody_can_be_an_induction_head() -> None:
    found = scores_of(trace_of(tokens_of(random_ids(6)), call_of([[0] * 6], causal=True)))
    assert found["induction"].isnan().all()
    assert found["duplicate token"].isnan().all()
    assert found["first token"].tolist() == [[1]]


@pytest.mark.parametrize("n", [2, 3, 50])
def test_uniform_attention_scores_as_its_own_yardstick(n: int) -> None:
    tokens = tokens_of(random_ids(n))
    both = role_scores(trace_of(tokens, call_of([[-1] * n], causal=False)))
    for name in ("previous token", "next token", "own token", "first token"):
        assert float(both[name].scores) == pytest.approx(1 / n, abs=1e-6)
        assert float(both[name].uniform) == pytest.approx(1 / n, abs=1e-6)
    causal = role_scores(trace_of(tokens, call_of([[-1] * n], causal=True)))
    harmonic = sum(1 / i for i in range(1, n + 1))
    for name in ("previous token", "first token"):
        assert float(causal[name].scores) == pytest.approx((harmonic - 1) / (n - 1), abs=1e-6)
        assert float(causal[name].uniform) == pytest.approx((harmonic - 1) / (n - 1), abs=1e-6)
    assert float(causal["own token"].scores) == pytest.approx(harmonic / n, abs=1e-6)


@given(period=st.integers(2, 9), repeats=st.integers(2, 4), seed=st.integers(0, 99), begin=st.booleans())
def test_induction_on_a_repeated_sequence_is_the_weight_on_its_diagonals(
    period: int, repeats: int, seed: int, begin: bool
) -> None:
    start = int(begin)  # a special token before the sequence shifts rows and columns alike
    ids, n = [999] * start + random_ids(period, seed) * repeats, start + period * repeats
    generator = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(1, 3, n, 4, generator=generator) * 2 for _ in range(2))
    call = AttentionCall("p", "self", 0, query, key, mask=None, causal=True, scale=1.0, bias=None)
    weights = call.weights()
    found = scores_of(trace_of(tokens_of(ids, special=(0,) if begin else ()), call))
    rows = range(start + period, n)
    follower = sum(weights[:, i, i - k * period + 1] for i in rows for k in range(1, (i - start) // period + 1))
    same = sum(weights[:, i, i - k * period] for i in rows for k in range(1, (i - start) // period + 1))
    assert torch.allclose(found["induction"][0], follower / len(rows), atol=1e-6)
    assert torch.allclose(found["duplicate token"][0], same / len(rows), atol=1e-6)


def test_special_tokens_repeat_nothing() -> None:
    call = call_of([[0, 0, 0, 0]], causal=False)
    found = scores_of(trace_of(tokens_of([7, 1, 2, 7], special=(0, 3)), call))
    assert found["duplicate token"].isnan().all()
    assert scores_of(trace_of(tokens_of([7, 1, 2, 7]), call))["duplicate token"].tolist() == [[1]]


def test_queries_that_cannot_reach_their_target_are_not_counted() -> None:
    mask = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    mask[..., 2, 1] = False
    zeros = torch.zeros(1, 1, 4, 4)
    call = AttentionCall("p", "self", 0, zeros, zeros, mask=mask, causal=False, scale=1.0, bias=None)
    previous = role_scores(trace_of(tokens_of([1, 2, 3, 4]), call))["previous token"]
    assert previous.queries == (2,)
    assert float(previous.scores) == float(previous.uniform) == 0.25


def test_a_layer_with_fewer_heads_has_no_score_for_those_it_lacks() -> None:
    tokens = tokens_of(random_ids(4))
    found = scores_of(trace_of(tokens, call_of([[0] * 4] * 3, True), call_of([[0] * 4], True, layer=1)))
    assert found["first token"].isnan().tolist() == [[False] * 3, [False, True, True]]


def test_blocks_of_rows_score_as_the_whole(monkeypatch: pytest.MonkeyPatch, minilm: Model) -> None:
    trace = minilm.run("The cat and the dog and the bird sat on the mat and the hat.")
    whole = scores_of(trace)
    monkeypatch.setattr("core.heads.roles.CELLS", 12 * len(trace.tokens) * 3)
    for name, scores in scores_of(trace).items():
        assert torch.allclose(scores, whole[name], atol=1e-6)


def test_every_role_says_what_it_is_and_where_it_comes_from() -> None:
    for name, role in ROLES.items():
        assert role.name == name
        assert role.definition
        assert role.source
        assert 0 < role.threshold <= 1


def test_the_known_heads_of_minilm(minilm: Model) -> None:
    text = "The quick brown fox jumps over the lazy dog while seven old wizards sing about the weather in Paris."
    told = []
    job = Job("somebody", "roles", told.append)
    found = role_scores(minilm.run(text), job=job)
    assert found["previous token"].scores[0, 2] > 0.95
    assert found["previous token"].holders() == [(0, 2)]
    assert found["next token"].holders() == [(1, 8)]
    assert found["next token"].scores[1, 8] > 10 * found["next token"].uniform[1]
    assert len(told) == 6
    assert not any(math.isnan(float(found["first token"].scores[layer, 0])) for layer in range(6))


def test_cross_attention_has_no_such_roles() -> None:
    rows, cols = tokens_of([1, 2, 3]), tokens_of([1, 2, 3, 4])
    call = call_of([[0, 1, 2]], causal=False, keys=4)
    trace = Trace(rows, [call], PROVENANCE, Output("hidden states", torch.zeros(1)), {"self": (rows, cols)})
    with refused("self-attention"):
        role_scores(trace)
