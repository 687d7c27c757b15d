"""Word alignment out of attention weights: which links the weights draw, and how far they are from gold links."""

from core.alignment.error_rate import AlignmentScore, corpus_error_rate, error_rate
from core.alignment.links import Link, links_of

__all__ = ["AlignmentScore", "Link", "corpus_error_rate", "error_rate", "links_of"]
