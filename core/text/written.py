"""`Tokens` of what a model wrote: its ids, spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from core.text.assembly import words_of
from core.text.characters import Span
from core.text.labels import make_labels
from core.text.reader import Reader
from core.text.spelling import place_bytes
from core.text.tokens import Tokens

# Any letter will do: behind it, the space before a word is part of what follows.
_SOME_TEXT = "a"


def written_tokens(reader: Reader, unknown_id: int | None, ids: Sequence[int], continuing: bool) -> Tokens:
    """Tokens of ids; see `TextEncoder.tokens_of_ids`. Bytes that make no character show as `⟨0xE6⟩`."""
    pieces = reader.pieces_of(ids)
    special = [i in reader.special_ids and i != unknown_id for i in ids]
    text, spans, labels = "", [], list(pieces)
    # No character reaches across a special token, and behind one a text begins.
    for is_special, run in groupby(range(len(ids)), key=special.__getitem__):
        places = list(run)
        if is_special:
            continue
        own = [pieces[i] for i in places]
        chunks = reader.bytes_of([_SOME_TEXT, *own])[1:] if continuing and places[0] == 0 else reader.bytes_of(own)
        added, local, broken = place_bytes(chunks)
        shown = make_labels(added, local, own, reader.space_mark)
        for i, chunk, span, label in zip(places, chunks, local, shown, strict=True):
            whole = not chunk or not broken.issuperset(range(*span))
            labels[i] = label if whole else "".join(f"⟨0x{byte:02X}⟩" for byte in chunk)
            spans.append((span[0] + len(text), span[1] + len(text)))
        text += added
    own_places = [i for i in range(len(ids)) if not special[i]]
    told = [None] * len(own_places)
    words = words_of(text, spans, [pieces[i] for i in own_places], told, False, reader.space_mark)
    span_at, word_at = dict(zip(own_places, spans, strict=True)), dict(zip(own_places, words, strict=True))
    return Tokens(
        text=text,
        text_pair=None,
        ids=tuple(ids),
        pieces=tuple(pieces),
        labels=tuple(labels),
        spans=tuple(span_at.get(i) for i in range(len(ids))),
        sequences=tuple(None if s else 0 for s in special),
        words=tuple(word_at.get(i) for i in range(len(ids))),
        type_ids=(0,) * len(ids),
        special=tuple(special),
        unknown=tuple(i == unknown_id for i in ids),
    )


def joined(first: Tokens, then: Tokens) -> Tokens:
    """The tokens of a text (of a pair: of its second text) and of what was written after it, as those of one text."""
    sequence = 0 if first.text_pair is None else 1
    ends = [span[1] for span, s in zip(first.spans, first.sequences, strict=True) if span and s == sequence]
    given = first.text if first.text_pair is None else first.text_pair
    # What the model did not read, it did not go on from.
    given = given[: max(ends, default=0)] if first.dropped else given
    text = given + then.text
    spans = tuple(span and (span[0] + len(given), span[1] + len(given)) for span in then.spans)
    first_word = _next_word(first, text, spans[0] if spans else None)
    return Tokens(
        text=text if first.text_pair is None else first.text,
        text_pair=None if first.text_pair is None else text,
        ids=first.ids + then.ids,
        pieces=first.pieces + then.pieces,
        labels=first.labels + then.labels,
        spans=first.spans + spans,
        sequences=first.sequences + tuple(None if s is None else sequence for s in then.sequences),
        words=first.words + tuple(None if w is None else w + first_word for w in then.words),
        type_ids=first.type_ids + first.type_ids[-1:] * len(then),
        special=first.special + then.special,
        unknown=first.unknown + then.unknown,
        dropped=first.dropped,
        replaced=first.replaced,
        literals=first.literals,
    )


def _next_word(first: Tokens, text: str, span: Span | None) -> int:
    """The number of the word that a continuation begins with: the last one of the text where it goes on with it."""
    count = max((word for word in first.words if word is not None), default=-1) + 1
    last = first.spans[-1] if len(first) else None
    if last is None or span is None:
        return count
    return count - 1 + words_of(text, [last, span], ["", ""], [None, None], False, None)[1]
