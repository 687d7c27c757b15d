"""Threads that share models never see each other's recordings."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch
from torch import Tensor

from core.capture import path_of, prepare, record
from core.models.model import Model
from tests.architectures import Architecture
from tests.capture.modules import WIDTH, ByHand
from tests.tiny import batch, tiny_network

ROUNDS = 150
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
    assert worst_difference([partial(run, what) for run, what in runs]) < 1e-5


@pytest.mark.usefixtures("switching_all_the_time")
def test_the_tap_and_the_row_blocks_never_mix_either() -> None:
    """Two threads on one tapped model, two on one of both paths, one on row blocks and one on a plain module."""
    places = [("bloom", 17), ("bloom", 24), ("longt5", 24), ("longt5", 13), ("gemma2", 20)]
    networks = {}
    for kind, _ in places:
        if kind not in networks:
            architecture = Architecture(kind, dict(local_radius=3) if kind == "longt5" else {})
            networks[kind] = architecture.network()
            prepare(networks[kind], architecture.inputs("right"))
    assert [path_of(network) for network in networks.values()] == ["tap", "row blocks and tap", "row blocks"]

    @torch.no_grad()
    def of_network(kind: str, length: int) -> list[Tensor]:
        inputs = batch("left", length)
        if kind == "longt5":
            inputs |= {"decoder_input_ids": batch("none", length - 3)["input_ids"], "use_cache": False}
        with record(networks[kind]) as recording:
            networks[kind](**inputs)
        return [call.weights(batch=1) for call in recording.calls]

    plain = ByHand().eval()
    prepare(plain, {"x": torch.randn(2, 5, WIDTH)})
    x = torch.randn(2, 9, WIDTH, generator=torch.Generator().manual_seed(0))

    @torch.no_grad()
    def of_plain() -> list[Tensor]:
        with record(plain) as recording:
            plain(x)
        return [call.weights() for call in recording.calls]

    runs = [partial(of_network, kind, length) for kind, length in places]
    assert worst_difference([*runs, of_plain]) < 1e-5


def worst_difference(runs: list[Callable[[], list[Tensor]]]) -> float:
    """Run all at the same time, each in its thread, 150 rounds in all, against what each gives alone."""
    alone = [run() for run in runs]
    assert all(alone)

    def differences(place: int) -> list[float]:
        rounds = [runs[place]() for _ in range(ROUNDS // len(runs))]
        assert all([m.shape for m in maps] == [m.shape for m in alone[place]] for maps in rounds)
        pairs = [pair for maps in rounds for pair in zip(maps, alone[place], strict=True)]
        return [float((mine - expected).abs().max()) for mine, expected in pairs]

    with ThreadPoolExecutor(len(runs)) as pool:
        results = list(pool.map(differences, range(len(runs))))
    assert len(results) * (ROUNDS // len(runs)) == ROUNDS
    return max(max(found) for found in results)
