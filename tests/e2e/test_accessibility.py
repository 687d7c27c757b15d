"""axe finds nothing serious or critical: in light, dark and talk mode, in every view, with a menu open."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.browser import SLUGS, App, opened_app

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}}
# What has the focus, inside shadow roots too: its label or its words.
FOCUSED = """() => { let e = document.activeElement;
  while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  return (e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || e.tagName).slice(0, 80)
    .replace(/^BODY$/, 'body'); }"""

CONTROLS = (
    *(
        "Text",
        "Second text",
        "Analyse",
        "Pronoun",
        "Layer (0–5)",
        "Head (0–11)",
        "Mean over heads",
        "linear",
        "Display",
    ),
    *("Precision", "More models", "About the model", "Talk mode", "Together", "Export"),
)


def violations(app: App) -> list[str]:
    """The serious and critical findings, each with the first elements that it is about."""
    found = Axe().run(app.page, options=RULES).response["violations"]
    return [
        f"{violation['id']} ({violation['impact']}): {[node['html'][:160] for node in violation['nodes'][:3]]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", SLUGS.values())
def test_no_view_has_a_serious_finding(browser, server: str, view: str, scheme: str):
    with opened_app(browser, server, scheme=scheme) as app:
        app.open(view=view, example="pronoun")
        assert violations(app) == []
        assert app.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_talk_mode_has_no_serious_finding(browser, server: str, scheme: str):
    with opened_app(browser, server, scheme=scheme, width=1920) as app:
        app.open(talk=1, example="pronoun")
        assert violations(app) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_menus_have_no_serious_finding(browser, server: str, scheme: str):
    with opened_app(browser, server, scheme=scheme) as app:
        app.open()
        for expander in ("Display", "Second text", "Precision", "More models"):
            app.page.locator("[data-testid=stSidebar] summary", has_text=expander).click()
        app.export("heatmap")
        app.page.wait_for_timeout(500)
        assert violations(app) == []


def test_the_tab_key_reaches_every_control_and_each_figure_once(app: App):
    app.open()
    app.page.locator("[data-testid=stSidebar] textarea").first.focus()
    reached = [app.page.evaluate(FOCUSED)]
    for _ in range(80):
        app.page.keyboard.press("Tab")
        reached.append(app.page.evaluate(FOCUSED))
        if reached[-1] in ("body", reached[0]):
            break
    words = "\n".join(reached)
    for name in CONTROLS:
        assert name in words, (name, reached)
    assert sum(name.startswith("Layer 3 head 1,") for name in reached) == 1
    assert not any(name.startswith("Layer 0 head 0,") for name in reached)
