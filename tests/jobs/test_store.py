"""A store makes each item once, keeps what was used last, and never more bytes than it may."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.jobs import Cancelled, Job, Store

PATIENCE = 5.0


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def refuse() -> bytes:
    raise AssertionError("made again")


def keep(store: Store, key: str, nbytes: int) -> bytes:
    return store.get_or_make(key, lambda: bytes(nbytes), len)


def test_an_item_is_made_once() -> None:
    store = Store(100)
    item = keep(store, "a", 10)
    assert store.get_or_make("a", refuse, len) is item
    assert store.nbytes == 10


def test_the_one_unused_for_longest_goes_first() -> None:
    store = Store(30)
    for key in "abc":
        keep(store, key, 10)
    keep(store, "a", 10)
    keep(store, "d", 10)
    assert store.keys() == ["c", "a", "d"]
    keep(store, "e", 20)
    assert store.keys() == ["d", "e"]
    assert store.nbytes == 30


def test_an_item_larger_than_the_store_is_returned_but_pushes_nothing_out() -> None:
    store = Store(30)
    keep(store, "a", 30)
    assert len(keep(store, "b", 31)) == 31
    assert store.keys() == ["a"]


def test_making_pushes_nothing_out_when_it_fails() -> None:
    store = Store(30)
    keep(store, "a", 30)

    def fail() -> bytes:
        assert store.keys() == ["a"]
        raise MemoryError

    with pytest.raises(MemoryError):
        store.get_or_make("b", fail, len)
    assert store.keys() == ["a"]
    assert len(keep(store, "b", 5)) == 5


def test_a_failing_size_keeps_nothing() -> None:
    def fail(item: bytes) -> int:
        raise TypeError

    store = Store(30)
    with pytest.raises(TypeError):
        store.get_or_make("a", lambda: b"item", fail)
    assert (store.keys(), store.nbytes) == ([], 0)
    keep(store, "a", 5)


def test_drop_forgets_what_matches() -> None:
    store = Store(100)
    for key in ["ann/1", "bob/1", "ann/2"]:
        keep(store, key, 10)
    store.drop(lambda key: str(key).startswith("ann/"))
    assert (store.keys(), store.nbytes) == (["bob/1"], 10)


class Maker:
    """Makes an item in another thread, and is done only when the test lets it go on."""

    def __init__(self, store: Store, pool: ThreadPoolExecutor, key: str, nbytes: int, fails: bool = False) -> None:
        self._started = Event()
        self._may_end = Event()
        self._nbytes = nbytes
        self._fails = fails
        self.future = pool.submit(store.get_or_make, key, self._make, len)
        assert self._started.wait(PATIENCE)

    def _make(self) -> bytes:
        self._started.set()
        assert self._may_end.wait(PATIENCE)
        if self._fails:
            raise MemoryError
        return bytes(self._nbytes)

    def end(self) -> None:
        self._may_end.set()


def wait_for(store: Store, pool: ThreadPoolExecutor, key: str, make: Callable[[], bytes]) -> Future[bytes]:
    """Ask for a key that is being made, and return once the asking thread waits."""
    waits = Event()
    future = pool.submit(store.get_or_make, key, make, len, waits.set)
    assert waits.wait(PATIENCE)
    return future


@pytest.mark.parametrize("nbytes", [10, 1000])
def test_threads_that_ask_for_the_same_key_share_one_item(pool: ThreadPoolExecutor, nbytes: int) -> None:
    store = Store(100)
    maker = Maker(store, pool, "a", nbytes)
    waiters = [wait_for(store, pool, "a", refuse) for _ in range(3)]
    maker.end()
    items = {id(future.result(PATIENCE)) for future in [maker.future, *waiters]}
    assert len(items) == 1
    assert store.nbytes == (nbytes if nbytes <= 100 else 0)


def test_a_waiter_tries_itself_when_the_first_one_fails(pool: ThreadPoolExecutor) -> None:
    store = Store(100)
    maker = Maker(store, pool, "a", 10, fails=True)
    waiter = wait_for(store, pool, "a", lambda: b"mine")
    maker.end()
    assert isinstance(maker.future.exception(PATIENCE), MemoryError)
    assert waiter.result(PATIENCE) == b"mine"
    assert store.nbytes == 4


def test_a_waiter_can_be_cancelled(pool: ThreadPoolExecutor) -> None:
    store = Store(100)
    maker = Maker(store, pool, "a", 10)
    job = Job("ann", "Run BERT")
    job.cancel()
    with pytest.raises(Cancelled):
        store.get_or_make("a", refuse, len, job.check)
    maker.end()
    assert len(maker.future.result(PATIENCE)) == 10


def test_another_key_does_not_wait(pool: ThreadPoolExecutor) -> None:
    store = Store(100)
    maker = Maker(store, pool, "a", 10)
    keep(store, "b", 10)
    assert (store.keys(), store.nbytes) == (["b"], 10)
    maker.end()
    maker.future.result(PATIENCE)
    assert store.keys() == ["b", "a"]


def test_an_item_dropped_while_it_is_made_is_not_kept(pool: ThreadPoolExecutor) -> None:
    store = Store(100)
    maker = Maker(store, pool, "a", 10)
    store.drop(lambda key: key == "a")
    newer = keep(store, "a", 20)
    maker.end()
    assert len(maker.future.result(PATIENCE)) == 10
    assert store.get_or_make("a", refuse, len) is newer
    assert store.nbytes == 20


def test_an_item_that_asks_for_itself_is_refused() -> None:
    store = Store(100)
    with pytest.raises(RuntimeError, match="made from itself"):
        store.get_or_make("a", lambda: keep(store, "a", 1), len)
    keep(store, "a", 5)


@given(
    max_bytes=st.integers(0, 40),
    asks=st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=40),
    sizes=st.fixed_dictionaries({key: st.integers(0, 30) for key in "abcdef"}),
)
def test_a_store_behaves_like_its_model(max_bytes: int, asks: list[tuple[str, bool]], sizes: dict[str, int]) -> None:
    store = Store(max_bytes)
    model: list[str] = []
    for key, drops in asks:
        if drops:
            store.drop(key.__eq__)
            model = [kept for kept in model if kept != key]
        else:
            assert len(keep(store, key, sizes[key])) == sizes[key]
            model = used(model, key, sizes, max_bytes)
        assert store.keys() == model
        assert store.nbytes == sum(sizes[kept] for kept in model) <= max_bytes


def used(model: list[str], key: str, sizes: dict[str, int], max_bytes: int) -> list[str]:
    """What a store should keep, oldest first, after `key` was asked for."""
    if sizes[key] > max_bytes:
        return model
    after = [kept for kept in model if kept != key] + [key]
    while sum(sizes[kept] for kept in after) > max_bytes:
        after = after[1:]
    return after
