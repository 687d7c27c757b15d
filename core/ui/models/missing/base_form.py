"""Which model an adapter is added to: what its config names, what lies beside it, and what its shapes fit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.models.quoting import shown
from core.ui import own_models
from core.ui.models.kept_forms import once
from core.ui.models.missing.base_offers import BaseOffer, base_offers, changed_modules
from core.ui.progress import with_progress
from core.ui.words import literal, note, small_print

if TYPE_CHECKING:
    from core.jobs import Job
    from core.models.finding import Candidate

NOTHING_FITS = (
    "No model here has the layers that this adapter changes: bring its base in the same upload, or open the "
    "base first, by its files or with “Hub” under “Bring a model”, and then bring the adapter again."
)
WHAT = "An adapter is a small change to the weights of another model, its base, and opens only together with it."


def base_form(candidate: Candidate, slot: str) -> str | Path | None:
    """Draw the form, and return the base that is chosen: a catalogue name, or a folder of the upload or session."""
    with st.container(key=f"{slot}-base-form"):
        offers = _offers(candidate, slot)
        if len(offers) == 1 and offers[0].share in (None, 1):
            st.markdown("**The adapter's base**", help=WHAT)
            small_print(_only(offers[0], candidate.base), "caption")
            return offers[0].base
        st.markdown("**Which model does the adapter belong to?**", help=WHAT)
        for missing in candidate.missing:
            if missing.what == "base":
                small_print(missing.sentence, "caption")
        if not offers:
            note(NOTHING_FITS, "warning")
            return None
        with st.container(key=f"{slot}-base-options"):
            chosen: int = st.radio(
                "Base, the likeliest first",
                range(len(offers)),
                format_func=lambda at: literal(offers[at].label),
                captions=[literal(offer.sentence) for offer in offers],
                width="stretch",
                key=f"{slot}-base",
                persist_state="session",
            )
        offer = offers[chosen]
        if offer.share is not None and offer.share < 1:
            note(
                f"{offer.label} lacks some of what the adapter changes, so it will be refused: choose another.", "error"
            )
            return None
        return offer.base


def _only(offer: BaseOffer, named: str | None) -> str:
    """What is said where there is nothing to choose."""
    if offer.is_named:
        return f"It is {offer.label}. {offer.sentence}"
    called = f"Its config names “{shown(named)}”. " if named else ""
    return f"{called}Of the models here only {offer.label} fits. {offer.sentence}"


def _offers(candidate: Candidate, slot: str) -> tuple[BaseOffer, ...]:
    own = {name: folder for name in own_models.names() if (folder := own_models.folder_of(name)) is not None}

    def work(job: Job) -> tuple[BaseOffer, ...]:
        job.advance(0, 1, "comparing shapes with the models that are here")
        return base_offers(candidate.tensors, candidate.base, candidate.bases, own)

    def make() -> tuple[BaseOffer, ...]:
        return with_progress(candidate.name, work, key=f"{slot}-basing")

    return once(slot, "bases", (len(changed_modules(candidate.tensors)), _here(), tuple(own)), make)


def _here() -> int:
    """How many models can be opened: after a download the offers are made anew."""
    from core.models import catalogue

    return sum(listing.unavailable is None for listing in catalogue())
