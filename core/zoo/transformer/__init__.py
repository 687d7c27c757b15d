"""The Transformer (Vaswani and others 2017), written out: one set of blocks for three models.

`CONFIG` and `MODELS` are what `core.zoo` registers with transformers' Auto classes.
"""

from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

from core.zoo.transformer.classifier import TransformerForSequenceClassification
from core.zoo.transformer.config import TransformerConfig
from core.zoo.transformer.encoder_decoder import TransformerForConditionalGeneration
from core.zoo.transformer.language_model import TransformerForCausalLM

CONFIG = TransformerConfig
MODELS = [
    (AutoModelForSeq2SeqLM, TransformerForConditionalGeneration),
    (AutoModelForSequenceClassification, TransformerForSequenceClassification),
    (AutoModelForCausalLM, TransformerForCausalLM),
]

__all__ = [
    "CONFIG",
    "MODELS",
    "TransformerConfig",
    "TransformerForCausalLM",
    "TransformerForConditionalGeneration",
    "TransformerForSequenceClassification",
]
