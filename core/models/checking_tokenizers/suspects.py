"""What in a tokenizer may take a time or memory out of proportion on some later text, however well it did on others."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterable, Iterator
from typing import Any

from core.models.checking_files.telling import quoted
from core.models.checking_tokenizers.charsmap import is_sound
from core.models.checking_tokenizers.pattern_parts import Unclear, alternatives_of
from core.models.checking_tokenizers.patterns import is_linear
from core.models.checking_tokenizers.specification import CHARSMAP, STEPS, parts_of

# WordPiece looks up all stretches of a word of n letters; BERT reads up to 100.
LONGEST_WORD = 128
# Where pieces are looked up by their letters, `core.text.fast` looks for the name of each at every place of a text.
MOST_SPECIAL = 1_000
# NFKC writes one character as up to 18.
MOST_GROWTH = 1_000
# Replacements of published families write up to four characters for one; those of all steps multiply.
MOST_REPLACED = 20
_COMPATIBLE = {"NFKC": 18, "NFKD": 18, "NFC": 3, "NFD": 4, "BertNormalizer": 4, "Lowercase": 3, "Precompiled": 64}


def patterns_of(specification: dict[str, Any]) -> tuple[str, ...]:
    """The regular expressions of a tokenizer.json, of all its steps, each once."""
    found = [
        pattern["Regex"]
        for step in STEPS
        for part in parts_of(specification.get(step))
        if isinstance(pattern := part.get("pattern"), dict) and isinstance(pattern.get("Regex"), str)
    ]
    return tuple(dict.fromkeys(found))


def unproven_patterns(specification: dict[str, Any]) -> tuple[str, ...]:
    """Those of which nobody knows how long they take."""
    return tuple(pattern for pattern in patterns_of(specification) if not is_linear(pattern))


def suspicions(specification: dict[str, Any]) -> tuple[str, ...]:
    """Why texts should only be read in a box, as parts of sentences; none for those of published families."""
    found = [f"its regular expression {quoted(pattern)} may never end" for pattern in unproven_patterns(specification)]
    if not all(map(_is_sound, _charsmaps(specification))):
        found.append("its normaliser leads out of its own table")
    normalizer = list(parts_of(specification.get("normalizer")))
    replaced = _growth([part for part in normalizer if part.get("type") == "Replace"])
    for growth, most in ((replaced, MOST_REPLACED), (_growth(normalizer), MOST_GROWTH)):
        if growth > most:
            found.append(f"its normaliser may make a text more than {most:,} times as long")
    if any(_may_fail(part) for step in STEPS for part in parts_of(specification.get(step))):
        found.append("one of its steps fails on some texts")
    model = specification["model"]
    longest = model.get("max_input_chars_per_word", 0)
    if not isinstance(longest, int) or longest > LONGEST_WORD:
        found.append(f"it reads words of more than {LONGEST_WORD:,} letters by trying out all their parts")
    special = sum(bool(token.get("special")) for token in specification.get("added_tokens") or ())
    if special > MOST_SPECIAL and (model.get("type") != "BPE" or model.get("ignore_merges")):
        found.append(f"it has more than {MOST_SPECIAL:,} special tokens")
    return tuple(found)


def _may_fail(part: dict[str, Any]) -> bool:
    """Whether the library counts wrongly, which fuzzing showed: with nothing to prepend, no letters to a piece …"""
    match part.get("type"):
        case "CTC":
            return True
        case "Strip":
            return bool(part.get("stop"))
        case "Prepend":
            return not part.get("prepend")
        case "FixedLength":
            return not part.get("length")
        case "Replace":
            return _replaces_nothing(part.get("pattern"))
    return False


def _charsmaps(specification: dict[str, Any]) -> Iterator[Any]:
    for step in STEPS:
        yield from (part[CHARSMAP] for part in parts_of(specification.get(step)) if part.get(CHARSMAP) is not None)


def _is_sound(charsmap: Any) -> bool:
    try:
        return is_sound(base64.b64decode(charsmap, validate=True))
    except (TypeError, ValueError, binascii.Error):
        return False


def _growth(parts: Iterable[dict[str, Any]]) -> int:
    """How many times as long a text can become, at most: all steps together."""
    return math.prod(map(_growth_of, parts))


def _growth_of(part: dict[str, Any]) -> int:
    if part.get("type") != "Replace":
        return _COMPATIBLE.get(str(part.get("type")), 1)
    content, pattern = part.get("content"), part.get("pattern")
    length = len(content) if isinstance(content, str) else 0
    if isinstance(pattern, dict) and isinstance(pattern.get("String"), str) and pattern["String"]:
        return max(1, -(-length // len(pattern["String"])))
    return max(1, length)


def _replaces_nothing(pattern: Any) -> bool:
    """Whether what is replaced may be no character at all."""
    if not isinstance(pattern, dict):
        return True
    return not pattern.get("String") if "String" in pattern else _matches_nothing(str(pattern.get("Regex")))


def _matches_nothing(pattern: str) -> bool:
    """Whether a pattern may match where there is no character, and so between any two of a text."""
    try:
        alternatives = alternatives_of(pattern)
    except (Unclear, RecursionError):
        return True
    return any(all(part.least == 0 or part.is_place for part in parts) for parts in alternatives)
