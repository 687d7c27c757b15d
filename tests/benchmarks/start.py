"""From `streamlit run` to the first picture, beside importing PyTorch and transformers and opening the model alone."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser

from tests.e2e.browser import ROOT, opened_app, running_browser, running_server

ROUNDS = 3
ALONE = "import torch, transformers; from core import load; load('all-MiniLM-L6-v2')"


def table() -> str:
    """The table as Markdown: both times, and how far they lie apart."""
    with running_browser() as browser:
        _first_picture(browser)
        pairs = [(_alone(), _first_picture(browser)) for _ in range(ROUNDS)]
    alone, first = (statistics.median(times) for times in zip(*pairs, strict=True))
    return "\n".join(
        [
            "| imports and model alone | `streamlit run` to the first picture | difference |",
            "| --- | --- | --- |",
            f"| {alone:.1f} s | {first:.1f} s | {first - alone:+.1f} s |",
        ]
    )


def _alone() -> float:
    start = time.perf_counter()
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def _first_picture(browser: Browser) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with running_server(Path(folder) / "log.txt") as address, opened_app(browser, address) as app:
            app.page.goto(address)
            app.figure("overview").wait_for()
            return time.perf_counter() - start
