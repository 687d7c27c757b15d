"""GPT-2, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="openai-community/gpt2",
    summary="English language model (GPT-2, 12 layers × 12 heads), trained on web pages",
    licence="MIT",
    nbytes=551_000_000,
)
