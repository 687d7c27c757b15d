"""Word alignment out of attention weights: which links the weights draw, and how far they are from gold links.

`GOLD` holds sentence pairs with links made by hand, `parse_links` reads pasted ones, and `judge` compares them with the
links that `core.capture.word_weights` draw and with the diagonal.
"""

from core.alignment.error_rate import AlignmentScore, corpus_error_rate, error_rate
from core.alignment.gold import GOLD, GoldPair
from core.alignment.links import Link, links_of
from core.alignment.pasted import MOST_LINKS, parse_links
from core.alignment.scores import Judged, diagonal, judge
from core.alignment.words import spelled, split_words

__all__ = [
    "GOLD",
    "MOST_LINKS",
    "AlignmentScore",
    "GoldPair",
    "Judged",
    "Link",
    "corpus_error_rate",
    "diagonal",
    "error_rate",
    "judge",
    "links_of",
    "parse_links",
    "spelled",
    "split_words",
]
