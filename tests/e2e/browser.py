"""A running Headlight and a real Chromium: what the browser tests and the README's pictures share."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from playwright.sync_api import Browser, Dialog, Locator, Page, Request, TimeoutError, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    # No other host has an address. Intercepting each request instead would switch the browser's cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
# Names of the figures of a first visit's view.
FIGURES = ("overview", "heatmap", "headview")
# What each view shows besides the panel of measures; Plotly draws the head map.
VIEWS = {
    "Together": FIGURES,
    "Heatmap": ("overview", "heatmap"),
    "Head view": ("overview", "headview"),
    "Text": ("overview", "text"),
    "Query–key": ("overview", "querykey"),
    "All heads": ("overview",),
    "Head map": ("overview",),
}
# The component of a figure whose name is not that of its component.
COMPONENTS = {"whole": "heatmap"}
# Streamlit has nothing left to do, and each of these cards holds one figure, its own: while one view takes another's
# place, a card may for a moment hold the figure that stood there before. It holds for some frames, since what a run
# sent last is drawn after the run has ended.
_DRAWN = """([cards, wait]) => {
  const app = document.querySelector('[data-testid=stApp]');
  const holds = app && app.getAttribute('data-test-script-state') === 'notRunning'
    && !document.querySelector('[data-stale=true],[data-testid=stSkeleton]')
    && cards.every(([name, component]) => {
      const figures = [...document.querySelectorAll(`.st-key-${name}_card *`)]
        .flatMap(({ shadowRoot }) => [...shadowRoot?.querySelectorAll('.headlight[data-drawn]') ?? []]);
      return figures.length === 1 && figures[0].classList.contains(component);
    });
  if (window.settled?.wait !== wait) window.settled = { wait, frames: 0 };
  window.settled.frames = holds ? window.settled.frames + 1 : 0;
  return window.settled.frames >= 3;
}"""
_COUNT_RUNS = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  const count = () => { if (app.getAttribute('data-test-script-state') === 'running') window.startedRuns += 1; };
  window.startedRuns = 0;
  window.runWatcher?.disconnect();
  window.runWatcher = new MutationObserver(count);
  window.runWatcher.observe(app, { attributeFilter: ['data-test-script-state'] });
}"""
# How long a run may take to start on a busy machine; what starts none waits that long.
LATEST_START = 3_000
SLUGS = {
    "Together": "together",
    "Heatmap": "heatmap",
    "Head view": "headview",
    "Text": "text",
    "Query–key": "querykey",
    "All heads": "overview",
    "Head map": "headmap",
}


def chromium() -> str | None:
    """Path of the system's Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def running_server(log: Path, **variables: str) -> Iterator[str]:
    """The app on a free port, with these environment variables on top; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    environment |= variables
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, *options], cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_healthy(address, process)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server did not become healthy within a minute")


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class App:
    """One browser tab on the app. `problems` gathers requests to other hosts, console errors and script errors."""

    page: Page
    address: str
    problems: list[str]

    def open(self, **parameters: object) -> App:
        """Go to the app with these URL parameters and wait until it is drawn."""
        query = f"?{urllib.parse.urlencode(parameters)}" if parameters else ""
        self.page.goto(f"{self.address}/{query}")
        return self.drawn()

    def drawn(self, view: str = "") -> App:
        """Wait until all figures of the open view are drawn and the script is done; view: its name, if it is known."""
        view = view or self.open_view()
        self.idle(*VIEWS[view])
        if view == "Head map":
            self.page.locator(".st-key-headmap_card .js-plotly-plot .main-svg").first.wait_for()
        return self

    def open_view(self) -> str:
        """The name of the view that the address opens."""
        parameters = urllib.parse.parse_qs(urllib.parse.urlsplit(self.page.url).query)
        slug = parameters.get("view", ["together"])[-1]
        return next((name for name, known in SLUGS.items() if known == slug), "Together")

    def view(self, name: str) -> App:
        """Switch to a view by its name and wait until it is drawn."""
        with self.rerun():
            self.page.locator(".st-key-view_bar").get_by_role("radio", name=name, exact=True).click()
        return self.drawn(name)

    def card(self, name: str) -> Locator:
        """The card of the figure of that name; "measures" is the side panel."""
        return self.page.locator(f".st-key-{name}_card")

    def caption(self, name: str) -> str:
        """The caption of a figure."""
        return self.card(name).locator(".caption").inner_text()

    def export(self, name: str) -> Locator:
        """Open a figure's Export menu; returns the menu, whose buttons are found by role and name."""
        self.card(name).get_by_role("button", name="Export").click()
        menu = self.page.locator("[data-testid=stPopoverBody]").last
        menu.get_by_role("button", name="CSV table").wait_for()
        return menu

    def download(self, name: str, button: str) -> Path:
        """The file that a button of a figure's Export menu saves."""
        menu = self.export(name)
        with self.page.expect_download() as saved:
            menu.get_by_role("button", name=button).click()
        self.page.keyboard.press("Escape")
        return Path(saved.value.path())

    def idle(self, *figures: str) -> App:
        """Wait until Streamlit has nothing left to do and the figures of these names are drawn."""
        cards = [[name, COMPONENTS.get(name, name)] for name in figures]
        self.page.wait_for_function(_DRAWN, arg=[cards, time.monotonic_ns()])
        return self

    @contextmanager
    def rerun(self) -> Iterator[None]:
        """Do inside what makes the script run again, and wait until that run has started."""
        self.page.evaluate(_COUNT_RUNS)
        yield
        with suppress(TimeoutError):
            self.page.wait_for_function("() => window.startedRuns > 0", timeout=LATEST_START)

    def analyse(self, text: str) -> App:
        """Type a text, press Ctrl+Enter, and wait until the script is done."""
        self.page.get_by_role("textbox", name="Text", exact=True).fill(text)
        with self.rerun():
            self.page.keyboard.press("Control+Enter")
        return self.idle()

    def queries(self) -> list[str]:
        """The labels of the head view's left column."""
        return self.drawn().figure("headview").locator(".token.query").all_inner_texts()

    def figure(self, name: str) -> Locator:
        """The root of the component that draws the figure of that name, drawn at least once."""
        return self.card(name).locator(f".headlight.{COMPONENTS.get(name, name)}[data-drawn]")

    def tile(self, layer: int, head: int) -> Locator:
        """The button over one tile of the picture of all heads."""
        return self.page.get_by_role("button", name=re.compile(f"^Layer {layer} head {head},"))

    def hover_cell(self, row: int, col: int, rows: int, cols: int, heatmap: Locator | None = None) -> list[str]:
        """Point at one cell of the heatmap, that of the page if none is given; returns the lines of its tooltip."""
        heatmap = heatmap or self.figure("heatmap")
        place = {side: float(heatmap.get_attribute(f"data-{side}") or 0) for side in ("left", "top", "width", "height")}
        heatmap.locator("canvas.cursor").hover(
            position={
                "x": place["left"] + (col + 0.5) * place["width"] / cols,
                "y": place["top"] + (row + 0.5) * place["height"] / rows,
            }
        )
        return heatmap.locator(".tooltip.shown > div").all_inner_texts()

    def notes(self) -> list[str]:
        """The sentences in boxes above the figures."""
        return self.page.locator(".headlight-note").all_inner_texts()


@contextmanager
def opened_app(browser: Browser, address: str, *, scheme: str = "light", width: int = 1440) -> Iterator[App]:
    """A browser session of its own; a request to another host is one of its problems, and none gets an answer."""
    page = _tab(browser, scheme, width)
    app = App(page, address, [])

    def note_dialog(dialog: Dialog) -> None:
        app.problems.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def note_request(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:", "about:")):
            app.problems.append(f"request to {request.url}")

    listeners: dict[str, Callable[..., None]] = {
        "console": lambda message: app.problems.append(message.text) if message.type == "error" else None,
        "pageerror": lambda error: app.problems.append(f"{error}\n{error.stack}"),
        "dialog": note_dialog,
    }
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    page.context.on("request", note_request)
    try:
        yield app
    except BaseException:
        page.context.close()
        raise
    page.context.remove_listener("request", note_request)
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    _put_back(page, browser, scheme, width)


@lru_cache
def _idle(browser: Browser, scheme: str, width: int) -> list[Page]:
    """Tabs that tests have left: a new one costs a second of a core, for its process and for compiling the scripts."""
    return []


def _tab(browser: Browser, scheme: str, width: int) -> Page:
    if idle := _idle(browser, scheme, width):
        return idle.pop()
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    _look(page, scheme, width)
    return page


def _look(page: Page, scheme: str, width: int) -> None:
    """What a test may change of a tab."""
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": width, "height": 900 if width < 1900 else 1080})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]


def _put_back(page: Page, browser: Browser, scheme: str, width: int) -> None:
    """Close the tabs beside it, and forget what the pages stored and what the test changed."""
    if page.is_closed():
        page.context.close()
        return
    for other in page.context.pages:
        if other is not page:
            other.close()
    if page.url.startswith("http"):
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.goto("about:blank")
    page.mouse.move(0, 0)
    page.context.clear_cookies()
    page.context.clear_permissions()
    _look(page, scheme, width)
    _idle(browser, scheme, width).append(page)
