"""Recurrent encoder-decoders, with the attention that came before the Transformer."""

from typing import Any

from transformers import AutoModelForSeq2SeqLM

from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.letters import LetterTokenizer
from core.zoo.recurrent.modeling import RecurrentForConditionalGeneration

CONFIG = RecurrentConfig
# Each with the class of transformers that opens it by its config.
MODELS: list[tuple[Any, type[RecurrentForConditionalGeneration]]] = [
    (AutoModelForSeq2SeqLM, RecurrentForConditionalGeneration)
]

__all__ = ["CONFIG", "MODELS", "LetterTokenizer", "RecurrentConfig", "RecurrentForConditionalGeneration"]
