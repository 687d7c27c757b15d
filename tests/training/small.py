"""Small networks and data to train on, the same at every call, and what a killed process runs."""

from __future__ import annotations

import random
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

from core.training import Evaluation, Options, Sample
from core.training.batches import LengthBuckets
from core.training.checkpoints import save
from core.training.trainer import Trainer
from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.modeling import RecurrentForConditionalGeneration
from core.zoo.transformer.config import TransformerConfig
from core.zoo.transformer.encoder_decoder import TransformerForConditionalGeneration
from tests.tiny import tiny_config

SYMBOLS = 12


def reversals(count: int = 48, seed: int = 0, longest: int = 7) -> list[Sample]:
    draw = random.Random(seed)
    words = [[draw.randrange(4, SYMBOLS) for _ in range(draw.randint(1, longest))] for _ in range(count)]
    return [Sample((*word, 2), (*reversed(word), 2)) for word in words]


def labelled(count: int = 48, seed: int = 0) -> list[Sample]:
    """The label is whether the text begins with one of the lower symbols."""
    return [Sample(sample.source, (int(sample.source[0] < 8),)) for sample in reversals(count, seed)]


def texts(count: int = 48) -> list[Sample]:
    return [Sample((), sample.target) for sample in reversals(count)]


def seeded_network(make: Any, *args: Any) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return make(*args)


def gru(width: int = 16, **settings: Any) -> Any:
    config = RecurrentConfig(
        vocab_size=SYMBOLS, hidden_size=width, embedding_size=width, cell="gru", attention="general", **settings
    )
    return seeded_network(RecurrentForConditionalGeneration, config)


def transformer(**settings: Any) -> Any:
    config = TransformerConfig(
        vocab_size=SYMBOLS, hidden_size=16, num_attention_heads=2, is_encoder_decoder=True, **settings
    )
    return seeded_network(TransformerForConditionalGeneration, config)


def bart(**settings: Any) -> Any:
    config = tiny_config("bart", vocab_size=SYMBOLS, decoder_layers=2, **settings)
    return seeded_network(AutoModelForSeq2SeqLM.from_config, config)


def bert(**settings: Any) -> Any:
    config = tiny_config("bert", vocab_size=SYMBOLS, **settings)
    return seeded_network(AutoModelForSequenceClassification.from_config, config)


def gpt2(**settings: Any) -> Any:
    config = tiny_config("gpt2", vocab_size=SYMBOLS, **settings)
    return seeded_network(AutoModelForCausalLM.from_config, config)


class Listed:
    """A supply that holds its micro-batches."""

    def __init__(self, *batches: Sequence[Sample]) -> None:
        self._batches = batches

    def __getitem__(self, index: int) -> Sequence[Sample]:
        return self._batches[index % len(self._batches)]


def weights(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.named_parameters()}


def same(first: dict[str, Tensor], second: dict[str, Tensor]) -> bool:
    """To the last bit."""
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def evaluation(step: int, loss: float) -> Evaluation:
    return Evaluation(step, loss, token_accuracy=0.5, sequence_accuracy=0.25)


def dropping_trainer(steps: int, seed: int = 0, **options: Any) -> Trainer:
    """Every source of randomness at once: dropout, dropped words, random batches; ragged batches accumulated."""
    chosen = Options(steps=steps, batch_size=5, accumulate=2, word_dropout=0.2, warmup=3, seed=seed, **options)
    return Trainer(transformer(dropout=0.3), LengthBuckets(reversals(), chosen.batch_size, seed=seed), chosen)


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """As on a full disk: no file may grow beyond this many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def train_and_save(folder: Path, steps: int) -> None:
    """A checkpoint after every step, for whoever wants to kill it."""
    trainer = dropping_trainer(steps)
    for _ in trainer.run():
        save(trainer.state(), folder)


if __name__ == "__main__":
    train_and_save(Path(sys.argv[1]), int(sys.argv[2]))
