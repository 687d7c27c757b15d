"""The app as a browser meets it, with random models of the sizes that benchmarks ask for, and a clock in the page."""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, WebSocket
from transformers import BertConfig, BertModel

from core.models.catalogue import find
from tests.e2e.browser import App, opened_app, running_browser, running_server
from tests.tiny import sharpen

# Every one of them is one token of MiniLM's tokenizer.
WORDS = (
    "the",
    "old",
    "cat",
    "sat",
    "on",
    "a",
    "red",
    "mat",
    "and",
    "saw",
    "one",
    "small",
    "dog",
    "run",
    "home",
    "with",
)
ROUNDS = 5
# The browser keeps pictures of earlier runs, which would hide what a new one costs.
FORGETFUL = {"STREAMLIT_GLOBAL_MAX_CACHED_MESSAGE_AGE": "1"}
MODELS = {
    "heads-12x12": dict(num_hidden_layers=12, num_attention_heads=12, hidden_size=192, max_position_embeddings=1024),
    "heads-32x32": dict(num_hidden_layers=32, num_attention_heads=32, hidden_size=256, max_position_embeddings=1024),
    "long": dict(num_hidden_layers=2, num_attention_heads=4, hidden_size=32, max_position_embeddings=16_384),
}

# Clicks, and waits until the script has run, the figure has been drawn anew, and two frames have passed.
CLICK_TO_DRAWN = """async ([control, figure]) => {
  const app = document.querySelector('[data-testid=stApp]');
  const state = () => app.getAttribute('data-test-script-state');
  const drawn = () => figure ? Number(figure.dataset.drawn) : 1;
  const frame = () => new Promise(requestAnimationFrame);
  const before = figure ? drawn() : 0;
  let ran = false;
  const watch = new MutationObserver(() => { ran ||= state() === 'running'; });
  watch.observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
  const start = performance.now();
  control.click();
  while (!(ran && state() === 'notRunning' && drawn() > before)) {
    if (performance.now() - start > 120000) throw new Error('nothing was drawn within two minutes');
    await frame();
  }
  await frame();
  watch.disconnect();
  return performance.now() - start;
}"""


@dataclass
class Site:
    """A tab on the app, and the bytes that its websocket has received."""

    app: App
    received: list[int] = field(default_factory=list)

    def milliseconds(self, control: Locator, figure: str | None = None) -> tuple[float, int]:
        """From a click on a control until the figure is drawn anew, or the script has run; and the bytes received."""
        handles = [control.element_handle(), self.app.figure(figure).element_handle() if figure else None]
        self.received.clear()
        taken = self.app.page.evaluate(CLICK_TO_DRAWN, handles)
        return float(taken), sum(self.received)

    def first_picture(self, text: str, figure: str) -> tuple[float, int]:
        """Milliseconds from Ctrl+Enter on a text until a figure that was not there before is drawn; bytes received."""
        page = self.app.page
        page.get_by_role("textbox", name="Text", exact=True).fill(text)
        self.received.clear()
        start = time.perf_counter()
        page.keyboard.press("Control+Enter")
        self.app.figure(figure).wait_for()
        self.app.idle()
        return 1000 * (time.perf_counter() - start), sum(self.received)

    def medians(self, controls: list[Locator], figure: str | None = None) -> tuple[float, int]:
        """The median time of clicks on these controls in turn, and the most bytes that one of them brought."""
        taken = [self.milliseconds(controls[turn % len(controls)], figure) for turn in range(ROUNDS + 1)][1:]
        return statistics.median(time for time, _ in taken), max(size for _, size in taken)

    def empty_rerun(self) -> float:
        """The time of a rerun of the page, with a text of one word, that changes nothing."""
        self.app.open(model="all-MiniLM-L6-v2")
        self.app.analyse("x").drawn()
        return self.medians([self.app.page.get_by_role("button", name="Analyse")])[0]


def text_of(tokens: int) -> str:
    """A text that MiniLM's tokenizer reads as so many tokens, the two special ones among them."""
    return " ".join(WORDS[i % len(WORDS)] for i in range(tokens - 2))


@contextmanager
def served() -> Iterator[Site]:
    """The app with the models of this module, open in a browser."""
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            save_model(Path(folder) / name)
        with (
            running_server(Path(folder) / "log.txt", HEADLIGHT_MODELS=folder, **FORGETFUL) as address,
            running_browser() as browser,
            opened_app(browser, address) as app,
        ):
            app.page.set_default_timeout(300_000)
            site = Site(app)
            app.page.on("websocket", lambda socket: _count(socket, site.received))
            yield site


def _count(socket: WebSocket, received: list[int]) -> None:
    socket.on("framereceived", lambda data: received.append(len(data)))


def save_model(folder: Path) -> None:
    """Save the model that has the folder's name in MODELS, with MiniLM's tokenizer."""
    sizes = MODELS[folder.name]
    network = BertModel(BertConfig(intermediate_size=128, **sizes))
    sharpen(network)
    network.save_pretrained(folder)
    own = Path(find("all-MiniLM-L6-v2").locate())
    for file in own.glob("*token*.json"):
        shutil.copy(file, folder)
    settings = folder / "tokenizer_config.json"
    read = json.loads(settings.read_text("utf-8"))
    settings.write_text(json.dumps({**read, "model_max_length": sizes["max_position_embeddings"]}), "utf-8")
