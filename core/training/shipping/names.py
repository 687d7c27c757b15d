"""The models that Headlight ships: by name their task, what they are, and what they learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import HeadlightError

TRANSLATION, SENTIMENT, LANGUAGE_MODEL = "translation", "sentiment", "language-model"
# Places in the menu: the main model of a task, its siblings, study material.
MAIN, SIBLING, STUDY = 0, 1, 2
SEEDS = 5
# The code's own licence, which holds for the numbers that the training made.
OWN_LICENCE = "Apache-2.0"


@dataclass(frozen=True)
class Source:
    """Examples that a model learnt from. about: one sentence or two; licence: of the examples."""

    about: str
    licence: str


@dataclass(frozen=True)
class Shipment:
    """One model: its menu line, its place there, its data, and the catalogue name of what an adapter adapts."""

    group: str
    summary: str
    rank: int
    source: Source
    limits: tuple[str, ...]
    base: str = ""

    @property
    def licence(self) -> str:
        return f"{OWN_LICENCE}; trained on data under {self.source.licence}"


_TATOEBA = (
    "written by contributors of tatoeba.org and exported by manythings.org/anki; attribution: tatoeba.org and "
    "www.manythings.org/anki"
)
FRENCH = Source(f"English-French sentence pairs (list of 2017-09-29), {_TATOEBA}.", "CC BY 2.0 FR")
CHINESE = Source(
    f"Chinese-English sentence pairs (list of 2019-07-21), {_TATOEBA}; and templated pairs of our own about animals, "
    "in both orders, because the list hardly has any.",
    "CC BY 2.0 FR",
)
REVIEWS = Source(
    "Sentence polarity, 10,662 snippets of film reviews: Bo Pang and Lillian Lee, Seeing stars, ACL 2005; copyright "
    "2005 Bo Pang and Lillian Lee.",
    "CC BY 4.0",
)
ENGLISH = Source(
    f"English sentences of the French, German and Chinese pair lists, {_TATOEBA}; eight plays of Shakespeare; "
    "templated sentences of our own.",
    "CC BY 2.0 FR (sentences) and public domain (plays)",
)

_OF_TRANSLATION = (
    "It knows short everyday sentences; names, numbers and rare words often come out wrong.",
    "It writes lower-cased text.",
)
_OF_CHINESE = (
    *_OF_TRANSLATION,
    "It learnt from about 20,000 pairs only, so most sentences that differ from them are translated wrongly.",
    "It learnt simplified and traditional characters mixed.",
)
_OF_REVIEWS = (
    "It learnt from snippets of film reviews in English and judges other texts poorly.",
    "It may misread negation and irony.",
)
_OF_LANGUAGE = (
    "It is small: it writes plausible phrases, not facts, and loses the thread after a sentence.",
    "It may repeat what its texts say of people; it was made to look at attention, not to be used.",
)
_OF_STUDY = "It was made to study attention as an explanation, not to be used as a classifier."
_OF_ADVERSARY = "Its distances from other models were measured before its weights were rounded to 16 bits."


def _translation(summary: str, rank: int, source: Source = FRENCH) -> Shipment:
    return Shipment(TRANSLATION, summary, rank, source, _OF_TRANSLATION if source is FRENCH else _OF_CHINESE)


def _sentiment(summary: str, rank: int, *limits: str, base: str = "") -> Shipment:
    return Shipment(SENTIMENT, summary, rank, REVIEWS, (*_OF_REVIEWS, *limits), base)


def _language(summary: str, rank: int = STUDY) -> Shipment:
    return Shipment(LANGUAGE_MODEL, summary, rank, ENGLISH, _OF_LANGUAGE)


def _seeds(stem: str, what: str, first: int) -> dict[str, Shipment]:
    """One model for each seed; those after the first are study material."""
    return {
        f"{stem}-{seed}": _sentiment(f"Film reviews, good or bad: {what}, seed {seed}.", STUDY if seed else first)
        for seed in range(SEEDS)
    }


SHIPMENTS: Mapping[str, Shipment] = {
    "en-fr-transformer": _translation("English to French: a Transformer with cross-attention.", MAIN),
    "en-fr-gru-bahdanau": _translation("English to French: a GRU with Bahdanau's additive attention.", SIBLING),
    "en-fr-lstm-luong": _translation("English to French: an LSTM with Luong's general attention.", SIBLING),
    "en-fr-gru": _translation("English to French: a GRU without attention, a sentence in one vector.", SIBLING),
    "zh-en-transformer": _translation("Chinese to English, by character: a Transformer.", MAIN, CHINESE),
    "zh-en-gru-bahdanau": _translation("Chinese to English, by character: a GRU with attention.", SIBLING, CHINESE),
    **_seeds("sentiment-bilstm-additive", "a BiLSTM with additive attention", MAIN),
    **_seeds("sentiment-average-additive", "averaged embeddings with additive attention", SIBLING),
    "sentiment-cnn-additive": _sentiment("Film reviews, good or bad: a CNN with additive attention.", SIBLING),
    "sentiment-bilstm-dot": _sentiment("Film reviews, good or bad: a BiLSTM with dot-product attention.", SIBLING),
    "sentiment-bilstm-uniform": _sentiment("Film reviews, good or bad: a BiLSTM with equal weights.", SIBLING),
    "sentiment-transformer": _sentiment("Film reviews, good or bad: a small Transformer encoder.", SIBLING),
    "sentiment-minilm-lora": _sentiment(
        "Film reviews, good or bad: MiniLM fine-tuned by LoRA.", SIBLING, base="all-MiniLM-L6-v2"
    ),
    "sentiment-mlp-own": _sentiment("A word-by-word MLP with attention of its own.", STUDY, _OF_STUDY),
    "sentiment-mlp-uniform": _sentiment("A word-by-word MLP with equal weights.", STUDY, _OF_STUDY),
    "sentiment-mlp-bilstm": _sentiment("A word-by-word MLP guided by a BiLSTM's attention.", STUDY, _OF_STUDY),
    "sentiment-mlp-adversary": _sentiment("A word-by-word MLP guided by an adversary's attention.", STUDY, _OF_STUDY),
    "sentiment-adversary-1": _sentiment(
        "A BiLSTM with the answers of seed 0 and attention far from it.", STUDY, _OF_STUDY, _OF_ADVERSARY
    ),
    "sentiment-adversary-2": _sentiment(
        "A BiLSTM with the answers of seed 0 and attention further from it.", STUDY, _OF_STUDY, _OF_ADVERSARY
    ),
    "lm-english": _language("Goes on with an English text: a Transformer decoder.", MAIN),
    "lm-none": _language("Language model without positions, one of six twins."),
    "lm-sinusoidal": _language("Language model with sinusoidal positions, one of six twins."),
    "lm-learned": _language("Language model with learned positions, one of six twins."),
    "lm-relative": _language("Language model with relative positions, one of six twins."),
    "lm-rotary": _language("Language model with rotary positions, one of six twins."),
    "lm-alibi": _language("Language model with ALiBi's distance penalty, one of six twins."),
}


def shipment_of(name: str) -> Shipment:
    """What ships under a name. Raises HeadlightError for a name that does not."""
    if name not in SHIPMENTS:
        raise HeadlightError(f"{name} is none of the shipped models: choose one of {', '.join(SHIPMENTS)}.")
    return SHIPMENTS[name]
