"""Words of the page: its title, and the facts beside it."""

from __future__ import annotations

from core.positions import SCHEMES
from core.ui.positions.offered import MODEL_ITSELF
from core.ui.positions.wish import Wish
from core.ui.words import literal

ACTS = {
    "nowhere": "Nothing is computed from positions.",
    "embeddings": "Added to the embeddings, before the first layer.",
    "scores": "Added to the scores of every layer, before the softmax.",
    "queries and keys": "Applied to queries and keys of every layer.",
}


def title_of(wish: Wish) -> str:
    """What is looked at."""
    if wish.view == "beyond":
        return "Twins, read far beyond their training"
    if wish.view == "order":
        return "The same words in another order"
    if wish.view == "model":
        return literal(f"{wish.model} · attention by distance")
    if wish.is_pair:
        return literal(f"{_name(wish, wish.scheme)} beside {_beside(wish)}")
    return literal(_name(wish, wish.scheme))


def facts_of(wish: Wish) -> list[tuple[str, str]]:
    """Short facts about the scheme, each with what it means."""
    if wish.view != "scheme" or wish.source == MODEL_ITSELF:
        return []
    scheme = SCHEMES[wish.scheme]
    learned = [("learned", "The numbers are trained with the model; the formula says how they are used.")]
    acts = f"acts on {scheme.acts}" if scheme.acts != "nowhere" else "acts nowhere"
    return [(acts, ACTS.get(scheme.acts, scheme.summary)), *(learned if scheme.name in LEARNED else [])]


LEARNED = ("learned", "shaw", "relative", "deberta")


def _name(wish: Wish, scheme: str) -> str:
    return wish.model if wish.source == MODEL_ITSELF else SCHEMES[scheme].title


def _beside(wish: Wish) -> str:
    return wish.model if wish.other == MODEL_ITSELF else SCHEMES[wish.other].title
