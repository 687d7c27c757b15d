"""Text and tokens: `TextEncoder` turns text into `Tokens`, the single owner of labels, spans, words and specials.

`encoder_of` takes any tokenizer of transformers; `character_encoder`, `byte_encoder` and `word_encoder` need no files.
`merge` turns attention between tokens into attention between words; `reordered` puts words in another order.
"""

from core.text.encoder import TextEncoder
from core.text.labels import shortened
from core.text.merging import merge, merge_masked
from core.text.notes import Note, notes_on
from core.text.opening import encoder_of
from core.text.plain import byte_encoder, character_encoder, word_encoder
from core.text.reordering import movable, movable_labels, moved_places, reordered
from core.text.tokens import Tokens
from core.text.units import Units
from core.text.written import joined

__all__ = [
    "Note",
    "TextEncoder",
    "Tokens",
    "Units",
    "byte_encoder",
    "character_encoder",
    "encoder_of",
    "joined",
    "merge",
    "merge_masked",
    "movable",
    "movable_labels",
    "moved_places",
    "notes_on",
    "reordered",
    "shortened",
    "word_encoder",
]
