"""DistilBERT for sentiment, from the hub."""

from core.models.catalogue import hub_entry

ENTRY = hub_entry(
    name="distilbert-base-uncased-finetuned-sst-2-english",
    summary="English sentiment classifier (DistilBERT, 6 layers × 12 heads), trained on film reviews",
    licence="Apache-2.0",
    nbytes=268_000_000,
)
