"""How the browser tests read figures: cells of the heatmap at any zoom, pixels, and what a screen reader is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from playwright.sync_api import Locator, TimeoutError

from tests.e2e.browser import App
from tests.views.ramp import light_ramp

# Moves the pointer over each cell and returns the lines of its tooltip, null where the cell is not in view.
_SWEEP = """(root, cells) => {
  const canvas = root.querySelector('canvas.cursor'), tooltip = root.querySelector('.tooltip');
  const [left, top, width, height, firstRow, lastRow, firstCol, lastCol] = ['left', 'top', 'width', 'height',
    'firstRow', 'lastRow', 'firstCol', 'lastCol'].map((name) => Number(root.dataset[name]));
  const [down, across] = [height / (lastRow - firstRow + 1), width / (lastCol - firstCol + 1)];
  const box = canvas.getBoundingClientRect();
  return cells.map(([row, col]) => {
    if (row < firstRow || row > lastRow || col < firstCol || col > lastCol) return null;
    canvas.dispatchEvent(new PointerEvent('pointermove', {
      clientX: box.left + left + (col - firstCol + 0.5) * across,
      clientY: box.top + top + (row - firstRow + 0.5) * down,
    }));
    return [...tooltip.children].map((line) => line.textContent);
  });
}"""
_MIDDLES = """(root) => {
  const canvas = root.querySelector('canvas.matrix'), ratio = devicePixelRatio;
  const [left, top, width, height, lastRow, lastCol] = ['left', 'top', 'width', 'height', 'lastRow', 'lastCol']
    .map((name) => Number(root.dataset[name]));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return Array.from({ length: lastRow + 1 }, (_, row) => Array.from({ length: lastCol + 1 }, (_, col) => [
    ...context.getImageData((left + (col + 0.5) * width / (lastCol + 1)) * ratio,
      (top + (row + 0.5) * height / (lastRow + 1)) * ratio, 1, 1).data].slice(0, 3)));
}"""
RAMP = np.stack([light_ramp(level / 254) for level in range(255)])


def seen(app: App) -> dict[str, int]:
    """The first and last row and column that the heatmap shows."""
    heatmap = app.figure("heatmap")
    names = ("first-row", "last-row", "first-col", "last-col")
    return {name: int(heatmap.get_attribute(f"data-{name}") or -1) for name in names}


def swept(app: App, cells: Sequence[tuple[int, int]]) -> list[list[str] | None]:
    """The tooltip's lines at each cell, None for one that is not in view."""
    found: list[list[str] | None] = app.figure("heatmap").evaluate(_SWEEP, [list(cell) for cell in cells])
    return found


def point_at(app: App, x: float, y: float) -> list[str]:
    """Move the pointer to a place of the heatmap in pixels; returns the tooltip's lines."""
    heatmap = app.figure("heatmap")
    heatmap.locator("canvas.cursor").hover(position={"x": x, "y": y})
    return heatmap.locator(".tooltip.shown > div").all_inner_texts()


def colours(app: App) -> np.ndarray:
    """Red, green and blue in the middle of each cell of a heatmap that is not zoomed."""
    return np.array(app.figure("heatmap").evaluate(_MIDDLES))


def levels(app: App) -> np.ndarray:
    """The place on the light ramp, 0 to 1, of each cell's colour."""
    distances = np.abs(colours(app)[:, :, None] - RAMP).sum(-1)  # (rows, cols, 255)
    assert distances.min(-1).max() <= 3, "a cell has a colour that is not on the ramp"
    return distances.argmin(-1) / 254


def spoken(figure: Locator, key: str) -> str:
    """Press a key and return what a screen reader is told."""
    figure.page.keyboard.press(key)
    return figure.locator(".live").text_content() or ""


def written_number(text: str) -> float:
    """A number as the query-key view writes it, with a minus sign."""
    return float(text.replace("−", "-"))


def show_display(app: App) -> Locator:
    """Open the sidebar's Display part and return the sidebar."""
    app.page.get_by_text("Display", exact=True).click()
    app.page.get_by_text("Merge to words").wait_for()
    return app.page.locator("[data-testid=stSidebar]")


def choose(app: App, menu: str, option: str) -> None:
    """Choose from a menu; one does not open, or closes again, while what is around it unfolds: then once more."""
    for patience in (1_500, 1_500, 3_000, 3_000, 10_000):
        app.page.get_by_role("combobox", name=menu).click()
        try:
            app.page.get_by_role("option", name=option).click(timeout=patience)
            return
        except TimeoutError:
            app.page.keyboard.press("Escape")
    raise AssertionError(f"the menu {menu} never offered {option}")
