"""Which models can be decomposed, and how each is read as a `Stack`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.errors import HeadlightError
from core.saliency.decomposition.bert import bert, roberta
from core.saliency.decomposition.distilbert import distilbert
from core.saliency.decomposition.electra import electra
from core.saliency.decomposition.gpt2 import gpt2
from core.saliency.decomposition.headlight import headlight
from core.saliency.decomposition.stack import Stack

# By the model_type of a config; one line and one file a family.
FAMILIES: Mapping[str, Callable[[Any], Stack]] = {
    "bert": bert,
    "roberta": roberta,
    "xlm-roberta": roberta,
    "camembert": roberta,
    "distilbert": distilbert,
    "electra": electra,
    "gpt2": gpt2,
    "headlight_transformer": headlight,
}
NAMES = "BERT, RoBERTa, XLM-RoBERTa, CamemBERT, DistilBERT, ELECTRA, GPT-2 and Headlight's own Transformer"


def _called(model_type: str) -> str:
    """A model type as a reader knows it."""
    ours = {"headlight_recurrent": "a recurrent network", "headlight_pooling": "a classifier with attention pooling"}
    return ours.get(model_type, model_type)


def refusal(network: Any) -> str:
    """Why the states of a network cannot be decomposed, in one sentence; "" where they can."""
    config = network.config
    if config.model_type not in FAMILIES:
        return f"Decomposition knows the layers of {NAMES}, and not those of {_called(config.model_type)}."
    if config.is_encoder_decoder or getattr(config, "add_cross_attention", False):
        return "Decomposition reads models of one stack, and this one has cross-attention: choose another method."
    try:
        FAMILIES[config.model_type](network)
    except HeadlightError as error:
        return str(error)
    except AttributeError:
        return f"This {config.model_type} is not built as its family is, so its states cannot be decomposed."
    return ""


def stack_of(network: Any) -> Stack:
    """The layers and the head of a network. Raises HeadlightError, one sentence, for one that `refusal` refuses."""
    if sentence := refusal(network):
        raise HeadlightError(sentence)
    return FAMILIES[network.config.model_type](network)
