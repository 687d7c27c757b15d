"""A tokenizer.json as such: its vocabulary, its ids and what its steps say about them, before any library reads it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.models.checking_files.telling import Wrong, quoted
from core.models.checking_tokenizers.bounds import HIGHEST_ID, LONGEST_PIECE, MOST_ADDED, MOST_PIECES

MODELS = ("BPE", "WordPiece", "WordLevel", "Unigram")
# The kinds of steps. The library guesses those of other names by their fields.
STEPS = {
    "normalizer": (
        "BertNormalizer", "Strip", "StripAccents", "NFC", "NFD", "NFKC", "NFKD", "Sequence", "Lowercase", "Nmt",
        "Precompiled", "Replace", "Prepend", "ByteLevel",
    ),
    "pre_tokenizer": (
        "BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Metaspace", "Whitespace", "Sequence", "Split",
        "Punctuation", "WhitespaceSplit", "Digits", "UnicodeScripts", "FixedLength",
    ),
    "post_processor": ("RobertaProcessing", "BertProcessing", "ByteLevel", "TemplateProcessing", "Sequence"),
    "decoder": (
        "BPEDecoder", "ByteLevel", "WordPiece", "Metaspace", "CTC", "Sequence", "Replace", "Fuse", "Strip",
        "ByteFallback",
    ),
}  # fmt: skip
_SEQUENCES = ("normalizers", "pretokenizers", "processors", "decoders")
MOST_STEPS = 200
LONGEST_TEXT = 20_000  # a pattern that lists the letters of all scripts
CHARSMAP = "precompiled_charsmap"


@dataclass(frozen=True)
class Vocabulary:
    """ids: of every piece, added ones included."""

    ids: Mapping[str, int]

    @property
    def size(self) -> int:
        return len(self.ids)

    @property
    def highest_id(self) -> int:
        """-1 where there is no piece."""
        return max(self.ids.values(), default=-1)

    @property
    def missing(self) -> int:
        """How many ids below the highest belong to no piece."""
        return self.highest_id + 1 - len(set(self.ids.values()))


def checked_vocabulary(specification: Any) -> Vocabulary:
    """The vocabulary of a tokenizer.json whose parts do not contradict one another, or Wrong."""
    if not isinstance(specification, dict) or not isinstance(specification.get("model"), dict):
        raise Wrong("it describes no tokenizer")
    model = specification["model"]
    kind = model.get("type") or _guessed_kind(model)
    if kind not in MODELS:
        raise Wrong(f"it says that its model is {_said(kind)}, and {', '.join(MODELS)} are known")
    _check_texts("model", model)
    ids = _unigram_ids(model) if kind == "Unigram" else check_ids(model.get("vocab"))
    if kind == "BPE":
        _check_merges(model.get("merges"), ids, model.get("continuing_subword_prefix") or "")
    _check_unknown(model, kind, ids)
    every = ids | _added_ids(specification.get("added_tokens"), ids)
    _check_steps(specification)
    _check_template(specification.get("post_processor"), frozenset(every.values()))
    return Vocabulary(every)


def checked_id(name: str, value: Any) -> int:
    """An id from a file, or Wrong."""
    if type(value) is not int or value < 0:
        raise Wrong(f"the id of {quoted(name)} is {_said(value)}, and no whole number from 0 on")
    if value > HIGHEST_ID:
        raise Wrong(f"the id of {quoted(name)} is {_said(value)}, and at most {HIGHEST_ID:,} is allowed")
    return value


def parts_of(step: Any) -> Iterator[dict[str, Any]]:
    """A step of a tokenizer with all that it consists of, from the outside in."""
    waiting = [step]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
        if isinstance(part, dict | list):
            waiting += part.values() if isinstance(part, dict) else part


def _guessed_kind(model: dict[str, Any]) -> str:
    """Older files leave the kind out."""
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    return "BPE" if "merges" in model else "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"


def _check_piece(piece: Any) -> None:
    if not isinstance(piece, str):
        raise Wrong(f"a piece of its vocabulary is {_said(piece)}, and no text")
    if len(piece) > LONGEST_PIECE:
        raise Wrong(f"its piece {quoted(piece)} has {len(piece):,} characters and {LONGEST_PIECE:,} are allowed")


def check_ids(vocabulary: Any) -> dict[str, int]:
    """The vocabulary of a vocab.json, each id once, or Wrong."""
    if not isinstance(vocabulary, dict):
        raise Wrong("its vocabulary is no object of pieces and ids")
    _check_count(len(vocabulary))
    for piece, value in vocabulary.items():
        _check_piece(piece)
        checked_id(piece, value)
    if len(set(vocabulary.values())) != len(vocabulary):
        number, count = Counter(vocabulary.values()).most_common(1)[0]
        names = list(islice((piece for piece, value in vocabulary.items() if value == number), 2))
        raise Wrong(f"{count:,} pieces have the id {number}, {quoted(names[0])} and {quoted(names[1])} among them")
    return vocabulary


def _unigram_ids(model: dict[str, Any]) -> dict[str, int]:
    rows = model.get("vocab")
    if not isinstance(rows, list):
        raise Wrong("its vocabulary is no list of pieces and scores")
    _check_count(len(rows))
    found: dict[str, int] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != 2:
            raise Wrong(f"entry {number:,} of its vocabulary is no piece with a score")
        piece, score = row
        _check_piece(piece)
        if type(score) not in (int, float) or not math.isfinite(score):
            raise Wrong(f"the score of {quoted(piece)} is {_said(score)}, and no number")
        if piece in found:
            raise Wrong(f"the piece {quoted(piece)} has two ids, {found[piece]} and {number}")
        found[piece] = number
    unknown = model.get("unk_id")
    if unknown is not None and checked_id("the unknown piece", unknown) >= len(rows):
        raise Wrong(f"its unknown piece has the id {unknown:,}, and its vocabulary has {len(rows):,} pieces")
    return found


def _check_count(count: int) -> None:
    if count > MOST_PIECES:
        raise Wrong(f"its vocabulary has {count:,} pieces and {MOST_PIECES:,} are allowed")


def _check_merges(merges: Any, ids: Mapping[str, int], prefix: Any) -> None:
    if not isinstance(merges, list):
        raise Wrong("its merges are no list")
    if len(merges) > MOST_PIECES:
        raise Wrong(f"it has {len(merges):,} merges and {MOST_PIECES:,} are allowed")
    for merge in merges:
        pair = merge.split(" ") if isinstance(merge, str) else merge
        # Older files write a space between two pieces, which may be spaces themselves.
        if not isinstance(pair, list) or not all(isinstance(piece, str) for piece in pair):
            raise Wrong(f"its merge {_said(merge)} is no pair of pieces")
        if len(pair) != 2:
            raise Wrong(f"its merge {_said(merge)} is no pair of pieces")
        unknown = next((piece for piece in pair if piece not in ids), None)
        if unknown is not None:
            raise Wrong(f"its merges name {quoted(unknown)}, which is not in its vocabulary")
        # The library cuts it off without looking.
        if prefix and not pair[1].startswith(str(prefix)):
            raise Wrong(f"its merge {_said(merge)} goes on with a piece that does not begin with {_said(prefix)}")


def _check_unknown(model: dict[str, Any], kind: str, ids: Mapping[str, int]) -> None:
    unknown = model.get("unk_token")
    if unknown is not None and not isinstance(unknown, str):
        raise Wrong(f"its unknown token is {_said(unknown)}, and no text")
    # Without one, these fail on the first word that they do not know; those of BPE leave it out.
    if kind in ("WordPiece", "WordLevel") and unknown is not None and ids and unknown not in ids:
        raise Wrong(f"its unknown token {quoted(unknown)} is not in its vocabulary")


def _added_ids(added: Any, ids: Mapping[str, int]) -> dict[str, int]:
    if added is None:
        return {}
    if not isinstance(added, list):
        raise Wrong("its added tokens are no list")
    if len(added) > MOST_ADDED:
        raise Wrong(f"it has {len(added):,} added tokens and {MOST_ADDED:,} are allowed")
    own = {number: piece for piece, number in ids.items()}
    found: dict[str, int] = {}
    names: dict[int, str] = {}
    for token in added:
        name = token.get("content") if isinstance(token, dict) else None
        if not isinstance(name, str) or not name:
            raise Wrong("one of its added tokens has no content")
        _check_piece(name)
        number = checked_id(name, token.get("id"))
        if ids.get(name, number) != number or found.get(name, number) != number:
            other = found.get(name, ids.get(name))
            raise Wrong(f"the added token {quoted(name)} has two ids, {other} and {number}")
        if names.get(number, name) != name or own.get(number, name) != name:
            other_name = names.get(number) or own[number]
            raise Wrong(f"{quoted(other_name)} and the added token {quoted(name)} both have the id {number}")
        found[name], names[number] = number, name
    return found


def _check_steps(specification: dict[str, Any]) -> None:
    for step, kinds in STEPS.items():
        if not isinstance(specification.get(step), dict | None):
            raise Wrong(f"its {step} is no object")
        for count, part in enumerate(parts_of(specification.get(step))):
            if count > MOST_STEPS:
                raise Wrong(f"its {step} has more than {MOST_STEPS} parts")
            _check_texts(step, part)
            if count == 0:
                _check_kind(step, kinds, part)
            for inner in (one for name in _SEQUENCES for one in _listed(part.get(name))):
                _check_kind(step, kinds, inner)
            for name, value in part.items():
                if isinstance(value, list) and len(value) > MOST_STEPS:
                    raise Wrong(f"{quoted(name)} of its {step} has {len(value):,} entries")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _check_kind(step: str, kinds: tuple[str, ...], part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else part
    if kind not in kinds:
        raise Wrong(f"its {step} has a step of the kind {_said(kind)}, which nobody knows")


def _check_texts(step: str, part: dict[str, Any]) -> None:
    for name, value in part.items():
        if isinstance(value, str) and len(value) > LONGEST_TEXT and name != CHARSMAP:
            raise Wrong(f"{quoted(name)} of its {step} has {len(value):,} characters")


def _check_template(post_processor: Any, ids: frozenset[int]) -> None:
    for part in parts_of(post_processor):
        for name in ("sep", "cls"):
            pair = part.get(name)
            if isinstance(pair, list) and len(pair) == 2:
                _check_known(str(pair[0]), pair[1], ids)
        special = part.get("special_tokens")
        if not isinstance(special, dict):
            continue
        for step in (*parts_of(part.get("single")), *parts_of(part.get("pair"))):
            named = step.get("SpecialToken")
            if isinstance(named, dict) and str(named.get("id")) not in special:
                raise Wrong(f"its template names {_said(named.get('id'))}, which is not among its special tokens")
        for name, token in special.items():
            numbers = token.get("ids") if isinstance(token, dict) else None
            for number in numbers if isinstance(numbers, list) else ():
                _check_known(name, number, ids)


def _check_known(name: str, number: Any, ids: frozenset[int]) -> None:
    if checked_id(name, number) not in ids:
        raise Wrong(f"its template puts {quoted(name)} with the id {number} around texts, an id that no piece has")


def _said(value: Any) -> str:
    """A value of any kind, short and in quotes."""
    return quoted(value if isinstance(value, str) else repr(value)[:200])
