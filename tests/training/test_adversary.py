"""The adversary's loss and distances against known values, and a run in miniature through the command line."""

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core import load
from core.training import Options
from core.training.__main__ import main
from core.training.adversary import (
    Distance,
    away_from,
    distance,
    evaluate_against,
    jensen_shannon,
    relative_entropy,
    total_variation,
)
from core.training.batches import LengthBuckets, collate
from core.training.trainer import Trainer
from core.zoo.pooling import PoolingConfig, PoolingForSequenceClassification
from tests.training.small import SYMBOLS, labelled, seeded_network

FIRST, SECOND = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.25, 0.75, 0.0]])
SEEN, ALL = torch.tensor([[1, 1, 0]]), torch.ones(1, 3, dtype=torch.long)
TEXTS = labelled(48)


def pooling(seed: int = 0, **config: Any) -> PoolingForSequenceClassification:
    def make() -> PoolingForSequenceClassification:
        torch.manual_seed(seed)
        return PoolingForSequenceClassification(PoolingConfig(vocab_size=SYMBOLS, hidden_size=16, **config))

    return seeded_network(make)


def answers(base: PoolingForSequenceClassification, strength: float) -> Distance:
    """How far a network is from the base that has learnt to answer like it."""
    network = pooling(1)
    supply, options = LengthBuckets(TEXTS, 16), Options(steps=60, batch_size=16, learning_rate=0.02)
    list(Trainer(network, supply, options, kind="classifier", objective=away_from(base, strength)).run())
    return distance(network, base, TEXTS)


def test_total_variation_is_half_of_all_that_differs() -> None:
    torch.testing.assert_close(total_variation(FIRST, SECOND), torch.tensor([0.25]))
    assert total_variation(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])).item() == 1


def test_relative_entropy_is_its_formula_and_nothing_between_equals() -> None:
    expected = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    torch.testing.assert_close(relative_entropy(FIRST, SECOND, SEEN), torch.tensor([expected]))
    assert relative_entropy(FIRST, FIRST, ALL).item() == 0


def test_masked_places_count_for_nothing() -> None:
    other = torch.tensor([[0.25, 0.75, 0.9]])
    for measure in (relative_entropy, jensen_shannon):
        assert torch.equal(measure(FIRST, other, SEEN), measure(FIRST, SECOND, SEEN))


@pytest.mark.parametrize("measure", [relative_entropy, jensen_shannon])
def test_weights_of_zero_give_finite_values_and_gradients(measure: Callable[..., torch.Tensor]) -> None:
    first = torch.tensor([[1.0, 0.0, 0.0]], requires_grad=True)
    second = torch.tensor([[0.0, 1.0, 0.0]], requires_grad=True)
    found = measure(first, second, SEEN)
    found.sum().backward()
    assert torch.isfinite(found).all()
    assert torch.isfinite(first.grad).all()
    assert torch.isfinite(second.grad).all()


def test_jensen_shannon_is_symmetric_and_at_most_ln_two() -> None:
    torch.manual_seed(0)
    first, second = torch.randn(50, 9).softmax(-1), torch.randn(50, 9).softmax(-1)
    mask = torch.ones(50, 9)
    found = jensen_shannon(first, second, mask)
    torch.testing.assert_close(found, jensen_shannon(second, first, mask))
    assert bool(((found > 0) & (found < math.log(2))).all())
    apart = jensen_shannon(torch.tensor([[1.0, 0.0, 0.0]]), torch.tensor([[0.0, 1.0, 0.0]]), ALL)
    torch.testing.assert_close(apart, torch.tensor([math.log(2)]))
    assert jensen_shannon(first, first, mask).eq(0).all()


def test_the_loss_is_what_the_answers_differ_by_less_what_the_weights_do() -> None:
    network, base, batch = pooling(1).eval(), pooling(0), collate(TEXTS, "classifier")
    with torch.no_grad():
        own, other = (each.eval()(**batch.inputs, output_attentions=True) for each in (network, base))
        copied = total_variation(own.logits.softmax(-1), other.logits.softmax(-1)).sum()
        weights = (each.attentions[0][:, 0, 0] for each in (own, other))
        moved = relative_entropy(*weights, batch.mask).sum()
        torch.testing.assert_close(away_from(base, 0.5)(network, batch), copied - 0.5 * moved)


def test_the_base_gets_no_gradient_and_drops_nothing_out() -> None:
    network, base, batch = pooling(1), pooling(0, dropout=0.5), collate(TEXTS, "classifier")
    base.train()
    losses = [away_from(base, 0.1)(network.eval(), batch) for _ in range(2)]
    assert torch.equal(*losses)
    losses[0].backward()
    assert all(value.grad is None for value in base.parameters())


def test_it_copies_the_answers_and_the_stronger_it_is_the_further_its_weights_go() -> None:
    base = pooling(0)
    list(Trainer(base, LengthBuckets(TEXTS, 16), Options(steps=30, learning_rate=0.02), kind="classifier").run())
    untrained, mild, strong = distance(pooling(1), base, TEXTS), answers(base, 0.0), answers(base, 0.02)
    assert mild.tvd < untrained.tvd / 5
    assert strong.tvd < untrained.tvd / 2
    assert strong.jsd > mild.jsd + 0.1


def test_a_distance_is_a_mean_over_texts_and_nothing_from_itself() -> None:
    network, base = pooling(1), pooling(0)
    whole = distance(network, base, TEXTS)
    each = [distance(network, base, [text]) for text in TEXTS]
    assert whole.tvd == pytest.approx(sum(found.tvd for found in each) / len(each), rel=1e-4)
    assert whole.jsd == pytest.approx(sum(found.jsd for found in each) / len(each), rel=1e-4)
    itself = distance(base, base, TEXTS)
    assert (itself.tvd, itself.jsd, itself.agreement) == (0, 0, 1)


def test_an_evaluation_is_the_loss_and_the_accuracy_by_the_labels() -> None:
    network, base, batch = pooling(1), pooling(0), collate(TEXTS, "classifier")
    found = evaluate_against(network, base, TEXTS, 0.1, 7)
    right = network(**batch.inputs).logits.argmax(-1) == batch.target_out
    assert found.step == 7
    assert found.token_accuracy == pytest.approx(float(right.float().mean()))
    assert found.loss == pytest.approx(away_from(base, 0.1)(network, batch).item() / len(TEXTS), rel=1e-4)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(0)
    words = ["red", "blue", "old", "new", "cat", "dog"]
    rows = []
    for number in range(300):
        label, word = draw.choice([("good", "nice"), ("bad", "awful")])
        rows.append(f"{label}\t{draw.choice(words)} {word} {draw.choice(words)} {number}\n")
    file = tmp_path_factory.mktemp("data") / "labelled.tsv"
    file.write_text("".join(rows), encoding="utf-8")
    return file


SMALL = ["batch_size=16", "evaluate_every=10", "steps=20", "learning_rate=0.02"]
SENTIMENT = [*SMALL, "width=16", "embedding=16", "vocabulary=100"]


def run(recipe: str, data: Path, out: Path, *values: str) -> int:
    return main([recipe, "--data", str(data), "--out", str(out), "--device", "cpu", "--set", *values])


@pytest.fixture(scope="module")
def bases(data: Path) -> Path:
    for seed in range(2):
        assert run("sentiment", data, data.parent / f"base-{seed}", *SENTIMENT, f"seed={seed}") == 0
    return data.parent


def told(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "training.json").read_text(encoding="utf-8"))


def test_a_card_says_how_far_the_adversary_and_the_other_seeds_are(bases: Path, data: Path, tmp_path: Path) -> None:
    values = [*SMALL, "vocabulary=100", "seed=5", "strength=0.01", f"base={bases}/base-0", f"others={bases}/base-1"]
    assert run("adversary", data, tmp_path, *values) == 0
    scores, tables = told(tmp_path)["scores"], told(tmp_path)["tables"]
    assert 0 < scores["TVD from the base"] < 1
    assert 0 < scores["JSD from the base"] < math.log(2)
    assert 0 <= scores["F1"] <= 1
    assert list(tables["TVD from the base, other seeds"]) == ["base-1"]
    assert 0 < tables["JSD from the base, other seeds"]["base-1"] < math.log(2)
    assert told(tmp_path)["recipe"]["settings"] == {"base": "base-0", "strength": 0.01, "others": "base-1"}
    assert str(bases) not in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert load(str(tmp_path)).run("cat nice dog 5").streams == ("pooling",)


def test_a_guided_mlp_has_the_weights_of_its_guide(bases: Path, data: Path, tmp_path: Path) -> None:
    values = [*SENTIMENT, "encoder=mlp", "attention=guided", f"guide={bases}/base-0"]
    assert run("sentiment", data, tmp_path, *values) == 0
    ours, guides = (load(str(folder)).run("cat nice dog 5") for folder in (tmp_path, bases / "base-0"))
    torch.testing.assert_close(ours.attention(0, stream="pooling"), guides.attention(0, stream="pooling"))
    assert told(tmp_path)["recipe"]["settings"]["guide"] == "base-0"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], "give one with --set base=FOLDER"),
        (["base=no-such-model"], "neither in the catalogue nor a folder"),
        (["base={bases}/base-0", "vocabulary=50"], "has other words than these texts give"),
        (["base={bases}/base-0", "others={bases}/base-1,{bases}/base-1"], "name each classifier once"),
        (["base={bases}/base-0", "strength=-1"], "strength is -1.0: choose a number from 0 to 1"),
    ],
    ids=str,
)
def test_what_cannot_be_copied_is_refused_in_a_sentence(
    values: list[str], sentence: str, bases: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["vocabulary=100", *(value.format(bases=bases) for value in values)]
    assert run("adversary", data, tmp_path / "out", *given) == 1
    assert sentence in capsys.readouterr().err


def test_uniform_attention_cannot_be_moved(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sentiment", data, tmp_path / "base", *SENTIMENT, "attention=uniform", "steps=2") == 0
    assert run("adversary", data, tmp_path / "out", "vocabulary=100", f"base={tmp_path}/base") == 1
    assert "weighs all words alike" in capsys.readouterr().err


def test_a_guide_goes_with_guided_attention_only(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for values in (["attention=guided"], ["guide=somewhere"]):
        assert run("sentiment", data, tmp_path / "out", *values) == 1
        assert "guided attention needs a guide, and no other attention has one" in capsys.readouterr().err
