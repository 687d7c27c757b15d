"""Models to ask, and questions to them: the shipped ones, tiny random ones, and one whose answer is linear."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from core import load
from core.models.model import Model
from tests.tiny import save_model

FILM = "A surprisingly gripping film, and the cast never puts a foot wrong."
DULL = "A dull and stupid movie."
# One of each kind of model that is shipped, and what is asked besides the text.
SHIPPED: dict[str, dict[str, Any]] = {
    "sentiment-bilstm-additive-0": {},
    "sentiment-cnn-additive": {},
    "sentiment-mlp-bilstm": {},  # the weights come from a guide, which reads the tokens themselves
    "sentiment-transformer": {},
    "sentiment-minilm-lora": {},
    "all-MiniLM-L6-v2": {"text_pair": DULL},
    "en-fr-transformer": {"answer": "Un film très drôle."},
    "en-fr-gru-bahdanau": {"answer": "Un film très drôle."},
    "en-fr-lstm-luong": {"answer": "Un film très drôle."},
    "lm-rotary": {},
    "lm-alibi": {},
}
GRADIENTS = ("gradient_norm", "input_x_gradient", "integrated_gradients", "smoothgrad", "gradient_shap")


@cache
def opened(name: str) -> Model:
    return load(name)


def other_network(model: Model, network: Any) -> Model:
    """The same words, read by another network."""
    return Model("changed", network, model.encoder, model.report, "", "cpu")


@cache
def linear() -> tuple[Model, Tensor]:
    """A classifier whose margin is the sum of e · w / T over the words, and a bias; and that w (E,).

    It is the shipped Average encoder with its ReLU always open and its attention uniform.
    """
    model = opened("sentiment-average-additive-0")
    network: Any = copy.deepcopy(model.network)
    with torch.no_grad():
        network.encoder.linear.bias.add_(100)
        network.attention.score.total.weight.zero_()
    states, labels = network.encoder.linear.weight, network.classifier.weight
    return other_network(model, network), (labels[1] - labels[0]) @ states  # (H,) @ (H, E) -> (E,)


def tiny(folder: Path, kind: str, auto: Any, tokenizer: Tokenizer, **changes: Any) -> Model:
    """A tiny random model of an architecture of transformers."""
    save_model(folder, kind, auto, tokenizer, **changes)
    return load(str(folder))
