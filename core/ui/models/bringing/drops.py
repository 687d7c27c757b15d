"""Drops of folders, whose files keep their paths; and none beside an uploader, which would leave the page."""

from __future__ import annotations

import json

import streamlit as st

from core.models.intake.limits import STANDARD
from core.ui.frame import ASSETS

TOO_MANY = f"More than {STANDARD.entries:,} files were dropped, too many for an upload: drop the folder of one model."
NONE = "The folder that was dropped holds no files: drop the folder of a model."


def mind_drops() -> None:
    """Draw the script; to be called in every run."""
    script = (ASSETS / "drops.js").read_text("utf-8")
    told = json.dumps({"most": STANDARD.entries, "tooMany": TOO_MANY, "none": NONE})
    with st.sidebar.container(key="models_drops"):
        st.html(f"<script>({script})({told});</script>", unsafe_allow_javascript=True)
