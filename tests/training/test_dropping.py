"""Word dropout by texts: some texts lose a share of their own, the others nothing."""

import pytest
import torch
from torch import Tensor

from core.training import Options, Sample
from core.training.batches import Batch, LengthBuckets, collate, word_dropout
from core.training.recipe import Recipe
from core.training.settings import Settings
from core.training.trainer import Trainer
from tests.training.small import bert, labelled, same, weights

SPECIAL = (0, 1, 2, 3)


def batch_of(texts: int, words: int) -> Batch:
    rows = [(*(4 + (row + place) % 8 for place in range(words)), 2) for row in range(texts)]
    return collate([Sample(row, (0,)) for row in rows] + [Sample((5, 2), (1,))], "classifier")


def shares_lost(batch: Batch, share: float) -> Tensor:
    """The share of its words that each text lost."""
    dropped = word_dropout(batch, share, 3, SPECIAL, "texts").source == 3
    return dropped.sum(1) / (batch.source > 3).sum(1)


def test_a_share_of_the_texts_loses_words_and_the_others_none() -> None:
    torch.manual_seed(0)
    lost = shares_lost(batch_of(2000, 100), 0.3)
    assert float((lost > 0).float().mean()) == pytest.approx(0.3, abs=0.04)


def test_each_of_these_texts_loses_a_share_of_its_own_from_none_to_all() -> None:
    torch.manual_seed(0)
    lost = shares_lost(batch_of(4000, 200), 0.5)
    found = lost[lost > 0]
    quarters = torch.histc(found, 4, 0, 1) / len(found)
    torch.testing.assert_close(quarters, torch.full((4,), 0.25), atol=0.03, rtol=0)


def test_special_tokens_and_padding_stay() -> None:
    torch.manual_seed(0)
    batch = batch_of(50, 20)
    dropped = word_dropout(batch, 0.9, 3, SPECIAL, "texts")
    kept = (batch.source <= 3) | (batch.mask == 0)
    assert torch.equal(dropped.source[kept], batch.source[kept])
    assert bool((dropped.source == 3).any())


def trainer(steps: int, dropping: str) -> Trainer:
    options = Options(steps=steps, batch_size=8, word_dropout=0.5, dropping=dropping)  # type: ignore[arg-type]
    return Trainer(bert(), LengthBuckets(labelled(), 8), options, kind="classifier")


def test_a_resumed_run_drops_the_same_words() -> None:
    whole, begun, resumed = trainer(6, "texts"), trainer(3, "texts"), trainer(6, "texts")
    list(whole.run())
    list(begun.run())
    torch.rand(7)
    resumed.restore(begun.state())
    list(resumed.run())
    assert same(weights(whole.network), weights(resumed.network))


def test_the_two_ways_train_differently() -> None:
    runs = [trainer(2, dropping) for dropping in ("even", "texts")]
    for run in runs:
        list(run.run())
    assert not same(*(weights(run.network) for run in runs))


def test_a_checkpoint_from_before_the_option_goes_on_as_it_was() -> None:
    state = trainer(3, "even").state()
    del state["options"]["dropping"]
    trainer(6, "even").restore(state)


def test_a_comparison_names_the_two_ways_in_words() -> None:
    even, texts = (
        Recipe("copy", Settings(), Options(dropping=dropping))  # type: ignore[arg-type]
        for dropping in ("even", "texts")
    )
    assert even.differs(texts) == ("words dropped from all texts",)
    assert texts.differs(even) == ("words dropped from some texts",)
