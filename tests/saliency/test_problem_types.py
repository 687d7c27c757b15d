"""What a classifier's numbers are called, by its problem type: probabilities, or the numbers themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification, TextClassificationPipeline

from core.agreement.erasure import erasure
from core.models.model import Model
from core.models.token_labels import best_labels
from core.saliency import Scores, ask, explain, explain_all
from core.views import erasure_figure, rows_of, words_figure
from tests.saliency.asked import tiny
from tests.sentences import refused

TEXT = "the cat sat on the mat"
TYPES: dict[str, dict[str, Any]] = {
    "several labels": dict(num_labels=4, problem_type="multi_label_classification"),
    "one of several": dict(num_labels=3, problem_type="single_label_classification"),
    "no type": dict(num_labels=3),
    "one label, no type": dict(num_labels=1),
    "a regression": dict(num_labels=1, problem_type="regression"),
    "three regressions": dict(num_labels=3, problem_type="regression"),
}
NUMBERS = ("a regression", "three regressions")


@pytest.fixture
def model(request: pytest.FixtureRequest, tmp_path: Path, byte_level: Tokenizer) -> Model:
    return tiny(tmp_path, "bert", AutoModelForSequenceClassification, byte_level, **TYPES[request.param])


def logits_of(model: Model, **asked: Any) -> torch.Tensor:
    with torch.no_grad():
        return model.network(**model.inputs(model.read(TEXT)), **asked).logits[0].double()


@pytest.mark.parametrize("model", TYPES, indirect=True)
def test_numbers_are_those_of_the_library_s_own_pipeline(model: Model) -> None:
    pipeline = TextClassificationPipeline(model=model.network, tokenizer=None)
    logits = logits_of(model)
    scores = pipeline.postprocess({"logits": logits[None].float()}, top_k=None, _legacy=False)
    expected = {each["label"]: each["score"] for each in scores}
    output = model.run(TEXT).output
    assert dict(output.likeliest) == pytest.approx(expected, abs=1e-6)
    question = ask(model, TEXT)
    named = {t.label: t.probability if t.number is None else t.number for t in question.targets}
    assert named == pytest.approx(expected, abs=1e-6)
    assert {t.number is None for t in question.targets} == {model.network.config.problem_type != "regression"}


@pytest.mark.parametrize("model", NUMBERS, indirect=True)
def test_a_regression_has_its_number_and_nothing_else(model: Model, tmp_path: Path) -> None:
    logits, index = logits_of(model), model.network.config.num_labels - 1
    question = ask(model, TEXT, target=index)
    assert (question.scalar, question.target.measure) == ("number", "number")
    assert (
        question.value
        == question.probability
        == question.target.number
        == pytest.approx(float(logits[index]), abs=1e-5)
    )
    assert question.target.probability is None
    for scalar in ("margin", "logit", "log probability", "probability"):
        with refused("choose one of number"):
            ask(model, TEXT, scalar=scalar)
    scored = {s.method: s for s in explain_all(question, ["integrated_gradients", "decompx", "deletion", "attention"])}
    assert all(isinstance(each, Scores) for each in scored.values())
    sums = scored["decompx"].values.sum() + scored["decompx"].rest
    assert sums == pytest.approx(question.value, abs=1e-3)
    found = erasure(question, list(scored.values()), orders=3)
    assert found.measure == "number"
    assert found.curves["deletion"].deletion[0] == pytest.approx(float(logits[index]), abs=1e-5)
    assert np.isnan(found.numbers["deletion"].flip)
    assert "number" in found.ood.sentence
    rows = rows_of(question, list(scored), scored, None)
    for figure in (words_figure(rows), erasure_figure(found, list(scored.values()))):
        told = [figure.caption, figure.how_to, str(figure.payload), figure.csv().decode()]
        assert not any("probab" in each.lower() for each in told)


@pytest.mark.parametrize("model", ["several labels"], indirect=True)
def test_labels_that_hold_by_themselves_are_held_against_nothing_by_every_method(model: Model) -> None:
    question = ask(model, TEXT, target=2)
    assert question.value == pytest.approx(float(logits_of(model)[2]), abs=1e-5)
    found = explain(model, TEXT, "decompx", target=2)
    assert found.values.sum() + found.rest == pytest.approx(question.value, abs=1e-3)


@pytest.mark.parametrize("problem", [None, "multi_label_classification", "regression"])
@pytest.mark.parametrize("labels", [1, 3])
def test_labels_of_tokens_go_by_the_same_rule(
    labels: int, problem: str | None, tmp_path: Path, byte_level: Tokenizer
) -> None:
    model = tiny(tmp_path, "bert", AutoModelForTokenClassification, byte_level, num_labels=labels, problem_type=problem)
    logits = logits_of(model)
    shares = (
        logits if problem == "regression" else logits.softmax(-1) if labels == 3 and not problem else logits.sigmoid()
    )
    assert [share for _, share in best_labels(model.run(TEXT).output)] == pytest.approx(
        shares.max(-1)[0].tolist(), abs=1e-5
    )
