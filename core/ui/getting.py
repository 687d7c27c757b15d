"""Models of the hub that are asked for by a click: opened if they are here, else downloaded, under a bar with Stop."""

from __future__ import annotations

import streamlit as st

from core.errors import HeadlightError
from core.models import Listing, catalogue, download
from core.ui.own_models import ADDED
from core.ui.progress import with_progress
from core.ui.words import note, small_print

# The model that was asked for: a run that anything else begins goes on getting it.
ASKED = "asked_model"
# Why the latest model that was asked for could not be had; it stays until another is asked for.
REFUSED = "refused_model"
NETWORK = "Only these buttons use the network; the files go into the cache of the Hugging Face hub."
_NAME = "hub_name"


def hub_box() -> None:
    """The box for any name on the hub, with its button."""
    name = st.text_input("Name on the hub, owner/name or owner/name@revision", key=_NAME, on_change=forget_refusal)
    st.button("Open, or download", disabled=not name.strip(), width="stretch", key="hub_open", on_click=_ask_for_named)


def well_known() -> None:
    """The models of the catalogue that can be downloaded: a menu, and a button that says how large."""
    offered = {_short(listing): listing.entry for listing in catalogue() if listing.downloadable}
    if not offered:
        return
    chosen = st.selectbox("Well-known models", list(offered), key="offered")
    small_print(offered[chosen].summary, "offer-summary")
    size = f"{offered[chosen].nbytes / 1e6:,.0f} MB"
    st.button(
        f"Download, {size}",
        icon=":material/download:",
        width="stretch",
        key="download",
        on_click=ask_for,
        args=(offered[chosen].name,),
    )


def ask_for(name: str) -> None:
    """Have a model got by the next runs; to be called as a callback."""
    forget_refusal()
    st.session_state[ASKED] = name


def asked() -> str | None:
    """The model that is to be got, if one is."""
    wanted: str | None = st.session_state.get(ASKED)
    return wanted


def get(name: str, is_here: bool) -> bool:
    """Download a model unless it is here. False where it cannot be had: `tell_refusal` then says why."""
    if not is_here:
        try:
            with_progress(name, lambda job: download(name, job), forget_asked, key="download_progress")
        except HeadlightError as error:
            forget_asked()
            st.session_state[REFUSED] = str(error)
            return False
        except Exception:
            # Else every later run would meet the same error; a run that another one replaces raises none of these.
            forget_asked()
            raise
    forget_asked()
    st.session_state[ADDED] = (*st.session_state.get(ADDED, ()), name)
    return True


def tell_refusal() -> None:
    """Why the latest model that was asked for could not be had."""
    if refused := st.session_state.get(REFUSED):
        note(refused, "error")


def forget_asked() -> None:
    """Nothing is to be got any more."""
    st.session_state.pop(ASKED, None)


def forget_refusal() -> None:
    """Somebody asks for something else."""
    st.session_state.pop(REFUSED, None)


def _ask_for_named() -> None:
    ask_for(st.session_state[_NAME].strip())


def _short(listing: Listing) -> str:
    return listing.entry.name.rpartition("/")[2]
