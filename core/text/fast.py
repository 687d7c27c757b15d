"""Tokenizers that the `tokenizers` library runs: WordPiece, byte-level BPE, SentencePiece BPE and unigram."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tokenizers

from core.errors import HeadlightError
from core.text.panics import Panic, panics_caught
from core.text.reader import Reading
from core.text.spelling import BYTE_LEVEL_SPACE, METASPACE, byte_level_bytes, metaspace_bytes, spelled_bytes

# Neither words nor punctuation of these can hide in one another.
_PROBE = "a b."


class GaveUp(HeadlightError):
    """The library could not go on with a text: a regular expression ran out of steps, or its files contradict."""

    def __init__(self) -> None:
        super().__init__("The model's tokenizer gives up on this text: change the text, or choose another model.")


@dataclass(frozen=True)
class FastReader:
    """A backend fixed for Headlight; build it with `fixed`. Reading changes nothing, so threads share one.

    User text is never parsed for special tokens. Added tokens that are not special (`<think>`, runs of spaces) are
    ordinary words of a vocabulary, and transformers reads them so in any text: they stay one token here too.
    unreachable: by special ids, those that stand for them in a text.
    """

    backend: tokenizers.Tokenizer = field(repr=False)
    special_names: tuple[str, ...] = field(repr=False)
    special_ids: frozenset[int] = field(repr=False)
    space_mark: str | None
    knows_words: bool
    puts_space_first: bool
    charsmap: tokenizers.normalizers.Normalizer | None = field(repr=False)
    unreachable: Mapping[int, int] = field(repr=False)

    @classmethod
    def fixed(cls, backend: tokenizers.Tokenizer) -> FastReader:
        """Own a copy of a tokenizer and set it once; later calls only read it."""
        given = json.loads(backend.to_str(), object_hook=_with_spaces_in_spans)
        special = {t["content"]: t["id"] for t in given["added_tokens"] if t["special"]}
        own = tokenizers.Tokenizer.from_str(json.dumps(_guarded(given, special)))
        own.no_padding()
        own.no_truncation()
        own.encode_special_tokens = True
        probed = own.encode(_PROBE, add_special_tokens=False)
        return cls(
            backend=own,
            special_names=tuple(special),
            special_ids=frozenset(special.values()),
            space_mark=_space_mark(given),
            knows_words=len(set(probed.word_ids)) >= 3,
            puts_space_first="".join(probed.tokens).startswith(METASPACE),
            charsmap=_charsmap(given["normalizer"]),
            unreachable=_of_one_letter(special, own.token_to_id(given["model"].get("unk_token") or "")),
        )

    def read(self, text: str, text_pair: str | None) -> Reading:
        encoding = self._encoded(text, text_pair)
        sequences = encoding.sequence_ids
        offsets = list(encoding.offsets)
        for sequence, own_text in enumerate([text] if text_pair is None else [text, text_pair]):
            places = [i for i, s in enumerate(sequences) if s == sequence]
            shift = self._miscounted(own_text)
            for i in places if shift else ():
                offsets[i] = (offsets[i][0] + shift, offsets[i][1] + shift)
        return Reading(
            ids=[i if s is None else self.unreachable.get(i, i) for i, s in zip(encoding.ids, sequences, strict=True)],
            pieces=encoding.tokens,
            sequences=sequences,
            offsets=offsets,
            words=encoding.word_ids,
            type_ids=encoding.type_ids,
        )

    def _encoded(self, text: str, text_pair: str | None) -> tokenizers.Encoding:
        try:
            with panics_caught():
                return self.backend.encode(text, text_pair)
        except Panic as error:
            raise GaveUp from error

    def _miscounted(self, text: str) -> int:
        """By how much offsets are off: SentencePiece's normaliser counts from the first character that it keeps."""
        if self.charsmap is None:
            return 0
        kept = (i for i, character in enumerate(text) if self.charsmap.normalize_str(character))
        return next(kept, 0)

    def pieces_of(self, ids: Sequence[int]) -> list[str]:
        return [self.backend.id_to_token(i) or f"⟨id={i}⟩" for i in ids]

    def bytes_of(self, pieces: Sequence[str]) -> list[bytes]:
        if self.space_mark == BYTE_LEVEL_SPACE:
            return [byte_level_bytes(piece) for piece in pieces]
        if self.space_mark == METASPACE:
            return metaspace_bytes(pieces, self.puts_space_first)
        decoder = self.backend.decoder
        return spelled_bytes(pieces, " ".join if decoder is None else decoder.decode)


def _with_spaces_in_spans(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a tokenizer's specification, told to report the white space that byte-level tokens hold."""
    return part | {"trim_offsets": False} if part.get("trim_offsets") is True else part


def _mentions(part: Any, kind: str) -> bool:
    return f'"{kind}"' in json.dumps(part, ensure_ascii=False)


def _space_mark(specification: dict[str, Any]) -> str | None:
    steps = [specification["normalizer"], specification["pre_tokenizer"]]
    if _mentions(steps, "ByteLevel"):
        return BYTE_LEVEL_SPACE
    return METASPACE if _mentions(steps, METASPACE) else None


def _charsmap(normalizer: dict[str, Any] | None) -> tokenizers.normalizers.Normalizer | None:
    """SentencePiece's own normaliser, alone, where a tokenizer has it."""
    steps = [normalizer] if normalizer else []
    while steps:
        step = steps.pop()
        if step["type"] == "Precompiled":
            return tokenizers.normalizers.Precompiled(base64.b64decode(step["precompiled_charsmap"]))
        steps += step.get("normalizers", [])
    return None


def _of_one_letter(special: dict[str, int], unknown: int | None) -> dict[int, int]:
    """Special tokens that no cut takes out of a user's reach (`|` of ESM C), as unknown characters."""
    return {} if unknown is None else {number: unknown for name, number in special.items() if len(name) == 1}


def _guarded(specification: dict[str, Any], special: dict[str, int]) -> dict[str, Any]:
    """The same tokenizer, unable to spell special tokens or bytes out of a user's characters.

    The library does not look for special tokens in a text when told so, but these models look up whole stretches of
    text in their vocabulary, where special tokens and byte pieces (`</s>`, `<0x0A>`) are listed like words. A last
    cut after the first letter of each such name takes them out of reach. BPE reaches them by no merge.
    """
    model = specification["model"]
    if model["type"] == "BPE" and not model.get("ignore_merges"):
        return specification
    names = [f"{re.escape(name[0])}(?={re.escape(name[1:])})" for name in special if len(name) > 1]
    if model.get("byte_fallback"):
        names.append("<(?=0x[0-9A-F]{2}>)")
    if not names:
        return specification
    cut = {"type": "Split", "pattern": {"Regex": "|".join(names)}, "behavior": "Isolated", "invert": False}
    own = [specification["pre_tokenizer"]] if specification["pre_tokenizer"] else []
    return specification | {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [*own, cut]}}
