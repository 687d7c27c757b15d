"""A folder's tokenizer as transformers opens it: nothing is fetched, and no program of the folder is run."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

import core.zoo  # noqa: F401  registers the tokenizers of our own
from core.models.opening.tokenizer_files import AS_IT_IS


def open_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a folder. Raises what transformers raises.

    For Qwen2 and a few others transformers builds the family's own tokenizer, whatever the folder says; a tokenizer
    that was chosen for a model without one is read as it was written.
    """
    kind = PreTrainedTokenizerFast if _is_to_be_read_as_it_is(folder) else AutoTokenizer
    tokenizer: PreTrainedTokenizerBase = kind.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    return tokenizer


def _is_to_be_read_as_it_is(folder: Path) -> bool:
    with suppress(OSError, ValueError, RecursionError, AttributeError):
        told = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        return told.get("tokenizer_class") == AS_IT_IS and (folder / "tokenizer.json").is_file()
    return False
