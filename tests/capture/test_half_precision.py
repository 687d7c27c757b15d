"""Numbers that are none are named with layer and head on every path, and rows that see nothing are dead."""

import math

import pytest
import torch
from torch import Tensor, nn

from core.capture import Recording, check_of, prepare, record
from tests.architectures import Architecture

LAYER, HEAD, WIDTH = 1, 2, 8
# Where the values of head 2 of layer 1 come from: module and rows of its weight.
VALUES = {
    "bert": ("bert.encoder.layer.1.attention.self.value", 2 * WIDTH),
    "t5": ("encoder.block.1.layer.0.SelfAttention.v", 2 * WIDTH),
    "granitemoe_swa": ("model.layers.1.self_attn.v_proj", None),
    "gemma2": ("model.layers.1.self_attn.v_proj", None),
    "bloom": ("transformer.h.1.self_attention.query_key_value", (3 * 2 + 2) * WIDTH),
    "gpt_neo": ("transformer.h.1.attn.attention.v_proj", 2 * WIDTH),
    "deberta-v2": ("deberta.encoder.layer.1.attention.self.value_proj", 2 * WIDTH),
}


def network_with_nan(kind: str) -> tuple[nn.Module, dict[str, Tensor]]:
    changes = {"gpt_neo": dict(attention_types=[[["global", "local"], 2]])}.get(kind, {})
    architecture = Architecture(kind, changes)
    network = architecture.network()
    inputs = architecture.inputs("none")
    prepare(network, architecture.inputs("right"))
    path, row = VALUES[kind]
    weight = network.get_submodule(path).weight.data
    # Where two query heads share a key-value head, both are hit: heads 2 and 3.
    weight[WIDTH if row is None else row] = torch.nan
    return network, inputs


@torch.no_grad()
def run(network: nn.Module, inputs: dict[str, Tensor]) -> Recording:
    with record(network) as recording:
        network(**inputs)
    return recording


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", VALUES)
def test_nan_is_named_with_its_layer_and_head(kind: str, dtype: torch.dtype) -> None:
    network, inputs = network_with_nan(kind)
    errors = run(network.to(dtype), inputs).errors()
    hit = [2, 3] if VALUES[kind][1] is None else [HEAD]
    assert not any(math.isnan(error) for error in errors[0])
    assert [head for head, error in enumerate(errors[LAYER]) if math.isnan(error)] == hit
    assert not check_of(errors, dtype).passed


def test_nan_in_torch_s_own_attention_is_named_with_its_head() -> None:
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 48, batch_first=True), 3).eval()
    model.layers[LAYER].self_attn.in_proj_weight.data[2 * 32 + HEAD * WIDTH] = torch.nan
    with torch.no_grad(), record(model) as recording:
        model(torch.randn(2, 6, 32))
    errors = recording.errors()
    assert not any(math.isnan(error) for error in errors[0])
    assert [head for head, error in enumerate(errors[LAYER]) if math.isnan(error)] == [HEAD]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", ["llama", "gemma2", "bloom", "opt", "mpt"])
def test_rows_of_padding_on_the_left_are_dead_and_marked(kind: str, dtype: torch.dtype) -> None:
    architecture = Architecture(kind)
    network, inputs = architecture.network().to(dtype), architecture.inputs("left")
    prepare(network, architecture.inputs("right"))
    recording = run(network, inputs)
    assert check_of(recording.errors(), dtype).passed
    real = inputs["attention_mask"][1].bool()
    for call in recording.calls:
        assert torch.equal(call.dead_rows(batch=1).any(0), ~real)
        weights = call.weights(batch=1)
        assert torch.all(weights[:, ~real] == 0)
        assert torch.isfinite(weights).all()
        assert torch.all(call.sink_share(batch=1)[:, ~real] == 0)
