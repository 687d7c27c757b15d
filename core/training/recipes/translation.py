"""Translation: pairs of sentences, one shared vocabulary of byte-pair pieces, any sequence-to-sequence network.

The pairs are split by source sentence, so that no sentence of development or test was seen in training in another
version. Training stops early on the development loss; the test sentences are translated once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.errors import HeadlightError
from core.training.batches import LengthBuckets
from core.training.card import Card
from core.training.corpora import read_pairs, split
from core.training.evaluation.greedy import greedy
from core.training.evaluation.samples import BATCH, batch_of, evaluate_samples
from core.training.evaluation.translation import told_scores
from core.training.history import Record
from core.training.networks import build_network
from core.training.options import Options
from core.training.reading import ids_of
from core.training.recipes.bounds import LONGEST, VOCABULARY, between, held_out, one_of
from core.training.recipes.course import CommandRecipe, Course, Say, report_bad
from core.training.samples import Sample
from core.training.saving import save_model, told_of
from core.training.settings import Settings
from core.training.templates import TEMPLATES
from core.training.trainer import Trainer
from core.training.vocabulary import END_ID, piece_tokenizer

Pairs = list[tuple[str, str]]
# Development sentences that are read and that are translated at each evaluation, and those that the card is scored on.
READ, WRITTEN, SCORED = 1000, 64, 1000
# Tokens that a translation may have beyond half again as many as its source, for the shortest ones.
SPARE = 4


@dataclass(frozen=True)
class TranslationData:
    """vocabulary: pieces, shared by both languages. swap: translate from the second column into the first.

    longest: most tokens of either side, </s> included; longer pairs are left out. versions: translations kept of one
    source sentence, the first ones of the file; 0 keeps all. development, test: shares of the source sentences; without
    test the development sentences are translated at the end. templates: pairs of our own that training has beside the
    file's, one of `core.training.templates`, named by source and target; those that they hold out are not trained on.
    Raises HeadlightError for values that make no data.
    """

    vocabulary: int = 4000
    swap: bool = False
    longest: int = 24
    versions: int = 0
    development: float = 0.01
    test: float = 0.01
    templates: str = ""

    def __post_init__(self) -> None:
        between("vocabulary", self.vocabulary, VOCABULARY)
        between("longest", self.longest, LONGEST)
        between("versions", self.versions, (0, 1_000_000))
        held_out(development=self.development, **({"test": self.test} if self.test else {}))
        if self.templates:
            one_of("templates", self.templates, TEMPLATES)


SETTINGS = Settings(architecture="transformer", width=192, layers=3, heads=6, dropout=0.1)
OPTIONS = Options(
    steps=12_000, batch_size=128, learning_rate=1e-3, schedule="inverse_sqrt", warmup=800, label_smoothing=0.1,
    patience=8, evaluate_every=500, snapshot_every=10**6, beta2=0.98,
)  # fmt: skip


def begin(parts: tuple[Any, ...], data: Path | None, device: str, say: Say) -> Course:
    """Read the pairs, learn the vocabulary, build network and trainer."""
    settings, options, values = parts
    assert data is not None
    training, development, test = parted(data, values, say)
    tokenizer = piece_tokenizer((text for pair in training for text in pair), values.vocabulary)
    samples = _fitting(samples_of(tokenizer, training), values.longest)
    judged = _fitting(samples_of(tokenizer, development), values.longest)[:READ]
    if not samples or not judged:
        raise HeadlightError(f"No pair of {data} has at most {values.longest} tokens: set longest higher.")
    say(f"{len(samples):,} pairs to learn from, {len(judged):,} to judge by, {len(tokenizer):,} pieces.")
    network = build_network(settings, len(tokenizer), options.seed, tied=True, longest=max(512, values.longest))
    trainer = Trainer(
        network,
        LengthBuckets(samples, options.batch_size, seed=options.seed, bucketing=options.bucketing),
        options,
        device=device,
        evaluate=lambda step: evaluate_samples(network, judged, "seq2seq", step, WRITTEN),
    )

    def save(folder: Path, history: Record) -> Card:
        scores = scored(network, tokenizer, test or development, values.longest, say)
        scores |= held_out_scores(network, tokenizer, values.templates, say)
        plan = {"settings": asdict(settings), "options": asdict(options), "data": asdict(values)}
        card = Card(
            title=f"Translation · {settings.title}",
            summary=f"Translates lower-cased sentences. {network.num_parameters():,} weights.",
            data=_about(data, len(samples), values),
            history=told_of(history),
            values={"task": "translation", **plan},
            scores={"steps": trainer.step, **scores},
            limits=[f"Sentences of more than {values.longest} pieces were not trained on."],
        )
        save_model(network, tokenizer, card, folder)
        return card

    return Course(trainer, save)


def parted(data: Path, values: TranslationData, say: Say) -> tuple[Pairs, Pairs, Pairs]:
    """The pairs to train on, for development and for test; the same values give the same pairs, whenever it is asked.

    Raises HeadlightError for data with too few pairs.
    """
    corpus = read_pairs(data)
    report_bad(corpus.bad, say)
    pairs = [pair[::-1] for pair in corpus.examples] if values.swap else list(corpus.examples)
    training, development, test = split(pairs, _key, values.development, values.test)
    if not training or not development:
        raise HeadlightError(f"{data} has too few pairs to hold some out: give at least a few hundred.")
    return _first_versions(_with_templates(training, values), values.versions), development, test


def samples_of(tokenizer: PreTrainedTokenizerFast, pairs: Sequence[tuple[str, str]]) -> list[Sample]:
    """Pairs of texts as ids, each side closed by </s>."""
    sources = ids_of(tokenizer, [source for source, _ in pairs])
    targets = ids_of(tokenizer, [target for _, target in pairs])
    return [Sample(tuple(source), tuple(target)) for source, target in zip(sources, targets, strict=True)]


def scored(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    pairs: Sequence[tuple[str, str]],
    longest: int,
    say: Say,
) -> dict[str, float | int | str | None]:
    """BLEU and chrF of greedy translations against the first and against all versions of each source.

    Of the sources that are no longer than `longest` tokens, the first SCORED ones are translated.
    """
    versions: dict[str, list[str]] = {}
    for source, target in pairs:
        versions.setdefault(source, []).append(target)
    lengths = map(len, ids_of(tokenizer, list(versions)))
    sources = [source for source, length in zip(versions, lengths, strict=True) if length <= longest][:SCORED]
    if not sources:
        return {}
    said = translated(network, tokenizer, sources, say)
    return {"test sentences": len(sources)} | told_scores(said, [versions[source] for source in sources])


def held_out_scores(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, templates: str, say: Say
) -> dict[str, float | int | str | None]:
    """Of the sentences that the templates keep from training, how many come out right; {} without templates."""
    if not templates:
        return {}
    held = TEMPLATES[templates].held_out
    right = sum(map(str.__eq__, translated(network, tokenizer, list(held), say), held.values()))
    return {"templated sentences held out": len(held), "of these translated right": right}


def translated(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, sources: Sequence[str], say: Say
) -> list[str]:
    """Greedy translations, in the order of the sources; each may be half again as long as its batch's longest source.

    Sources of like length are translated together, so that few wait for a longer one.
    """
    ids = [tuple(row) for row in ids_of(tokenizer, sources)]
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    said = [""] * len(ids)
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        batch = batch_of(network, [Sample(ids[place], (END_ID,)) for place in places], "seq2seq")
        written = greedy(network, batch.source, batch.mask, batch.source.shape[1] * 3 // 2 + SPARE)
        for place, text in zip(places, tokenizer.batch_decode(written, skip_special_tokens=True), strict=True):
            said[place] = text
        say(f"{start + len(places):,} of {len(order):,} test sentences translated.")
    return said


def _with_templates(training: Pairs, values: TranslationData) -> Pairs:
    """The pairs with the templated ones behind them, none of them with a source that is held out.

    A templated source that the file's own split would put to development or test stays out, too: it may stand there.
    """
    if not values.templates:
        return training
    own = TEMPLATES[values.templates]
    added, *_ = split(own.pairs(), _key, values.development, values.test)
    return own.without_held_out(training + added)


def _key(pair: tuple[str, str]) -> str:
    return pair[0].lower()


def _about(data: Path, pairs: int, values: TranslationData) -> str:
    told = f"{data.name}: {pairs:,} pairs of at most {values.longest} pieces a side"
    if not values.templates:
        return f"{told}."
    own = TEMPLATES[values.templates]
    held = ", ".join(own.held_out)
    return f"{told}, among them up to {len(own.pairs()):,} templated ones. {own.about} Kept from training: {held}."


def _first_versions(pairs: Pairs, most: int) -> Pairs:
    if not most:
        return pairs
    seen: dict[str, int] = {}
    kept = []
    for pair in pairs:
        seen[pair[0]] = seen.get(pair[0], 0) + 1
        if seen[pair[0]] <= most:
            kept.append(pair)
    return kept


def _fitting(samples: list[Sample], longest: int) -> list[Sample]:
    return [sample for sample in samples if max(len(sample.source), len(sample.target)) <= longest]


RECIPE = CommandRecipe(
    "translation", "Pairs of sentences, source, tab, target, one a line.", (SETTINGS, OPTIONS, TranslationData()), begin
)
