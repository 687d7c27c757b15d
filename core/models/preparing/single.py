"""A single weight file opened from a notebook: found, prepared with what leaves no doubt, kept for the process."""

from __future__ import annotations

import atexit
import os
import re
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.jobs import Job, Store
from core.models.checking_files import values_beside
from core.models.finding import Candidate, Found, found
from core.models.guessing import answered, guesses, stated_answers
from core.models.hub import LATER, MODULES, READING, SETTINGS, WEIGHTS
from core.models.intake import Intake, Limits
from core.models.opening.tokenizer_files import ALL_FILES
from core.models.preparing.choices import Choices
from core.models.preparing.known_files import ADAPTER_CONFIG, CONFIG, GENERATION, TOLD
from core.models.preparing.prepare import prepare
from core.models.preparing.taken import taken_of
from core.models.quoting import shown

# Whoever calls this may fill the own disk, down to what is spared of every disk.
_BOUNDS = Limits(nbytes=1 << 50)
_MOST_KEPT = 1_000
_SHARD = re.compile(r"(?P<stem>.+)-\d{5}-of-(?P<total>\d{5})(?P<suffix>\.[a-z]+)", re.ASCII)
# Values of a config on which maps hardly depend, or not at all: not every figure has to say them.
_HARMLESS = re.compile(r"eps|max_position|n_positions|dropout|token_id|tie_")
_BESIDE = (CONFIG, GENERATION, TOLD, ADAPTER_CONFIG, MODULES, SETTINGS, *READING, *ALL_FILES)
_OTHERWISE = "or open it on the Models page, which asks for it"
_kept = Store(_MOST_KEPT)


def prepared_file(path: Path, job: Job | None = None) -> Path:
    """The folder that `load` opens for a weight file: .gguf, .safetensors, .pt, .pth, .ckpt or .bin.

    What lies beside the file and belongs to it (config.json, a tokenizer, its other parts) is taken along. The folder
    lives as long as the process; the same file, unchanged, gives the same one. Weights that are safetensors already are
    linked, and copied where HEADLIGHT_UPLOADS lies on another disk.
    Raises HeadlightError, one sentence, where something would have to be chosen, and all that `prepare` raises.
    """
    try:
        real = path.resolve(strict=True)
        seen = real.stat()
    except (OSError, ValueError, RuntimeError) as error:
        raise HeadlightError(f"The file “{shown(path.name)}” cannot be read: check its path.") from error
    key = (str(real), seen.st_size, seen.st_mtime_ns)
    check = job.check if job is not None else lambda: None
    kept = _kept.kept(key)
    if kept is not None and not kept.is_dir():  # whoever cleans up temporary files may have been here
        _kept.drop(lambda other: other == key)
    return _kept.get_or_make(key, lambda: _prepared(real, job), lambda folder: 1, check)


def _prepared(path: Path, job: Job | None) -> Path:
    with Intake(_BOUNDS) as upload:
        candidate = _candidate_of(path, _looked_into(path, upload, job))
        into = Intake(_BOUNDS)
        try:
            folder = prepare(candidate, _without_doubt(candidate, path), into, job)
        except BaseException:
            into.close()
            raise
    atexit.register(into.close)
    return folder


def _looked_into(path: Path, upload: Intake, job: Job | None) -> Found:
    """What the file and all that belongs to it make up, without the rest of its folder where links can be made."""
    try:
        for file in _with_what_belongs_to(path):
            linked = upload.folder / file.relative_to(path.parent)
            linked.parent.mkdir(exist_ok=True)
            os.link(file.resolve(), linked)
    except OSError:  # another disk, or files of somebody else
        return found(path.parent, job)
    return found(upload.folder, job)


def _with_what_belongs_to(path: Path) -> list[Path]:
    if path.suffix.lower() == ".gguf":
        return [path]
    parts = [path]
    if match := _SHARD.fullmatch(path.name):
        pattern = re.compile(rf"{re.escape(match['stem'])}-\d{{5}}-of-{match['total']}{re.escape(match['suffix'])}")
        parts = [file for file in path.parent.iterdir() if pattern.fullmatch(file.name)]
    beside = [path.parent / name for name in _BESIDE]
    later = [file for file in path.parent.glob("*/*") if LATER.fullmatch(file.parent.name)]
    pooling = [file for file in later if file.name == CONFIG or WEIGHTS.fullmatch(file.name)]
    return [file for file in (*parts, *beside, *pooling) if file.is_file()]


def _candidate_of(path: Path, looked: Found) -> Candidate:
    mine = [one for one in looked.candidates if any(file.name == path.name for file in one.weights)]
    if mine:
        return mine[0]
    said = (file.sentence for file in looked.files if file.path == shown(path.name) and file.severity == "error")
    otherwise = f"“{shown(path.name)}” holds no weights that can be opened: choose a .safetensors, .gguf or .pt file."
    raise HeadlightError(next(said, otherwise))


def _without_doubt(candidate: Candidate, path: Path) -> Choices:
    called = shown(path.name)
    if candidate.kind == "gguf":
        return Choices(name=path.stem)
    if candidate.kind == "model" and candidate.lacks("tokenizer"):
        raise HeadlightError(f"“{called}” has no tokenizer: put its tokenizer.json beside it, {_OTHERWISE}.")
    if not candidate.lacks("config") and not candidate.lacks("model_type"):
        return Choices(name=path.stem)
    best = next(iter(guesses(candidate.tensors)), None)
    if best is None:
        raise HeadlightError(
            f"“{called}” does not say its architecture, and its tensors are those of none that is known: put its "
            "config.json beside it."
        )
    said = {name: stated.value for name, stated in stated_answers(best, _beside(path)).items()}
    asked = [question for question in best.open_questions if len(question.options) > 1]
    heads = [question.name for question in asked if "head" in question.name]
    open_heads = [name for name in heads if name not in said]
    if best.share < 1.0 or best.missing or open_heads:
        doubt = "the number of its heads" if open_heads else "which architecture it has"
        raise HeadlightError(
            f"“{called}” looks like {best.architecture} and does not say {doubt}: put its config.json beside it, "
            f"{_OTHERWISE}."
        )
    bearing = [name for question in asked if (name := question.name) not in said and not _HARMLESS.search(name)]
    config = answered(best, said)
    assumed = (*(_said(config[name]) for name in heads), *(f"{name} {config[name]}, guessed" for name in bearing))
    taken = {name: value for name, value in taken_of(best, config, said).items() if name not in bearing}
    return Choices(config=config, name=path.stem, assumed=assumed, taken=taken)


def _said(heads: int) -> str:
    return f"{heads:,} {'head' if heads == 1 else 'heads'}, as the file says"


def _beside(path: Path) -> dict[str, Any]:
    """What a pickle says beside its tensors."""
    return {} if path.suffix.lower() == ".safetensors" else values_beside(path)
