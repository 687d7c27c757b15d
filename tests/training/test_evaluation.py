"""Evaluation: known answers."""

import math
from typing import Any

import numpy as np
import pytest
import sacrebleu
import torch

from core.training.batches import collate
from core.training.evaluation.alignments import alignment_error_rate, alignment_hits
from core.training.evaluation.classification import classifier_scores
from core.training.evaluation.greedy import greedy
from core.training.evaluation.positions import loss_by_position, loss_by_range
from core.training.evaluation.translation import AS_IT_IS, LOWER_CASED, told_scores, translation_scores
from core.training.tasks import Pair
from core.training.tasks.copy import copied
from core.training.tasks.dates import TASK as DATES
from tests.training.small import gpt2, gru, texts, transformer


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


def test_a_card_tells_both_cases_under_the_signatures_of_sacrebleu() -> None:
    said = ["le chat noir dort sur la table .", "il est parti hier soir avec marie ."]
    references = [["Le chat noir dort sur la table .", "Un chat dort ."], ["Il est parti hier soir avec Marie ."]]
    first, both = [[row[0] for row in references]], [[row[0] for row in references], [references[0][1], None]]
    told = told_scores(said, references, "test ")
    for case, lowercase, signed in ((LOWER_CASED, True, "case:lc"), (AS_IT_IS, False, "case:mixed")):
        bleu, chrf = sacrebleu.BLEU(lowercase=lowercase), sacrebleu.CHRF(lowercase=lowercase)
        assert told[f"test BLEU, first reference, {case}"] == bleu.corpus_score(said, first).score
        assert told[f"BLEU signature, first reference, {case}"] == str(bleu.get_signature())
        assert told[f"test BLEU, all references, {case}"] == bleu.corpus_score(said, both).score
        assert told[f"test chrF, first reference, {case}"] == chrf.corpus_score(said, first).score
        signatures = [value for name, value in told.items() if "signature" in name and name.endswith(case)]
        assert len(signatures) == 3
        assert all(signed in str(signature) for signature in signatures)
    assert told[f"test BLEU, first reference, {LOWER_CASED}"] == pytest.approx(100)
    # Of eight words the first one, of the other eight the first and the last but one are not as written.
    by_hand = 100 * math.prod((13 / 16, 10 / 14, 8 / 12, 6 / 10)) ** 0.25
    assert told[f"test BLEU, first reference, {AS_IT_IS}"] == pytest.approx(by_hand)


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


def test_a_diagonal_makes_no_alignment_error_in_a_copy() -> None:
    assert alignment_error_rate([(np.eye(6), copied("abcde"))]) == 0
    assert alignment_error_rate([(np.roll(np.eye(6), -1, axis=1), copied("abcde"))]) == 1


def test_alignment_errors_of_a_corpus_are_counted_before_anything_is_divided() -> None:
    # A = {(0, 0), (1, 1)}, S = {(0, 0)}, P = {(0, 0), (1, 0)}; and a copy with one right look and one beyond.
    first = Pair("ab", "ab", sure=((0, 0),), possible=((0, 0), (1, 0)))
    second = np.array([[1.0, 0, 0], [0, 0, 1]])
    assert alignment_error_rate([(np.eye(3), first)]) == pytest.approx(1 - (1 + 1) / (2 + 1))
    assert alignment_error_rate([(second, copied("ab"))]) == pytest.approx(1 - (1 + 1) / (1 + 2))
    both = alignment_error_rate([(np.eye(3), first), (second, copied("ab"))])
    assert both == pytest.approx(1 - (2 + 2) / (3 + 3))


def test_hyphens_of_a_date_are_no_alignment_errors() -> None:
    weights = np.zeros((11, 21))
    weights[[row for row, _ in DATES.shown.possible], [column for _, column in DATES.shown.possible]] = 1
    assert alignment_error_rate([(weights, DATES.shown)]) == 0


def test_losses_of_ranges_make_up_the_mean_loss() -> None:
    samples = texts(9)
    network = gpt2()
    ranges = loss_by_range(network, samples, "language model")
    assert list(ranges) == ["1", "2–4", f"5–{max(len(sample.target) for sample in samples)}"]
    batch = collate(samples, "language model")
    with torch.no_grad():
        logits = network(**batch.inputs).logits
    losses = loss_by_position(logits, batch.target_out)
    counts = (batch.target_out != -100).sum(0)
    assert ranges["1"] == pytest.approx(losses[0].item(), abs=1e-5)
    assert ranges["2–4"] == pytest.approx(float((losses * counts)[1:4].sum() / counts[1:4].sum()), abs=1e-5)


@pytest.mark.parametrize("network", [gru, transformer])
@torch.no_grad()
def test_what_is_written_is_the_likeliest_token_after_what_was_written(network: Any) -> None:
    model, source = network().eval(), torch.tensor([[4, 5, 6, 2], [7, 8, 2, 0]])
    mask = (source != 0).long()
    written = greedy(model, source, mask, 6)
    before = torch.cat([torch.ones(2, 1, dtype=torch.long), written[:, :-1]], dim=1)
    likeliest = model(input_ids=source, attention_mask=mask, decoder_input_ids=before).logits.argmax(-1)
    going_on = (before != 2).long().cumprod(1).bool()
    assert torch.equal(written, likeliest.where(going_on, 0))
