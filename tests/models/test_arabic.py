"""The Arabic diacritizer from its package: a known sentence, and maps that are the model's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from core import load
from core.models import catalogue
from core.models.diacritizer import MARKS, write_diacritizer
from core.models.entries.arabic_diacritizer import DIGEST
from core.models.model import Model
from core.models.token_labels import marked_text
from core.models.unpacking import unpacked_once
from tests.evil import Evil
from tests.sentences import refused

NAME = "arabic-diacritizer"
REASON_AGAINST = next(listing.unavailable for listing in catalogue() if listing.entry.name == NAME)
here = pytest.mark.skipif(REASON_AGAINST is not None, reason=str(REASON_AGAINST))
SENTENCE, MARKED = "ذهب الولد إلى المدرسة", "ذَهَبَ الْوَلَدُ إلَى الْمَدْرَسَةِ"


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    return load(NAME, device="cpu")


def answer(model: Model, text: str) -> str | None:
    trace = model.run(text)
    return marked_text(trace.tokens, trace.output)


@here
def test_it_marks_a_known_sentence(model: Model) -> None:
    assert answer(model, SENTENCE) == MARKED


@here
def test_marks_that_are_there_already_are_neither_read_nor_kept(model: Model) -> None:
    trace = model.run(MARKED)
    assert trace.tokens.ids == model.run(SENTENCE).tokens.ids
    assert trace.tokens.labels[0] == "ذَ"
    assert answer(model, MARKED) == MARKED


@here
def test_each_character_attends_to_all(model: Model) -> None:
    trace = model.run(SENTENCE)
    assert trace.streams == ("self",)
    assert trace.provenance.checks[0].passed
    weights = trace.attention(0)
    assert weights.shape == (1, 21, 21)
    assert float(weights.amax(dim=-1).max()) > 0.95
    inputs = {"input_ids": torch.tensor([trace.tokens.ids])}
    with torch.no_grad():
        (own,) = model.network(**inputs, output_attentions=True).attentions
    assert torch.equal(weights, own[0])


@here
def test_its_words_are_those_of_the_text(model: Model) -> None:
    assert model.run("قال: نعم").tokens.words == (0, 0, 0, 1, 2, 2, 2, 2)
    assert model.run("هو (هنا)").tokens.words == (0, 0, 1, 1, 2, 2, 2, 3)


@here
def test_characters_that_it_never_saw_are_told(model: Model) -> None:
    tokens = model.run("قال abc").tokens
    assert tokens.unknown == (False,) * 4 + (True,) * 3
    assert answer(model, "abc def") is not None


@here
def test_everything_is_loaded_and_its_revision_is_that_of_the_published_file(model: Model) -> None:
    report = model.report
    assert report.reinitialised == report.unexpected == report.random_body == ()
    assert report.parameters == 4_483_855
    assert report.tokenizer_size == report.embedding_rows == 54
    assert (model.card.max_tokens, model.card.positions, model.card.writes) == (256, "recurrence", False)
    assert model.revision == DIGEST[:12]


def test_there_are_fifteen_classes_of_marks() -> None:
    assert len(set(MARKS)) == 15
    assert MARKS[0] == ""


def test_a_program_in_a_weight_file_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "bilstm_best.pt"
    torch.save({"embedding.weight": Evil(tmp_path / "run")}, file)
    with refused("bilstm_best.pt", "get it again"):
        unpacked_once(file, "0" * 64, 1, lambda folder: write_diacritizer(file, folder))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "content", [{"embedding.weight": torch.zeros(54, 127)}, [1], {"embedding.weight": 1}, {1: torch.zeros(1)}, b"junk"]
)
def test_weights_of_something_else_are_refused(tmp_path: Path, content: object) -> None:
    if isinstance(content, bytes):
        (tmp_path / "bilstm_best.pt").write_bytes(content)
    else:
        torch.save(content, tmp_path / "bilstm_best.pt")
    with refused("bilstm_best.pt", "again"):
        write_diacritizer(tmp_path / "bilstm_best.pt", tmp_path)
