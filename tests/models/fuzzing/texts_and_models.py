"""Readers of settings, tokenizers and folders: a function of any bytes for each, which raises if all is not well."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from core.models.adapters.settings import settings_in
from core.models.checking_configs.checked import checked_config, remarks_on
from core.models.checking_configs.json_files import object_in
from core.models.checking_tokenizers.files import check_files
from core.models.checking_tokenizers.patterns import is_linear
from core.models.checking_tokenizers.sentencepiece_files import sentencepiece_facts
from core.models.checking_tokenizers.suspects import suspicions
from core.models.finding import found
from core.models.guessing import answered, guesses, places, revised
from core.models.opening.prepared import notes_in
from core.models.preparing.known_files import LONGEST_JSON
from core.models.preparing.naming import naming
from core.models.tokenizing import Characters, FromFile, Pattern, Whitespace
from core.models.tokenizing.building import built
from core.models.tokenizing.looking import form_and_size
from core.models.tokenizing.sentencepieces import read_pieces
from tests.models.fuzzing import folders_as_bytes
from tests.models.fuzzing.folders_as_bytes import file_of
from tests.models.fuzzing.keeping import BrokenPromise, check_sentence, refusing, same


def read_config(data: bytes, folder: Path) -> None:
    path = file_of(folder, "config.json", data)
    with refusing():
        for sentence in remarks_on(checked_config("x", folder)):
            check_sentence(sentence)
    with refusing():
        object_in(path, LONGEST_JSON)
    path.rename(folder / "prepared.json")
    if not all(note.isprintable() for note in notes_in(folder)):
        raise BrokenPromise("a note holds what nobody sees")


def read_adapter(data: bytes, folder: Path) -> None:
    file_of(folder, "adapter_config.json", data)
    with refusing():
        settings = settings_in("x", folder)
        for module in ("encoder.layer.0.attention.self.query", "a" * 200, "." * 200, "layer.0.query" * 20):
            if not math.isfinite(settings.scale_of(module)):
                raise BrokenPromise("the scale of an adapter is no number")


def read_tokenizer(data: bytes, folder: Path) -> None:
    place = folders_as_bytes.write(data, folder / "tokenizer")
    with refusing():
        check_files(place)
        if (place / "tokenizer.json").exists():
            suspicions(object_in(place / "tokenizer.json", 64_000_000))


def read_vocabulary(data: bytes, folder: Path) -> None:
    kind, rest = data[:1], data[1:]
    name = {b"\0": "vocab.txt", b"\1": "vocab.json", b"\2": "vocab.json", b"\3": "tokenizer.json"}.get(kind, "v.txt")
    if kind == b"\2":
        rest, _, merges = rest.partition(b"\0")
        file_of(folder, "merges.txt", merges)
    path = file_of(folder, name, rest)
    with refusing():
        _, size = form_and_size(path)
        if size < 0:
            raise BrokenPromise("a vocabulary is of less than nothing")
    _is_written(FromFile(path))
    if kind not in (b"\2", b"\3"):
        for choice in (Characters(path), Whitespace(path), Pattern("a|b", path)):
            _is_written(choice)


def _is_written(choice: Any) -> None:
    with refusing():
        made = built(choice)
        # Half a character in a tokenizer.json is for the library to refuse.
        json.dumps([made.tokenizer, made.config], ensure_ascii=False).encode("utf-8", "surrogatepass")
        for note in made.notes:
            check_sentence(note)


def read_sentencepieces(data: bytes, folder: Path) -> None:
    path = file_of(folder, "spiece.model", data)
    with refusing():
        sentencepiece_facts(path)
    with refusing():
        if not read_pieces(path).pieces:
            raise BrokenPromise("a model without pieces is read")
    _is_written(FromFile(path))


def read_expression(data: bytes, folder: Path) -> None:
    is_linear(data[:1_000].decode("utf-8", "replace"))


def read_shapes(data: bytes, folder: Path) -> None:
    shapes: dict[str, tuple[int, ...]] = {}
    for line in data.decode("utf-8", "replace").split("\n")[:200]:
        name, *sizes = line.split(" ")
        shapes[name] = tuple(int(size) for size in sizes if size.isascii() and size.isdigit() and len(size) < 12)
    for guess in guesses(shapes):
        check_sentence(guess.reason)
        for question in guess.open_questions:
            check_sentence(question.why)
        if not (0 < guess.share <= 1 and set(guess.left) <= set(shapes)):
            raise BrokenPromise(f"a guess that cannot be: {guess.share}")
        json.dumps(answered(guess, {"num_attention_heads": 2}))
        revised(shapes, guess, {"num_attention_heads": 2})
        if not set(places(shapes, guess).names) <= set(shapes):
            raise BrokenPromise("tensors from nowhere")
        named = naming(shapes, guess.config)
        if len(set(named.names.values())) < len(named.names) or not set(named.names) <= set(shapes):
            raise BrokenPromise("two tensors get the same name")
        for note in named.notes:
            check_sentence(note)


def read_folder(data: bytes, folder: Path) -> None:
    seen = found(folders_as_bytes.write(data, folder / "upload"))
    missing = [missing.sentence for candidate in seen.candidates for missing in candidate.missing]
    for sentence in (*(file.sentence for file in seen.files), *missing, *filter(None, [seen.sentence])):
        check_sentence(sentence)
    same({file.path for file in seen.files}, set(folders_as_bytes.files_in(data)))
    if bool(seen.sentence) == bool(seen.candidates) or not all(file.path.isprintable() for file in seen.files):
        raise BrokenPromise("what is found contradicts itself")
    for candidate in seen.candidates:
        if not candidate.name.isprintable():
            raise BrokenPromise(f"a candidate called {candidate.name!r}")
