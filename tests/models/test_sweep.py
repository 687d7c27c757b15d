"""What opens also draws, and what reads no text is refused by what it reads: over types of the library's configs."""

from pathlib import Path

import pytest
from transformers import CLIPTextModel

from core import load
from tests.sentences import is_one_sentence, refused
from tests.sweep import KINDS, built, save, swept


@pytest.mark.parametrize(
    ("kind", "reads", "remedy"),
    [
        ("clip", "compares texts with images", "CLIPTextModel"),
        ("vilt", "reads images beside every text", "another model"),
        ("segformer", "reads images", "another model"),
        ("wav2vec2", "reads sound", "another model"),
        ("hubert", "reads sound", "another model"),
        ("whisper", "reads sound", "another model"),
        ("clap", "compares texts with sound", "another model"),
        ("videomae", "reads images and videos", "another model"),
        ("patchtst", "reads time series", "another model"),
    ],
)
def test_what_reads_no_text_alone_is_refused_by_what_it_reads(
    tmp_path: Path, kind: str, reads: str, remedy: str
) -> None:
    save(built(kind), tmp_path)
    with refused(reads, remedy):
        load(str(tmp_path))


def test_the_text_part_that_a_refusal_names_opens(tmp_path: Path) -> None:
    network = CLIPTextModel(built("clip").config.text_config)
    save(network, tmp_path)
    assert load(str(tmp_path), device="cpu").run("A cat.").layers() > 0


@pytest.mark.parametrize("kind", ["exaone", "internlm3", "iquestcoder", "sarvam_moe", "bert", "t5", "xlnet"])
def test_a_saved_folder_opens_and_draws_what_eager_has(kind: str) -> None:
    result = swept(kind)
    assert result.drawn, result


@pytest.mark.parametrize("kind", ["ibert", "prophetnet", "roberta"])
def test_the_longest_text_that_is_read_has_a_row_of_positions_for_each_token(tmp_path: Path, kind: str) -> None:
    """Tables that are no ordinary embedding, or of which a decoder reads one row further, ended in an IndexError."""
    save(built(kind), tmp_path)
    model = load(str(tmp_path), device="cpu")
    trace = model.run("a" * 100, target="a" * 100 if model.card.answers else None)
    assert len(trace.tokens) == model.card.max_tokens < 64


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_every_type_is_drawn_as_eager_has_it_or_refused_for_a_named_cause(kind: str) -> None:
    result = swept(kind)
    assert not result.fault
    assert not result.refused or is_one_sentence(result.refused)
