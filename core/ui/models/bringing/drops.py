"""What is dropped or chosen, before it is sent: folders keep their paths, too much is refused."""

from __future__ import annotations

import json

import streamlit as st

from core.models.intake.limits import Limits, megabytes
from core.ui.frame import ASSETS

TOO_MANY = "More than {entries:,} files are too many for an upload: take the folder of one model."
TOO_LARGE = (
    "An upload may hold {most} together, and this would be more: put the model into a folder that HEADLIGHT_MODELS "
    "names where Headlight runs, and open it under Server."
)
NONE = "The folder that was dropped holds no files: drop the folder of a model."


def mind_drops(bounds: Limits) -> None:
    """Draw the script; to be called in every run. bounds: what an upload may hold."""
    script = (ASSETS / "drops.js").read_text("utf-8")
    told = {
        "most": bounds.entries,
        "bytes": bounds.nbytes,
        "tooMany": TOO_MANY.format(entries=bounds.entries),
        "tooLarge": TOO_LARGE.format(most=megabytes(bounds.nbytes)),
        "none": NONE,
    }
    with st.sidebar.container(key="models_drops"):
        st.html(f"<script>({script})({json.dumps(told)});</script>", unsafe_allow_javascript=True)
