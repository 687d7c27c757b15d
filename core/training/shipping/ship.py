"""Shipping one model: write it in 16 bits, open it as users do, score what was opened, write the card."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerFast

from core.models.loading import load
from core.models.model import Model
from core.training.card import Card, card_of
from core.training.evaluation.translation import LOWER_CASED
from core.training.recipes.course import Say
from core.training.saving import save_model
from core.training.shipping.adapter import save_adapter
from core.training.shipping.alignment import alignments_of, gold_sets, rows_of, told_of
from core.training.shipping.half import halved, require_same
from core.training.shipping.language import text_loss
from core.training.shipping.names import LANGUAGE_MODEL, SENTIMENT, TRANSLATION, Shipment, shipment_of
from core.training.shipping.sentiment import text_scores
from core.training.shipping.trained import retraining, told_by
from core.training.shipping.translation import (
    HeldOut,
    examples_of,
    held_out_of,
    left_out,
    quality_of,
    said_to,
    short_scores,
    versions_of,
)  # fmt: skip

_MEASURED_AGAIN = ("BLEU", "chrF", "test sentences")
SIXTEEN_BITS = "The weights are float16; scores on held-out texts were measured with them, computed in float32."


@dataclass(frozen=True)
class Inputs:
    """What shipping reads. trained: the folder of the training; data: what it learnt from; gold, alibi: word links."""

    trained: Path
    data: Path
    gold: Path | None = None
    alibi: Path | None = None


def ship(name: str, inputs: Inputs, out: Path, say: Say) -> Card:
    """Write the model into out/name and give its card.

    Raises HeadlightError for an unknown name, a folder or data that cannot be read, or weights that do not fit.
    """
    shipment, told = shipment_of(name), told_by(inputs.trained)
    card = _described(name, shipment, told, inputs)
    folder = out / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=out) as place:
        trial = Path(place) / name
        _write(inputs.trained, card, trial, shipment)
        card = _scored(card, load(str(trial), device="cpu"), shipment, inputs, say)
    _write(inputs.trained, card, folder, shipment)
    return card


def _write(trained: Path, card: Card, folder: Path, shipment: Shipment) -> None:
    if shipment.base:
        save_adapter(trained, card, folder, shipment.base)
        return
    network = load(str(trained), device="cpu").network
    half = halved(network)
    save_model(half, _tokenizer(trained), card, folder)
    _compact(folder / "tokenizer.json")
    require_same(half, load(str(folder), device="cpu").network, folder)


def _compact(path: Path) -> None:
    """The same JSON without white space, which makes up half of a vocabulary's file."""
    written = json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False, separators=(",", ":"))
    path.write_text(written, encoding="utf-8")


def _tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    # The stubs do not know that a folder with a tokenizer.json gives a fast one.
    tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    return tokenizer


def _described(name: str, shipment: Shipment, told: Mapping[str, Any], inputs: Inputs) -> Card:
    """The card with all but what is measured."""
    card, source = card_of(told), shipment.source
    command = retraining(card.values, str(inputs.data), f"out/{name}")
    shipped = {
        "name": name, "group": shipment.group, "summary": shipment.summary, "licence": shipment.licence,
        "rank": shipment.rank, "command": command, **({"base": shipment.base} if shipment.base else {}),
    }  # fmt: skip
    return replace(
        card,
        summary=f"{shipment.summary} {SIXTEEN_BITS}",
        data=f"{source.about} Licence of the data: {source.licence}. {card.data}".strip(),
        limits=(*dict.fromkeys((*shipment.limits, *card.limits)),),
        command=command,
        facts={"shipped": shipped},
    )


def _scored(card: Card, model: Model, shipment: Shipment, inputs: Inputs, say: Say) -> Card:
    by_group = {TRANSLATION: _translation, SENTIMENT: _sentiment, LANGUAGE_MODEL: _language_model}
    return by_group[shipment.group](card, model, inputs, say)


def _translation(card: Card, model: Model, inputs: Inputs, say: Say) -> Card:
    network, tokenizer, recipe = model.network, _tokenizer(inputs.trained), card.values
    held = held_out_of(recipe, inputs.data, say)
    test = said_to(network, tokenizer, versions_of(held.test), say)
    development = said_to(network, tokenizer, versions_of(held.development), say)
    long = said_to(network, tokenizer, left_out(tokenizer, held), say)
    scores = short_scores(test, "test") | short_scores(development, "development")
    quality = quality_of(test + long)
    tables: dict[str, Mapping[str, float | None]] = {
        f"BLEU by source length, {LOWER_CASED}": {part.name: part.bleu for part in quality},
        f"chrF by source length, {LOWER_CASED}": {part.name: part.chrf for part in quality},
    }
    alignments = alignments_of(model, held.training, gold_sets(inputs.gold, inputs.alibi), not held.values.swap, say)
    tables |= {f"Alignment error rate, {which}": rows_of(each) for which, each in alignments.items()}
    return replace(
        card,
        data=f"{card.data} {_parted(held)}",
        scores=_kept(card) | scores,
        tables={**card.tables, **tables},
        examples=examples_of(network, tokenizer, chinese=held.values.swap),
        facts={**card.facts, "quality": [part.as_dict() for part in quality], "alignment": told_of(alignments)},
        limits=(
            *card.limits,
            "Quality by source length counts test sentences and, of the longest, those that training left out.",
        ),
    )


def _parted(held: HeldOut) -> str:
    return (
        f"Split by source sentence: {len(held.training):,} pairs to train on, of which those with more than "
        f"{held.values.longest} pieces a side were left out, {len(held.development):,} for development and "
        f"{len(held.test):,} for test."
    )


def _sentiment(card: Card, model: Model, inputs: Inputs, say: Say) -> Card:
    scores = text_scores(model.network, _tokenizer(inputs.trained), card.values, inputs.data, say)
    return replace(card, scores={**card.scores, **scores})


def _language_model(card: Card, model: Model, inputs: Inputs, say: Say) -> Card:
    scores, tables = text_loss(model.network, _tokenizer(inputs.trained), card.values, inputs.data, say)
    return replace(card, scores={**card.scores, **scores}, tables={**card.tables, **tables})


def _kept(card: Card) -> dict[str, float | int | str | None]:
    """The scores of a training that shipping does not measure again by other rules."""
    return {name: value for name, value in card.scores.items() if not any(mark in name for mark in _MEASURED_AGAIN)}
