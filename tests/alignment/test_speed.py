"""Timings: all parts of every kind of encoder-decoder, bounded in time, stopped on request."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import tokenizers
import torch
from transformers import AutoModelForSeq2SeqLM

from core import load
from core.alignment import speed
from core.alignment.speed import Timing, foreseen, timings
from core.jobs import Cancelled, Job, Progress
from core.models.model import Model
from tests.sentences import refused
from tests.tiny import save_model
from tests.zoo.checkpoints import saved

LAYERS = {"num_hidden_layers": 2, "num_decoder_layers": 2, "max_position_embeddings": 40}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> list[Model]:
    """Recurrent with attention and without, a Transformer of our own, and two of the library's."""
    root = tmp_path_factory.mktemp("models")
    saved(root / "recurrent", "RecurrentForConditionalGeneration")
    saved(root / "bottleneck", "RecurrentForConditionalGeneration", attention="none")
    saved(root / "transformer", "TransformerForConditionalGeneration", **LAYERS)
    for kind in ("bart", "t5"):
        save_model(root / kind, kind, AutoModelForSeq2SeqLM, byte_level)
    return [load(str(root / name), device="cpu") for name in ("recurrent", "bottleneck", "transformer", "bart", "t5")]


@pytest.fixture(autouse=True)
def few_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "SECONDS_A_PART", 0.0)


def points(found: Sequence[Timing]) -> list[tuple[str, int]]:
    return [(timing.model, timing.length) for timing in found]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, no point takes too long."""
    monkeypatch.setattr(speed, "MOST_SECONDS", math.inf)


@pytest.mark.usefixtures("patient")
def test_every_kind_is_timed_the_shortest_length_first(models: list[Model]) -> None:
    found = list(timings(models, [5, 2, 2]))
    names = [model.name for model in models]
    assert points(found) == [(name, length) for length in (2, 5) for name in names]
    for timing in found:
        assert timing.tokens == timing.length
        assert all(
            0 < each < math.inf for each in (timing.encode_seconds, timing.forced_seconds, timing.decode_seconds)
        )


@pytest.mark.parametrize("which", range(5))
@torch.no_grad()
def test_token_by_token_says_what_reading_at_once_says(models: list[Model], which: int) -> None:
    network = models[which].network
    source, target = (torch.randint(4, 15, (1, 6), generator=torch.Generator().manual_seed(n)) for n in (0, 1))
    mask = torch.ones_like(source)
    encoded = network.get_encoder()(input_ids=source, attention_mask=mask)
    write = speed._writer(network, encoded, mask)
    written = torch.stack([write(target[:, place]) for place in range(6)], dim=1)
    at_once = network(input_ids=source, attention_mask=mask, decoder_input_ids=target).logits
    torch.testing.assert_close(written, at_once, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("patient")
def test_a_model_ends_at_the_tokens_that_it_reads(models: list[Model]) -> None:
    assert models[2].card.max_tokens == 40
    assert points(list(timings(models[1:3], [40, 41]))) == [("bottleneck", 40), ("transformer", 40), ("bottleneck", 41)]


def test_a_point_that_takes_too_long_ends_its_model(models: list[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "MOST_SECONDS", 0.0)
    assert list(timings(models[:1], [4, 8])) == []


def test_what_a_point_will_take_is_foreseen() -> None:
    def timing(length: int, seconds: float) -> Timing:
        return Timing("m", length, seconds, seconds, seconds, length)

    assert foreseen([], 8) == 0
    assert foreseen([timing(4, 1)], 8) == pytest.approx(12)
    assert foreseen([timing(2, 1), timing(4, 2)], 8) == pytest.approx(12)
    assert foreseen([timing(2, 1), timing(4, 8)], 8) == pytest.approx(192)
    assert foreseen([timing(2, 1), timing(4, 64)], 8) == pytest.approx(64 * 3 * 8)
    assert foreseen([timing(2, 1), timing(4, 0.5)], 8) == pytest.approx(6)
    assert foreseen([timing(4, math.inf)], 8) == math.inf


def test_what_writes_no_answer_is_refused(minilm: Model) -> None:
    with refused("all-MiniLM-L6-v2 is no encoder-decoder"):
        next(timings([minilm], [4]))


def test_a_job_hears_of_each_point_and_ends_it(models: list[Model]) -> None:
    heard: list[Progress] = []
    job = Job("me", "timing", heard.append)
    measured = timings(models[:2], [4, 8], job)
    next(measured)
    next(measured)
    assert [(each.done, each.total, each.step) for each in heard] == [
        (0, 4, "recurrent, 4 tokens"),
        (1, 4, "bottleneck, 4 tokens"),
    ]
    job.cancel()
    with pytest.raises(Cancelled):
        next(measured)
