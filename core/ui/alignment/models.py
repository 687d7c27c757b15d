"""Which models the page offers: those shipped for a direction, and every other encoder-decoder of this session."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import HeadlightError
from core.models import catalogue
from core.models.catalogue import in_folders
from core.models.folders import below_roots, folders_below_roots
from core.models.hub import hub_id, snapshot
from core.models.shipped import Shipped, shipped
from core.ui import own_models
from core.ui.small_models import small_model

GROUP = "translation"
OTHER = "other"
DIRECTIONS = {"en-fr": "English → French", "zh-en": "Chinese → English", OTHER: "Other"}
# Three of them stand in one line of the sidebar.
SHORT_DIRECTIONS = {"en-fr": "en → fr", "zh-en": "zh → en", OTHER: "Other"}
MOST_SIDE_BY_SIDE = 4
_MOST_BYTES = 1 << 20


def directions() -> tuple[str, ...]:
    """Directions that can be chosen; the last only where there is another encoder-decoder."""
    return tuple(name for name in DIRECTIONS if name != OTHER or others())


def shipped_for(direction: str) -> tuple[Shipped, ...]:
    """The translation models that come with Headlight for a direction and are whole, the main one first."""
    whole = (each for each in shipped() if each.unavailable is None)
    return tuple(each for each in whole if each.group == GROUP and each.name.startswith(f"{direction}-"))


def offered(direction: str) -> tuple[str, ...]:
    """Names of the models that may be chosen: a direction's own, and those that nobody has told the language of.

    Those that read only a small alphabet translate nothing.
    """
    if direction == OTHER:
        return others()
    own = (each.name for each in shipped_for(direction))
    return (*own, *(name for name in _found(_brought()) if small_model(name) is None))


def first_choice(direction: str) -> tuple[str, ...]:
    """The models of a direction that are shown first: all that are shipped, else the latest of the others."""
    # In the order of their names they stand as the story of attention goes: without, additive, Luong, Transformer.
    own = sorted(each.name for each in shipped_for(direction))[:MOST_SIDE_BY_SIDE]
    return tuple(own) or offered(direction)[:1]


def others() -> tuple[str, ...]:
    """Encoder-decoders that are not shipped: this session's own, other entries, the server's folders, added ones.

    Those whose entry says so, rather than their files, do a task of their own and belong to no direction.
    """
    of_their_own = (each.entry.name for each in catalogue() if each.entry.answers and each.unavailable is None)
    return tuple(dict.fromkeys((*_found(_brought()), *_found(_listed()), *of_their_own)))


def _found(candidates: Iterable[tuple[str, Path | None]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, folder in candidates if _is_encoder_decoder(folder)))


def told(name: str) -> Mapping[str, Any]:
    """What the training.json of a shipped model tells; nothing for others."""
    return next((each.told for each in shipped() if each.name == name), {})


def labels_of(models: Sequence[str]) -> dict[str, str]:
    """What each model is called: what its card calls the network, its own name where that is not enough."""
    titles = {name: title_of(name) for name in models}
    shared = Counter(titles.values())
    return {name: title if shared[title] == 1 else name for name, title in titles.items()}


def title_of(name: str) -> str:
    """What the card of a shipped model calls the network, else the model's name."""
    return str(told(name).get("title") or "").rpartition(" · ")[2] or name


def _listed() -> Iterator[tuple[str, Path | None]]:
    """Entries of the catalogue that are not shipped: of other languages than those of the directions."""
    ours = {each.name for each in shipped()}
    yield from ((entry.name, folder) for entry, folder in in_folders() if entry.name not in ours)


def _brought() -> Iterator[tuple[str, Path | None]]:
    """What a user trained or added, and the server's folders."""
    yield from ((name, own_models.folder_of(name)) for name in own_models.names())
    for name in folders_below_roots():
        try:
            yield name, below_roots(name)
        except HeadlightError:
            continue
    for name in st.session_state.get(own_models.ADDED, ()):
        wanted = hub_id(name)
        yield name, None if wanted is None else snapshot(wanted)


def _is_encoder_decoder(folder: Path | None) -> bool:
    if folder is None:
        return False
    try:
        return _says_so(folder, (folder / "config.json").stat().st_mtime_ns)
    except OSError:
        return False


@lru_cache(maxsize=256)
def _says_so(folder: Path, _: int) -> bool:
    """Whether a folder's config says so, read again when it has changed."""
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _MOST_BYTES else {}
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("is_encoder_decoder") is True
