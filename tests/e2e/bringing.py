"""The Models page in a browser, driven as somebody does who brings a model."""

from __future__ import annotations

import os
import re
import time
import urllib.parse
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect
from torch import Tensor

from core.models.model import Model
from tests.e2e.browser import App
from tests.e2e.upload_files import Upload

# For what opens a box or imports the libraries first, on a core that others use as well.
PATIENCE = 120_000
# Beside each upload: which process it belongs to.
OWNER = "owner.json"
PLACE = re.compile(r"layer (\d+), (?:mean of \d+ heads|head (\d+))")
_OF_FOLDERS, _OF_FILES = "[webkitdirectory]", ":not([webkitdirectory])"
ALL_LOADED = re.compile(r"tensors? (was|were) loaded, all that the model has\.")


def arrive(app: App, **parameters: object) -> App:
    """Go to the page by its address."""
    app.page.goto(f"{app.address}/models?{urllib.parse.urlencode(parameters)}")
    app.card("models_bring").wait_for(timeout=PATIENCE)
    # Streamlit asks for its own files below the address first, and then finds them at the root.
    app.problems[:] = [problem for problem in app.problems if "404" not in problem]
    return app.idle()


def uploader(app: App, kind: str) -> Locator:
    """The uploader of files or of folders, once it is there."""
    field = {"files": _OF_FILES, "folders": _OF_FOLDERS}[kind]
    return app.card("models_bring").locator(f"[data-testid=stFileUploaderDropzone]:has(input{field})")


def give(app: App, files: Sequence[Upload] | Path) -> App:
    """Choose files, or a folder, in the dialog of the uploader."""
    field = uploader(app, "folders" if isinstance(files, Path) else "files").locator("input")
    field.set_input_files(str(files) if isinstance(files, Path) else [file.payload for file in files])
    return app


def give_vocabulary(app: App, files: Sequence[Upload]) -> App:
    """Choose files in the dialog of the uploader that the form of the tokenizer has."""
    app.card("models_missing").locator("input[type=file]").set_input_files([file.payload for file in files])
    return app


def drop(app: App, place: Locator, *paths: Path) -> App:
    """Drop files and folders of the disk on the middle of a place, as out of a file manager."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    devtools = app.page.context.new_cdp_session(app.page)
    for step in ("dragEnter", "dragOver", "drop"):
        devtools.send("Input.dispatchDragEvent", {"type": step, **at, "data": data})
    devtools.detach()
    return app


def bring(app: App, files: Sequence[Upload] | Path, title: str = "") -> App:
    """Choose files, or a folder, and wait until the page shows what came. title: what it is called there."""
    if not title:
        assert not isinstance(files, Path)
        title = files[0].name if len(files) == 1 else f"{len(files)} files"
    give(app, files)
    return came(app, title)


def came(app: App, title: str) -> App:
    """Wait until the page shows what came under this title, and asks what it lacks."""
    app.card("models_found").filter(has_text=f"What came: {title}").wait_for(timeout=PATIENCE)
    app.page.locator(".st-key-models_open").wait_for(timeout=PATIENCE)
    return app.idle()


def press_open(app: App) -> App:
    """Press the button below the forms."""
    button = app.page.locator(".st-key-models_open button")
    expect(button).to_be_enabled(timeout=PATIENCE)
    app.idle()
    button.click()
    return app


def opened(app: App, name: str) -> App:
    """Open what came under a name, and wait for the report of the model, which must say that its weights are there."""
    field = app.page.get_by_role("textbox", name="Name", exact=True)
    if field.input_value() != name:
        fill(app, "Name", name)
    return reported(press_open(app), f"{name} (own)")


def reported(app: App, name: str) -> App:
    """Wait for the report of a model, which must say that its weights are all there."""
    card = app.card("models_opened").filter(has_text=f"Open: {name}")
    card.wait_for(timeout=PATIENCE)
    expect(card.locator(".headlight-report")).to_contain_text(ALL_LOADED)
    assert card.locator(".headlight-report tr.error").count() == 0
    return app.idle()


def differently(app: App) -> App:
    """Have the forms of what was opened once more."""
    app.page.get_by_role("button", name="Open it differently").click()
    app.card("models_missing").locator(".st-key-models_open button").wait_for(timeout=PATIENCE)
    return app.idle()


def stands(app: App, name: str) -> App:
    """Open what came under a name, and go to its picture."""
    return see(opened(app, name), f"{name} (own)")


def see(app: App, name: str) -> App:
    """Go through the door to the Attention page, and wait for its picture of the model."""
    app.page.get_by_role("button", name="See its attention").click()
    expect(app.page.locator(".provenance")).to_have_text(re.compile(f"^{re.escape(name)}"), timeout=PATIENCE)
    return app.drawn("Together")


def text_of(app: App) -> str:
    """The text that the Attention page shows."""
    return app.page.get_by_role("textbox", name="Text", exact=True).input_value()


def agrees(app: App, model: Model) -> None:
    """The picture is that of this model: the same tokens, and the same weight in one cell of the heatmap."""
    trace = model.run(text_of(app))
    has_weight(app, trace.tokens.labels, trace.attention)


def has_weight(app: App, labels: Sequence[str], maps: Callable[[int], Tensor]) -> None:
    """The heatmap has these tokens, and in its last row the weight on the second one that it must have.

    maps: of a layer, (H, T, S).
    """
    place = PLACE.search(app.caption("heatmap"))
    assert place is not None
    row, col, count = len(labels) - 1, 1, len(labels)
    lines = app.hover_cell(row, col, count, count)
    assert lines[0] == f"{labels[row]} → {labels[col]}"
    weights = maps(int(place[1]))[:, row, col]  # (H, T, S) -> (H,)
    expected = weights[int(place[2])] if place[2] else weights.mean()
    assert float(lines[1]) == pytest.approx(float(expected), rel=2e-3, abs=1e-5)


def choose(app: App, label: str, option: str) -> App:
    """Take an option of a menu."""
    menu = app.page.get_by_role("combobox", name=label, exact=True)
    # A menu that opens while the page still scrolls closes again.
    menu.scroll_into_view_if_needed()
    menu.click()
    app.page.get_by_role("option", name=option, exact=True).click()
    return app.idle()


def take(app: App, label: str) -> App:
    """Take one of the ways that a form offers, by the beginning of its label."""
    app.page.locator("[data-testid=stMain] label").filter(has_text=re.compile(f"^{re.escape(label)}")).first.click()
    return app.idle()


def fill(app: App, label: str, text: str) -> App:
    """Type into a field, and let the page know."""
    field = app.page.get_by_role("textbox", name=label, exact=True)
    field.fill(text)
    field.press("Control+Enter" if "\n" in text else "Enter")
    return app.idle()


def reads(app: App, ids: Sequence[int]) -> App:
    """Wait until the form shows that its tokenizer cuts the text it is tried on into tokens of these ids."""
    expect(app.page.locator(".headlight-tokens li small")).to_have_text(list(map(str, ids)), timeout=PATIENCE)
    return app.idle()


def way(app: App, name: str) -> App:
    """Switch to another way in."""
    app.card("models_bring").get_by_role("radio", name=name, exact=True).click()
    return app.idle()


def is_refused(app: App, *words: str) -> App:
    """Wait for a sentence with these words, in a box or beside a file in the table."""
    told = app.page.locator("[data-testid=stMain] :is(.headlight-note.error, .headlight-files tr.error)")
    for word in words:
        told = told.filter(has_text=word)
    expect(told.first).to_be_visible(timeout=PATIENCE)
    return app.idle()


def below(root: Path) -> list[Path]:
    """All files below a folder that may change meanwhile."""
    return [Path(place, name) for place, _, names in os.walk(root) for name in names]


def left(root: Path) -> list[str]:
    """What lies below the folder of uploads, whoever it belongs to, without the notes on whose it is."""
    return sorted(path.name for path in below(root) if path.name != OWNER)


def soon(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Whether something comes true within that time."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()
