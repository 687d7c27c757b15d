import math

import pytest
import torch
from torch import Tensor

from core.errors import HeadlightError
from core.zoo.scores import SCORES, Additive, Attention, Concat, Dot, General, Local, Score, Uniform

WIDTH = 3
STATES = torch.tensor([[[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [3.0, 0.0, 1.0], [0.0, 0.0, 1.0]]])  # (1, 4, 3)
WHOLE = torch.ones(1, 4)


def weights(score: Score, query: Tensor, states: Tensor = STATES, mask: Tensor = WHOLE) -> Tensor:
    with torch.no_grad():
        return score.weights(query, score.remember(states, mask))


def random_score(name: str) -> Score:
    torch.manual_seed(0)
    return SCORES[name](WIDTH, WIDTH)


def set_weight(linear: torch.nn.Linear, rows: list[list[float]]) -> None:
    linear.weight.data = torch.tensor(rows)


def local_score(window: int, place: float) -> Local:
    """Local attention whose scores are all the same and whose place is so many lengths away from the start."""
    score = Local(1, 1, window)
    set_weight(score.of_state, [[0.0]])
    set_weight(score.of_query, [[100.0]])  # tanh(100) = 1
    set_weight(score.total, [[math.log(place / (1 - place))]])
    return score


def test_dot_is_the_product_of_query_and_state() -> None:
    logits = Dot(WIDTH, WIDTH)(torch.tensor([[[1.0, 2.0, 3.0]]]), STATES)
    assert logits.tolist() == [[[7.0, 2.0, 6.0, 3.0]]]


def test_dot_refuses_a_query_of_another_width_than_the_states() -> None:
    with pytest.raises(HeadlightError, match="are 3 and 4 wide"):
        Dot(3, 4)


def test_general_puts_a_matrix_between_query_and_state() -> None:
    score = General(2, WIDTH)
    set_weight(score.of_state, [[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    keys = score.keys(STATES)
    assert keys.tolist() == [[[3.0, 0.0], [0.0, 2.0], [4.0, 0.0], [1.0, 0.0]]]
    assert score(torch.tensor([[[1.0, 10.0]]]), keys).tolist() == [[[3.0, 20.0, 4.0, 1.0]]]


def test_general_with_the_identity_is_dot() -> None:
    general, query = General(WIDTH, WIDTH), torch.randn(1, 2, WIDTH)
    set_weight(general.of_state, torch.eye(WIDTH).tolist())
    assert torch.equal(weights(general, query), weights(Dot(WIDTH, WIDTH), query))


def test_additive_is_v_times_tanh_of_a_sum() -> None:
    score = Additive(2, WIDTH)
    set_weight(score.of_query, [[1.0, 0.0], [0.0, 1.0]])
    set_weight(score.of_state, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    set_weight(score.total, [[2.0, -1.0]])
    logits = score(torch.tensor([[[0.5, -0.5]]]), score.keys(STATES))
    expected = [2 * math.tanh(0.5 + h[0]) - math.tanh(-0.5 + h[1]) for h in STATES[0].tolist()]
    assert logits[0, 0].tolist() == pytest.approx(expected, abs=1e-6)


def test_concat_with_both_matrices_side_by_side_is_additive() -> None:
    additive, concat = random_score("additive"), random_score("concat")
    assert isinstance(additive, Additive)
    assert isinstance(concat, Concat)
    concat.of_both.weight.data = torch.cat([additive.of_query.weight, additive.of_state.weight], dim=1)
    concat.total.weight.data = additive.total.weight
    query = torch.randn(1, 5, WIDTH)
    torch.testing.assert_close(weights(concat, query), weights(additive, query), atol=1e-6, rtol=0)


def test_concat_is_its_formula() -> None:
    concat = random_score("concat")
    assert isinstance(concat, Concat)
    query = torch.randn(1, 1, WIDTH)
    both = torch.cat([query.expand(1, 4, WIDTH), STATES], dim=2)
    expected = torch.tanh(both @ concat.of_both.weight.T) @ concat.total.weight[0]
    torch.testing.assert_close(concat(query, concat.keys(STATES))[0, 0], expected[0], atol=1e-6, rtol=0)


def test_uniform_weights_are_one_over_the_number_of_states() -> None:
    query = torch.randn(1, 2, WIDTH)
    assert weights(Uniform(WIDTH, WIDTH), query).tolist() == [[[0.25] * 4] * 2]
    padded = weights(Uniform(WIDTH, WIDTH), query, mask=torch.tensor([[1, 1, 0, 0]]))
    assert padded.tolist() == [[[0.5, 0.5, 0.0, 0.0]] * 2]


def test_local_weights_are_a_window_under_a_bell_curve() -> None:
    # D = 1, so σ = 1/2; p = 4 · 1/2 = 2, and of the places 0 to 3 those from 1 to 3 are in the window.
    score = local_score(window=1, place=0.5)
    third, beside = 1 / 3, math.exp(-2) / 3
    row = weights(score, torch.ones(1, 1, 1), torch.zeros(1, 4, 1))[0, 0]
    assert row.tolist() == pytest.approx([0, beside, third, beside], abs=1e-6)
    assert row[0] == 0
    assert row.sum() < 1
    assert score.sums_to_less


def test_the_place_of_local_attention_is_a_share_of_the_text_without_padding() -> None:
    score, states = local_score(window=2, place=0.25), torch.zeros(2, 8, 1)
    mask = torch.tensor([[1] * 8, [1] * 4 + [0] * 4])
    memory = score.remember(states, mask)
    assert score.place(torch.ones(2, 1, 1), memory).flatten().tolist() == pytest.approx([2, 1])
    rows = weights(score, torch.ones(2, 1, 1), states, mask)[:, 0]
    assert rows.argmax(dim=1).tolist() == [2, 1]
    assert rows[1, 4:].tolist() == [0] * 4


@pytest.mark.parametrize("place", [1e-6, 1 - 1e-6])
def test_local_attention_always_has_a_state_in_its_window(place: float) -> None:
    row = weights(local_score(window=1, place=place), torch.ones(1, 1, 1), torch.zeros(1, 4, 1))
    assert torch.isfinite(row).all()
    assert row.sum() > 0.01


@pytest.mark.parametrize("name", SCORES)
def test_padding_gets_no_weight_and_changes_no_other(name: str) -> None:
    score, query = random_score(name), torch.randn(1, 2, WIDTH)
    padded = torch.cat([STATES, torch.full((1, 3, WIDTH), 1e3)], dim=1)
    row = weights(score, query, padded, torch.tensor([[1, 1, 1, 1, 0, 0, 0]]))
    assert row[..., 4:].eq(0).all()
    torch.testing.assert_close(row[..., :4], weights(score, query), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", SCORES)
def test_rows_sum_to_one_unless_the_score_says_otherwise(name: str) -> None:
    score = random_score(name)
    sums = weights(score, torch.randn(1, 6, WIDTH)).sum(dim=-1)
    assert score.sums_to_less == (name == "local")
    if score.sums_to_less:
        assert (sums < 1).all()
    else:
        torch.testing.assert_close(sums, torch.ones(1, 6), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", SCORES)
def test_queries_asked_at_once_get_what_each_gets_alone(name: str) -> None:
    score, queries = random_score(name), torch.randn(1, 3, WIDTH)
    alone = torch.cat([weights(score, query) for query in queries.split(1, dim=1)], dim=1)
    torch.testing.assert_close(weights(score, queries), alone, atol=1e-6, rtol=0)


def test_all_weight_on_one_state_selects_it() -> None:
    attention = Attention(Dot(4, 4), "cross")
    states = 200 * torch.eye(4)[None]
    context, rows = attention(states[:, 2:3] / 200, attention.remember(states, WHOLE))
    assert rows.tolist() == [[[0, 0, 1, 0]]]
    assert torch.equal(context[0, 0], states[0, 2])


def test_uniform_attention_gives_the_mean() -> None:
    attention = Attention(Uniform(WIDTH, WIDTH), "pooling")
    context, _ = attention(torch.zeros(1, 1, WIDTH), attention.remember(STATES, WHOLE))
    torch.testing.assert_close(context[0, 0], STATES[0].mean(dim=0))


@pytest.mark.parametrize("name", SCORES)
def test_attention_says_what_it_is(name: str) -> None:
    attention = Attention(random_score(name), "cross")
    assert (attention.attention_stream, attention.attention_sums_to_less) == ("cross", name == "local")
