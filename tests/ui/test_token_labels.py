"""A tagger's answer on the page: marks in the text, or a row a token."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _card(*names: str) -> list[str]:
    """HTML of the card for a random tagger with these labels."""

    def script(names: tuple[str, ...]) -> None:
        from dataclasses import replace
        from pathlib import Path
        from tempfile import TemporaryDirectory

        from core import load
        from core.ui.token_labels import show_token_labels
        from tests.zoo.checkpoints import saved

        with TemporaryDirectory() as folder:
            labels = dict(enumerate(names))
            numbers = {name: number for number, name in labels.items()}
            saved(Path(folder), "RecurrentForTokenClassification", id2label=labels, label2id=numbers)
            model = load(folder, device="cpu")
        trace = model.run("abc <b>")
        trace.provenance = replace(trace.provenance, model="tagger")
        show_token_labels(trace, model.report)

    app = AppTest.from_function(script, args=(names,)).run(timeout=60)
    assert not app.exception
    return [element.proto.body for element in app.get("html")]


def test_other_labels_stand_in_a_row_a_token() -> None:
    rows = next(body for body in _card("O", "<i>") if "headlight-shares" in body)
    assert rows.count("<tr>") == 8
    assert "<i>" not in rows
    assert "&lt;i&gt;" in rows or "<bdi>O</bdi>" in rows


def test_marks_stand_in_the_text() -> None:
    text = next(body for body in _card("", "\u0301") if "headlight-written" in body)
    assert 'dir="auto"' in text
    assert "<b>" not in text
