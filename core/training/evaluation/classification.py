"""Classifier scores through scikit-learn: accuracy, F1, and the area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score


@dataclass(frozen=True)
class ClassifierScores:
    """accuracy: share of texts that are right. f1: of the last of two classes, or the mean over more classes.

    auc: with more than two classes, the mean over each class against the rest; None where a class does not occur.
    """

    accuracy: float
    f1: float
    auc: float | None


def classifier_scores(labels: NDArray[np.int64], probabilities: NDArray[np.float32]) -> ClassifierScores:
    """Scores of predicted probabilities (N, K) against labels (N,); the likeliest class counts as the prediction."""
    classes = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)  # (N, K) -> (N,)
    average = "binary" if classes == 2 else "macro"
    return ClassifierScores(
        accuracy=float(accuracy_score(labels, predicted)),
        f1=float(f1_score(labels, predicted, average=average, zero_division=0)),
        auc=_auc(labels, probabilities),
    )


def _auc(labels: NDArray[np.int64], probabilities: NDArray[np.float32]) -> float | None:
    classes = probabilities.shape[1]
    if len(np.unique(labels)) < classes:
        return None
    if classes == 2:
        return float(roc_auc_score(labels, probabilities[:, 1]))
    sums = probabilities.astype(np.float64).sum(axis=1, keepdims=True)
    return float(roc_auc_score(labels, probabilities / sums, multi_class="ovr", average="macro"))
