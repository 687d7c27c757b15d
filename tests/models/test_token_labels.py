"""What a tagger says, as labels of tokens and as marks in the text."""

from __future__ import annotations

import pytest
import torch

from core.capture import Output
from core.models.token_labels import best_labels, marked_text
from core.text import encoder_of
from core.text.tokens import Tokens
from tests.zoo.checkpoints import characters

ACUTE, GRAVE = "\u0301", "\u0300"


def tokens_of(text: str) -> Tokens:
    """Letters, and </s> after them."""
    return encoder_of(characters(), 20).encode(text)


def answer(tokens: Tokens, labels: list[int], *names: str) -> str | None:
    return marked_text(tokens, Output("token labels", torch.eye(len(names))[labels], names))


def test_each_token_has_its_most_probable_label() -> None:
    output = Output("token labels", torch.tensor([[0.0, 2.0], [1.0, 0.0]]), ("A", "B"))
    (first, share), (second, _) = best_labels(output)
    assert (first, second) == ("B", "A")
    assert share == pytest.approx(torch.tensor(2.0).sigmoid().item())


def test_marks_are_written_after_their_letters() -> None:
    assert answer(tokens_of("ab a"), [1, 0, 0, 2, 1], "", ACUTE, GRAVE) == "áb à"


def test_marks_of_the_text_give_way_to_those_of_the_model() -> None:
    tokens = tokens_of(f"a{GRAVE}b")
    ids = [i for i, label in enumerate(tokens.labels) if label.startswith(("a", "b"))]
    labels = [1 if i == ids[0] else 0 for i in range(len(tokens))]
    assert answer(tokens, labels, "", ACUTE, GRAVE) == "áb"


@pytest.mark.parametrize("names", [("O", "B-PER"), ("", "1"), ("", " ")])
def test_labels_of_another_kind_are_not_written_into_the_text(names: tuple[str, ...]) -> None:
    assert answer(tokens_of("ab"), [1, 1, 0], *names) is None
