"""Every figure card's downloads hold the numbers that the figure shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.e2e.browser import App


def download(app: App, card: str, kind: str) -> Path:
    frame = app.page.locator(f".st-key-{card}_card")
    frame.get_by_role("button", name="Data").click()
    with app.page.expect_download() as event:
        app.page.get_by_role("button", name=kind).click()
    app.page.keyboard.press("Escape")
    path = Path(event.value.path())
    return path.rename(path.with_name(event.value.suggested_filename))


@pytest.fixture
def trace(minilm):
    return minilm.run("The 猫 sat, the cat sat.")


@pytest.fixture
def opened(app: App) -> App:
    return app.open(layer=2, head=4).analyse("The 猫 sat, the cat sat.").drawn()


def test_the_heatmap_as_csv(opened: App, trace):
    path = download(opened, "heatmap", "CSV table")
    table = pd.read_csv(path)
    count = len(trace.tokens)
    assert path.name == "all-MiniLM-L6-v2_self_layer2_head4.csv"
    assert list(table["query"][::count]) == list(trace.tokens.labels)
    weights = table["weight"].to_numpy().reshape(count, count)
    np.testing.assert_allclose(weights, trace.attention(2, [4])[0], atol=1e-6)


def test_the_heatmap_as_npz(opened: App, trace):
    with np.load(download(opened, "heatmap", "NumPy archive")) as archive:
        np.testing.assert_allclose(archive["weights"], trace.attention(2, [4])[0], atol=1e-6)
        assert tuple(archive["keys"]) == trace.tokens.labels
        assert "layer 2, head 4" in str(archive["caption"])


def test_the_overview_as_npz_and_csv(opened: App, trace):
    with np.load(download(opened, "overview", "NumPy archive")) as archive:
        np.testing.assert_allclose(archive["tiles"][2], trace.attention(2), atol=1e-6)
    table = pd.read_csv(download(opened, "overview", "CSV table"))
    assert len(table) == 6 * 12
    entropy = torch_entropy(trace.attention(2)[4])
    assert table.query("layer == 2 and head == 4")["entropy_nats"].item() == pytest.approx(entropy, abs=1e-4)


def test_the_head_view_as_npz(opened: App, trace):
    with np.load(download(opened, "headview", "NumPy archive")) as archive:
        np.testing.assert_allclose(archive["weights"], trace.attention(2), atol=1e-6)


def torch_entropy(weights) -> float:
    rows = weights.numpy().astype(float)
    return float(-(rows * np.log(rows)).sum(-1).mean())
