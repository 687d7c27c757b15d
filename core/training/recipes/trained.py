"""Classifiers that were trained before, which another one is to be guided by or to be kept away from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.models.loading import load
from core.training.fine_tuning import base_folder

if TYPE_CHECKING:
    from core.zoo.pooling import PoolingForSequenceClassification


def trained_classifier(
    name: str, tokenizer: PreTrainedTokenizerBase, labels: Sequence[str], device: str
) -> PoolingForSequenceClassification:
    """The classifier with pooling attention of a name in the catalogue or a folder, frozen and in evaluation mode.

    tokenizer: what the texts of this run gave; the classifier's own must have the same words in the same order, which
    it has only if it learnt from the same texts. Raises HeadlightError where it is none, or reads other words, or tells
    other classes.
    """
    from core.zoo.pooling import PoolingForSequenceClassification

    folder = base_folder(name)
    network = load(str(folder), device=device).network
    if not isinstance(network, PoolingForSequenceClassification) or network.config.attention == "guided":
        raise HeadlightError(f"{name} is no classifier with attention of its own: choose one that sentiment trained.")
    own = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if own.get_vocab() != tokenizer.get_vocab():
        raise HeadlightError(
            f"{name} has other words than these texts give: use the data, vocabulary, development and test that it was "
            "trained with."
        )
    if network.config.id2label != dict(enumerate(labels)):
        raise HeadlightError(f"{name} knows other classes than {', '.join(labels)}: choose one trained on these texts.")
    network.eval()  # type: ignore[no-untyped-call]
    return network.requires_grad_(False)
