"""XLM-R, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="FacebookAI/xlm-roberta-base",
    summary="Encoder of 100 languages (XLM-RoBERTa, 12 layers × 12 heads), trained to fill in hidden words",
    licence="MIT",
    nbytes=1130_000_000,
)
