"""A pickle is data to be read, never a program to be run."""

import collections
import pickle
from pathlib import Path

import pytest

from core.models.pickles import MOST_BYTES, plain_data
from tests.evil import Evil
from tests.sentences import refused

NAMES = frozenset({"collections.OrderedDict", "collections.defaultdict", "builtins.int"})


class Letters:
    """Pickled like the tokenizers of Keras: an object with a state."""

    def __init__(self) -> None:
        self.counts = collections.OrderedDict(a=3, b=5)
        self.seen = collections.defaultdict(int, {"a": 1})
        self.index = {"a": 1, "b": 70_000}
        self.rest = (None, True, False, 0.5)[0]


def test_objects_become_dicts_of_what_they_hold() -> None:
    data = pickle.dumps({"letters": Letters(), "most": 25}, protocol=4)
    assert plain_data(data, NAMES | {f"{__name__}.Letters"}) == {
        "letters": {"counts": {"a": 3, "b": 5}, "seen": {"a": 1}, "index": {"a": 1, "b": 70_000}, "rest": None},
        "most": 25,
    }


def test_a_program_in_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    data = pickle.dumps({"letters": Evil(tmp_path / "run")}, protocol=4)
    with refused("names", "not read"):
        plain_data(data, NAMES)
    assert not (tmp_path / "run").exists()


def test_what_an_allowed_name_would_do_is_not_done() -> None:
    data = pickle.dumps(collections.OrderedDict([("a", 1)]), protocol=4)
    assert plain_data(data, NAMES) == {"a": 1}
    with refused("collections.OrderedDict"):
        plain_data(data, frozenset())


@pytest.mark.parametrize("value", [[1, 2], {1}, b"bytes", 1 << 80, (1, 2)])
def test_anything_but_dicts_texts_and_numbers_is_refused(value: object) -> None:
    with refused("more than hold plain data"):
        plain_data(pickle.dumps(value, protocol=4), NAMES)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04",
        b"\x80\x04.",
        b"\x80\x04h\x09.",
        b"}u.",
        b"(}u.",
        b"}}b" * 2,
        b"\x80\x04K\x01K\x02b.",
        b"no pickle",
    ],
)
def test_damaged_pickles_are_refused(data: bytes) -> None:
    with refused("damaged"):
        plain_data(data, NAMES)


DEEP = b")" + b"\x85" * 200_000


@pytest.mark.parametrize(
    "described",
    [
        pytest.param(b"}" + DEEP + b"Ns.", id="tuples 200,000 deep as a key"),
        pytest.param(b"}K\x01" + DEEP + b"s.", id="and as a value"),
        pytest.param(b"K\x01\x85.", id="a tuple alone"),
        pytest.param(b"}}K\x01s.", id="a dict as a key"),
        pytest.param(b"}(K\x01u.", id="half a pair"),
        pytest.param(b"}(\x94.", id="a mark remembered"),
        pytest.param(b"(.", id="a mark alone"),
    ],
)
def test_what_is_no_plain_data_is_not_even_hashed(described: bytes) -> None:
    with refused("damaged"):
        plain_data(b"\x80\x04" + described, NAMES)


def test_a_name_made_of_a_thousand_dicts_is_not_written_out() -> None:
    nested = b"}\x94" + b"".join(b"}\x94(K\x01h%cK\x02h%cu\x94" % (n, n) for n in range(0, 200, 2))
    with refused("damaged"):
        plain_data(b"\x80\x04" + nested + b"\x8c\x01a\x93.", NAMES)


def test_attributes_that_are_given_again_and_again_are_refused() -> None:
    attributes = b"}\x94(" + b"".join(b"\x8c\x04%04dN" % number for number in range(8_000)) + b"u"
    with refused("damaged"):
        plain_data(b"\x80\x04}" + attributes + b"b" + b"h\0b" * 1_000 + b".", NAMES)


def test_a_large_pickle_is_not_even_read() -> None:
    with refused("bytes"):
        plain_data(b"}" * (MOST_BYTES + 1), NAMES)
