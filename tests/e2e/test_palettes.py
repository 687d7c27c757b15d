"""The colours of weights keep their order for eyes that see fewer of them, and heads differ in more than hue."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.e2e.browser import opened_app

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB: what people with these conditions see.
CONDITIONS = {
    "full colour vision": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
RAMP = "(root) => getComputedStyle(root).getPropertyValue('--ramp')"


# Linear sRGB to CIE XYZ, each row as a share of the white point.
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
XYZ = XYZ / XYZ.sum(axis=1, keepdims=True)


def lab(colours: np.ndarray, condition: str) -> np.ndarray:
    """CIE L*a*b* of sRGB colours, 0 to 255, as somebody with the condition sees them: (n, 3) -> (n, 3)."""
    shares = colours / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ CONDITIONS[condition].T, 0, 1) @ XYZ.T
    x, y, z = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def colours_in(text: str) -> np.ndarray:
    return np.array([[int(part) for part in found] for found in re.findall(r"rgb\((\d+), (\d+), (\d+)\)", text)])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ramp_keeps_its_order_in_every_eye(browser, server: str, scheme: str):
    with opened_app(browser, server, scheme=scheme) as app:
        ramp = colours_in(app.open().figure("heatmap").evaluate(RAMP))
        assert len(ramp) == 17
        for condition in CONDITIONS:
            steps = np.diff(lab(ramp, condition)[:, 0]) * (1 if scheme == "dark" else -1)
            assert steps.min() > 1, (condition, steps)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_neighbouring_heads_differ_in_every_eye(browser, server: str, scheme: str):
    with opened_app(browser, server, scheme=scheme) as app:
        chips = app.open().figure("headview").locator(".chip")
        colours = chips.evaluate_all("(chips) => chips.map((chip) => getComputedStyle(chip).borderTopColor).join()")
        heads = colours_in(colours)
        assert len(heads) == 12
        for condition in CONDITIONS:
            differences = np.linalg.norm(np.diff(lab(heads, condition), axis=0), axis=1)
            assert differences.min() > 15, (condition, differences)
