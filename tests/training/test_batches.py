from collections import Counter

import pytest
import torch

from core.training import Sample
from core.training.batches import LengthBuckets, collate, word_dropout
from tests.training.small import reversals

PAIR = [Sample((5, 6, 7, 2), (8, 2)), Sample((9, 2), (10, 11, 2))]


def test_a_pair_is_padded_shifted_and_masked() -> None:
    batch = collate(PAIR)
    assert batch.source.tolist() == [[5, 6, 7, 2], [9, 2, 0, 0]]
    assert batch.mask.tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert batch.target_in is not None
    assert batch.target_in.tolist() == [[1, 8, 0], [1, 10, 11]]
    assert batch.target_out.tolist() == [[8, 2, -100], [10, 11, 2]]
    assert batch.tokens == 5
    assert list(batch.inputs) == ["input_ids", "attention_mask", "decoder_input_ids"]


def test_padding_and_start_may_have_other_ids() -> None:
    batch = collate(PAIR, pad=99, bos=98)
    assert batch.source[1].tolist() == [9, 2, 99, 99]
    assert batch.target_in is not None
    assert batch.target_in[0].tolist() == [98, 8, 99]
    assert batch.mask[1].tolist() == [1, 1, 0, 0]


def test_a_classifier_has_labels_and_no_decoder() -> None:
    batch = collate([Sample((5, 6, 2), (1,)), Sample((7, 2), (0,))], "classifier")
    assert batch.target_in is None
    assert batch.target_out.tolist() == [1, 0]
    assert batch.tokens == 2
    assert list(batch.inputs) == ["input_ids", "attention_mask"]


def test_a_language_model_reads_its_own_target_one_place_late() -> None:
    batch = collate([Sample((), (5, 6, 2)), Sample((), (7, 2))], "language model")
    assert batch.source.tolist() == [[1, 5, 6], [1, 7, 0]]
    assert batch.mask.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert batch.target_out.tolist() == [[5, 6, 2], [7, 2, -100]]
    assert batch.target_in is None
    assert batch.tokens == 5


@pytest.mark.parametrize("samples", [[], [Sample((), (5, 2))], [Sample((5, 2), ())]])
def test_nothing_to_read_or_to_say_is_an_error(samples: list[Sample]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        collate(samples)


def padding(supply: LengthBuckets) -> int:
    batches = [collate(supply[index]) for index in range(len(supply))]
    return sum(int((batch.mask == 0).sum() + (batch.target_out == -100).sum()) for batch in batches)


def test_buckets_have_less_padding_than_random_batches() -> None:
    samples = reversals(1000, longest=30)
    buckets, chance = (LengthBuckets(samples, 16, seed=1, bucketing=bucketing) for bucketing in (True, False))
    assert padding(buckets) < padding(chance) / 5


def test_buckets_come_in_random_order_of_length() -> None:
    supply = LengthBuckets(reversals(1000, longest=30), 16, seed=1)
    longest = [max(len(sample.source) for sample in supply[index]) for index in range(len(supply))]
    assert longest != sorted(longest)
    assert longest != sorted(longest, reverse=True)


@pytest.mark.parametrize("bucketing", [True, False])
def test_every_sample_comes_once_an_epoch(bucketing: bool) -> None:
    samples = [Sample((*range(4, 5 + number % 9), 2), (number, 2)) for number in range(103)]
    supply = LengthBuckets(samples, 10, bucketing=bucketing)
    assert len(supply) == 11
    for epoch in range(3):
        drawn = [sample for index in range(11) for sample in supply[epoch * 11 + index]]
        assert Counter(drawn) == Counter(samples)


@pytest.mark.parametrize("bucketing", [True, False])
def test_a_batch_follows_from_seed_and_number_alone(bucketing: bool) -> None:
    samples = reversals(100)
    supply, again, other = (LengthBuckets(samples, 8, seed=seed, bucketing=bucketing) for seed in (3, 3, 4))
    numbers = [40, 0, 12, 13, 27]
    assert [supply[number] for number in numbers] == [again[number] for number in reversed(numbers)][::-1]
    assert [supply[number] for number in range(13)] != [other[number] for number in range(13)]
    assert [supply[number] for number in range(13)] != [supply[number] for number in range(13, 26)]


def test_a_supply_needs_samples() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        LengthBuckets([], 4)


def test_word_dropout_replaces_its_share_and_never_a_special_token() -> None:
    torch.manual_seed(0)
    samples = [Sample((*(4 + (row + place) % 8 for place in range(20 + row % 5)), 2), (5, 2)) for row in range(400)]
    batch = collate(samples)
    dropped = word_dropout(batch, 0.3, 3, (0, 1, 2, 3))
    words = batch.source > 3
    share = float((dropped.source[words] == 3).float().mean())
    assert share == pytest.approx(0.3, abs=0.02)
    assert torch.equal(dropped.source[~words], batch.source[~words])
    kept = dropped.source != 3
    assert torch.equal(dropped.source[kept], batch.source[kept])
    assert dropped.target_in is batch.target_in
    assert dropped.target_out is batch.target_out


def test_no_word_dropout_draws_no_random_number() -> None:
    before = torch.get_rng_state()
    batch = collate(PAIR)
    assert word_dropout(batch, 0.0, 3, (0, 1, 2)) is batch
    assert torch.equal(torch.get_rng_state(), before)
