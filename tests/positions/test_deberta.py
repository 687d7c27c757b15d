"""DeBERTa's rows for offsets, and its three terms, by the definition and by the library's own code."""

import pytest
import torch
from torch import Tensor
from transformers import DebertaV2Config
from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention, make_log_bucket_position

from core.errors import HeadlightError
from core.positions import SCHEMES
from core.positions.deberta import illustration, log_illustration, log_rows, log_thing, rows, terms
from core.positions.encoding import distances
from core.positions.settings import Settings
from tests.sentences import refused

HEADS, LENGTH, WIDTH, CLIP = 2, 11, 6, 4


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def operands() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    counts = (LENGTH, LENGTH, 2 * CLIP, 2 * CLIP)
    query, key, position_query, position_key = (
        drawn(HEADS, count, WIDTH, seed=seed) for seed, count in enumerate(counts)
    )
    return query, key, position_query, position_key, rows(-distances(LENGTH, LENGTH), CLIP)


@pytest.mark.parametrize("clip", [1, 4, 512])
def test_a_row_is_the_clipped_difference(clip: int) -> None:
    difference = torch.arange(-1000, 1001)
    expected = [0 if d <= -clip else 2 * clip - 1 if d >= clip else d + clip for d in difference.tolist()]
    assert rows(difference, clip).tolist() == expected
    assert len(set(expected)) == 2 * clip


@pytest.mark.parametrize(
    ("buckets", "farthest"), [(256, 512), (32, 128), (8, 1024), (2, 4), (3, 9), (255, 512), (256, 130)]
)
def test_buckets_that_grow_are_those_of_the_library(buckets: int, farthest: int) -> None:
    difference = torch.arange(-1500, 1501)
    theirs = make_log_bucket_position(difference, buckets, farthest).long() + buckets
    assert torch.equal(log_rows(difference, buckets, farthest), theirs.clamp(0, 2 * buckets - 1))


def test_of_a_published_v3_a_quarter_of_the_rows_holds_one_distance_a_side() -> None:
    starts = log_thing(Settings(length=600, buckets=256, farthest=512)).starts
    assert starts[:129] == tuple(range(129))
    assert (starts[-1], len(starts)) == (506, 256)


@pytest.mark.parametrize(("buckets", "farthest"), [(1, 512), (8, 4), (8, 5), (1, 1)])
def test_too_few_buckets_to_grow_clip(buckets: int, farthest: int) -> None:
    difference = torch.arange(-20, 21)
    assert torch.equal(log_rows(difference, buckets, farthest), rows(difference, buckets))


def test_the_rows_by_offset_are_those_of_the_first_version() -> None:
    found = SCHEMES["deberta"].thing(Settings(length=9, clip=3))
    assert found.numbers.tolist() == [5, 5, 5, 5, 5, 5, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0]
    assert (found.rows, found.starts, found.causal) == (6, (0, 1, 2), False)
    by_distance = SCHEMES["deberta"].by_distance(Settings(length=9, clip=3))
    assert by_distance.values[0].tolist() == found.numbers.tolist()
    assert by_distance.offsets.tolist() == list(range(-8, 9))


def test_the_three_terms_sum_to_the_score_of_the_paper() -> None:
    query, key, position_query, position_key, numbers = operands()
    found = terms(query, key, position_query, position_key, numbers)
    assert found.absent == ()
    for i in range(LENGTH):
        for j in range(LENGTH):
            there, back = int(numbers[i, j]), int(numbers[j, i])
            assert there == min(max(i - j + CLIP, 0), 2 * CLIP - 1)
            products = (
                (query[:, i] * key[:, j]).sum(-1),
                (query[:, i] * position_key[:, there]).sum(-1),
                (key[:, j] * position_query[:, back]).sum(-1),
            )
            score = sum(products) / (3 * WIDTH) ** 0.5
            torch.testing.assert_close(found.total[:, i, j], score, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(found.content_to_position[:, i, j], products[1] / (3 * WIDTH) ** 0.5)
            torch.testing.assert_close(found.position_to_content[:, i, j], products[2] / (3 * WIDTH) ** 0.5)


@pytest.mark.parametrize("missing", ["content_to_position", "position_to_content"])
def test_a_term_that_a_model_has_not_is_zero_and_named(missing: str) -> None:
    query, key, position_query, position_key, numbers = operands()
    without_key = missing == "content_to_position"
    found = terms(
        query, key, position_query if without_key else None, None if without_key else position_key, numbers
    )  # fmt: skip
    assert found.absent == (missing,)
    assert not getattr(found, missing).any()
    torch.testing.assert_close(found.content_to_content, query @ key.mT / (2 * WIDTH) ** 0.5)


def test_without_positions_the_score_is_that_of_any_attention() -> None:
    query, key, _, _, numbers = operands()
    torch.testing.assert_close(terms(query, key, None, None, numbers).total, query @ key.mT / WIDTH**0.5)


def test_the_library_looks_both_tables_up_by_query_minus_key() -> None:
    """The paper reads Qr at d(j, i); the authors' code and so all trained models read it at d(i, j)."""
    query, key, _, position_key, numbers = operands()
    config = DebertaV2Config(
        hidden_size=HEADS * WIDTH, num_attention_heads=HEADS, relative_attention=True, pos_att_type=["c2p", "p2c"],
        max_relative_positions=CLIP, position_buckets=-1,
    )  # fmt: skip
    module = DisentangledSelfAttention(config)
    # Projections by the identity leave the table that is handed over; both terms then read one table.
    for layer in (module.pos_key_proj, module.pos_query_proj):
        torch.nn.init.eye_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    table = position_key.transpose(0, 1).flatten(1)  # (H, rows, W) -> (rows, H W)
    with torch.no_grad():
        theirs = module.eval().disentangled_attention_bias(query, key, -distances(LENGTH, LENGTH), table, 3)
    ours = terms(query, key, position_key, position_key, numbers, query_numbers=numbers)
    torch.testing.assert_close(ours.content_to_position + ours.position_to_content, theirs)
    of_paper = terms(query, key, position_key, position_key, numbers)
    assert not torch.allclose(of_paper.content_to_position + of_paper.position_to_content, theirs, atol=0.1)


def test_the_illustration_is_the_same_for_the_same_seed_only() -> None:
    first, again = (illustration(Settings(length=12, width=8, clip=3)) for _ in range(2))
    other = illustration(Settings(length=12, width=8, clip=3, seed=1))
    assert first.total.shape == (1, 12, 12)
    assert torch.equal(first.total, again.total)
    assert not torch.allclose(first.total, other.total)


def test_beyond_the_clip_a_query_meets_one_vector_and_so_does_a_key() -> None:
    found = illustration(Settings(length=20, width=8, clip=3))
    for line in (found.content_to_position[0, 10], found.position_to_content[0, :, 10]):
        assert [len(part.unique()) for part in (line[:9], line[9:13], line[13:])] == [1, 4, 1]


def test_a_clip_far_beyond_the_length_costs_nothing() -> None:
    assert illustration(Settings(length=4, width=8, clip=1 << 24)).total.shape == (1, 4, 4)
    assert SCHEMES["deberta"].thing(Settings(length=2, clip=1 << 24)).numbers.tolist() == [
        (1 << 24) + 1,
        1 << 24,
        (1 << 24) - 1,
    ]


def test_no_model_is_built_with_it() -> None:
    with pytest.raises(HeadlightError, match="open a DeBERTa"):
        SCHEMES["deberta"].encoding(width=8, heads=2, length=4, causal=False)


def test_the_illustration_with_buckets_is_constant_where_offsets_share_one() -> None:
    settings = Settings(length=40, width=8, buckets=8, farthest=20)
    found = log_illustration(settings)
    numbers = log_rows(-distances(40, 40), 8, 20)
    far = numbers[30] == numbers[30, 0]  # keys of query 30 that read the row of its first
    assert int(far.sum()) > 2
    assert len(set(found.content_to_position[0, 30, far].tolist())) == 1
    assert not torch.equal(found.total, illustration(settings).total)


@pytest.mark.parametrize(("buckets", "farthest"), [(128, 32), (1, 64), (16, 9)])
def test_buckets_that_have_nothing_to_grow_are_refused(buckets: int, farthest: int) -> None:
    with refused(f"{buckets} buckets", "above"):
        log_thing(Settings(buckets=buckets, farthest=farthest))
