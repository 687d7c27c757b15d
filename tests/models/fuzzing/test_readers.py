"""Good inputs with a few things changed: every reader answers or refuses with a sentence, and does nothing else.

HEADLIGHT_FUZZ_EXAMPLES asks for more of them than continuous integration has time for; `long` lets coverage lead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.models.fuzzing.keeping import BrokenPromise, Watch, check_sentence, soon
from tests.models.fuzzing.readers import READERS

USUAL = 25
# Networks are built for these.
FEWER = {"shapes": 2, "folders": 10}


@pytest.fixture(scope="module")
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", READERS)
def test_changed_inputs_are_read_or_refused(
    name: str, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = READERS[name]
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))

    def read(data: bytes) -> None:
        with TemporaryDirectory(dir=tmp_path) as folder, watch.of(tmp_path), soon():
            reader.read(data, Path(folder))

    for seed in reader.seeds():
        read(seed)

    @settings(
        max_examples=examples(FEWER.get(name, USUAL)), deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(good=st.sampled_from(reader.seeds()), chance=st.integers(0, 2**32))
    def check(good: bytes, chance: int) -> None:
        read(reader.change(good, Random(chance)))

    check()


def test_what_a_reader_must_not_do_is_noticed(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    with watch.of(tmp_path / "inside"):
        (tmp_path / "inside" / "file").write_text("allowed")
        (tmp_path / "inside" / "file").read_text()
    for act in (
        lambda: (tmp_path / "outside").write_text("a"),
        lambda: (tmp_path / "inside" / ".." / "outside").unlink(),
        lambda: os.system("true"),
        lambda: os.symlink("/", tmp_path / "link"),
    ):
        with pytest.raises(BrokenPromise), watch.of(tmp_path / "inside"):
            act()


@pytest.mark.parametrize("message", ["no stop", "a\nline.", "x" * 600 + ".", "unseen \u202e."])
def test_what_is_no_sentence_is_noticed(message: str) -> None:
    with pytest.raises(BrokenPromise):
        check_sentence(message)
