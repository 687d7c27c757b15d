"""A look at a file that holds no weights: what it is, from its name and, for small texts, from what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.errors import HeadlightError
from core.models.checking_configs.json_files import object_in
from core.models.finding import naming
from core.models.finding.results import FileKind, FoundFile, Severity
from core.models.finding.telling import counted, quoted, size
from core.models.finding.walking import Entry, place_of
from core.models.finding.wordlists import entries_in, lines_in
from core.models.hub import LATER
from core.models.quoting import shown

LONGEST = 4_000_000
_PICKLE = (
    "a pickle, never opened: of a PyTorch model save the state_dict() with torch.save; models of scikit-learn and the "
    "like are not read"
)
_JSON_TOKENIZERS = ("tokenizer.json", "vocab.json")


@dataclass(frozen=True)
class Settings:
    """What a config.json, adapter_config.json, tokenizer_config.json or training.json says."""

    entry: Entry
    values: dict[str, Any]


def as_found(entry: Entry, kind: FileKind, words: str, severity: Severity = "info") -> FoundFile:
    """A file with the sentence that its name and these words make."""
    return FoundFile(place_of(entry.parts), entry.nbytes, kind, f"{shown(entry.name)}: {words}.", severity)


def refused(entry: Entry, sentence: str) -> FoundFile:
    """A file that is not opened, and the sentence that says why."""
    return FoundFile(place_of(entry.parts), entry.nbytes, "refused", sentence, "error")


def looked_at(entry: Entry) -> tuple[FoundFile, Settings | None]:
    """The file in a sentence, and what it says where that is settings."""
    if entry.name in (naming.CONFIG, naming.ADAPTER_CONFIG, naming.TRAINING, naming.TOKENIZER_CONFIG):
        try:
            settings = Settings(entry, object_in(entry.path, LONGEST))
        except HeadlightError as error:
            return refused(entry, str(error)), None
        return _settings(settings), settings
    return _known(entry) or _by_content(entry), None


def _known(entry: Entry) -> FoundFile | None:
    known = naming.known_by_name(entry.name)
    if known is None:
        return None
    if entry.name in _JSON_TOKENIZERS and not _begins_as_object(entry):
        sentence = f"The file {quoted(entry.name)} is not opened, because it is no JSON object: get the file again."
        return refused(entry, sentence)
    sized = f", {size(entry.nbytes)}" if known.kind in ("tokenizer", "vocabulary") else ""
    return as_found(entry, known.kind, f"{known.words}{sized}", known.severity)


def _by_content(entry: Entry) -> FoundFile:
    if entry.suffix in naming.ARCHIVES:
        return as_found(entry, "archive", "not unpacked: unpack it, or upload it by itself", "warning")
    if entry.name.endswith(naming.INDEX):
        return as_found(entry, "index", "says which file has which tensor")
    if entry.suffix in naming.PICKLES:
        return as_found(entry, "other", _PICKLE, "warning")
    if entry.suffix in (".model", ".spm") and _begin(entry) == b"\n":
        return as_found(entry, "tokenizer", "a SentencePiece model, which may become the tokenizer")
    if entry.suffix == ".json":
        if count := entries_in(entry):
            return as_found(entry, "vocabulary", f"{counted(count, 'token')}, which may become a vocabulary")
        return as_found(entry, "other", "settings, not read")
    if entry.suffix in (".txt", ".vocab", ".dict", "") and (count := lines_in(entry)):
        return as_found(entry, "vocabulary", f"{counted(count, 'word')}, one a line, which may become a vocabulary")
    return as_found(entry, "other", "nothing that Headlight reads, left out")


def _settings(said: Settings) -> FoundFile:
    if said.entry.name == naming.CONFIG:
        return _config(said)
    if said.entry.name == naming.ADAPTER_CONFIG:
        base = said.values.get("base_model_name_or_path")
        kind = said.values.get("peft_type")
        words = f"settings of an adapter, {quoted(kind)}, {f'for {quoted(base)}' if base else 'for a base not named'}"
        return as_found(said.entry, "adapter config", words)
    if said.entry.name == naming.TRAINING:
        return as_found(said.entry, "training", "how the model was trained, by Headlight")
    return as_found(said.entry, "tokenizer", "settings of the tokenizer")


def _config(said: Settings) -> FoundFile:
    if said.entry.folder and LATER.fullmatch(said.entry.folder[-1]):
        return as_found(said.entry, "settings", "settings of a module of sentence-transformers")
    stated, classes = said.values.get("model_type"), said.values.get("architectures")
    named = classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else None
    words = f"settings of a network, {quoted(stated)}" if isinstance(stated, str) else "settings without a model_type"
    words += f", {quoted(named)}" if named else ""
    if "auto_map" in said.values:
        return as_found(said.entry, "config", f"{words}; it names a program, which is never run", "warning")
    return as_found(said.entry, "config", words)


def _begins_as_object(entry: Entry) -> bool:
    return _begin(entry, 64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def _begin(entry: Entry, nbytes: int = 1) -> bytes:
    try:
        with entry.path.open("rb") as file:
            return file.read(nbytes)
    except OSError:
        return b""
