"""The English-Khmer transliterator from its package: known words, and maps that are the model's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from core import load
from core.models import catalogue
from core.models.catalogue import find
from core.models.entries.netra_transliterate import DIGEST
from core.models.model import Model
from tests.sentences import refused

NAME = "netra-transliterate"
REASON_AGAINST = next(listing.unavailable for listing in catalogue() if listing.entry.name == NAME)
here = pytest.mark.skipif(REASON_AGAINST is not None, reason=str(REASON_AGAINST))


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    return load(NAME, device="cpu")


@here
@pytest.mark.parametrize(("word", "khmer"), [("phnom penh", "ភ្នំពេញ"), ("Angkor!", "អង្ករ")])
def test_it_writes_known_names(model: Model, word: str, khmer: str) -> None:
    trace = model.run(word)
    assert trace.output.written == khmer
    assert trace.streams == ("cross",)
    assert trace.provenance.checks[0].passed


@here
def test_its_letters_align(model: Model) -> None:
    trace = model.run("phnom penh")
    weights = trace.attention(0)[0]
    best = [trace.keys("cross").labels[i] for i in weights.argmax(dim=-1).tolist()]
    assert best[:6] == list("pnnmpe")


@here
def test_it_reads_padding_up_to_its_trained_length_as_it_did_in_training(model: Model) -> None:
    trace = model.run("phnom penh")
    keys = trace.keys("cross")
    assert keys.labels == (*"phnompenh", *["<pad>"] * 16)
    assert keys.special == (False,) * 9 + (True,) * 16
    assert keys.spans[5] == (6, 7)
    weights = trace.attention(0)[0]
    assert not trace.masked(0).any()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(len(weights)))
    assert 0.1 < float(weights[:, 9:].sum(dim=-1).mean()) < 0.5
    assert "padding" in find(NAME).summary


@here
def test_longer_words_are_cut_at_the_trained_length(model: Model) -> None:
    trace = model.run("a" * 40)
    assert (len(trace.tokens), trace.tokens.dropped) == (25, 15)


@here
def test_signs_of_no_script_are_left_out(model: Model) -> None:
    assert model.run("1 a-b <pad>").tokens.text == "1 a-b <pad>"
    assert model.run("1 a-b <pad>").tokens.labels[:6] == (*"abpad", "<pad>")
    with refused("drops every character"):
        model.run("1234 ភ")


@here
def test_it_is_made_to_say_a_khmer_word(model: Model) -> None:
    trace = model.run("angkor", target="អង្ករ")
    assert trace.said.labels == ("<s>", "អ", "ង", "◌្", "ក", "រ")
    free = model.run("angkor")
    assert torch.equal(trace.attention(0), free.attention(0))


@here
def test_letters_that_are_only_read_are_never_written(model: Model) -> None:
    values = model.run("angkor").output.values
    assert float(torch.softmax(values, dim=-1)[2:28].sum()) == 0


@here
def test_everything_is_loaded_and_its_revision_is_that_of_the_published_file(model: Model) -> None:
    report = model.report
    assert report.reinitialised == report.unexpected == report.random_body == ()
    assert report.tokenizer_size == report.embedding_rows == 107
    assert model.revision == DIGEST[:12]
