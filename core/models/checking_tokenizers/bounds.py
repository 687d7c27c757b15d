"""How large the files of a tokenizer and what they hold may be."""

from __future__ import annotations

MOST_NBYTES = 64_000_000
MOST_PIECES = 2_000_000
MOST_ADDED = 100_000
HIGHEST_ID = 10_000_000
# The longest of published vocabularies are 128 spaces, or 128 of another sign.
LONGEST_PIECE = 1_024
MOST_SMALL_NBYTES = 16_000_000
# Opening and trying out one that is not trusted, in a box.
OPENING_SECONDS, OPENING_NBYTES = 30.0, 3 << 30
READING_SECONDS, READING_NBYTES = 5.0, 2 << 30
