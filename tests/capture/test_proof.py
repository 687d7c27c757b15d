"""The proof A·V = O forgives what rounding costs, and nothing else."""

from dataclasses import replace

import pytest
import torch

from core.capture import AttentionCall, check_of, record
from core.capture.proof import error_of_call, product_of_row, rounding_of_call
from tests.tiny import tiny_network

LENGTH = 64


def call_with(size: float, groups: int = 4) -> tuple[AttentionCall, torch.Tensor, torch.Tensor]:
    """A causal call of four heads with queries of this size; its values, and the output of exact arithmetic."""
    generator = torch.Generator().manual_seed(0)
    query = size * torch.randn(1, 4, LENGTH, 16, generator=generator)
    key, value = (torch.randn(1, groups, LENGTH, 16, generator=generator) for _ in range(2))
    call = AttentionCall(
        path="", stream="self", layer=0, query=query, key=key, mask=None, causal=True, scale=0.25, bias=None
    )
    wide = [tensor.double().repeat_interleave(4 // tensor.shape[1], dim=1) for tensor in (query, key, value)]
    output = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=True, scale=0.25)
    return call, value, output.float().transpose(1, 2)  # (B, H, T, D) -> (B, T, H, D)


def test_rounding_grows_with_the_largest_that_a_score_can_be():
    call, *_ = call_with(3.0, groups=2)
    scores = call.scores(rows=slice(LENGTH - 1, LENGTH))[:, 0]  # (H, 1, S) -> (H, S)
    rounding = rounding_of_call(call)
    assert rounding.shape == (4,)
    assert (2 * scores.abs().amax(-1) <= rounding).all()
    norms = call.query[0, 3, -1].norm() * call.key[0, 1].norm(dim=-1).max() * 0.25
    assert rounding[3] == pytest.approx(2 * float(norms), rel=1e-5)


@pytest.mark.parametrize("size", [0.1, 1.0, 30.0, 1_000.0, 30_000.0])
def test_rounding_passes_however_large_the_scores_are(size: float):
    call, value, output = call_with(size)
    errors, roundings = error_of_call(call, value, output), rounding_of_call(call)
    assert check_of([errors.tolist()], torch.float32, [roundings.tolist()]).passed


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("wrong", ["scale", "key"])
def test_a_wrong_formula_fails_however_large_the_scores_are(size: float, wrong: str):
    call, value, output = call_with(size)
    other = replace(call, scale=0.26) if wrong == "scale" else replace(call, key=call.key.roll(1, dims=2))
    errors, roundings = error_of_call(other, value, output), rounding_of_call(other)
    assert not check_of([errors.tolist()], torch.float32, [roundings.tolist()]).passed


def test_a_model_with_large_scores_passes():
    network = tiny_network("gpt2")
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if name.endswith("c_attn.weight"):
                weight.mul_(40)
        with record(network) as recording:
            network(torch.arange(2, 34)[None])
    assert max(max(units) for units in recording.roundings()) > 1_000
    assert check_of(recording.errors(), torch.float32, recording.roundings()).passed


def test_a_sum_over_thousands_of_keys_is_as_good_as_a_short_one():
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(2, 1, 16_384, generator=generator).softmax(-1)
    value = 1 + torch.rand(2, 16_384, 8, generator=generator)
    exact = (weights.double() @ value.double()).float()
    torch.testing.assert_close(product_of_row(weights, value), exact, rtol=4e-7, atol=0)
