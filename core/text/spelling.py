"""From pieces back to text: what each token adds, in bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.text.characters import Span
from core.text.spans import byte_of, character_lengths

# What stands for a space in the pieces of byte-level tokenizers and of SentencePiece.
BYTE_LEVEL_SPACE = "Ġ"
METASPACE = "▁"


def _byte_signs() -> dict[str, int]:
    """The printable sign that byte-level tokenizers, from GPT-2 on, write for each of the 256 bytes."""
    own = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in own]
    return {chr(byte): byte for byte in own} | {chr(256 + i): byte for i, byte in enumerate(others)}


BYTE_SIGNS = _byte_signs()


def byte_level_bytes(piece: str) -> bytes:
    """The bytes of a byte-level piece; a sign outside their alphabet, as in an added token, stands for itself."""
    return b"".join(bytes([BYTE_SIGNS[c]]) if c in BYTE_SIGNS else c.encode() for c in piece)


def metaspace_bytes(pieces: Sequence[str], puts_space_first: bool) -> list[bytes]:
    """The bytes of SentencePiece's pieces. puts_space_first: whether the first mark of a text is no part of it."""
    found = []
    for piece in pieces:
        byte = byte_of(piece)
        found.append(piece.replace(METASPACE, " ").encode() if byte is None else bytes([byte]))
    if found and puts_space_first:
        found[0] = found[0].removeprefix(b" ")
    return found


def spelled_bytes(pieces: Sequence[str], spell: Callable[[list[str]], str]) -> list[bytes]:
    """What each piece adds to the text that a tokenizer spells from all of them.

    A piece is spelled after the piece before it, so that spaces and joins between the two come out as they will.
    """
    found = []
    for before, piece in zip(["", *pieces], pieces, strict=False):
        context = [before] if before else []
        shared, both = spell(context) if context else "", spell([*context, piece])
        added = both[len(shared) :] if both.startswith(shared) else spell([piece])
        found.append(added.encode("utf-8", "replace"))
    return found


def place_bytes(chunks: Sequence[bytes]) -> tuple[str, list[Span], set[int]]:
    """The text of all chunks together, which of its characters each chunk has bytes of, and which of them are broken.

    Bytes that make no character become U+FFFD, each its own.
    """
    text, owner, broken = [], [], set()  # owner: the character that each byte belongs to
    for place, (character, length) in enumerate(character_lengths(b"".join(chunks))):
        text.append(character)
        owner += [place] * length
        if len(character.encode()) != length:
            broken.add(place)
    spans, start = [], 0
    for chunk in chunks:
        end = start + len(chunk)
        here = owner[start] if start < len(owner) else len(text)
        spans.append((here, owner[end - 1] + 1) if chunk else (here, here))
        start = end
    return "".join(text), spans, broken
