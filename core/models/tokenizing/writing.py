"""A chosen tokenizer written into a model's folder, and what it makes of a text; files are only read in a box."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.boxed import Unboxed, boxed
from core.models.quoting import shown
from core.models.tokenizing.asking import told
from core.models.tokenizing.catalogued import pieces_of, save_tokenizer
from core.models.tokenizing.choices import FromCatalogue, Pattern, TokenizerChoice

LONGEST_TEXT = 2_000
_BUILDING_SECONDS, _BUILDING_NBYTES, _WRITTEN_NBYTES = 60.0, 2 << 30, 1 << 28
_TRYING_SECONDS, _TRYING_NBYTES = 2.0, 1 << 29


def write_tokenizer(choice: TokenizerChoice, folder: Path, job: Job | None = None) -> tuple[str, ...]:
    """Write tokenizer.json and tokenizer_config.json of a choice into a folder, both or none.

    A few catalogue models have tokenizers of other files. Returns sentences on what is odd, for the load report.
    Raises HeadlightError, one sentence: for a file that is too large, damaged or of another kind, for tokens or ids
    that stand in it twice, for names that it lacks, for a pattern that cannot be compiled or takes too long.
    """
    try:
        place = Path(tempfile.mkdtemp(prefix=".tokenizing-", dir=folder))
    except OSError as error:
        raise HeadlightError(
            "The tokenizer cannot be written on the server: try again, or ask whoever runs it."
        ) from error
    try:
        if isinstance(choice, FromCatalogue):
            notes: tuple[str, ...] = ()
            save_tokenizer(choice.name, place, job)
        else:
            notes = _written(choice, place, job)
        made = list(place.iterdir())
        # What comes out of a box is as little trusted as what went in.
        if not made or any(path.is_symlink() or not path.is_file() for path in made):
            raise HeadlightError("The tokenizer could not be written: choose another.")
        for path in made:
            path.replace(folder / path.name)
        return notes
    finally:
        shutil.rmtree(place, ignore_errors=True)


def try_on(choice: TokenizerChoice, text: str, job: Job | None = None) -> list[str]:
    """The pieces that a tokenizer makes of a text, special tokens included, as its vocabulary spells them.

    Takes 2 seconds at most. Raises HeadlightError as `write_tokenizer` does, and for more than LONGEST_TEXT characters.
    """
    if len(text) > LONGEST_TEXT:
        raise HeadlightError(f"A tokenizer is tried on at most {LONGEST_TEXT:,} characters: shorten the text.")
    # Lone surrogates have no UTF-8.
    text = text.encode("utf-8", "replace").decode()
    if isinstance(choice, FromCatalogue):
        return pieces_of(choice.name, text, job)
    argument = {"choice": told(choice), "text": text}
    try:
        found = boxed(
            "core.models.tokenizing.inside:pieces",
            argument,
            seconds=_TRYING_SECONDS,
            nbytes=_BUILDING_NBYTES,
            job=job,
        )
    except Unboxed as error:
        raise HeadlightError(
            f"{_what(choice)} {error.why} to be tried: choose a shorter text or a smaller vocabulary for that."
        ) from error
    return [str(piece) for piece in found]


def _written(choice: TokenizerChoice, place: Path, job: Job | None) -> tuple[str, ...]:
    if isinstance(choice, Pattern):
        # Before its vocabulary is read: the pattern is what is most likely wrong.
        _tried(choice.pattern, [], job)
    try:
        answer = boxed(
            "core.models.tokenizing.inside:write",
            told(choice),
            seconds=_BUILDING_SECONDS,
            nbytes=_BUILDING_NBYTES,
            folder=place,
            written_nbytes=_WRITTEN_NBYTES,
            job=job,
        )
    except Unboxed as error:
        raise HeadlightError(f"{_what(choice)} {error.why}: choose another, or a smaller vocabulary.") from error
    notes = tuple(str(note) for note in answer["notes"])
    return (*notes, *_tried(choice.pattern, answer["words"], job)) if isinstance(choice, Pattern) else notes


def _tried(pattern: str, words: list[str], job: Job | None) -> tuple[str, ...]:
    try:
        notes = boxed(
            "core.models.tokenizing.trying:try_pattern",
            {"pattern": pattern, "words": words},
            seconds=_TRYING_SECONDS,
            nbytes=_TRYING_NBYTES,
            job=job,
        )
    except Unboxed as error:
        raise HeadlightError(
            f"The regular expression “{shown(pattern)}” {error.why} on short texts: write one without repetitions "
            "within repetitions."
        ) from error
    return tuple(str(note) for note in notes)


def _what(choice: TokenizerChoice) -> str:
    return "The tokenizer with this regular expression" if isinstance(choice, Pattern) else "The tokenizer"
