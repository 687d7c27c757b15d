"""A tokenizer that may hang on some text: each text is read in a box of its own, which ends after some seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import HeadlightError
from core.jobs.boxed import Unboxed, boxed
from core.models.checking_tokenizers.bounds import (
    OPENING_NBYTES,
    OPENING_SECONDS,
    READING_NBYTES,
    READING_SECONDS,
)
from core.text.reader import Reading
from core.text.spelling import BYTE_LEVEL_SPACE, METASPACE, byte_level_bytes, metaspace_bytes

_INSIDE = "core.models.checking_tokenizers.inside"


@dataclass(frozen=True)
class BoxedReader:
    """A `core.text.reader.Reader`; build it with `opened`. Nothing changes in it, so threads share one.

    It reads exactly as `FastReader` does, some tenths of a second later.
    specification: the tokenizer.json. pieces: by their ids; None where they are too many to keep them twice.
    seconds: how long one text may take.
    """

    specification: str = field(repr=False)
    special_names: tuple[str, ...] = field(repr=False)
    special_ids: frozenset[int] = field(repr=False)
    space_mark: str | None
    knows_words: bool
    puts_space_first: bool
    pieces: Mapping[int, str] | None = field(repr=False)
    seconds: float = READING_SECONDS

    @classmethod
    def opened(cls, specification: str) -> BoxedReader:
        """The reader of a tokenizer.json. Raises HeadlightError where it cannot be opened in a box."""
        try:
            told = boxed(
                f"{_INSIDE}:described",
                {"specification": specification},
                seconds=OPENING_SECONDS,
                nbytes=OPENING_NBYTES,
            )
        except Unboxed as error:
            raise HeadlightError(
                f"Opening the tokenizer {error.why}, so it is not used: get its tokenizer.json again."
            ) from error
        listed = told["pieces"]
        return cls(
            specification=specification,
            special_names=tuple(map(str, told["special_names"])),
            special_ids=frozenset(map(int, told["special_ids"])),
            space_mark=told["space_mark"],
            knows_words=bool(told["knows_words"]),
            puts_space_first=bool(told["puts_space_first"]),
            pieces=None if listed is None else {int(number): str(piece) for number, piece in listed},
        )

    def read(self, text: str, text_pair: str | None) -> Reading:
        """Raises HeadlightError for a text on which the tokenizer does not come to an end, or fails."""
        told = self._ask("read", text=text, pair=text_pair)
        return Reading(
            ids=told["ids"],
            pieces=told["pieces"],
            sequences=told["sequences"],
            offsets=[(start, end) for start, end in told["offsets"]],
            words=told["words"],
            type_ids=told["type_ids"],
        )

    def pieces_of(self, ids: Sequence[int]) -> list[str]:
        if self.pieces is None:
            return list(self._ask("pieces", ids=list(ids)))
        return [self.pieces.get(i) or f"⟨id={i}⟩" for i in ids]

    def bytes_of(self, pieces: Sequence[str]) -> list[bytes]:
        if self.space_mark == BYTE_LEVEL_SPACE:
            return [byte_level_bytes(piece) for piece in pieces]
        if self.space_mark == METASPACE:
            return metaspace_bytes(pieces, self.puts_space_first)
        return [bytes.fromhex(chunk) for chunk in self._ask("spelled", pieces=list(pieces))]

    def _ask(self, function: str, **argument: Any) -> Any:
        try:
            return boxed(
                f"{_INSIDE}:{function}",
                {"specification": self.specification, **argument},
                seconds=self.seconds,
                nbytes=READING_NBYTES,
            )
        except Unboxed as error:
            raise HeadlightError(_why(error)) from error


def _why(error: Unboxed) -> str:
    did = {"time": error.why, "asleep": error.why, "memory": error.why, "result": "makes too many tokens"}.get(
        error.reason, "fails"
    )
    return f"The model's tokenizer {did} on this text: try a shorter or another one."
