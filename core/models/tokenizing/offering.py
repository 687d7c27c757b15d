"""Which tokenizers may fit a model that has none, told by how many rows its embedding has, best first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.boxed import boxed
from core.models.catalogue import in_folders
from core.models.quoting import shown
from core.models.tokenizing.choices import (
    SMILES,
    Bytes,
    Characters,
    FromCatalogue,
    FromFile,
    Offer,
    Pattern,
    Specials,
    Whitespace,
)
from core.models.tokenizing.meta import is_meta

# Of a model that is packed in one file, which only opening it unpacks.
_PACKED = {"SmolLM2-135M-Instruct": 49_152}
_CONFIG_NBYTES = 1 << 20
# Rows are often rounded up, as hardware likes it.
_ROUNDED_TO, _MOST_SPARE = 8, 256
_MOST_FILES = 20
_LOOKING_SECONDS, _LOOKING_NBYTES = 20.0, 2 << 30
_BYTES = {
    256: ("256 rows are one for each byte.", Bytes()),
    259: ("259 rows are 3 special tokens and one for each byte, as in ByT5.", Bytes(3, ("<pad>", "</s>", "<unk>"))),
    262: (
        "262 rows are 6 special tokens and one for each byte, as in Perceiver.",
        Bytes(6, ("[PAD]", "[BOS]", "[EOS]", "[MASK]", "[CLS]", "[SEP]")),
    ),
    384: (
        "384 rows are those of ByT5: 3 special tokens, one for each byte, and 125 more.",
        Bytes(3, ("<pad>", "</s>", "<unk>")),
    ),
}
_MOST_LETTERS = 300
# Source: Lin et al. 2023, Evolutionary-scale prediction of atomic-level protein structure; the alphabet of its code.
ESM, _OF_ESM = "esm", "<cls> <pad> <eos> <unk> L A G V S E R T I D P K Q N F Y M H W C X B U Z O . - <null_1> <mask>"
AMINO_ACIDS = tuple(_OF_ESM.split())


@dataclass(frozen=True)
class _Fit:
    """How a vocabulary fits: 0 exactly, 1 the rows are rounded up, 2 it is smaller. sentence: why it is thought so."""

    rank: int
    sentence: str


def offered(
    embedding_rows: int, vocabularies: Sequence[Path] = (), job: Job | None = None, *, model_type: str = ""
) -> tuple[Offer, ...]:
    """Tokenizers that may fit, best first; the last ones, without a choice, are those that a user can always fill in.

    embedding_rows: of the model's input embedding; 0 where that is not known. vocabularies: files of the upload.
    model_type: the family, where it is known. Files come before models of the catalogue that fit as well, for they came
    with the model.
    """
    ranked = [*_of_files(embedding_rows, vocabularies, job), *_of_catalogue(embedding_rows), *_of_bytes(embedding_rows)]
    proteins = tuple(_of_proteins(embedding_rows))
    ranked += [(0, offer) for offer in proteins if model_type == ESM]
    fitting = [offer for _, offer in sorted(ranked, key=lambda pair: pair[0])]
    # Of another family as many rows say little, for alphabets are many.
    return (*fitting, *_always(embedding_rows), *(proteins if model_type != ESM else ()))


def _of_files(rows: int, paths: Sequence[Path], job: Job | None) -> Iterator[tuple[int, Offer]]:
    for path, form, size in _looked_at(paths[:_MOST_FILES], job):
        fit = _fit(rows, size, f"the vocabulary of {shown(path.name)} in the upload")
        if size and fit:
            yield fit.rank, _offer_of(path, form, fit.sentence)


def _looked_at(paths: Sequence[Path], job: Job | None) -> list[tuple[Path, str, int]]:
    if not paths:
        return []
    argument = [str(path.absolute()) for path in paths]
    try:
        told = boxed(
            "core.models.tokenizing.looking:looked_at",
            argument,
            seconds=_LOOKING_SECONDS,
            nbytes=_LOOKING_NBYTES,
            job=job,
        )
    except HeadlightError:
        return []  # whoever chooses one of the files is told
    return [(path, str(one["form"]), int(one["size"])) for path, one in zip(paths, told, strict=True)]


def _offer_of(path: Path, form: str, sentence: str) -> Offer:
    name = shown(path.name)
    match form:
        case "characters":
            own = "Nearly all its tokens are single characters."
            specials = Specials(unknown="") if is_meta(path) else Specials()
            return Offer("characters", f"Characters of {name}", f"{sentence} {own}", Characters(path, specials))
        case "smiles":
            own = "Its tokens are those of molecules in SMILES."
            return Offer("pattern", f"SMILES with {name}", f"{sentence} {own}", Pattern(SMILES, path))
        case "words":
            own = "No token in it continues a word, so it lists whole words."
            return Offer("whitespace", f"Words of {name}", f"{sentence} {own}", Whitespace(path))
    return Offer("file", name, sentence, FromFile(path))


def _of_catalogue(rows: int) -> Iterator[tuple[int, Offer]]:
    seen: set[str] = set()
    for entry, folder in in_folders() if rows else ():
        size, digest = _facts(entry.name, folder)
        fit = _fit(rows, size, f"the vocabulary of {entry.name}")
        if not size or fit is None or fit.rank > 1 or digest in seen:
            continue
        seen.add(digest)
        yield fit.rank, Offer("catalogue", f"That of {entry.name}", fit.sentence, FromCatalogue(entry.name))


def _facts(name: str, folder: Path) -> tuple[int, str]:
    """How many ids a catalogue model reads, 0 where its folder does not tell; and what tells its tokenizer apart."""
    if name in _PACKED:
        return _PACKED[name], name
    config, tokenizer = folder / "config.json", folder / "tokenizer.json"
    try:
        if config.stat().st_size > _CONFIG_NBYTES:
            return 0, name
        told: Any = json.loads(config.read_text(encoding="utf-8"))
        with tokenizer.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError, RecursionError):
        return 0, name
    size = told.get("vocab_size") if isinstance(told, dict) else None
    return size if type(size) is int else 0, digest


def _of_bytes(rows: int) -> Iterator[tuple[int, Offer]]:
    if rows in _BYTES:
        sentence, choice = _BYTES[rows]
        yield 0, Offer("bytes", "Bytes", sentence, choice)
    elif 256 < rows <= _MOST_LETTERS:
        sentence = f"{rows} rows may be one for each byte and {rows - 256} more: say which id byte 0 has."
        yield 2, Offer("bytes", "Bytes", sentence)


def _of_proteins(rows: int) -> Iterator[Offer]:
    if rows == len(AMINO_ACIDS):
        sentence = f"The embedding has {rows} rows, exactly as many ids as ESM's alphabet of amino acids."
        yield Offer("characters", "Amino acids, as ESM has them", sentence, Characters(AMINO_ACIDS))


def _fit(rows: int, size: int, whose: str) -> _Fit | None:
    if not rows:
        return _Fit(2, f"It is {whose}, with {size:,} ids.")
    if size == rows:
        return _Fit(0, f"The embedding has {rows:,} rows, exactly as many ids as {whose}.")
    spare = rows - size
    told = f"The embedding has {rows:,} rows, {spare:,} more than {whose} has ids"
    if 0 < spare < _MOST_SPARE and rows % _ROUNDED_TO == 0:
        return _Fit(1, f"{told}: rows are often rounded up.")
    return _Fit(2, f"{told}: those would never be read.") if spare > 0 else None


def _always(rows: int) -> Iterator[Offer]:
    few = 0 < rows <= _MOST_LETTERS
    letters = f"{rows} rows are few enough to be one for each letter." if few else "One token a character."
    forms = (
        Offer("characters", "Characters", f"{letters} Give all of them in the order of their ids."),
        Offer("pattern", "A regular expression", "One token a match, as for molecules and reactions in SMILES."),
        Offer("whitespace", "Words between white space", "One token a word of a vocabulary that you give."),
        Offer("file", "A file", "A vocabulary, tokenizer.json or SentencePiece model that you upload."),
        Offer("catalogue", "That of another model", "Any model of the catalogue that is available here."),
        Offer("bytes", "Bytes", "One token a byte; say which id byte 0 has."),
    )
    yield from forms if few else (*forms[3:5], *forms[:3], forms[5])
