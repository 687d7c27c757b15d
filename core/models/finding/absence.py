"""Why a folder holds no model, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from core.models.finding.looking import TOO_MUCH
from core.models.finding.results import FoundFile

_WHAT = "a model has its weights in .safetensors, .gguf, .bin, .pt, .pth or .ckpt files"


def why_none(files: Sequence[FoundFile]) -> str:
    """The sentence for files of which none makes a model."""
    if not files:
        return f"There is no file: {_WHAT}."
    weights = [file for file in files if file.severity == "error"]
    if len(weights) == 1:
        return weights[0].sentence
    if weights:
        return f"None of the {len(weights):,} files with an error can be used: see what is said of each."
    if any(file.kind == "archive" for file in files):
        return "There is only an archive inside: unpack it, or upload it by itself."
    if unseen := next((file for file in files if file.sentence.endswith(f"{TOO_MUCH}.")), None):
        return unseen.sentence
    if any(file.kind == "other" and file.severity == "warning" for file in files):
        return f"There are no weights that Headlight reads: {_WHAT}."
    if any(file.kind in ("adapter config", "config", "tokenizer", "vocabulary", "index") for file in files):
        return f"There are no weights beside what describes them: {_WHAT}."
    return f"There are no weights: {_WHAT}."
