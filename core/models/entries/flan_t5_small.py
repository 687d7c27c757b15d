"""FLAN-T5, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="google/flan-t5-small",
    summary="English text-to-text model (T5, 8 + 8 layers × 6 heads), trained on many tasks",
    licence="Apache-2.0",
    nbytes=311_000_000,
)
