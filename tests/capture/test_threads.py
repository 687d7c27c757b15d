"""Threads that share models never see each other's recordings."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

from core.capture import record
from core.models.model import Model
from tests.tiny import batch, tiny_network

ROUNDS_A_THREAD = 25
TEXTS = ["The cat sat.", "猫 😀 naïve café", "one two three four " * 4, "word " * 40]


@pytest.fixture
def switching_all_the_time() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("switching_all_the_time")
def test_six_threads_on_three_models_never_mix(minilm: Model) -> None:
    networks = [tiny_network("gpt2"), tiny_network("bert")]
    inputs = [batch("left", length=17), batch("right", length=30)]

    def of_minilm(text: str) -> list[Tensor]:
        trace = minilm.run(text)
        return [trace.attention(layer) for layer in range(trace.layers())]

    @torch.no_grad()
    def of_network(i: int) -> list[Tensor]:
        with record(networks[i]) as recording:
            networks[i](**inputs[i])
        return [call.weights(batch=1) for call in recording.calls]

    runs = [(of_minilm, text) for text in TEXTS] + [(of_network, i) for i in range(2)]
    alone = [run(what) for run, what in runs]

    def differences(place: int) -> list[float]:
        run, what = runs[place]
        rounds = [run(what) for _ in range(ROUNDS_A_THREAD)]
        assert all([m.shape for m in maps] == [m.shape for m in alone[place]] for maps in rounds)
        pairs = [pair for maps in rounds for pair in zip(maps, alone[place], strict=True)]
        return [float((mine - expected).abs().max()) for mine, expected in pairs]

    with ThreadPoolExecutor(len(runs)) as pool:
        results = list(pool.map(differences, range(len(runs))))
    assert len(results) * ROUNDS_A_THREAD == 150
    assert max(max(found) for found in results) < 1e-5
