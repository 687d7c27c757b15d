"""What a slider of the Positions page costs in the browser, as multiples of a rerun of a page that changes nothing."""

from __future__ import annotations

import statistics

from tests.benchmarks.site import ROUNDS, Site, served

# What is moved, and a figure of the view that must change with it.
CASES = (
    ("sinusoidal: positions", {"scheme": "sinusoidal"}, "Positions", "vectors of positions"),
    ("sinusoidal: width", {"scheme": "sinusoidal"}, "Width", "vectors of positions"),
    ("rotary with YaRN: width", {"scheme": "rotary", "scaling": "yarn"}, "Width", "Wavelengths"),
    ("ALiBi: heads", {"scheme": "alibi"}, "Heads", "bias by distance"),
    ("sinusoidal beside ALiBi: positions", {"view": "pair", "beside": "alibi"}, "Positions", "side by side"),
)

# Promises the time from the next key until the script has run, the plot holds other data, and a frame has passed.
KEY_TO_DRAWN = """card => {
  const app = document.querySelector('[data-testid=stApp]');
  const state = () => app.getAttribute('data-test-script-state');
  const frame = () => new Promise(requestAnimationFrame);
  const plot = () => card.querySelector('.js-plotly-plot');
  const before = plot().data;
  let start = null, ran = false;
  const watch = new MutationObserver(() => { ran ||= state() === 'running'; });
  watch.observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
  addEventListener('keydown', () => { start = performance.now(); }, {once: true, capture: true});
  window.keyToDrawn = (async () => {
    while (!(ran && state() === 'notRunning' && plot() && plot().data !== before)) {
      if (start && performance.now() - start > 30000) throw new Error('nothing was drawn within half a minute');
      await frame();
    }
    await frame();
    watch.disconnect();
    return performance.now() - start;
  })();
}"""


def table() -> str:
    """The table as Markdown, one row a slider: time from the key to the drawn figure, and its multiple."""
    lines = ["| key to drawn | time | of an empty rerun |", "| --- | --- | --- |"]
    with served() as site:
        empty = site.empty_rerun()
        lines.append(f"| an empty rerun of a page | {empty:.0f} ms | × 1.0 |")
        for title, parameters, slider, figure in CASES:
            taken = _moved(site, parameters, slider, figure)
            lines.append(f"| {title} | {taken:.0f} ms | × {taken / empty:.1f} |")
    return "\n".join(lines)


def _moved(site: Site, parameters: dict[str, str], slider: str, figure: str) -> float:
    """Median milliseconds of a slider that goes up by one step, and then by another."""
    page = site.app.page
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    page.goto(f"{site.app.address}/positions?{query}")
    card = page.locator("[class*='_card']").filter(has_text=figure).first
    card.locator(".js-plotly-plot").wait_for()
    site.app.idle()
    thumb = page.locator(f"input[type=range][aria-label='{slider}']")
    taken = []
    for _ in range(ROUNDS + 1):
        card.evaluate(KEY_TO_DRAWN)
        thumb.press("ArrowRight")
        taken.append(float(page.evaluate("window.keyToDrawn")))
        site.app.idle()
    return statistics.median(taken[1:])
