"""Tiny random networks of our own architectures, saved with a character tokenizer as folders that `core.load` opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers
import torch
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.zoo import ARCHITECTURES
from tests.tiny import sharpen

SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
ALPHABET = "abcdefghij "
SIZE = len(SPECIAL) + len(ALPHABET)


def characters() -> PreTrainedTokenizerFast:
    """One token a character, and </s> after a text."""
    vocabulary = {token: number for number, token in enumerate((*SPECIAL, *ALPHABET))}
    backend = tokenizers.Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = Split(tokenizers.Regex(r"[\s\S]"), "isolated")
    backend.decoder = tokenizers.decoders.Fuse()
    backend.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    names = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=backend, **names)


def network_of(architecture: str, **changes: Any) -> PreTrainedModel:
    """The same weights whenever it is called with the same arguments."""
    model: Any = ARCHITECTURES[architecture]
    torch.manual_seed(0)
    network: PreTrainedModel = model(model.config_class(**{"vocab_size": SIZE, "hidden_size": 16, **changes}))
    sharpen(network)
    return network.eval().requires_grad_(False)


def saved(folder: Path, architecture: str, **changes: Any) -> PreTrainedModel:
    """The network whose checkpoint then lies in the folder."""
    network = network_of(architecture, **changes)
    network.save_pretrained(folder)
    characters().save_pretrained(folder)
    return network
