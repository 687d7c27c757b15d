"""OPUS-MT English to French, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="Helsinki-NLP/opus-mt-en-fr",
    summary="Translator from English to French (Marian, 6 + 6 layers × 8 heads)",
    licence="Apache-2.0",
    nbytes=304_000_000,
)
