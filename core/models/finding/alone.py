"""One file by itself, with the parts of the same model that lie beside it and nothing else of its folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.models.finding.naming import ADAPTER_CONFIG, CONFIG, INDEX, TOKENIZER_CONFIG, TRAINING
from core.models.finding.sets import SHARD
from core.models.finding.walking import Entry
from core.models.opening.tokenizer_files import SENTENCEPIECE

_MOST_SHARDS = 1_000
# Beside a config.json these belong to the same model; without one they may be anybody's.
_OF_A_MODEL = (
    "tokenizer.json", TOKENIZER_CONFIG, "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json",
    "merges.txt", *SENTENCEPIECE, "target.spm", "generation_config.json",
)  # fmt: skip


def with_companions(file: Path) -> list[Entry]:
    """The file, and those of its folder that it needs, as far as they are there."""
    entries: list[Entry] = []
    for name in dict.fromkeys(_names(file)):
        path = file.parent / name
        with suppress(OSError):
            if path.is_file():
                entries.append(Entry(path, (name,), path.stat().st_size))
    return entries


def _names(file: Path) -> Iterator[str]:
    yield file.name
    if match := SHARD.fullmatch(file.name):
        stem, total, suffix = match["stem"], int(match["total"]), match["suffix"]
        yield from (f"{stem}-{number:05}-of-{total:05}{suffix}" for number in range(1, min(total, _MOST_SHARDS) + 1))
        yield f"{stem}{suffix}{INDEX}"
    if file.name.startswith("adapter_model."):
        yield from (ADAPTER_CONFIG, TRAINING)
    if (file.parent / CONFIG).is_file():
        yield from (CONFIG, TRAINING, *_OF_A_MODEL)
