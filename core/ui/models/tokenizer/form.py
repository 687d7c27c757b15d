"""Which tokenizer a model without one reads with: what fits first, six ways to make one, and a trial of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.models.guessing import is_linear_gpt2
from core.models.tokenizing import FromFile, offered
from core.models.tokenizing.meta import is_meta
from core.ui.models.architecture.stated_config import whole_config
from core.ui.models.kept_forms import once, part
from core.ui.models.tokenizer.facts import rows_of
from core.ui.models.tokenizer.fields import FIELDS
from core.ui.models.tokenizer.trial import trial
from core.ui.progress import with_progress
from core.ui.words import literal, note, small_print

if TYPE_CHECKING:
    from core.jobs import Job
    from core.models.finding import Candidate
    from core.models.tokenizing import Offer, TokenizerChoice

WHAT = (
    "A tokenizer cuts a text into tokens and gives each its number, the row of the table of embeddings that the model "
    "then reads. With another one than it was trained with, a model reads nonsense."
)
# Where nanoGPT's own tokenizer is GPT-2's, the table has some fifty thousand rows.
MOST_CHARACTERS = 5_000
IN_META = (
    "It is built as nanoGPT's models are, and those that read characters keep them in meta.pkl, beside the data that "
    "they were trained on: choose “Characters” and add that file with “Upload a vocabulary file”."
)


def tokenizer_form(candidate: Candidate, slot: str, config: Mapping[str, Any]) -> TokenizerChoice | None:
    """Draw the form, and return the tokenizer that is chosen; None while something is still open.

    config: what is known of the model so far; {} where its own config.json says it.
    """
    with st.container(key=f"{slot}-tokenizer-form"):
        st.markdown("**How does it read a text?**", help=WHAT)
        for missing in candidate.missing:
            if missing.what == "tokenizer":
                small_print(missing.sentence, "caption")
        rows = rows_of(candidate, config)
        said = config.get("model_type") or whole_config(candidate.config).get("model_type")
        way, offers = _way(candidate, slot, rows, str(said))
        told = st.container(key=f"{slot}-tokenizer-told")
        chosen = offers[way].choice or FIELDS[way](candidate, f"{slot}-{way}")
        if _may_be_in_meta(candidate, slot, rows) and not _is_of_meta(chosen):
            with told:
                note(IN_META, "info")
        if chosen is None:
            return None
        return chosen if trial(candidate.name, slot, way, chosen, rows) else None


def _may_be_in_meta(candidate: Candidate, slot: str, rows: int) -> bool:
    """Whether nanoGPT may have left the tokens in its meta.pkl, which did not come with the weights."""
    if not 0 < rows <= MOST_CHARACTERS or any(map(is_meta, candidate.vocabularies)):
        return False
    return once(slot, "linear", len(candidate.tensors), lambda: is_linear_gpt2(candidate.tensors))


def _is_of_meta(chosen: TokenizerChoice | None) -> bool:
    return is_meta(chosen.path if isinstance(chosen, FromFile) else getattr(chosen, "vocabulary", ()))


def _way(candidate: Candidate, slot: str, rows: int, model_type: str) -> tuple[str, dict[str, Offer]]:
    """What is chosen, an offer or a kind whose fields are to be filled in, and all offers by that name."""
    offers: dict[str, Offer] = {}
    for at, offer in enumerate(_offers(candidate, slot, rows, model_type)):
        offers.setdefault(offer.kind if offer.choice is None else f"offer-{at}", offer)
    with st.container(key=f"{slot}-tokenizer-options"):
        way = st.radio(
            "Tokenizer, what fits best first",
            list(offers),
            format_func=lambda way: literal(offers[way].label),
            captions=[literal(offer.sentence) for offer in offers.values()],
            width="stretch",
            # Another table or another family fits other tokenizers.
            key=f"{slot}-tokenizer-way-{rows}-{part(model_type)}",
            persist_state="session",
        )
    return str(way), offers


def _offers(candidate: Candidate, slot: str, rows: int, model_type: str) -> tuple[Offer, ...]:
    def work(job: Job) -> tuple[Offer, ...]:
        job.advance(0, 1, "looking for tokenizers that fit")
        return offered(rows, candidate.vocabularies, job, model_type=model_type)

    return once(
        slot, "tokenizers", (rows, model_type), lambda: with_progress(candidate.name, work, key=f"{slot}-offering")
    )
