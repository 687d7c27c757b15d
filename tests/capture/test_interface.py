from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
import torch
from torch import Tensor
from transformers import AttentionInterface, PreTrainedModel, StaticCache
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from core.capture import check_of, install, record
from core.capture.interface import attention_forward, listener
from core.models.model import Model
from tests.tiny import ONE_STACK, TWO_STACKS, batch, tiny_network, two_stack_inputs


@contextmanager
def the_library_s_own_function() -> Iterator[None]:
    AttentionInterface.register("sdpa", sdpa_attention_forward)
    try:
        yield
    finally:
        install()


@torch.no_grad()
def answer(network: PreTrainedModel, inputs: dict[str, Tensor]) -> Tensor:
    return network(**inputs)[0]


@pytest.mark.parametrize("padding", ["none", "left"])
@pytest.mark.parametrize("kind", [*ONE_STACK, *TWO_STACKS])
def test_output_is_the_same_to_the_bit_idle_recording_and_without_the_wrapper(kind: str, padding: str) -> None:
    network = tiny_network(kind, "sdpa")
    inputs = two_stack_inputs(padding) if kind in TWO_STACKS else batch(padding)
    with the_library_s_own_function():
        untouched = answer(network, inputs)
    idle = answer(network, inputs)
    with record(network) as recording:
        recorded = answer(network, inputs)
    assert recording.calls
    assert torch.equal(idle, untouched)
    assert torch.equal(recorded, untouched)


def test_minilm_answers_the_same_to_the_bit(minilm: Model) -> None:
    inputs = {"input_ids": torch.tensor([minilm.encoder.encode("猫 and the café 😀").ids])}
    with the_library_s_own_function():
        untouched = answer(minilm.network, inputs)
    with record(minilm.network):
        assert torch.equal(answer(minilm.network, inputs), untouched)
    assert torch.equal(answer(minilm.network, inputs), untouched)


def test_installing_again_changes_nothing() -> None:
    install()
    install()
    assert AttentionInterface()["sdpa"] is attention_forward


def test_nothing_is_recorded_outside_the_block() -> None:
    network = tiny_network("bert")
    with record(network) as recording:
        pass
    answer(network, batch("none"))
    assert recording.calls == ()
    assert listener.get() is None


def test_another_thread_is_not_recorded() -> None:
    network = tiny_network("bert")
    with record(network) as recording:
        other = Thread(target=answer, args=(network, batch("none")))
        other.start()
        other.join()
    assert recording.calls == ()


def test_a_mask_is_never_taken_for_a_causal_call() -> None:
    network = tiny_network("gpt2", "sdpa")
    for padding, causal in [("none", True), ("left", False)]:
        with record(network) as recording:
            answer(network, batch(padding))
        assert {call.causal for call in recording.calls} == {causal}
        assert {call.mask is None for call in recording.calls} == {causal}


def test_the_empty_slots_of_a_static_cache_are_no_keys() -> None:
    network, ids = tiny_network("llama", "sdpa"), batch("none")["input_ids"]
    cache = StaticCache(network.config, max_cache_len=40)
    with record(network) as recording:
        network(input_ids=ids, cache=cache)
    assert {(call.queries, call.keys) for call in recording.calls} == {(24, 24)}
    assert check_of(recording.errors(), torch.float32).passed


def test_one_query_over_a_cache_sees_all_of_it() -> None:
    network, ids = tiny_network("gpt2", "sdpa"), batch("none")["input_ids"]
    with record(network) as whole:
        answer(network, {"input_ids": ids})
    with torch.no_grad():
        cache = network(input_ids=ids[:, :-1], use_cache=True).past_key_values
        with record(network) as step:
            network(input_ids=ids[:, -1:], cache=cache)
    for last, full in zip(step.calls, whole.calls, strict=True):
        assert not last.causal
        assert torch.allclose(last.weights(), full.weights()[:, -1:], atol=1e-5)
