"""Qwen2.5, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="Qwen/Qwen2.5-0.5B",
    summary="Multilingual language model (Qwen2, 24 layers × 14 heads sharing 2 of keys)",
    licence="Apache-2.0",
    nbytes=1000_000_000,
)
