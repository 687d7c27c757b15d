"""Models here: this session's own, those of the catalogue, the server's; what can be had, and why not what cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import streamlit as st

from core.models import Listing, catalogue
from core.models.folders import folders_below_roots
from core.models.quoting import shown
from core.models.shipped import STUDY
from core.ui import getting, own_models
from core.ui.following import ATTENTION
from core.ui.models import state
from core.ui.models.bringing.found_panel import size_in_words
from core.ui.models.opened.doors import go
from core.ui.models.opened.opened_panel import remove
from core.ui.words import small_print

FILTER = "models_filter"
# Fewer than this need no filter.
FEW = 8
# Of a long group.
FIRST = 7
OWN, READY, SERVERS = "Of this session", "Ready to open", "On this server"
OPEN = (OWN, READY, SERVERS)
GONE = "Gone when you close or reload this tab."
_WHOLE = "models_groups_shown_whole"


@dataclass(frozen=True)
class Row:
    """A model of the list. can: "open", "download", "remove" besides opening, or "" with `why`."""

    name: str
    about: str
    facts: tuple[str, ...] = ()
    can: str = "open"
    why: str = ""

    def matches(self, wanted: str) -> bool:
        """Whether all words that were typed stand in it."""
        text = " ".join((self.name, self.about, *self.facts)).casefold()
        return all(word in text for word in wanted.casefold().split())


def shelf() -> None:
    """The card with its groups; each row has a button for what can be done with it."""
    groups = groups_of()
    with st.container(border=True, key="models_shelf_card"):
        st.markdown("**Models here**")
        wanted = ""
        if sum(map(len, groups.values())) >= FEW:
            wanted = st.text_input(
                "Filter",
                placeholder="Filter: a name, a task, a licence",
                key=FILTER,
                persist_state="session",
                label_visibility="collapsed",
            )
        found = {title: [row for row in rows if row.matches(wanted)] for title, rows in groups.items()}
        for title, rows in found.items():
            if rows:
                _group(title, rows, wanted, title == next(iter(groups)))
        if not any(found.values()):
            small_print("No model here has all these words.", "caption")


def groups_of() -> dict[str, list[Row]]:
    """Rows of the list by the group that they stand in."""
    listings, folders = catalogue(), folders_below_roots()
    known = {*folders, *(each.entry.name for each in listings)}
    added = [name for name in dict.fromkeys(st.session_state.get(own_models.ADDED, ())) if name not in known]
    groups = {
        OWN: [_own(name) for name in own_models.names()],
        READY: [_row(each) for each in listings if each.unavailable is None and not _is_study(each)],
        SERVERS: [Row(name, "A folder on the server.") for name in folders],
        "Downloaded by name": [Row(name, "A model of the hub.") for name in added],
        "To download": [_row(each, "download") for each in listings if each.downloadable],
        "To be studied beside others": [
            _row(each) for each in listings if each.unavailable is None and _is_study(each)
        ],
        "Not here": [_row(each, "") for each in listings if each.unavailable and not each.downloadable],
    }
    return {title: rows for title, rows in groups.items() if rows}


def _own(name: str) -> Row:
    return Row(name, GONE, tuple(filter(None, (own_models.chosen_of(name),))), "remove")


def _row(listing: Listing, can: str = "open") -> Row:
    entry = listing.entry
    why = "" if can else listing.unavailable or ""
    return Row(entry.name, entry.summary, (size_in_words(entry.nbytes), entry.licence), can, why)


def _is_study(listing: Listing) -> bool:
    return listing.entry.rank is not None and listing.entry.rank >= STUDY


def _show_whole(title: str) -> None:
    st.session_state[_WHOLE] = (*st.session_state.get(_WHOLE, ()), title)


def _group(title: str, rows: Sequence[Row], wanted: str, is_first: bool) -> None:
    """A group; of a long one the first rows, until somebody looks for something or asks for the rest."""
    searching = bool(wanted.strip())
    opened_whole = searching or title in st.session_state.get(_WHOLE, ())
    with st.expander(
        f"{title} ({len(rows)})", expanded=searching or is_first or title in OPEN, key=f"models_group_{title}"
    ):
        shown_rows = rows if opened_whole or len(rows) <= FIRST + 1 else rows[:FIRST]
        for row in shown_rows:
            _draw(row)
        if len(shown_rows) < len(rows):
            st.button(
                f"{len(rows) - len(shown_rows)} more",
                icon=":material/expand_more:",
                type="tertiary",
                on_click=_show_whole,
                args=(title,),
                key=f"models_more_{title}",
            )


def _draw(row: Row) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"models_row_{row.name}"):
        st.html(_words(row))
        if row.can in ("open", "remove"):
            st.button("Open", on_click=go, args=(ATTENTION, row.name), key=f"models_open_{row.name}")
        if row.can == "remove":
            _quiet("Remove", ":material/delete:", partial(remove, row.name), row.name, own_models.REMOVES)
        if row.can == "download":
            _quiet("Get", ":material/download:", partial(_download, row.name), row.name)


def _quiet(label: str, icon: str, do: Callable[[], None], name: str, told: str | None = None) -> None:
    st.button(label, icon=icon, type="tertiary", on_click=do, help=told, key=f"models_{label.lower()}_{name}")


def _download(name: str) -> None:
    """The way for models of the hub shows how far it is."""
    st.session_state[state.WAY] = state.HUB
    getting.ask_for(name)


def _words(row: Row) -> str:
    facts = " · ".join(row.facts)
    why = f'<span class="why">{escape(row.why)}</span>' if row.why else ""
    return (
        f'<div class="headlight-model"><b><bdi>{escape(shown(row.name))}</bdi></b><span>{escape(row.about)}</span>'
        f'<span class="facts">{escape(facts)}</span>{why}</div>'
    )
