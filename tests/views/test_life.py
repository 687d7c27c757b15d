"""What a component has begun ends with its element: observers, timers, frames and listeners of the window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from core.capture import Trace
from core.heads import Survey
from core.views import (
    View,
    alignment_figure,
    film_figure,
    head_view_figure,
    heatmap_figure,
    order_payload,
    overview_figure,
    query_key_figure,
    steps_figure,
    text_figure,
    words_figure,
)
from core.views.assets import SCRIPTS, markup_of, script_of, style_of
from tests.views.aligned import aligned_panel, steps_of
from tests.views.runs import panel_of
from tests.views.scored import row_of, rows_with, scores_of

VIEW = View("self", 2, 8)
# Modules of components come from blobs, as Streamlit brings them: only what these begin is counted.
PAGE = """<!doctype html><meta charset="utf-8"><body><script>
globalThis.living = new Map();
const ours = () => new Error().stack.includes("blob:");
for (const name of ["ResizeObserver", "IntersectionObserver", "MutationObserver"]) {
  globalThis[name] = class extends globalThis[name] {
    observe(...given) { if (ours()) living.set(this, name); super.observe(...given); }
    disconnect() { living.delete(this); super.disconnect(); }
  };
}
for (const [begins, ends] of [["setTimeout", "clearTimeout"], ["setInterval", "clearInterval"],
  ["requestAnimationFrame", "cancelAnimationFrame"]]) {
  const [begin, end] = [globalThis[begins], globalThis[ends]];
  globalThis[begins] = (act, ...given) => {
    const number = begin((...told) => { living.delete(`${begins} ${number}`); act(...told); }, ...given);
    if (ours()) living.set(`${begins} ${number}`, begins);
    return number;
  };
  globalThis[ends] = (number) => { living.delete(`${begins} ${number}`); end(number); };
}
for (const target of [window, document]) {
  const [add, remove] = [target.addEventListener, target.removeEventListener];
  target.addEventListener = (kind, act, ...given) => {
    if (ours()) living.set(act, kind);
    add.call(target, kind, act, ...given);
  };
  target.removeEventListener = (kind, act, ...given) => {
    living.delete(act);
    remove.call(target, kind, act, ...given);
  };
}
async function mount({ script, style, markup, bytes, told }) {
  globalThis.host = document.createElement("div");
  document.body.append(host);
  const parentElement = host.attachShadow({ mode: "open" });
  parentElement.innerHTML = `<style>${style}</style>${markup}`;
  const { default: draw } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const data = bytes ? Uint8Array.from(bytes) : told;
  // What was chosen a moment ago is told once more a moment later.
  globalThis.headlight = { selection: {}, listeners: new Map(), figures: new Map() };
  headlight.changed = new Map([["head", performance.now()]]);
  // Twice, as when data come while it stands there.
  globalThis.ends = [1, 2].map(() => draw({ data, parentElement, setTriggerValue() {} }));
}
const begun = () => [...living.values(), ...headlight.listeners.keys()].map(String);
</script>"""


@pytest.fixture(scope="module")
def data(trace: Trace, surveyed: Survey) -> dict[str, dict[str, object]]:
    figures = [
        overview_figure(trace, surveyed, VIEW),
        heatmap_figure(trace, VIEW, surveyed),
        head_view_figure(trace, VIEW),
        text_figure(trace, VIEW, 3, None),
        query_key_figure(trace, VIEW, 3),
        film_figure([panel_of((0, 1, 2))]),
        alignment_figure([aligned_panel()]),
        steps_figure(steps_of()),
        words_figure(rows_with(row_of(scores_of([0.5, 0.3, 0.2])))),
    ]
    told = {
        "order": order_payload(["a", "b"], [1, 0], False),
        "selection": {"link": None, "layer": 2, "head": 8, "query": 1, "key": 2},
        "exporter": {"name": "heatmap", "kind": "component"},
    }
    payloads = {figure.component: {"bytes": list(figure.payload)} for figure in figures}
    return payloads | {name: {"told": each} for name, each in told.items()}


@pytest.fixture
def page(browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(PAGE)
    yield page
    assert errors == []
    context.close()


def used(page: Page, name: str, data: dict[str, object]) -> Page:
    """The component on the page, in the midst of being used."""
    parts = {"script": script_of(name), "style": style_of(name), "markup": markup_of(name)}
    page.evaluate("(given) => mount(given)", {**parts, **data})
    if name not in ("selection", "exporter"):
        page.mouse.move(300, 60)
        page.locator("button:visible:not([aria-disabled=true]), [tabindex='0']:visible").first.click()
        for key in ("ArrowRight", "Shift+ArrowRight", "Enter"):
            page.keyboard.press(key)
        if page.get_by_role("button", name="Play").count():
            page.get_by_role("button", name="Play").click()
    return page


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_an_older_drawing_ends_leaves_the_newer_one_alone(page: Page, data, name: str):
    used(page, name, data[name])
    before = page.evaluate("() => begun().filter((kind) => !/Frame|Timeout/.test(kind))")
    assert ("ResizeObserver" in before) == (name not in ("order", "selection", "exporter"))
    page.evaluate("() => ends[0]?.()")
    assert page.evaluate("() => begun().filter((kind) => !/Frame|Timeout/.test(kind))") == before


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_is_left_of_a_component_that_has_gone(page: Page, data, name: str):
    used(page, name, data[name]).evaluate("() => { host.remove(); ends[1]?.(); }")
    assert page.evaluate("() => begun()") == []
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_timeout(300)


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_comes_before_the_end_is_told_is_not_heard(page: Page, data, name: str):
    """Streamlit tells of the end later than the element goes, and an observer may hear of that before."""
    used(page, name, data[name])
    drawn = page.evaluate("() => host.shadowRoot.querySelector('.headlight').dataset.drawn")
    page.evaluate("() => { globalThis.root = host.shadowRoot.querySelector('.headlight'); host.remove(); }")
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_timeout(300)
    assert page.evaluate("() => root.dataset.drawn") == drawn
    page.evaluate("() => globalThis.ends[1]?.()")
    assert page.evaluate("() => begun()") == []
