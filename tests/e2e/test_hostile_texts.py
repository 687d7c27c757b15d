"""Texts that could break a page stand in every view letter for letter, and nothing runs, shifts or overlaps."""

from __future__ import annotations

import re

import pytest

from tests.e2e.browser import VIEWS, App
from tests.e2e.reading import swept

TEXTS = {
    "markup": "</script><img src=x onerror=alert(1)> <b>&amp;</b> {{1}} '\";-- **b** $x$ :smile: `c` [l](javascript:f)",
    "long-word": "a " + "x" * 400 + " b",
    "scripts": "👩‍👩‍👧‍👦 😀 猫追老鼠。 مرحبا بالعالم e\u0301 \u202eevil\u202c \u200bzero",
}
# Boxes of the cards that are drawn over one another, and how far the page is wider than the window.
LAYOUT = """() => {
  const cards = [...document.querySelectorAll('[class*=st-key-][class*=_card]')]
    .map((card) => card.getBoundingClientRect());
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const overlaps = cards.flatMap((a, i) => cards.slice(i + 1).filter((b) => over(a, b)));
  const main = document.querySelector('[data-testid=stMain]');
  return { overlaps: overlaps.length, wider: main.scrollWidth - main.clientWidth };
}"""
# Elements of a component that reach out of it to the right or left.
OUTSIDE = """(root) => {
  const box = root.getBoundingClientRect();
  return [...root.querySelectorAll('*')].filter((element) => {
    const own = element.getBoundingClientRect();
    const clipped = element.closest('.token, .legend, .tooltip, .visually-hidden, .chooser');
    return own.width > 0 && !clipped && (own.right > box.right + 2 || own.left < box.left - 2);
  }).map((element) => `${element.tagName} ${element.className}`);
}"""


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_stands_in_every_view_letter_for_letter(app: App, minilm, name: str):
    text = TEXTS[name]
    trace = minilm.run(text)
    labels = list(trace.tokens.labels)
    app.open(text=text, layer=2, head=4)
    for view in VIEWS:
        app.view(view) if view != "Together" else None
        layout = app.page.evaluate(LAYOUT)
        assert layout == {"overlaps": 0, "wider": 0}, view
        for figure in VIEWS[view]:
            assert app.figure(figure).evaluate(OUTSIDE) == [], (view, figure)
        if view == "Head view":
            for side in ("query", "key"):
                assert app.figure("headview").locator(f".token.{side}").all_text_contents() == labels
        elif view == "Heatmap":
            cells = [(row, 0) for row in range(len(labels))]
            for lines, (row, _) in zip(swept(app, cells), cells, strict=True):
                assert lines is not None
                assert lines[0].startswith(labels[row][:20])
        elif view == "Text":
            shown = app.figure("text").locator("p").all_text_contents()
            written = re.sub(r"^\[CLS\]|\[SEP\]$", "", "\n".join(shown))
            assert written == trace.tokens.text
            app.figure("text").locator(".part:not(.special)").first.click()
            app.idle()
        elif view == "Query–key":
            options = app.figure("querykey").locator("option").all_text_contents()
            for place, (option, label) in enumerate(zip(options, labels, strict=True)):
                assert option.startswith(f"{place} {label[:8]}")
    assert app.page.locator("img[src=x], [data-testid=stMain] b, .katex").count() == 0
    assert "😄" not in app.page.locator("[data-testid=stMain]").inner_text()
