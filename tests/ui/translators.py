"""Shipped translation models for tests: small random ones in a folder of their own, with cards as real ones have."""

from __future__ import annotations

from pathlib import Path

from core.training.card import Card
from core.training.networks import build_network
from core.training.saving import save_model
from core.training.settings import Settings
from core.training.vocabulary import piece_tokenizer

SENTENCES = (
    "the black cat is sleeping on the new bed.",
    "i do not know her name.",
    "my little brother broke the blue cup yesterday.",
    "mon petit frère a cassé la tasse bleue hier.",
    "le chat noir dort sur le nouveau lit.",
)
NETWORKS = {
    "en-fr-gru": Settings(architecture="none", cell="gru", width=16),
    "en-fr-gru-bahdanau": Settings(architecture="additive", cell="gru", width=16),
    "en-fr-transformer": Settings(architecture="transformer", width=16, layers=2, heads=2),
}
QUALITY = [
    {"words": [1, 4], "sentences": 50, "bleu": 30.0, "chrf": 50.0},
    {"words": [5, 8], "sentences": 40, "bleu": 20.0, "chrf": 40.0},
]
SCORE = {"precision": 0.6, "recall": 0.5, "error": 0.45}
ALIGNMENT = {
    "pairs": 20,
    "attention": SCORE,
    "best": {"layer": 1, "head": 0, "error": 0.31},
    "diagonal": {**SCORE, "error": 0.52},
    "ibm1": {**SCORE, "error": 0.36},
}
ALIGNMENT["others"] = {"pairs of others": {**ALIGNMENT, "pairs": 84, "diagonal": {**SCORE, "error": 0.25}}}


def write_translators(folder: Path) -> Path:
    """Write the models into a folder as `core/zoo/weights` holds them; returns the folder."""
    for seed, (name, settings) in enumerate(NETWORKS.items()):
        tokenizer = piece_tokenizer(SENTENCES, 300)
        network = build_network(settings, len(tokenizer), seed, tied=True, longest=128)
        save_model(network, tokenizer, _card(name, settings), folder / name)
    return folder


def _card(name: str, settings: Settings) -> Card:
    shipped = {"name": name, "group": "translation", "summary": "Small.", "licence": "none", "rank": 1, "command": ""}
    facts = {"shipped": shipped, "quality": QUALITY, "alignment": ALIGNMENT if settings.attends else None}
    return Card(f"Translation · {settings.title}", "Small.", "None.", values={}, scores={}, facts=facts)
