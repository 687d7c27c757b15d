"""Heads that are changed inside capture do what the same change made by hand at the output projection does."""

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.capture import HeadChange, Recording, changed, check_of, record
from core.capture.interface import changer
from core.errors import HeadlightError
from tests.capture.dispatching import ROW_BLOCKS, inputs_of, network_that_dispatches
from tests.sentences import is_one_sentence, refused
from tests.tiny import ONE_STACK, TWO_STACKS, batch, network_of, tiny_config, tiny_network

HEAD, WIDTH = 1, 8
LAYER = 1
# Where the heads' outputs, side by side, enter their projection.
PROJECTIONS = {
    ("bert", "self"): "encoder.layer.1.attention.output.dense",
    ("gpt2", "self"): "h.1.attn.c_proj",
    ("llama", "self"): "layers.1.self_attn.o_proj",
    ("mistral", "self"): "layers.1.self_attn.o_proj",
    ("qwen3", "self"): "layers.1.self_attn.o_proj",
    ("gemma3_text", "self"): "layers.1.self_attn.o_proj",
    ("modernbert", "self"): "layers.1.attn.Wo",
    ("gemma2", "self"): "layers.1.self_attn.o_proj",
    ("gpt_oss", "self"): "layers.1.self_attn.o_proj",
    ("t5", "encoder"): "encoder.block.1.layer.0.SelfAttention.o",
    ("t5", "decoder"): "decoder.block.1.layer.0.SelfAttention.o",
    ("t5", "cross"): "decoder.block.1.layer.1.EncDecAttention.o",
    ("bart", "encoder"): "encoder.layers.1.self_attn.out_proj",
    ("bart", "decoder"): "decoder.layers.1.self_attn.out_proj",
    ("bart", "cross"): "decoder.layers.1.encoder_attn.out_proj",
}
CASES = [(kind, stream, padding) for kind, stream in PROJECTIONS for padding in ("none", "left")]
EVERY_STREAM = [(kind, "self") for kind in [*ONE_STACK, *ROW_BLOCKS]] + [
    (kind, stream) for kind in TWO_STACKS for stream in ("encoder", "decoder", "cross")
]


@torch.no_grad()
def answer(network: nn.Module, inputs: dict[str, Tensor]) -> Tensor:
    return network(**inputs)[0]


def run(kind: str, padding: str, *changes: HeadChange) -> tuple[Tensor, Recording]:
    network = network_that_dispatches(kind)
    with changed(network, changes), record(network) as recording:
        result = answer(network, inputs_of(kind, padding))
    return result, recording


def call_at(recording: Recording, stream: str, layer: int = LAYER):
    return next(call for call in recording.calls if (call.stream, call.layer) == (stream, layer))


@contextmanager
def by_hand(network: PreTrainedModel, path: str, edit) -> Iterator[None]:
    """Edit the head's part (B, T, D) of what enters a module: knows nothing of the attention interface."""
    part = slice(HEAD * WIDTH, (HEAD + 1) * WIDTH)

    def hook(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        heads = args[0].clone()
        heads[..., part] = edit(heads[..., part])
        return (heads, *args[1:])

    handle = network.get_submodule(path).register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


@pytest.mark.parametrize(("kind", "stream", "padding"), CASES)
def test_zero_equals_zeroing_the_input_of_the_output_projection(kind: str, stream: str, padding: str) -> None:
    network, inputs = network_that_dispatches(kind), inputs_of(kind, padding)
    with by_hand(network, PROJECTIONS[kind, stream], torch.zeros_like):
        expected = answer(network, inputs)
    mine, _ = run(kind, padding, HeadChange(stream, LAYER, HEAD, "zero"))
    assert torch.equal(mine, expected)
    assert (mine - answer(network, inputs)).abs().max() > 1e-3


@pytest.mark.parametrize(("kind", "stream"), PROJECTIONS)
def test_mean_equals_averaging_the_input_of_the_output_projection(kind: str, stream: str) -> None:
    network, inputs = network_that_dispatches(kind), inputs_of(kind, "none")
    with by_hand(network, PROJECTIONS[kind, stream], lambda part: part.mean(dim=1, keepdim=True)):
        expected = answer(network, inputs)
    mine, _ = run(kind, "none", HeadChange(stream, LAYER, HEAD, "mean"))
    assert torch.allclose(mine, expected, atol=1e-5)
    assert (mine - answer(network, inputs)).abs().max() > 1e-3


@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize(("kind", "path", "reads"), [("bert", "encoder.layer.1.attention.self.value", 1),
                                                     ("llama", "layers.1.self_attn.v_proj", 0)])  # fmt: skip
def test_uniform_is_the_plain_mean_of_the_values_that_a_query_may_read(
    kind: str, path: str, reads: int, padding: str
) -> None:
    network, inputs = tiny_network(kind, "sdpa"), batch(padding)
    values: list[Tensor] = []
    handle = network.get_submodule(path).register_forward_hook(lambda module, args, output: values.append(output))
    answer(network, inputs)
    handle.remove()
    value = values[0][..., reads * WIDTH : (reads + 1) * WIDTH]  # (B, S, D): llama's head 1 shares group 0
    visible = inputs["attention_mask"].bool()[:, None, :].expand(-1, 24, -1)  # (B, T, S)
    if kind == "llama":
        visible = visible & torch.ones(24, 24).tril().bool()

    def uniform(part: Tensor) -> Tensor:
        return torch.stack([
            torch.stack([value[b, seen].mean(dim=0) if seen.any() else torch.zeros(WIDTH) for seen in visible[b]])
            for b in range(2)
        ])  # fmt: skip

    projection = PROJECTIONS[kind, "self"]
    with by_hand(network, projection, uniform):
        expected = answer(network, inputs)
    mine, recording = run(kind, padding, HeadChange("self", LAYER, HEAD, "uniform"))
    assert torch.allclose(mine, expected, atol=1e-5)
    for b in range(2):
        weights = call_at(recording, "self").weights([HEAD], batch=b)[0]
        assert torch.allclose(weights, visible[b] / visible[b].sum(-1, keepdim=True).clamp_min(1))


@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize(("kind", "stream"), EVERY_STREAM)
def test_a_head_s_own_map_changes_nothing(kind: str, stream: str, padding: str) -> None:
    own, recording = run(kind, padding)
    maps = torch.stack([call_at(recording, stream).weights([HEAD], batch=b)[0] for b in range(2)])
    mine, _ = run(kind, padding, HeadChange(stream, LAYER, HEAD, maps))
    # Padding has no map worth the name: T5 spreads such rows evenly, the others give them none.
    real = inputs_of(kind, padding)["attention_mask" if stream == "self" else "decoder_attention_mask"].bool()
    assert (mine - own)[real].abs().max() <= 1e-6 * own.abs().max()
    with_it, changed_recording = run(kind, padding, HeadChange(stream, LAYER, HEAD, maps))
    assert torch.equal(with_it, mine)
    assert torch.equal(call_at(changed_recording, stream).weights([HEAD], batch=1)[0], maps[1])


@pytest.mark.parametrize("kind_of_change", ["zero", "uniform", "mean", "map"])
@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize(("kind", "stream"), EVERY_STREAM)
def test_the_recording_proves_what_really_ran(kind: str, stream: str, padding: str, kind_of_change: str) -> None:
    _, before = run(kind, padding)
    queries, keys = call_at(before, stream).queries, call_at(before, stream).keys
    given = torch.softmax(torch.randn(queries, keys, generator=torch.Generator().manual_seed(2)), -1)
    how = given if kind_of_change == "map" else kind_of_change
    _, after = run(kind, padding, HeadChange(stream, LAYER, HEAD, how))
    assert check_of(after.errors(), torch.float32).passed
    first, second = call_at(before, stream), call_at(after, stream)
    others = [0, 2, 3]
    assert torch.equal(first.weights(others, batch=1), second.weights(others, batch=1))
    assert not torch.allclose(first.weights([HEAD], batch=1), second.weights([HEAD], batch=1), atol=1e-3)
    assert torch.equal(second.weights(batch=1)[HEAD], second.weights([HEAD], batch=1)[0])
    window = second.weights([0, HEAD], slice(2, 7), slice(1, 5), batch=1)
    assert torch.allclose(window[1], second.weights([HEAD], batch=1)[0][2:7, 1:5], atol=1e-6)


def test_unchanged_heads_of_the_layer_keep_their_output_to_the_bit() -> None:
    network, inputs = tiny_network("llama", "sdpa"), batch("left")
    entered: list[Tensor] = []
    projection = network.get_submodule(PROJECTIONS["llama", "self"])
    handle = projection.register_forward_pre_hook(lambda module, args: entered.append(args[0].clone()))
    answer(network, inputs)
    with changed(network, [HeadChange("self", LAYER, HEAD, "uniform"), HeadChange("self", LAYER, 3, "mean")]):
        answer(network, inputs)
    handle.remove()
    before, after = (tensor.unflatten(-1, (4, WIDTH)) for tensor in entered)  # (B, T, H, D)
    assert torch.equal(before[:, :, [0, 2]], after[:, :, [0, 2]])
    assert not torch.allclose(before[:, :, [1, 3]], after[:, :, [1, 3]], atol=1e-3)


def test_mean_leaves_padding_out() -> None:
    lengths = {"none": 24, "right": 16, "left": 16}
    for padding, length in lengths.items():
        _, before = run("bert", padding)
        _, after = run("bert", padding, HeadChange("self", LAYER, HEAD, "mean"))
        own = call_at(before, "self").weights([HEAD], batch=1)[0]
        real = batch(padding)["attention_mask"][1].bool()
        assert int(real.sum()) == length
        mine = call_at(after, "self").weights([HEAD], batch=1)[0]
        assert torch.allclose(mine, own[real].mean(0).expand_as(mine), atol=1e-6)


def test_long_maps_are_computed_in_blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [HeadChange("self", LAYER, 0, "uniform"), HeadChange("self", LAYER, 1, "mean")]
    whole, recording = run("mistral", "left", *changes)
    monkeypatch.setattr("core.capture.changes.CELLS", 24 * 5)
    in_blocks, blocked = run("mistral", "left", *changes)
    assert torch.allclose(whole, in_blocks, atol=1e-5)
    for b in range(2):
        assert torch.allclose(call_at(recording, "self").weights(batch=b), call_at(blocked, "self").weights(batch=b))


def test_layers_that_share_one_module_are_changed_apart() -> None:
    _, before = run("albert", "none")
    _, after = run("albert", "none", HeadChange("self", 1, HEAD, "zero"))
    zeroed = [float(call.weights([HEAD]).sum()) == 0 for call in after.calls]
    assert zeroed == [False, True, False]
    assert torch.equal(before.calls[0].weights(), after.calls[0].weights())


@pytest.mark.parametrize(("kind", "layers"), [("gpt2", 3), ("gpt2", 1), ("albert", 3)])
def test_every_pass_of_a_block_is_changed(kind: str, layers: int) -> None:
    sizes = {"n_layer": layers} if kind == "gpt2" else {}
    network, inputs = tiny_network(kind, "sdpa", **sizes), batch("none")
    with changed(network, [HeadChange("self", layers - 1, HEAD, "zero")]):
        first, second = answer(network, inputs), answer(network, inputs)
    assert torch.equal(first, second)
    assert not torch.allclose(first, answer(network, inputs), atol=1e-3)


def test_generation_runs_changed_with_and_without_a_cache() -> None:
    network = network_of(tiny_config("gpt2"), "sdpa", AutoModelForCausalLM)
    ids = batch("none", length=6)["input_ids"][:1]

    def generated(use_cache: bool) -> list[int]:
        return network.generate(ids, max_new_tokens=12, do_sample=False, use_cache=use_cache)[0].tolist()

    plain = generated(True)
    with changed(network, [HeadChange("self", layer, head) for layer in range(3) for head in range(3)]):
        cached, recomputed = generated(True), generated(False)
    assert cached == recomputed
    assert cached != plain == generated(True)


def test_each_recording_in_a_block_is_one_pass() -> None:
    network, inputs = tiny_network("albert"), batch("none")
    recordings = []
    with changed(network, [HeadChange("self", 2, HEAD)]):
        for _ in range(2):
            with record(network) as recording:
                answer(network, inputs)
            recordings.append(recording)
    for recording in recordings:
        assert [float(call.weights([HEAD]).sum()) == 0 for call in recording.calls] == [False, False, True]


def test_blocks_nest_and_the_inner_one_has_the_last_word() -> None:
    network, inputs = tiny_network("bert"), batch("none")
    both = [HeadChange("self", 1, 0, "zero"), HeadChange("self", 1, 1, "mean")]
    with changed(network, both):
        expected = answer(network, inputs)
    outer = [HeadChange("self", 1, 0, "zero"), HeadChange("self", 1, 1, "uniform")]
    with changed(network, outer), record(network) as recording, changed(network, both[1:]):
        nested = answer(network, inputs)
    assert torch.equal(nested, expected)
    assert check_of(recording.errors(), torch.float32).passed


def test_another_network_in_the_block_is_left_alone() -> None:
    mine, other, inputs = tiny_network("bert"), tiny_network("gpt2"), batch("none")
    plain = answer(other, inputs)
    with changed(mine, [HeadChange("self", 1, HEAD)]):
        answer(mine, inputs)
        assert torch.equal(answer(other, inputs), plain)


def test_a_network_whose_attention_is_only_seen_by_the_tap_is_refused() -> None:
    network = tiny_network("bloom", "eager", hidden_size=32, n_layer=3, n_head=4)
    with refused("did not pass through layer 1, head 1 (self)"), changed(network, [HeadChange("self", LAYER, HEAD)]):
        answer(network, batch("none"))


def test_gradients_flow_through_a_changed_run() -> None:
    network = tiny_network("llama", "sdpa").double()
    given = torch.softmax(torch.randn(1, 5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)), -1)
    changes = [HeadChange("self", 1, 0, "mean"), HeadChange("self", 1, 1, "zero"), HeadChange("self", 1, 2, given)]
    embeddings = torch.randn(1, 5, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1))

    def loss(x: Tensor) -> Tensor:
        with changed(network, changes):
            return network(inputs_embeds=x)[0].sum()

    x = embeddings.clone().requires_grad_()
    loss(x).backward()
    step = torch.zeros_like(embeddings)
    step[0, 2, 7] = 1e-3
    assert x.grad is not None
    # The changed maps run in float32, and so the difference quotient is good to a few digits only.
    slope = float((loss(embeddings + step) - loss(embeddings - step)) / 2e-3)
    assert slope == pytest.approx(float(x.grad[0, 2, 7]), rel=1e-2, abs=1e-3)


def test_a_failing_run_leaves_nothing_behind() -> None:
    network = tiny_network("bert")
    with pytest.raises(ZeroDivisionError), changed(network, [HeadChange("self", 0, 0)]):
        raise ZeroDivisionError
    assert changer.get() is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (HeadChange("self", 1, 4), "no head 4 in layer 1 (self): choose one of 0 to 3"),
        (HeadChange("self", 3, 0), "did not pass through layer 3, head 0 (self)"),
        (HeadChange("cross", 0, 0), "did not pass through layer 0, head 0 (cross)"),
        (HeadChange("self", 1, 0, torch.zeros(5, 5)), "has 5 × 5 cells, but this run has 24 × 24"),
        (HeadChange("self", 1, 0, torch.zeros(3, 24, 24)), "has 3 × 24 × 24 cells, but this run has 24 × 24"),
    ],
)
def test_what_does_not_fit_the_run_is_refused(change: HeadChange, said: str) -> None:
    with pytest.raises(HeadlightError, match=re.escape(said)) as refusal:
        run("bert", "none", change)
    assert is_one_sentence(str(refusal.value))
    assert changer.get() is None


def test_what_cannot_be_a_change_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of"):
        HeadChange("self", 0, 0, "half")
    with pytest.raises(ValueError, match="count from 0"):
        HeadChange("self", -1, 0)
    with pytest.raises(ValueError, match="float tensor"):
        HeadChange("self", 0, 0, torch.zeros(3))
    with pytest.raises(ValueError, match="not numbers"):
        HeadChange("self", 0, 0, torch.full((2, 2), torch.nan))
    twice = [HeadChange("self", 0, 0), HeadChange("self", 0, 0, "mean")]
    with pytest.raises(ValueError, match="changed twice"), changed(tiny_network("bert"), twice):
        pass


def test_threads_with_and_without_changes_never_mix() -> None:
    network, inputs = tiny_network("gpt2"), batch("left")

    def once(changes: list[HeadChange]) -> Tensor:
        if not changes:
            return answer(network, inputs)
        with changed(network, changes), record(network) as recording:
            result = answer(network, inputs)
        assert check_of(recording.errors(), torch.float32).passed
        return result

    jobs = [[], [HeadChange("self", 0, 1)], [HeadChange("self", 2, 3, "uniform")], [HeadChange("self", 1, 0, "mean")]]
    alone = [once(changes) for changes in jobs]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(jobs)) as pool:
            rounds = list(pool.map(lambda i: (i % 4, once(jobs[i % 4])), range(100)))
    finally:
        sys.setswitchinterval(usual)
    assert all((result - alone[place]).abs().max() < 1e-5 for place, result in rounds)
    assert all((alone[0] - other).abs().max() > 1e-3 for other in alone[1:])
