"""Freezing and layer-wise rates of pretrained encoders."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForSequenceClassification

from core.errors import HeadlightError
from core.training import Options
from core.training.groups import parameter_groups
from core.training.trainer import Trainer
from tests.tiny import tiny_config
from tests.training.small import Listed, bart, bert, gpt2, gru, labelled, seeded_network, weights


def encoder(kind: str) -> Any:
    return seeded_network(AutoModelForSequenceClassification.from_config, tiny_config(kind))


def factors(network: nn.Module, **options: Any) -> dict[str, float]:
    """By parameter name, those that are trained."""
    groups = parameter_groups(network, Options(**options))
    by_id = {id(value): group["factor"] for group in groups for value in group["params"]}
    return {name: by_id[id(value)] for name, value in network.named_parameters() if id(value) in by_id}


def layer_of(name: str) -> int | None:
    found = re.search(r"\.(?:layer|layers|h)\.(\d+)\.", name)
    return int(found[1]) if found else None


def changed(before: dict[str, Tensor], after: dict[str, Tensor]) -> set[str]:
    return {name for name in before if not torch.equal(before[name], after[name])}


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "electra", "modernbert", "gpt2"])
def test_each_layer_learns_slower_than_the_one_above_it(kind: str) -> None:
    network = encoder(kind)
    layers = network.config.num_hidden_layers
    found = factors(network, layer_decay=0.5)
    for name, factor in found.items():
        layer = layer_of(name)
        if layer is not None:
            assert factor == 0.5 ** (layers - layer), name
        elif "embedding" in name or ".wte." in name or ".wpe." in name:
            # ELECTRA widens its embeddings in a module of its own, which lies above them.
            assert factor == (1.0 if "embeddings_project" in name else 0.5 ** (layers + 1)), name
        else:
            assert factor == 1.0, name
    assert {*found.values()} == {0.5**power for power in range(layers + 2)}


def test_without_layer_decay_all_weights_learn_alike() -> None:
    assert set(factors(bert()).values()) == {1.0}


@pytest.mark.parametrize("frozen", [0, 1, 2, 3])
def test_frozen_layers_and_the_embeddings_below_them_keep_their_weights(frozen: int) -> None:
    network = bert()
    before = weights(network)
    list(Trainer(network, Listed(labelled(8)), Options(steps=2, freeze=frozen), kind="classifier").run())
    moved = changed(before, weights(network))
    assert {layer for name in moved if (layer := layer_of(name)) is not None} == set(range(frozen, 3))
    assert any("embeddings" in name for name in moved) == (frozen == 0)
    assert "classifier.weight" in moved


def test_layers_take_steps_in_proportion_to_their_rates() -> None:
    # Adam's first step is as long as the rate in every weight, whatever the gradient.
    network = bert()
    before = weights(network)
    options = Options(steps=1, learning_rate=1e-3, layer_decay=0.5)
    list(Trainer(network, Listed(labelled(8)), options, kind="classifier").run())
    after = weights(network)
    for layer in range(3):
        name = f"bert.encoder.layer.{layer}.output.dense.weight"
        assert float((after[name] - before[name]).abs().median()) == pytest.approx(1e-3 * 0.5 ** (3 - layer), rel=0.01)


def test_more_layers_than_there_are_cannot_be_frozen() -> None:
    with pytest.raises(HeadlightError, match="3 layers, so 4 cannot be frozen"):
        parameter_groups(bert(), Options(freeze=4))


@pytest.mark.parametrize("network", [bart, gru, lambda: nn.Linear(2, 2)])
@pytest.mark.parametrize("options", [{"freeze": 1}, {"layer_decay": 0.9}])
def test_layers_are_refused_where_there_is_no_single_stack(network: Any, options: Any) -> None:
    with pytest.raises(HeadlightError, match="one stack of layers"):
        parameter_groups(network(), Options(**options))


def test_a_network_with_nothing_to_train_is_refused() -> None:
    with pytest.raises(HeadlightError, match="left to train"):
        parameter_groups(gpt2().requires_grad_(False), Options())
