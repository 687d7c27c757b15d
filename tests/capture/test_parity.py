"""Recorded weights are those that the library's own eager attention returns."""

import pytest
import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedModel

from core.capture import check_of, record
from core.models.catalogue import find
from core.models.model import Model
from tests.tiny import ONE_STACK, TWO_STACKS, batch, tiny_network, two_stack_inputs

# float32 rounding: the two sum in different orders. The largest difference seen is 2e-6. T5 would miss this with
# weights as large as the others', because it does not divide q·k by the root of the head's width (reference/capture.md,
# section 2): `sharpen` gives its q that factor, as T5's own initialisation does.
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def eager_minilm() -> PreTrainedModel:
    return AutoModel.from_pretrained(find("all-MiniLM-L6-v2").locate(), attn_implementation="eager").eval()


@torch.no_grad()
def eager_maps(network: PreTrainedModel, inputs: dict[str, Tensor]) -> dict[str, tuple[Tensor, ...]]:
    """By stream and layer: (batch, heads, queries, keys)."""
    answer = network(**inputs, output_attentions=True)
    if not network.config.is_encoder_decoder:
        return {"self": answer.attentions}
    return {
        "encoder": answer.encoder_attentions,
        "decoder": answer.decoder_attentions,
        "cross": answer.cross_attentions,
    }


def assert_same_maps(kind: str, inputs: dict[str, Tensor], real_rows: dict[str, Tensor]) -> None:
    """Rows of padding are left out: what they attend to is of no consequence, and the kernels differ in it."""
    network, maps = tiny_network(kind, "sdpa"), eager_maps(tiny_network(kind, "eager"), inputs)
    with torch.no_grad(), record(network) as recording:
        network(**inputs)
    assert [(call.stream, call.layer) for call in recording.calls] != []
    assert {s: sum(c.stream == s for c in recording.calls) for s in maps} == {s: len(m) for s, m in maps.items()}
    for call in recording.calls:
        for text, real in enumerate(real_rows[call.stream]):
            mine, theirs = call.weights(batch=text), maps[call.stream][call.layer][text]
            assert mine.shape == theirs.shape
            assert (mine - theirs)[:, real.bool()].abs().max() <= TOLERANCE
            assert torch.all(mine.masked_select(call.masked(batch=text).expand_as(mine)) == 0)
    assert check_of(recording.errors(), torch.float32).passed


@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize("kind", ONE_STACK)
def test_one_stack_equals_eager(kind: str, padding: str) -> None:
    inputs = batch(padding)
    assert_same_maps(kind, inputs, {"self": inputs["attention_mask"]})


@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize("kind", TWO_STACKS)
def test_encoder_decoder_equals_eager_in_all_three_streams(kind: str, padding: str) -> None:
    inputs = two_stack_inputs(padding)
    target = inputs["decoder_attention_mask"]
    real_rows = {"encoder": inputs["attention_mask"], "decoder": target, "cross": target}
    assert_same_maps(kind, inputs | {"use_cache": False}, real_rows)


def test_the_tiny_networks_attend_far_from_uniformly() -> None:
    inputs = batch("none")
    for kind in ONE_STACK:
        maps = eager_maps(tiny_network(kind, "eager"), inputs)["self"]
        assert maps[0].amax(-1)[:, :, -1].max() > 0.15, kind


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("The cat sat on the mat.", None),
        ("猫追老鼠 and 👩‍👩‍👧 😀 naïve café", None),
        ("a", "The second text of a pair is longer."),
        ("word " * 600, None),
    ],
)
def test_minilm_equals_eager_in_every_layer(
    minilm: Model, eager_minilm: PreTrainedModel, text: str, pair: str | None
) -> None:
    trace = minilm.run(text, pair)
    inputs = {"input_ids": torch.tensor([trace.tokens.ids]), "token_type_ids": torch.tensor([trace.tokens.type_ids])}
    maps = eager_maps(eager_minilm, inputs | {"attention_mask": torch.ones(1, len(trace.tokens))})["self"]
    assert trace.layers() == len(maps) == 6
    for layer, theirs in enumerate(maps):
        mine = trace.attention(layer)
        assert (mine - theirs[0]).abs().max() <= TOLERANCE
        assert (mine.sum(-1) - 1).abs().max() <= TOLERANCE
