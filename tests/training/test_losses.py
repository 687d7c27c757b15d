import math

import pytest
import torch
import torch.nn.functional as F

from core.training.losses import smoothed_cross_entropy

ANSWERS = 7
LOGITS = torch.randn(3, 5, ANSWERS, generator=torch.Generator().manual_seed(0))
TARGET = torch.tensor([[1, 2, 3, 4, -100], [0, -100, -100, -100, -100], [6, 5, 4, 3, 2]])


def smoothed(gold: int, on_gold: float, on_others: float) -> torch.Tensor:
    return torch.full((ANSWERS,), on_others).index_fill(0, torch.tensor(gold), on_gold)


def by_hand(on_gold: float, on_others: float) -> float:
    """-Σ q ln p over the places with a target."""
    logs = LOGITS.double().log_softmax(-1)
    places = [(b, t) for b in range(3) for t in range(5) if TARGET[b, t] >= 0]
    return sum(float(-smoothed(int(TARGET[b, t]), on_gold, on_others).double() @ logs[b, t]) for b, t in places)


def test_without_smoothing_it_is_cross_entropy_summed() -> None:
    total, count = smoothed_cross_entropy(LOGITS, TARGET)
    assert count == 10
    assert float(total) / count == pytest.approx(float(F.cross_entropy(LOGITS.flatten(0, 1), TARGET.flatten())))


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.5])
def test_uniform_smoothing_is_torchs(epsilon: float) -> None:
    total, count = smoothed_cross_entropy(LOGITS, TARGET, epsilon, "uniform")
    torchs = F.cross_entropy(LOGITS.flatten(0, 1), TARGET.flatten(), label_smoothing=epsilon)
    assert float(total) / count == pytest.approx(float(torchs), rel=1e-6)
    assert float(total) == pytest.approx(by_hand(1 - epsilon + epsilon / ANSWERS, epsilon / ANSWERS), rel=1e-5)


# From 6/7 on the right answer has less than each of the six others.
@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.5, 6 / 7, 0.95])
def test_smoothing_over_the_others_is_the_tutorials(epsilon: float) -> None:
    total, _ = smoothed_cross_entropy(LOGITS, TARGET, epsilon, "others")
    assert float(total) == pytest.approx(by_hand(1 - epsilon, epsilon / (ANSWERS - 1)), rel=1e-5)


def test_the_conventions_differ_by_epsilon_over_k_on_the_right_answer() -> None:
    # The gradient of the loss is p - q, so that it shows the smoothed distribution q.
    epsilon, gold = 0.1, 2
    seen = {}
    for convention in ("uniform", "others"):
        logits = torch.zeros(1, ANSWERS, requires_grad=True)
        smoothed_cross_entropy(logits, torch.tensor([gold]), epsilon, convention)[0].backward()  # type: ignore[arg-type]
        assert logits.grad is not None
        seen[convention] = 1 / ANSWERS - logits.grad[0]
    assert seen["others"].tolist() == pytest.approx(smoothed(gold, 0.9, 0.1 / 6).tolist(), abs=1e-6)
    assert float(seen["uniform"][gold] - seen["others"][gold]) == pytest.approx(epsilon / ANSWERS, abs=1e-6)


def test_a_smoothed_loss_is_lowest_at_the_smoothed_distribution_and_never_0() -> None:
    wanted = smoothed(2, 0.9, 0.1 / 6)
    entropy = float(-(wanted * wanted.log()).sum())
    at_best, _ = smoothed_cross_entropy(wanted.log()[None], torch.tensor([2]), 0.1, "others")
    sure, _ = smoothed_cross_entropy(
        20 * F.one_hot(torch.tensor([2]), ANSWERS).float(), torch.tensor([2]), 0.1, "others"
    )
    assert float(at_best) == pytest.approx(entropy, rel=1e-5)
    assert float(sure) > entropy > 0


def test_labels_of_a_classifier_work_alike() -> None:
    total, count = smoothed_cross_entropy(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]), 0.1)
    assert (float(total), count) == (pytest.approx(4 * math.log(2)), 4)


def test_half_precision_is_summed_in_float32() -> None:
    total, _ = smoothed_cross_entropy(LOGITS.bfloat16(), TARGET)
    assert total.dtype == torch.float32


def test_a_vocabulary_of_one_has_no_others() -> None:
    assert float(smoothed_cross_entropy(torch.zeros(2, 1), torch.tensor([0, 0]), 0.1, "others")[0]) == 0
