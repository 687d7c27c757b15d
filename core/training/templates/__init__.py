"""Sentences of our own, written by templates, that are added to training where a corpus lacks what is to be shown."""

from core.training.templates.pairs import TEMPLATES, Templates
from core.training.templates.texts import TEXTS, Texts

__all__ = ["TEMPLATES", "TEXTS", "Templates", "Texts"]
