"""The short text that every model is first tried on: two letters, or tokens of a vocabulary that lacks them."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import HeadlightError
from core.text import TextEncoder

LETTERS = "a b"
# Of a vocabulary: the entries that are looked at, and those that are tried. Reading in a box takes some tenths of a
# second each time.
_LOOKED_AT, _TRIED = 2_000, 8


def first_text(encoder: TextEncoder, times: int = 1) -> str:
    """A text all of whose tokens the tokenizer knows, so many times over where it is known so too.

    The two letters where none is found.
    """
    texts = (between.join([unit] * times) for unit, between in _units(encoder))
    if (found := next((text for text in texts if _is_known(encoder, text)), None)) is not None:
        return found
    return LETTERS if times == 1 else first_text(encoder)


def first_ids(encoder: TextEncoder, count: int, of_pairs: bool = False) -> tuple[int, ...]:
    """Ids of that text, or of a pair of it, its own tokens told again until there are so many.

    Special tokens stay where the tokenizer puts them: some heads find by them where a text ends, or which of two is
    meant.
    """
    text = first_text(encoder)
    tokens = encoder.encode(text, text if of_pairs else None)
    own = [place for place, special in enumerate(tokens.special) if not special] or list(range(len(tokens)))
    again = [tokens.ids[place] for place in own] * count
    end = own[-1] + 1
    return (*tokens.ids[:end], *again[: max(0, count - len(tokens))], *tokens.ids[end:])


def _units(encoder: TextEncoder) -> Iterator[tuple[str, str]]:
    """Short texts, each with what stands between it and itself; a vocabulary may lack the space."""
    yield LETTERS, " "
    pieces = _first_pieces(encoder)
    for own in ((" ".join(pieces[:2]), " "), ("".join(pieces[:2]), ""), *((piece, "") for piece in pieces)):
        if own[0]:
            yield own


def own_pieces(encoder: TextEncoder, looked_at: int) -> Iterator[str]:
    """Tokens of the vocabulary as they stand in a text, of the first so many ids, without special ones."""
    reader = encoder.reader
    try:
        spelled = reader.pieces_of(range(looked_at))
    except HeadlightError:
        return
    yield from (piece.removeprefix(reader.space_mark or "") for piece in spelled if piece not in reader.special_names)


def _first_pieces(encoder: TextEncoder) -> list[str]:
    """Some of them, letters and digits first."""
    told = dict.fromkeys(piece for piece in own_pieces(encoder, _LOOKED_AT) if piece.strip())
    return sorted(told, key=lambda piece: (not piece.isalnum(), len(piece) > 1))[:_TRIED]


def _is_known(encoder: TextEncoder, text: str) -> bool:
    try:
        tokens = encoder.encode(text)
    except HeadlightError:
        return False
    return not any(tokens.unknown)
