"""Loss and attention entropy by position, on networks whose answers are known."""

import math

import pytest
import torch

from core.training.evaluation.extrapolation import ENTROPY, LOSS, SHARE, extrapolation, mean_entropy
from core.training.evaluation.positions import mean_by_range
from core.training.recipes.language_model import build_language_model
from core.training.samples import Sample
from core.training.settings import Settings

KEYS = ["1–2", "3–4", "5–6", "7–8", "9–12", "13–16", "17–20", "21–24"]


def indifferent(positions: str) -> torch.nn.Module:
    """A network that attends evenly and thinks all of its 12 tokens equally likely."""
    settings = Settings(architecture="transformer", width=16, layers=2, heads=2, positions=positions)
    network = build_language_model(settings, 12, seed=0, longest=64)
    for layer in network.decoder.layers:
        for name, parameter in layer.named_parameters():
            if "query" in name:
                torch.nn.init.zeros_(parameter)
    torch.nn.init.zeros_(network.lm_head.weight)
    return network


@pytest.mark.parametrize("positions", ["none", "learned", "rotary"])
def test_even_attention_has_the_entropy_of_all_visible_keys(positions: str) -> None:
    blocks = [Sample((), tuple(range(4, 12)) * 3) for _ in range(3)]
    tables = extrapolation(indifferent(positions), blocks, length=8)
    assert list(tables) == [LOSS, ENTROPY, SHARE]
    assert [list(rows) for rows in tables.values()] == [KEYS, KEYS, ["1–2", *KEYS[1:]]]
    assert list(tables[LOSS].values()) == pytest.approx([math.log(12)] * 8)
    assert tables[ENTROPY]["3–4"] == pytest.approx((math.log(3) + math.log(4)) / 2)
    assert list(tables[SHARE].values()) == pytest.approx([1.0] * 8)


def test_attention_to_one_key_has_no_entropy() -> None:
    one = torch.eye(5).expand(2, 3, 5, 5)
    assert torch.equal(mean_entropy([one, one]), torch.zeros(5))
    even = torch.full((2, 3, 5, 5), 0.2)
    assert mean_entropy([one, even]) == pytest.approx(torch.full((5,), math.log(5) / 2))


def test_ranges_without_a_count_are_left_out() -> None:
    sums, counts = torch.tensor([0.0, 0, 6, 8, 0]), torch.tensor([0.0, 0, 2, 2, 0])
    assert mean_by_range(sums, counts, (0, 2, 3, 8)) == {"3": 3.0, "4": 4.0}
    assert mean_by_range(torch.zeros(3), torch.zeros(3), (0, 3)) == {}
