"""Which tokenizer lies with a model, and what one may be made from where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.models.finding.contents import Contents, Parts
from core.models.opening.tokenizer_files import SENTENCEPIECE, WITHOUT_FILES

# A folder with its name may hold it.
_OWN_FOLDER = "tokenizer"
# Families whose vocab.txt is a WordPiece vocabulary, so that it needs no settings beside it.
_WORDPIECE = frozenset({
    "bert", "convbert", "distilbert", "dpr", "electra", "funnel", "layoutlm", "lxmert", "megatron-bert", "mobilebert",
    "mpnet", "nomic_bert", "realm", "retribert", "splinter", "squeezebert", "tapas",
})  # fmt: skip
_MADE_FROM = ("tokenizer.json", "vocab.txt", "vocab.json")


def tokenizer_of(own: Contents, all_contents: Mapping[Parts, Contents]) -> Path | None:
    """The folder with the tokenizer of the weights in a folder: that one, `tokenizer` in it, or one above it.

    One above counts only without weights of its own, whose tokenizer it would be.
    """
    model_type = own.config.values.get("model_type") if own.config else None
    beside = all_contents.get((*own.parts, _OWN_FOLDER))
    above = (all_contents.get(own.parts[:length]) for length in range(len(own.parts) - 1, -1, -1))
    for contents in (own, beside, *(one for one in above if one and not one.weights)):
        if contents and _has_tokenizer(contents, model_type):
            return contents.folder
    return None


def vocabularies_of(own: Contents, all_contents: Mapping[Parts, Contents]) -> tuple[Path, ...]:
    """Files that a tokenizer may be made from: those beside the weights, then those in folders without weights."""
    others = (contents for parts, contents in sorted(all_contents.items()) if parts != own.parts)
    return tuple(
        contents.folder / name
        for contents in (own, *(one for one in others if not one.weights))
        for name in _usable(contents)
    )


def _usable(contents: Contents) -> list[str]:
    rank = {name: place for place, name in enumerate((*_MADE_FROM[:1], *SENTENCEPIECE, *_MADE_FROM[1:]))}
    names = [
        name
        for name, file in contents.files.items()
        if name in rank or file.kind == "vocabulary" or (file.kind == "tokenizer" and name.endswith((".model", ".spm")))
    ]
    fit = [name for name in names if contents.files[name].kind != "refused"]
    return sorted(fit, key=lambda name: (rank.get(name, len(rank)), name))


def _has_tokenizer(contents: Contents, model_type: object) -> bool:
    names = {name for name, file in contents.files.items() if file.kind in ("tokenizer", "vocabulary")}
    if "tokenizer.json" in names:
        return True
    settings = contents.tokenizer.values if contents.tokenizer else {}
    if settings.get("tokenizer_class") in WITHOUT_FILES:
        return True
    if names.intersection(SENTENCEPIECE):
        return bool(settings) or isinstance(model_type, str)
    if "vocab.json" in names and ("merges.txt" in names or settings):
        return bool(settings) or isinstance(model_type, str)
    return "vocab.txt" in names and (bool(settings) or model_type in _WORDPIECE)
