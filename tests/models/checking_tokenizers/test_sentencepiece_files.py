from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.checking_tokenizers.sentencepiece_files import sentencepiece_facts
from tests.examples import examples
from tests.models.checking_tokenizers.good_files import sentencepieces

EXAMPLES = examples(40)
MODEL = sentencepieces()


def spoken(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "spiece.model"
    path.write_bytes(content)
    with pytest.raises(HeadlightError) as caught:
        sentencepiece_facts(path)
    return str(caught.value)


def test_a_model_that_sentencepiece_trained_is_read(tmp_path: Path) -> None:
    (tmp_path / "spiece.model").write_bytes(MODEL)
    facts = sentencepiece_facts(tmp_path / "spiece.model")
    assert facts.is_sound
    assert 50 < facts.pieces < 420


def test_what_is_none_is_refused(tmp_path: Path) -> None:
    assert "no SentencePiece model" in spoken(tmp_path, b"")
    assert "no SentencePiece model" in spoken(tmp_path, b"version https://git-lfs.github.com/spec/v1\n")
    assert "no SentencePiece model" in spoken(tmp_path, MODEL[:-1])
    assert "no SentencePiece model" in spoken(tmp_path, b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a")
    assert "2,000 bytes and 1,024 are allowed" in spoken(tmp_path, b"\x0a\xd3\x0f\x0a\xd0\x0f" + b"a" * 2_000)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 4_000), cut=st.integers(0, 3_000), put=st.binary(max_size=12))
def test_a_spoiled_one_is_read_or_refused(tmp_path: Path, place: int, cut: int, put: bytes) -> None:
    path = tmp_path / "spiece.model"
    path.write_bytes(MODEL[:place] + put + MODEL[place + cut :])
    with suppress(HeadlightError):
        assert sentencepiece_facts(path).pieces > 0
