"""Store: results kept in memory within a bound in bytes, each made only once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Event, Lock, get_ident
from typing import Any, TypeVar

T = TypeVar("T")

SECONDS_BETWEEN_CHECKS = 0.1


class Store:
    """Keeps what was used last, at most `max_bytes` of it; safe for any number of threads."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, _Item] = OrderedDict()
        self._making: dict[Hashable, _Making] = {}
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept, as told by each item's `size`."""
        with self._lock:
            return self._nbytes

    def keys(self) -> list[Hashable]:
        """The keys of all that is kept, the one unused for longest first."""
        with self._lock:
            return list(self._kept)

    def kept(self, key: Hashable) -> Any:
        """The item kept under `key`, None where there is none or it is still being made."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key].value

    def get_or_make(
        self,
        key: Hashable,
        make: Callable[[], T],
        size: Callable[[T], int],
        while_waiting: Callable[[], None] = lambda: None,
    ) -> T:
        """The item kept under `key`, made by `make` if there is none; `size` tells its bytes.

        Threads that ask for a key that is being made wait for it, and one of them makes it if the first
        fails. While they wait they call `while_waiting` about ten times a second, for which `Job.check` is
        meant.
        An item larger than the whole bound is returned but not kept, and pushes nothing out.

        Raises whatever `make`, `size` or `while_waiting` raises, and `RuntimeError` if `make` asks for its
        own key.
        """
        while True:
            mine = _Making(get_ident())
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    kept: T = self._kept[key].value
                    return kept
                making = self._making.setdefault(key, mine)
            if making is mine:
                return self._make(key, mine, make, size)
            made = making.wait(while_waiting)
            if made is not None:
                shared: T = made.value
                return shared

    def drop(self, predicate: Callable[[Hashable], bool]) -> None:
        """Forget all items whose key satisfies `predicate`, which must be quick and must not use the store.

        What is being made under such a key still reaches those who wait for it, but is not kept.
        """
        with self._lock:
            for key in [key for key in self._kept if predicate(key)]:
                self._nbytes -= self._kept.pop(key).nbytes
            for key in [key for key in self._making if predicate(key)]:
                del self._making[key]

    def _make(self, key: Hashable, mine: "_Making", make: Callable[[], T], size: Callable[[T], int]) -> T:
        try:
            value = make()
            mine.item = _Item(value, size(value))
            self._keep(key, mine, mine.item)
            return value
        finally:
            with self._lock:
                if self._making.get(key) is mine:
                    del self._making[key]
            mine.done.set()

    def _keep(self, key: Hashable, mine: "_Making", item: "_Item") -> None:
        with self._lock:
            was_dropped = self._making.get(key) is not mine
            if was_dropped or item.nbytes > self._max_bytes:
                return
            while self._nbytes + item.nbytes > self._max_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._nbytes -= oldest.nbytes
            self._kept[key] = item
            self._nbytes += item.nbytes


@dataclass(frozen=True)
class _Item:
    value: Any
    nbytes: int


class _Making:
    """An item on its way: the thread that makes it, and the item itself once it is there."""

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.done = Event()
        self.item: _Item | None = None

    def wait(self, while_waiting: Callable[[], None]) -> _Item | None:
        """The item, or None if making it failed."""
        if self.thread == get_ident():
            raise RuntimeError("An item cannot be made from itself; give what `make` asks for its own key.")
        while not self.done.wait(SECONDS_BETWEEN_CHECKS):
            while_waiting()
        return self.item
