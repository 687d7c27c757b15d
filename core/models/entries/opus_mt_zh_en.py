"""OPUS-MT Chinese to English, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="Helsinki-NLP/opus-mt-zh-en",
    summary="Translator from Chinese to English (Marian, 6 + 6 layers × 8 heads)",
    licence="CC-BY-4.0",
    nbytes=315_000_000,
)
