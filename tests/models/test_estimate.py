from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import load
from core.models.estimate import (
    Sizes,
    _allowed_to_container,
    fit,
    free_nbytes,
    layer_nbytes,
    recording_nbytes,
    run_operations,
    run_seconds,
    sketch,
    weights_nbytes,
)
from core.models.opening.weights import weights_of
from tests.sentences import refused
from tests.tiny import ONE_STACK, network_of, tiny_config


@pytest.mark.parametrize("kind", ONE_STACK)
def test_a_sketch_takes_no_memory_and_has_the_network_s_sizes(kind: str) -> None:
    network = network_of(tiny_config(kind))
    drawn = sketch(type(network), network.config)
    assert all(weight.is_meta for weight in drawn.parameters())
    assert weights_nbytes(drawn, torch.float32) == weights_nbytes(network, torch.float32)
    assert set(drawn.state_dict()) == set(network.state_dict())


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_files_tell_the_memory_before_loading(gpt2_folder: Path, dtype: str) -> None:
    foretold = weights_of("gpt2", gpt2_folder).nbytes(getattr(torch, dtype))
    assert foretold == load(str(gpt2_folder), dtype=dtype).report.nbytes


def test_what_cannot_fit_is_refused_with_both_numbers() -> None:
    free = free_nbytes("cpu")
    assert free is not None
    assert free > 1 << 20
    fit("small", 1000, "cpu")
    with refused("huge takes", "GB", "cpu has", "smaller model"):
        fit("huge", 10 * free, "cpu")
    fit("huge", 10 * free, "auto")


def test_a_server_s_own_bound_is_kept(gpt2_folder: Path) -> None:
    with refused("takes 5 MB", "at most 1 MB"):
        fit("it", 5_000_000, "cpu", most=1_000_000)


def test_a_device_that_cannot_be_asked_is_not_judged() -> None:
    assert free_nbytes("banana") is None
    fit("huge", 10**18, "banana")


@pytest.mark.parametrize(
    ("bound", "used", "free"), [("1000", "400", 600), ("1000", "2000", 0), ("max", "400", None), ("odd", "1", None)]
)
def test_a_container_s_bound_counts(tmp_path: Path, bound: str, used: str, free: int | None) -> None:
    (tmp_path / "memory.max").write_text(f"{bound}\n")
    (tmp_path / "memory.current").write_text(f"{used}\n")
    assert _allowed_to_container(tmp_path) == free
    assert _allowed_to_container(tmp_path / "nowhere") is None


def test_the_bytes_of_queries_and_keys_are_those_that_were_measured() -> None:
    # reference/capture.md, section 3: a Llama of 100M with 12 query and 4 key-value heads, kept in 16 bits.
    llama = Sizes(layers=12, heads=12, key_value_heads=4, width=64)
    assert recording_nbytes(llama, 256, 256, itemsize=2) == 6_291_456
    # The same for GPT-2 at 1,024 tokens: 37.7 MB in 16 bits.
    gpt2 = Sizes(layers=12, heads=12, key_value_heads=12, width=64)
    assert recording_nbytes(gpt2, 1024, 1024, itemsize=2) == pytest.approx(37.7e6, rel=0.01)


def test_one_layer_s_weights() -> None:
    assert layer_nbytes(Sizes(12, 12, 12, 64), 1024, 1024) == torch.empty(12, 1024, 1024).nbytes


@given(st.integers(1, 4096), st.integers(1, 4096))
def test_time_grows_with_the_text_and_agrees_with_what_was_measured(short: int, more: int) -> None:
    sizes = Sizes(12, 12, 12, 64)
    assert run_seconds(10**8, sizes, short, (short, 1.5)) == pytest.approx(1.5)
    long = run_seconds(10**8, sizes, short + more, (short, 1.5))
    assert long >= 1.5 * (short + more) / short * 0.999
    assert run_operations(10**8, sizes, short) >= 2 * 10**8 * short
