"""BERT, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="bert-base-uncased",
    summary="English encoder (BERT, 12 layers × 12 heads), trained to fill in hidden words",
    licence="Apache-2.0",
    nbytes=441_000_000,
)
