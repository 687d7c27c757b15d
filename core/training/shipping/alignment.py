"""How well a model's attention aligns words, by hand-made links, beside the diagonal and IBM model 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.capture.word_weights import READS, word_weights
from core.errors import HeadlightError
from core.models.model import Model
from core.training.evaluation.alignments import Link, link_scores
from core.training.evaluation.gold import GoldWords, read_alibi, read_gold, written
from core.training.evaluation.ibm1 import WordTable, train
from core.training.evaluation.word_links import diagonal, links_between
from core.training.evaluation.words import words_of
from core.training.recipes.course import Say
from core.training.recipes.translation import Pairs

# Sentence pairs that IBM model 1 learns from.
IBM1_PAIRS = 40_000
# Longest pairs of the two sets that are made of the ALIBI alignments.
ALIBI = (12, 20)
OWN = "pairs of our own"
# A reading of the attention: layer and head, None for their mean, and the decoder row that is a word's own.
Reading = tuple[int | None, int | None, str]
MEAN: Reading = (None, None, "output")


def gold_sets(gold: Path | None, alibi: Path | None) -> dict[str, list[GoldWords]]:
    """The sets of gold pairs that are there, by name."""
    sets = {OWN: read_gold(gold)} if gold else {}
    if alibi:
        sets |= {f"ALIBI pairs of at most {longest} words": read_alibi(alibi, longest) for longest in ALIBI}
    return sets


def alignments_of(
    model: Model, training: Pairs, sets: Mapping[str, Sequence[GoldWords]], french: bool, say: Say
) -> dict[str, dict[str, Any]]:
    """`alignment_of` each set, by its name; {} for a model without attention.

    training: what IBM model 1 learns from. french: whether the targets are French, and so spelled with its spaces.
    """
    if not sets or not model.card.layers.get("cross"):
        return {}
    table = table_from(training, say)
    return {which: alignment_of(model, pairs, table, french, say) for which, pairs in sets.items()}


def told_of(alignments: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """For training.json: the alignment of our own pairs, with those of other sets by name under "others"."""
    if OWN not in alignments:
        return None
    return {**alignments[OWN], "others": {which: each for which, each in alignments.items() if which != OWN}}


def table_from(training: Pairs, say: Say) -> WordTable:
    """IBM model 1 from sentence pairs that lie evenly spread over those of the training."""
    step = max(1, len(training) // IBM1_PAIRS)
    chosen = training[::step][:IBM1_PAIRS]
    say(f"IBM model 1 learns from {len(chosen):,} pairs.")
    return train([(words_of(source), words_of(target)) for source, target in chosen])


def alignment_of(model: Model, pairs: Sequence[GoldWords], table: WordTable, french: bool, say: Say) -> dict[str, Any]:
    """Precision, recall and error rate of the attention and of what it is compared with.

    "attention" is the mean over layers and heads, "best" the reading with the lowest error rate on these very pairs:
    a layer, a head or None for the mean of its heads, both counted from 0, and the row it was read from. Pairs that
    hold a word of which the model knows no character are left out. Raises HeadlightError where all of them do.
    """
    read, found = [], []
    for pair in pairs:
        with suppress(HeadlightError):
            found.append(_links(model, pair, french))
            read.append(pair)
    if not found:
        raise HeadlightError(f"{model.name} can read none of the gold pairs: give --gold pairs in its languages.")
    scored = {reading: _scores([links[reading] for links in found], read) for reading in found[0]}
    best = min((reading for reading in scored if reading[0] is not None), key=lambda reading: scored[reading]["error"])
    say(f"{len(read):,} pairs aligned: error rate {scored[MEAN]['error']:.3f}, {scored[best]['error']:.3f} at best.")
    return {
        "pairs": len(read),
        "attention": scored[MEAN],
        "best": {"layer": best[0], "head": best[1], "reads": best[2], **scored[best]},
        "diagonal": _scores([diagonal(len(pair.target), len(pair.source)) for pair in read], read),
        "ibm1": _scores([_looked_up(table, pair) for pair in read], read),
    }


def _scores(links: Sequence[set[Link]], pairs: Iterable[GoldWords]) -> dict[str, float]:
    return asdict(link_scores((found, pair.sure, pair.possible) for found, pair in zip(links, pairs, strict=True)))


def _looked_up(table: WordTable, pair: GoldWords) -> set[Link]:
    """Links of the table's own words, told of the gold words that they are parts of."""
    source, source_owners = _parts(pair.source)
    target, target_owners = _parts(pair.target)
    return {(target_owners[row], source_owners[column]) for row, column in table.links(source, target)}


def _parts(words: Sequence[str]) -> tuple[list[str], list[int]]:
    """Gold words as the table knows them, and the gold word that each comes from; a hyphen beside a word is left out.

    A Chinese word is parted into its characters.
    """
    parts, owners = [], []
    for number, word in enumerate(words):
        split = words_of(word)
        kept = [part for part in split if part[0].isalnum()] or split
        parts += kept
        owners += [number] * len(kept)
    return parts, owners


def _links(model: Model, pair: GoldWords, french: bool) -> dict[Reading, set[Link]]:
    """The links of each reading, while the model is made to say the target: all, each layer's mean, and each head.

    Raises HeadlightError where the model lacks too many of the pair's characters to tell its words.
    """
    trace = model.run(written(pair.source, french=False), target=written(pair.target, french))
    places: list[tuple[int | None, int | None]] = [(None, None)]
    for layer in range(trace.layers("cross")):
        heads = range(trace.heads("cross")) if trace.heads("cross") > 1 else ()
        places += [(layer, None), *((layer, head) for head in heads)]
    return {
        (layer, head, reads): links_between(
            word_weights(trace, layer, head, reads, source_words=pair.source, target_words=pair.target)
        )
        for layer, head in places
        for reads in READS
    }


def rows_of(alignment: Mapping[str, Any]) -> dict[str, float]:
    """The error rates of an alignment as rows of a card's table; layers and heads counted from 0, as in the app."""
    best = alignment["best"]
    where = f"layer {best['layer']}" + ("" if best["head"] is None else f", head {best['head']}")
    row = "row that produces the word" if best["reads"] == "output" else "row that is fed with it"
    return {
        "pairs": alignment["pairs"],
        "attention, mean of layers and heads": alignment["attention"]["error"],
        f"attention, best reading ({where}, {row}; picked on these pairs)": best["error"],
        "diagonal": alignment["diagonal"]["error"],
        "IBM model 1": alignment["ibm1"]["error"],
    }
