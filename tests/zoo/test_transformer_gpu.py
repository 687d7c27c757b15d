"""On a GPU the same numbers come out, forwards and backwards."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.capture import check_of, prepare, record
from core.positions import TRAINABLE
from tests.zoo.tiny_transformers import MODELS, inputs, network, real_rows

pytestmark = pytest.mark.gpu


def run(model: PreTrainedModel, given: dict[str, Tensor], real: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Logits of what is no padding, and the gradients of their mean square, all on the CPU."""
    logits = model(**given).logits[real]
    logits.square().mean().backward()
    return logits.detach().cpu(), {name: weight.grad.cpu() for name, weight in model.named_parameters()}


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("kind", MODELS)
def test_logits_and_gradients_are_those_of_the_cpu(kind: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind, "left")
    real = real_rows(kind, given)
    logits, gradients = run(model, given, real)
    there = copy.deepcopy(model).to("cuda")
    there.zero_grad()
    found, found_gradients = run(there, {name: tensor.cuda() for name, tensor in given.items()}, real.cuda())
    torch.testing.assert_close(found, logits, atol=1e-3, rtol=1e-3)
    for name, gradient in gradients.items():
        torch.testing.assert_close(found_gradients[name], gradient, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("positions", TRAINABLE)
def test_recorded_weights_are_proven_in_every_number_format(positions: str, dtype: torch.dtype) -> None:
    model = network("encoder-decoder", positions=positions).to("cuda", dtype)
    given = {name: tensor.cuda() for name, tensor in inputs("encoder-decoder").items()}
    assert prepare(model, given) == "sdpa"
    with record(model) as recording, torch.no_grad():
        model(**given)
    assert check_of(recording.errors(), dtype, recording.roundings()).passed


def test_mixed_precision_trains() -> None:
    model = network("encoder-decoder", positions="relative", dropout=0.1).train().to("cuda")
    given = {name: tensor.cuda() for name, tensor in inputs("encoder-decoder").items()}
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(**given).logits.float().square().mean()
    loss.backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())
