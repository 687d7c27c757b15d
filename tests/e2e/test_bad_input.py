"""Whatever is typed, the page answers with a right picture or one clear sentence."""

from __future__ import annotations

import pytest

from tests.e2e.browser import App

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "**bold** $x$ :smile: [link](x) `code` ~~no~~ -- >= ![a](http://example.invalid/a.png)",
    '<b>b</b> &lt; &amp; <!--#exec cmd="ls" --> {{7*7}} \\frac{1}{2}',
    '{"a": [1, 2]} " \' \\ / \x00 \u202eabc',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_letter_for_letter(app: App, minilm, text: str):
    app.open().analyse(text)
    labels = app.queries()
    assert labels == list(minilm.encoder.encode(text).labels)
    assert app.page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no text yet: type a sentence or choose an example."),
        ("   \n ", "The text holds only spaces: type at least one word or sign."),
        ("a" * 200_001, "The text has 200,001 characters: shorten it to 200,000 or fewer."),
    ],
)
def test_text_that_cannot_be_read_gets_one_sentence(app: App, text: str, sentence: str):
    app.open().analyse(text)
    assert app.notes() == [sentence]
    assert app.page.locator("[data-testid=stException]").count() == 0


def test_one_token_gives_its_own_small_map(app: App):
    app.open().analyse("x")
    assert app.queries() == ["[CLS]", "x", "[SEP]"]


def test_twenty_thousand_tokens_are_cut_and_the_cut_is_shown(app: App):
    app.open().analyse("word " * 20_000)
    assert app.notes()[1].startswith("The model reads 512 tokens at a time: 19,490 more were cut off, after “…")
    assert len(app.queries()) == 512
    title, value = app.hover_cell(300, 40, 512, 512)[:2]
    assert title == "word → word"
    assert 0 <= float(value) <= 1


def test_characters_that_the_model_does_not_know_are_shown_and_named(app: App):
    app.open().analyse("猫追老鼠")
    assert app.queries() == ["[CLS]", "猫", "追", "老", "鼠", "[SEP]"]
    assert app.figure("headview").locator(".token.query.unknown").count() == 4
    assert app.notes()[1].startswith("4 of 4 tokens are unknown to the model")


def test_a_typed_special_token_is_plain_text_and_the_page_says_so(app: App):
    app.open().analyse("one [SEP] two")
    labels = app.queries()
    assert labels == ["[CLS]", "one", "[", "SEP", "]", "two", "[SEP]"]
    assert app.notes()[1:] == ["“[SEP]” in your text is read letter by letter, not as a special token of the model."]


def test_half_a_surrogate_pair_is_replaced_and_reported(app: App):
    app.open()
    box = app.page.get_by_role("textbox", name="Text", exact=True)
    box.fill("")
    box.evaluate(
        """(box) => { const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
        set.call(box, 'left \\ud83d right'); box.dispatchEvent(new Event('input', { bubbles: true })); }"""
    )
    box.focus()
    app.page.keyboard.press("Control+Enter")
    note = app.page.get_by_text("1 broken character became �, the sign for a character that got lost")
    note.wait_for()
    assert app.queries() == ["[CLS]", "left", "right", "[SEP]"]


def test_a_very_long_word_is_clipped_and_stays_one_label_a_token(app: App, minilm):
    text = "pneumono" * 50
    app.open().analyse(text)
    labels = app.queries()
    assert labels == list(minilm.encoder.encode(text).labels)
