"""What a rotation that leaves some coordinates as they are does to the product of two vectors of ones."""

import torch

from core.positions.measures import effect
from core.positions.objects import Rotation
from core.positions.rotary import rotated


def test_coordinates_that_are_not_turned_count_as_alike() -> None:
    frequencies = torch.tensor([1.0, 0.1], dtype=torch.float64)
    part = Rotation(frequencies, frequencies, 16, "interleaved")
    places = torch.arange(6, dtype=torch.float64)
    turned = rotated(torch.ones(6, 4, dtype=torch.float64), places[:, None] * frequencies)  # (T, 4)
    whole = torch.cat([turned, torch.ones(6, 12, dtype=torch.float64)], dim=-1)  # (T, 16)
    products = (whole @ whole[0]) / 16
    assert torch.allclose(effect(part, 5).values[0, 5:].double(), products, atol=1e-6)
