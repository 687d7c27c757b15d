"""Recorded weights are those that the library's own eager attention returns."""

import pytest
import torch
from transformers import AutoModel, PreTrainedModel

from core.capture import record
from core.models.catalogue import find
from core.models.model import Model
from tests.architectures import ARCHITECTURES, Architecture
from tests.parity import parity_of

# float32 rounding: the two sum in different orders. The largest difference seen is 7e-6. The T5 family would miss this
# with weights as large as the others', because it does not divide q·k by the root of the head's width: up to 2.4e-5 for
# mt5 and 4e-4 for switch (reference/capture.md, section 2). `sharpen` gives its q that factor, as its own
# initialisation does.
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def eager_minilm() -> PreTrainedModel:
    return AutoModel.from_pretrained(find("all-MiniLM-L6-v2").locate(), attn_implementation="eager").eval()


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.title)
def test_every_layer_equals_eager_whatever_the_padding(architecture: Architecture) -> None:
    parity = parity_of(architecture)
    assert parity.layers
    assert max(parity.differences.values()) <= architecture.tolerance
    assert parity.output <= (0 if parity.same_backend else TOLERANCE)
    assert parity.error <= 64 * torch.finfo(torch.float32).eps


def test_sixty_architectures_and_more_are_compared() -> None:
    titles = [architecture.title for architecture in ARCHITECTURES]
    assert len(set(titles)) == len(titles) >= 60
    # Nothing is allowed more than rounding: see `tests.tiny.sharpen` for the T5 family, which does not scale q·k.
    assert {architecture.tolerance for architecture in ARCHITECTURES} == {TOLERANCE}


@pytest.mark.parametrize("architecture", ARCHITECTURES[::6], ids=lambda architecture: architecture.title)
def test_the_tiny_networks_attend_far_from_uniformly(architecture: Architecture) -> None:
    network = architecture.network()
    with torch.no_grad(), record(network) as recording:
        network(**architecture.inputs("none"))
    call = recording.calls[0]
    assert call.weights().amax(-1).max() > 2.5 / call.keys


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
    with torch.no_grad():
        maps = eager_minilm(
            **inputs, attention_mask=torch.ones(1, len(trace.tokens)), output_attentions=True
        ).attentions
    assert trace.layers() == len(maps) == 6
    for layer, theirs in enumerate(maps):
        mine = trace.attention(layer)
        assert (mine - theirs[0]).abs().max() <= TOLERANCE
        assert (mine.sum(-1) - 1).abs().max() <= TOLERANCE
