"""TinyLlama, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    summary="English chat model (Llama, 22 layers × 32 heads sharing 4 of keys)",
    licence="Apache-2.0",
    nbytes=2203_000_000,
)
