"""Whether a folder's tokenizer may be opened here, and whether texts must be read with it in a box.

Opening a box takes seconds: what was tried once is not tried again as long as its files are the same, and a small one
that is proven harmless by its files alone is not put into a box at all.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from core.jobs import Job
from core.models.checking_tokenizers import TokenizerFacts, check_tokenizer
from core.models.checking_tokenizers.files import check_files
from core.models.checking_tokenizers.suspects import suspicions

TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"
# All that decides how a text is read; weights have other endings.
SUFFIXES = (".json", ".txt", ".model", ".spm", ".jinja")
# What a tokenizer of so few bytes makes of a text is bounded by the text.
SMALL_NBYTES = 1 << 17


@dataclass(frozen=True)
class _Tried:
    """A folder by what is in its files: where it lies does not matter to what was found out."""

    digest: str
    folder: Path = field(compare=False)
    job: Job | None = field(compare=False)


def kept_out(folder: Path, model_type: str, job: Job | None) -> TokenizerFacts | None:
    """Facts about a folder's tokenizer where texts must be read with it in a box; None where it may be opened here.

    model_type: of the network's config, by which transformers may choose the tokenizer's class.
    Raises HeadlightError, one sentence, for a tokenizer that is not to be used at all.
    """
    if _is_small(folder):
        check_files(folder)
        if not suspicions(json.loads((folder / TOKENIZER).read_text(encoding="utf-8"))):
            return None
    facts = _facts(_Tried(_digest(folder, model_type), folder, job))
    return facts if facts.kept_out else None


@lru_cache(maxsize=256)
def _facts(tried: _Tried) -> TokenizerFacts:
    return check_tokenizer(tried.folder, tried.job)


def _is_small(folder: Path) -> bool:
    """Whether a tokenizer.json is all there is, and short."""
    files = [path for path in _files(folder) if path.name in (TOKENIZER, CONFIG)]
    others = [path for path in _files(folder) if path.suffix in (".txt", ".model", ".spm") or "vocab" in path.name]
    return (folder / TOKENIZER) in files and not others and sum(path.stat().st_size for path in files) <= SMALL_NBYTES


def _digest(folder: Path, model_type: str) -> str:
    digest = hashlib.sha256(model_type.encode())
    for path in _files(folder):
        if path.name == "config.json":  # no tokenizer reads more of it than the model_type
            continue
        digest.update(path.name.encode(errors="surrogateescape") + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file())
