"""Evaluation: known answers."""

import math

import numpy as np
import pytest
import torch

from core.training.evaluation.alignments import alignment_hits
from core.training.evaluation.classification import classifier_scores
from core.training.evaluation.positions import loss_by_position
from core.training.evaluation.translation import translation_scores
from core.training.tasks.copy import copied
from core.training.tasks.dates import TASK as DATES


def test_the_same_sentences_score_100() -> None:
    sentences = ["the cat sat on the mat .", "il est parti hier soir ."]
    scores = translation_scores(sentences, [[sentence] for sentence in sentences])
    assert scores.bleu == pytest.approx(100)
    assert scores.chrf == pytest.approx(100)
    assert "tok:13a" in scores.bleu_signature


def test_bleu_of_a_known_sentence() -> None:
    # One wrong word of ten: precisions 9/10, 7/9, 6/8, 5/7 by hand, no brevity penalty.
    scores = translation_scores(["a b c d e f g h x j"], [["a b c d e f g h i j"]])
    precisions = (9 / 10, 7 / 9, 6 / 8, 5 / 7)
    assert scores.bleu == pytest.approx(100 * math.prod(precisions) ** 0.25)


def test_a_short_translation_pays_the_brevity_penalty() -> None:
    scores = translation_scores(["a b c d e"], [["a b c d e f g h i j"]])
    assert scores.bleu == pytest.approx(100 * math.exp(1 - 10 / 5))


def test_any_of_several_references_will_do() -> None:
    hypotheses = ["the cat sat on the mat", "good morning to you all"]
    scores = translation_scores(hypotheses, [["something else", hypotheses[0]], [hypotheses[1]]])
    assert scores.bleu == pytest.approx(100)


def test_a_sentence_without_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one reference"):
        translation_scores(["a"], [[]])


def test_classifier_scores_of_a_known_table() -> None:
    labels = np.array([0, 0, 1, 1])
    positive = np.array([0.1, 0.6, 0.7, 0.4], dtype=np.float32)
    scores = classifier_scores(labels, np.stack([1 - positive, positive], axis=1))
    # Right: the first and the third. Of four (positive, negative) pairs three are in order.
    assert (scores.accuracy, scores.f1, scores.auc) == (0.5, 0.5, 0.75)


def test_three_classes_are_averaged() -> None:
    labels = np.array([0, 1, 2])
    scores = classifier_scores(labels, np.eye(3, dtype=np.float32))
    assert (scores.accuracy, scores.f1, scores.auc) == (1, 1, 1)


def test_there_is_no_auc_when_one_class_never_occurs() -> None:
    assert classifier_scores(np.array([1, 1]), np.full((2, 2), 0.5, dtype=np.float32)).auc is None


def test_loss_by_position_of_uniform_and_sure_predictions() -> None:
    logits = torch.zeros(2, 3, 4)
    logits[:, 1, 2] = 100.0
    target = torch.tensor([[0, 2, -100], [1, 2, -100]])
    losses = loss_by_position(logits, target)
    assert losses[0].item() == pytest.approx(math.log(4))
    assert losses[1].item() == pytest.approx(0)
    assert torch.isnan(losses[2])


def test_a_diagonal_aligns_a_copy_and_a_shifted_one_only_with_the_shift() -> None:
    weights = np.eye(6)
    assert alignment_hits(weights, copied("abcde")) == (5, 5)
    assert alignment_hits(np.roll(weights, 1, axis=1), copied("abcde")) == (0, 5)
    assert alignment_hits(np.roll(weights, 1, axis=1), copied("abcde"), offset=1) == (5, 5)


def test_hyphens_of_a_date_are_not_counted() -> None:
    weights = np.zeros((11, 21))
    weights[[row for row, _ in DATES.shown.possible], [column for _, column in DATES.shown.possible]] = 1
    assert alignment_hits(weights, DATES.shown) == (8, 8)
