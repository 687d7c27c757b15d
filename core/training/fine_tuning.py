"""Fine-tuning: a pretrained encoder becomes a classifier, as a whole, with frozen lower layers, or by LoRA.

Freezing and layer-wise rates are `Options.freeze` and `Options.layer_decay`. LoRA (Hu et al. 2022) adds B·A of low rank
to the query and value maps and trains nothing else but the classifier; merged, it costs nothing when the model runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from peft.utils import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as KNOWN_TARGETS
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.models.catalogue import find

# Where peft does not know an architecture's query and value maps, all linear maps of its layers get LoRA.
ALL_LINEAR = "all-linear"


def base_folder(name: str) -> Path:
    """The folder of a pretrained encoder: a name in the catalogue, or a folder with a config.json.

    Raises HeadlightError when there is neither.
    """
    if (entry := find(name)) is not None:
        return entry.open_folder(None)
    folder = Path(name).expanduser()
    if not (folder / "config.json").is_file():
        raise HeadlightError(f"{name} is neither in the catalogue nor a folder with a config.json: check --set base.")
    return folder


def classifier_from(folder: Path, labels: Sequence[str], seed: int) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The encoder with a new linear classifier on top, drawn from the seed, and its tokenizer.

    Its weights are float32 whatever the format of the files, so that small steps do not round to nothing; `precision`
    alone chooses the format of the computation. Raises HeadlightError for a folder that holds no encoder for
    classification, or one that knows no padding.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            network: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(
                folder,
                num_labels=len(labels),
                id2label=dict(enumerate(labels)),
                label2id={label: place for place, label in enumerate(labels)},
                dtype=torch.float32,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
            )
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:  # broken or foreign files make the libraries raise errors of any kind
            raise HeadlightError(f"{folder} holds no encoder that can classify: choose another base.") from error
    _settle_padding(folder, network, tokenizer)
    return network, tokenizer


def _settle_padding(folder: Path, network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Give a network without padding, such as GPT-2, the tokenizer's padding or end token for it, and say so in both.

    No text ends with the end token itself, since what is typed is plain text: the last token of a text is still found.
    """
    if network.config.pad_token_id is not None:
        return
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token_id is None:
        raise HeadlightError(f"{folder} has no padding and no end token to fill batches with: choose another base.")
    network.config.pad_token_id = tokenizer.pad_token_id


def with_lora(network: PreTrainedModel, rank: int, alpha: int, dropout: float, seed: int) -> PeftModel:
    """The network with LoRA of a rank; only the adapters and the classifier are left to train.

    alpha: B·A is scaled by alpha / rank. At the start B is 0, so the network computes what it did before.
    """
    kind = network.config.model_type
    targets: Any = None if kind in KNOWN_TARGETS else ALL_LINEAR
    config = LoraConfig(
        task_type=TaskType.SEQ_CLS, r=rank, lora_alpha=alpha, lora_dropout=dropout, target_modules=targets
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return get_peft_model(network, config)


def merged(network: PeftModel, adapter: Path) -> PreTrainedModel:
    """Save adapter and classifier into a folder, add B·A into the weights, and give the plain network back."""
    network.save_pretrained(str(adapter))
    plain: PreTrainedModel = network.merge_and_unload()
    return plain
