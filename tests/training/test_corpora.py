"""Data files: what is read, and how bad lines and missing files are reported."""

import gzip
import hashlib
from pathlib import Path

import pytest

from core.errors import HeadlightError
from core.training.corpora import digest_of, read_labelled, read_lines, read_pairs, split


def test_pairs_are_read_and_bad_lines_named_by_number(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_bytes("Go.\tVa !\nno tab\nHi.\t\n\nÇa\t".encode() + b"\xff\nRun!\tCours !\tCC-BY\n")
    corpus = read_pairs(file)
    assert corpus.examples == (("Go.", "Va !"), ("Run!", "Cours !"))
    assert [str(line) for line in corpus.bad] == [
        "pairs.tsv, line 2: no tab between source and target; skipped",
        "pairs.tsv, line 3: an empty side; skipped",
        "pairs.tsv, line 5: not UTF-8; skipped",
    ]


def test_gzipped_files_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt.gz"
    file.write_bytes(gzip.compress("\ufeffone\r\n\r\ntwo".encode()))
    assert read_lines(file).examples == ("one", "two")


def test_labels_stand_before_the_tab(tmp_path: Path) -> None:
    file = tmp_path / "data.tsv"
    file.write_text("good\tnice\tindeed\nbad line\nbad\tawful\n", encoding="utf-8")
    corpus = read_labelled(file)
    assert corpus.examples == (("good", "nice\tindeed"), ("bad", "awful"))
    assert corpus.bad[0].number == 2


def test_a_folder_labels_by_the_names_of_its_files_or_folders(tmp_path: Path) -> None:
    (tmp_path / "rt-polarity.neg").write_text("dull\nsilly\n", encoding="utf-8")
    (tmp_path / "pos").mkdir()
    (tmp_path / "pos" / "1.txt").write_text("warm\n", encoding="utf-8")
    assert read_labelled(tmp_path).examples == (("negative", "dull"), ("negative", "silly"), ("positive", "warm"))


@pytest.mark.parametrize("read", [read_pairs, read_lines, read_labelled])
def test_a_missing_file_is_one_sentence(read, tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match=r"There is no file .*absent.tsv: check --data"):
        read(tmp_path / "absent.tsv")


def test_a_folder_without_labels_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "neg.txt").write_text("dull\n", encoding="utf-8")
    with pytest.raises(HeadlightError, match="“pos” in its name"):
        read_labelled(tmp_path)


def test_a_file_that_is_cut_off_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv.gz"
    file.write_bytes(gzip.compress(b"a\tb\n" * 1000)[:-12])
    with pytest.raises(HeadlightError, match="cut off"):
        read_pairs(file)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("suffix", ["tsv", "tsv.gz"])
def test_a_file_in_another_encoding_is_one_sentence(encoding: str, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"pairs.{suffix}"
    data = ("Go.\tVa !\n" * 20).encode(encoding)
    file.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    with pytest.raises(HeadlightError, match=r"is not UTF-8 but UTF-16, or no text at all: save it as UTF-8\.$"):
        read_pairs(file)


def test_a_line_with_a_nul_character_is_named_by_number(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_bytes(b"Go.\tVa !\n" * 20 + b"Hi\0\tSalut\n")
    corpus = read_pairs(file)
    assert len(corpus.examples) == 20
    assert [str(line) for line in corpus.bad] == ["pairs.tsv, line 21: a NUL character; skipped"]


def test_a_digest_follows_from_what_a_file_or_folder_holds_and_not_from_where_it_lies(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pos.txt").write_text("warm\n", encoding="utf-8")
    one, two = tmp_path / "one", tmp_path / "two"
    assert digest_of(one / "pos.txt") == hashlib.sha256(b"warm\n").hexdigest()
    assert digest_of(one) == digest_of(two)
    (two / "pos.txt").rename(two / "neg.txt")
    assert digest_of(one) != digest_of(two)


def test_all_pairs_of_one_source_go_to_one_side_whatever_the_order() -> None:
    pairs = [(f"sentence {number // 2}", f"phrase {number}") for number in range(2000)]
    train, development, test = split(pairs, lambda pair: pair[0], 0.1, 0.2)
    assert len(train) + len(development) + len(test) == 2000
    assert 120 < len(development) < 280
    assert 300 < len(test) < 500
    assert not {source for source, _ in train} & {source for source, _ in development + test}
    assert sorted(split(pairs[::-1], lambda pair: pair[0], 0.1, 0.2)[1]) == sorted(development)


def test_a_folder_of_texts_is_read_file_by_file_and_one_column_of_it(tmp_path: Path) -> None:
    (tmp_path / "b.tsv").write_text("Go.\tVa !\nRun!\tCours !\n\tVide\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("plain line\n", encoding="utf-8")
    (tmp_path / ".hidden").write_text("no text\n", encoding="utf-8")
    (tmp_path / "below").mkdir()
    assert read_lines(tmp_path).examples == ("plain line", "Go.\tVa !", "Run!\tCours !", "Vide")
    first = read_lines(tmp_path, column=1)
    assert first.examples == ("plain line", "Go.", "Run!")
    assert [str(line) for line in first.bad] == ["b.tsv, line 3: nothing in column 1; skipped"]
    assert read_lines(tmp_path / "b.tsv", column=2).examples == ("Va !", "Cours !", "Vide")


def test_a_folder_without_files_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match="holds no file: give --data a file, or a folder"):
        read_lines(tmp_path)
