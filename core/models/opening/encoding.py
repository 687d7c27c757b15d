"""The text encoder of a folder: its own tokenizer, bounded by what the network can read."""

from __future__ import annotations

import json
from pathlib import Path

from torch import Tensor
from transformers import PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.checking_tokenizers import boxed_encoder_of
from core.models.opening.tokenizer_files import TOKENIZER_FILES, WITHOUT_FILES
from core.models.opening.tokenizer_opening import open_tokenizer
from core.models.opening.tokenizer_trust import kept_out
from core.models.wording import worded
from core.text import TextEncoder, encoder_of

MAX_TOKENS = 16_384


def text_encoder(
    name: str, folder: Path, network: PreTrainedModel, known: bool, job: Job | None = None
) -> tuple[TextEncoder, int]:
    """The tokenizer of a folder, and the number of ids that it can give.

    known: whether its files are those of the catalogue; others are tried in a box first, and those that may hang on
    some text stay there.
    """
    with worded(f"{name}: its tokenizer cannot be read; get its tokenizer.json again."):
        if not has_tokenizer(folder) and not _reads_characters(folder):
            raise HeadlightError(f"{name} has no tokenizer: put its tokenizer.json beside its config.json.")
        most = min(positions_of(network), MAX_TOKENS)
        if not known and (facts := kept_out(folder, network.config.model_type, job)) is not None:
            return boxed_encoder_of(folder, most, job), facts.highest_id + 1
        tokenizer = open_tokenizer(folder)
        limit = min(tokenizer.model_max_length, most)
        return encoder_of(tokenizer, limit), max(tokenizer.get_vocab().values(), default=-1) + 1


def has_tokenizer(folder: Path) -> bool:
    """Whether a folder holds a file that a tokenizer can be made of."""
    return any((folder / file).is_file() for file in TOKENIZER_FILES)


def positions_of(network: PreTrainedModel) -> int:
    """How many tokens the position table has rows for, or MAX_TOKENS where there is no table.

    RoBERTa and its kin count positions from the padding index on: the rows up to it are never read by a token.
    ProphetNet's decoder looks one row further, for the token that comes next.
    """
    ahead = 1 if hasattr(network.config, "ngram") else 0
    config = network.config
    # Of two models joined to one each has its own.
    parts = (config, getattr(config, "encoder", None), getattr(config, "decoder", None))
    stated = [getattr(part, "max_position_embeddings", None) or 0 for part in parts]
    positions = min((most for most in stated if most > 0), default=MAX_TOKENS)  # XLNet states -1
    for path, module in network.named_modules():
        first = getattr(module, "padding_idx", None)
        if path.endswith("position_embeddings") and first is not None and isinstance(module.weight, Tensor):
            return len(module.weight) - first - 1 - ahead
    return positions


def _reads_characters(folder: Path) -> bool:
    path = folder / "tokenizer_config.json"
    return path.is_file() and json.loads(path.read_text(encoding="utf-8")).get("tokenizer_class") in WITHOUT_FILES
