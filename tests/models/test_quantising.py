"""Weights in 8 and 4 bits, and checkpoints that come quantised."""

import copy
from importlib.util import find_spec
from typing import Any

import pytest
import torch
from torch import nn

from core.errors import HeadlightError
from core.models.model import Model
from core.models.opening.quantising import QUANTISED, Rounded, held_nbytes, quantise, quantised_config, why_not
from core.saliency import explain
from tests.tiny import batch, tiny_config, tiny_network, two_stack_inputs

with_torchao = pytest.mark.skipif(find_spec("torchao") is None, reason="torchao is not installed here")
without_torchao = pytest.mark.skipif(find_spec("torchao") is not None, reason="torchao is installed here")
TEXT = "The quick brown fox did not jump over the lazy dog."


def layer(out: int, width: int) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(width, out))


def rounded(model: Model, name: str) -> Model:
    """The model with rounded weights; the given one stays."""
    network = copy.deepcopy(model.network)
    quantise(network, name)
    return Model(model.name, network, model.encoder, model.report, model.revision, "cpu")


@with_torchao
@pytest.mark.parametrize("name", QUANTISED)
@pytest.mark.parametrize(("out", "width"), [(48, 96), (7, 30), (16, 12)])
def test_the_numbers_are_those_of_torchao_and_off_by_half_a_step_at_most(name: str, out: int, width: int) -> None:
    from torchao.quantization import IntxWeightOnlyConfig, PerAxis, PerGroup, quantize_

    ours, theirs = layer(out, width), layer(out, width)
    weight = ours[0].weight.detach().clone()
    quantise(ours, name)
    granularity = PerGroup(32) if name == "int4" and width % 32 == 0 else PerAxis(0)
    number = torch.int4 if name == "int4" else torch.int8
    quantize_(theirs, IntxWeightOnlyConfig(weight_dtype=number, granularity=granularity))
    assert isinstance(ours[0], Rounded)
    assert torch.equal(ours[0].restored(), theirs[0].weight.dequantize())
    step = ours[0].scale.repeat_interleave(width // ours[0].scale.shape[1], dim=1)
    assert bool(((ours[0].restored() - weight).abs() <= 0.51 * step).all())


@with_torchao
def test_four_bits_take_half_a_byte_and_eight_a_whole_one() -> None:
    for name, nbytes in (("int8", 64 * 128), ("int4", 64 * 64)):
        network = layer(64, 128)
        quantise(network, name)
        assert network[0].numbers.nbytes == nbytes
        assert held_nbytes(network) == nbytes + network[0].scale.nbytes + 64 * 4


@with_torchao
@pytest.mark.parametrize("kind", ["bert", "llama", "modernbert", "t5"])
@pytest.mark.parametrize("name", QUANTISED)
def test_a_network_answers_as_with_the_weights_that_the_numbers_stand_for(kind: str, name: str) -> None:
    network = tiny_network(kind)
    plain = copy.deepcopy(network)
    quantise(network, name)
    changed = 0
    for path, module in network.named_modules():
        if isinstance(module, Rounded):
            plain.get_submodule(path).weight.data = module.restored()
            changed += 1
    inputs = two_stack_inputs("right") if kind == "t5" else batch("right")
    with torch.no_grad():
        assert torch.equal(network(**inputs)[0], plain(**inputs)[0])
    assert changed > 5


@with_torchao
@pytest.mark.parametrize(("name", "share", "moved"), [("int8", 0.65, 0.02), ("int4", 0.61, 0.1)])
def test_the_default_model_shrinks_its_proof_holds_and_its_maps_move_little(
    minilm: Model, name: str, share: float, moved: float
) -> None:
    model = rounded(minilm, name)
    assert held_nbytes(model.network) < share * held_nbytes(minilm.network)
    before, after = minilm.run(TEXT), model.run(TEXT)
    assert after.provenance.checks[0].passed
    assert after.provenance.dtype == "float32"
    rows = [(after.attention(i) - before.attention(i)).abs().sum(-1).mean() / 2 for i in range(before.layers())]
    assert 0 < float(sum(rows)) / len(rows) < moved


@with_torchao
def test_gradients_are_exact_and_decompositions_refused(minilm: Model) -> None:
    model = rounded(minilm, "int8")
    for module in list(model.network.modules()):
        if isinstance(module, Rounded):
            given = torch.randn(2, module.in_features, requires_grad=True)
            (found,) = torch.autograd.grad(module(given).sum(), given)
            torch.testing.assert_close(found, module.restored().sum(0).expand(2, -1))
            break
    assert abs(explain(model, "a warm film", "input_x_gradient", text_pair="good").values).max() > 0
    with pytest.raises(HeadlightError, match="quantised or not in memory"):
        explain(model, "a warm film", "alti", text_pair="good")


@with_torchao
def test_the_output_layer_stays_as_it_may_be_the_embeddings() -> None:
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_config(tiny_config("llama", tie_word_embeddings=True)).eval()
    quantise(network, "int8")
    assert type(network.lm_head) is nn.Linear
    assert network.lm_head.weight is network.get_input_embeddings().weight
    assert isinstance(network.model.layers[0].self_attn.q_proj, Rounded)


@with_torchao
def test_a_network_in_bfloat16_stays_so_and_can_be_copied(minilm: Model) -> None:
    network = copy.deepcopy(minilm.network).to(torch.bfloat16)
    quantise(network, "int4")
    ids = torch.tensor([minilm.encode(TEXT).ids])
    with torch.no_grad():
        answer = network(ids)[0]
        assert answer.dtype == torch.bfloat16
        assert torch.equal(copy.deepcopy(network)(ids)[0], answer)


@with_torchao
def test_a_network_without_linear_layers_is_refused() -> None:
    with pytest.raises(HeadlightError, match="no linear layers that could be rounded to int8"):
        quantise(tiny_network("gpt2"), "int8")
    with pytest.raises(HeadlightError, match="no linear layers that could be rounded to int4"):
        quantise(layer(3, 5), "int4")


@without_torchao
@pytest.mark.parametrize("name", QUANTISED)
def test_without_torchao_the_sentence_says_how_to_get_it(name: str) -> None:
    assert "pip install --no-deps torchao" in str(why_not(name, "cpu"))
    with pytest.raises(HeadlightError, match="needs torchao"):
        quantise(layer(4, 4), name)


def test_what_is_no_rounding_and_no_one_device_is_said() -> None:
    assert "no rounding called int3" in str(why_not("int3", "cpu"))
    if find_spec("torchao") is not None:
        assert why_not("int8", "cpu") is None
        assert "choose one device" in str(why_not("int8", "auto"))


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (None, None),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, None),
        ({"quant_method": "mxfp4"}, None),
        ({"quant_method": "aqlm"}, "quantised by aqlm, which is not read here"),
        ({"quant_method": "no\u202ebody\n"}, "quantised by no\\u202ebody\\n, which"),
        ({"bits": 4}, "a way that its config.json does not name"),
        ([1, 2], "says nothing"),
        ("gptq", "says nothing"),
    ],
)
def test_a_quantised_checkpoint_is_read_or_refused_with_the_reason(stated: Any, sentence: str | None) -> None:
    found = quantised_config({"model_type": "bert", "quantization_config": stated})
    assert found is None if sentence is None else sentence in str(found)


@pytest.mark.parametrize(
    ("stated", "packages"),
    [
        ({"quant_method": "gptq", "bits": 4}, ("optimum", "gptqmodel")),
        ({"quant_method": "awq"}, ("gptqmodel",)),
        ({"quant_method": "compressed-tensors"}, ("compressed_tensors",)),
        ({"quant_method": "bitsandbytes"}, ("bitsandbytes",)),
        ({"load_in_8bit": True}, ("bitsandbytes",)),
        ({"quant_method": "torchao"}, ("torchao",)),
    ],
)
def test_a_checkpoint_that_needs_a_package_names_it_where_it_is_missing(
    stated: dict[str, Any], packages: tuple[str, ...]
) -> None:
    config = tiny_config("bert")
    config.quantization_config = stated
    missing = [package for package in packages if find_spec(package) is None]
    found = quantised_config(config)
    assert (found is None) is not bool(missing)
    assert all(package.replace("_", "-") in str(found) for package in missing)
