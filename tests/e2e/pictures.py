"""Takes the README's pictures from the running app: `python -m tests.e2e.pictures`."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from tests.e2e.browser import ROOT, App, opened_app, running_browser, running_server

FOLDER = ROOT / ".github"


def main() -> None:
    """Write light, dark and close-up pictures into the folder of pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder) / "log.txt") as address,
        running_browser() as browser,
    ):
        with opened_app(browser, address) as app:
            app.open()
            _hover(app)
            _shoot(app, "attention-light.png")
        with opened_app(browser, address, scheme="dark") as app:
            app.open()
            app.page.get_by_role("radio", name="Longer text").click()
            app.page.wait_for_timeout(300)
            app.drawn()
            _shoot(app, "attention-dark.png")
        with opened_app(browser, address) as app:
            _align(app)
            _shoot(app, "alignment-light.png")
        with opened_app(browser, address) as app:
            _explain(app)
            _shoot(app, "saliency-light.png")
        with opened_app(browser, address) as app:
            _reorder(app)
            _shoot(app, "positions-light.png")
        with opened_app(browser, address) as app:
            _bring(app, Path(folder) / "film-reviews.zip")
            _shoot(app, "models-light.png")
        with opened_app(browser, address) as app:
            _train(app)
            _shoot(app, "training-light.png")


def _hover(app: App) -> None:
    """Point at the cell that the first example is about: what “it” gives to “animal”."""
    labels = app.queries()
    app.hover_cell(labels.index("it"), labels.index("animal"), len(labels), len(labels))


def _align(app: App) -> None:
    """The first visit of the Alignment page: a sentence whose words cross, through all models of its direction."""
    app.page.goto(f"{app.address}/alignment")
    app.figure("steps").wait_for(timeout=120_000)
    app.idle()


def _explain(app: App) -> None:
    """The first visit of the Saliency page, with the example that has something against the film."""
    app.page.goto(f"{app.address}/saliency?example=review-mixed")
    app.figure("saliency").wait_for(timeout=120_000)
    app.page.locator(".st-key-agreement_card").wait_for(timeout=120_000)
    app.idle()


def _reorder(app: App) -> None:
    """The Positions page with the words of a Chinese sentence in another order."""
    app.page.goto(f"{app.address}/positions?view=order")
    app.page.locator(".st-key-order_card .js-plotly-plot .main-svg").first.wait_for(timeout=120_000)
    app.idle()


def _bring(app: App, archive: Path) -> None:
    """A LoRA adapter, uploaded, opened and held against its base."""
    adapter = ROOT / "core/zoo/weights/sentiment-minilm-lora"
    with zipfile.ZipFile(archive, "w") as packed:
        for name in ("config.json", "adapter_config.json", "adapter_model.safetensors"):
            packed.write(adapter / name, name)
    # All of the report, and what moved below it.
    app.page.set_viewport_size({"width": 1440, "height": 1400})
    app.page.goto(f"{app.address}/models")
    app.page.locator("input[type=file]").first.set_input_files(archive)
    app.page.locator(".st-key-models_open_row").get_by_role("button", name="Open").click(timeout=120_000)
    app.page.get_by_role("button", name="Compare").click()
    app.page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=120_000)
    app.idle()


def _train(app: App) -> None:
    """Let a network with attention and one without learn to reverse letters."""
    app.page.goto(f"{app.address}/training?task=reverse&compare=attention")
    app.page.get_by_role("button", name="Train").click()
    app.figure("film").wait_for()
    app.page.get_by_role("button", name="Stop").first.wait_for(state="detached", timeout=300_000)
    app.idle()


def _shoot(app: App, name: str) -> None:
    app.page.wait_for_timeout(400)
    app.page.screenshot(path=FOLDER / name)


if __name__ == "__main__":
    main()
