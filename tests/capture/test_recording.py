import math

import pytest
import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel

from core.capture import Recording, check_of, record
from core.capture.interface import listener, unlabelled
from tests.tiny import batch, tiny_network, two_stack_inputs


@torch.no_grad()
def run(network: PreTrainedModel, inputs: dict[str, Tensor] | None = None, on_call=None) -> Recording:
    with record(network, on_call) as recording:
        network(**(inputs or batch("none")))
    return recording


def test_each_layer_is_one_call_with_its_path() -> None:
    recording = run(tiny_network("bert"))
    assert [(c.path, c.stream, c.layer) for c in recording.calls] == [
        (f"encoder.layer.{layer}.attention.self", "self", layer) for layer in range(3)
    ]
    assert {(c.heads, c.key_value_heads, c.queries, c.keys) for c in recording.calls} == {(4, 4, 24, 24)}


def test_layers_that_share_one_module_are_counted_apart() -> None:
    recording = run(tiny_network("albert"))
    assert [c.layer for c in recording.calls] == [0, 1, 2]
    assert len({c.path for c in recording.calls}) == 1
    assert not torch.allclose(recording.calls[0].weights(), recording.calls[1].weights(), atol=1e-3)


def test_grouped_key_heads_are_counted() -> None:
    assert {(c.heads, c.key_value_heads) for c in run(tiny_network("llama")).calls} == {(4, 2)}


@pytest.mark.parametrize("kind", ["t5", "bart", "marian"])
def test_an_encoder_decoder_has_three_streams(kind: str) -> None:
    calls = run(tiny_network(kind), two_stack_inputs("none")).calls
    shapes = {s: {(c.queries, c.keys) for c in calls if c.stream == s} for s in ("encoder", "decoder", "cross")}
    assert shapes == {"encoder": {(24, 24)}, "decoder": {(19, 19)}, "cross": {(19, 24)}}
    layers = {s: [c.layer for c in calls if c.stream == s] for s in shapes}
    assert layers == {"encoder": [0, 1], "decoder": [0, 1, 2], "cross": [0, 1, 2]}


def test_the_check_of_an_honest_run_is_rounding() -> None:
    for padding in ("none", "right", "left"):
        errors = run(tiny_network("llama"), batch(padding)).errors()
        assert len(errors) == 3
        assert {len(by_head) for by_head in errors} == {4}
        assert max(max(by_head) for by_head in errors) < 1e-6


def report(scale: float = 8**-0.5, mask: Tensor | None = None, bias: Tensor | None = None, shift: float = 0.0) -> float:
    """The largest error when a recording is told something else than what the output was computed with."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, 4, 6, 8, generator=generator) for _ in range(3))
    output, _ = AttentionInterface()["sdpa"](nn.Module(), query, key, value, None, scaling=8**-0.5, is_causal=False)
    recording = Recording(nn.Module())
    call = unlabelled(nn.Module(), query, key, mask, False, scale, bias)
    recording.on_attention(nn.Module(), call, value, output + shift)
    return max(recording.errors()[0])


def test_the_check_fails_when_the_record_is_not_what_ran() -> None:
    assert check_of([[report()]], torch.float32).passed
    seen = torch.ones(6, 6, dtype=torch.bool)
    seen[:, 3] = False
    for error in (
        report(scale=8**-0.5 * 1.01),
        report(mask=seen),
        report(bias=torch.linspace(0, 1, 6).expand(1, 4, 6, 6)),
        report(shift=1e-3),
    ):
        assert not check_of([[error]], torch.float32).passed


def test_the_check_fails_under_dropout_which_the_weights_do_not_hold() -> None:
    torch.manual_seed(0)
    check = check_of(run(tiny_network("bert").train()).errors(), torch.float32)
    assert check.error > 0.1
    assert not check.passed


def test_the_check_fails_for_an_attention_of_another_kind() -> None:
    # A float mask of the smallest number instead of -inf leaves a row that sees nothing uniform, not zero.
    mask = torch.zeros(2, 1, 24, 24)
    mask[:, :, -1] = torch.finfo(torch.float32).min
    recording = run(tiny_network("bert"), batch("none") | {"attention_mask": mask})
    assert not check_of(recording.errors(), torch.float32).passed


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_nan_is_named_with_its_layer_and_head(dtype: torch.dtype) -> None:
    network = tiny_network("bert").to(dtype)
    # The values of head 2 of layer 1.
    network.encoder.layer[1].attention.self.value.weight.data[2 * 8] = torch.nan
    errors = run(network).errors()
    assert [head for head, error in enumerate(errors[1]) if math.isnan(error)] == [2]
    assert not any(math.isnan(error) for error in errors[0])
    assert all(math.isnan(error) for error in errors[2])
    assert not check_of(errors, dtype).passed


def test_nan_of_any_query_is_seen_not_only_of_the_last() -> None:
    query = torch.zeros(1, 2, 5, 8)
    output = torch.zeros(1, 5, 2, 8)
    output[0, 1, 1] = torch.inf
    recording = Recording(nn.Module())
    recording.on_attention(nn.Module(), unlabelled(nn.Module(), query, query, None), query, output)
    assert recording.errors()[0][0] == 0
    assert math.isnan(recording.errors()[0][1])


def test_an_exception_ends_the_recording() -> None:
    network = tiny_network("bert")
    with pytest.raises(RuntimeError, match="stop"), record(network):
        raise RuntimeError("stop")
    assert listener.get() is None
    assert len(run(network).calls) == 3


def test_recordings_nest() -> None:
    network = tiny_network("bert")
    with torch.no_grad(), record(network) as outer:
        network(**batch("none"))
        with record(network) as inner:
            network(**batch("none", length=9))
        network(**batch("none"))
    assert [c.queries for c in inner.calls] == [9] * 3
    assert [c.queries for c in outer.calls] == [24] * 6
    assert listener.get() is None


def test_each_call_is_told_as_it_happens() -> None:
    told: list[int] = []
    run(tiny_network("bert"), on_call=told.append)
    assert told == [1, 2, 3]


def test_what_on_call_raises_ends_the_run() -> None:
    class Stop(Exception):
        pass

    def stop(done: int) -> None:
        if done == 2:
            raise Stop

    network = tiny_network("bert")
    with pytest.raises(Stop), record(network, stop) as recording:
        network(**batch("none"))
    assert len(recording.calls) == 2
    assert listener.get() is None


def test_a_recording_holds_no_graph() -> None:
    network = tiny_network("bert").requires_grad_(True)
    with record(network) as recording:
        loss = network(**batch("none"))[0].sum()
    assert loss.requires_grad
    assert not any(t.requires_grad for c in recording.calls for t in (c.query, c.key))
    loss.backward()
