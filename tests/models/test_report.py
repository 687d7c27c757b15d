from dataclasses import replace
from pathlib import Path

import pytest

from core import load
from core.models.report import LoadReport
from tests.sentences import is_one_sentence


@pytest.fixture(scope="module")
def report(gpt2_folder: Path) -> LoadReport:
    return load(str(gpt2_folder)).report


def said(report: LoadReport, severity: str) -> str:
    return " ".join(line.sentence for line in report.lines() if line.severity == severity)


def test_a_whole_model_has_nothing_to_warn_of(report: LoadReport) -> None:
    assert {line.severity for line in report.lines()} == {"info"}
    assert f"{report.loaded} tensors were loaded, all that the model has." in said(report, "info")
    assert f"{report.parameters:,} parameters take" in said(report, "info")
    assert "in float32" in said(report, "info")
    assert "tokenizer" in said(report, "info")


def test_each_line_is_a_sentence_and_the_gravest_comes_first(report: LoadReport) -> None:
    worst = replace(
        report,
        missing=("a.weight", "head.bias"),
        mismatched=("b.weight",),
        random_body=("a.weight", "b.weight"),
        unexpected=("c", "d", "e", "f"),
        cast=(("bfloat16", "float32", 1), ("float16", "float32", 2)),
        prefix="module.",
        pickled=True,
        tokenizer_size=report.embedding_rows + 1,
        insisted=True,
        probe="the wrapped sdpa function",
    )
    lines = worst.lines()
    assert all(is_one_sentence(line.sentence) for line in lines)
    severities = [line.severity for line in lines]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert "2 tensors of the layers are not in the files (a.weight, b.weight)" in said(worst, "error")
    for part in ("head.bias", "b.weight", "module.", "some tokens cannot be read"):
        assert part in said(worst, "warning")
    for part in (
        "4 tensors in the files are left out (c, d, e, …)",
        "1 tensor was cast from bfloat16",
        "pickle",
        "wrapped sdpa",
    ):
        assert part in said(worst, "info")


def test_tied_tensors_are_counted_once(report: LoadReport, gpt2_folder: Path) -> None:
    network = load(str(gpt2_folder)).network
    assert len(network.state_dict()) == report.loaded + 1  # the head is the embedding


def test_a_tokenizer_smaller_than_the_embedding_is_no_warning(report: LoadReport) -> None:
    assert "warning" not in {line.severity for line in replace(report, tokenizer_size=5).lines()}
