"""Candidates that lack something, and the forms about them without a browser."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

import transformers
from streamlit.testing.v1 import AppTest

from core.models.finding import Candidate, Missing

SENTENCES = {
    "config": "There is no config.json.",
    "model_type": "Its config.json does not name an architecture.",
    "tokenizer": "There is no tokenizer.",
    "head": "No tensor belongs to its head.",
    "base": "It belongs to another model.",
}


@cache
def bert() -> dict[str, tuple[int, ...]]:
    """Names and shapes of a BERT of two layers, 64 wide, with 100 words and a head."""
    config = transformers.BertConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, vocab_size=100,
        max_position_embeddings=64,
    )  # fmt: skip
    tensors = transformers.BertForMaskedLM(config).state_dict()
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


def candidate(*missing: str, **changes) -> Candidate:
    """A whole model that lacks some of config, model_type, tokenizer, base."""
    lacking = tuple(Missing(what, SENTENCES[what]) for what in missing)
    given = {"name": "mine", "kind": "model", "root": Path("/nowhere"), "weights": (), "tensors": bert()}
    return Candidate(**{**given, **changes}, missing=lacking)


def draw(candidate, key):
    """A script that draws the forms; what is chosen stays in the state of its session."""
    import streamlit as st

    from core.ui.models.missing.choices import choices, tried_text

    st.session_state.chosen = choices(candidate, key)
    st.session_state.tried = tried_text(key)


def draw_tokenizer(candidate, key, config):
    """The same for the form of another tokenizer alone."""
    import streamlit as st

    from core.ui.models.missing.choices import tokenizer_choice, tried_text

    st.session_state.chosen = tokenizer_choice(candidate, key, config)
    st.session_state.tried = tried_text(key)


class Forms:
    """The forms of a candidate, and what tests ask of them."""

    def __init__(self, candidate: Candidate, key: str = "form", *, config=None, **state) -> None:
        """state: what the session holds already. config: for the form of another tokenizer alone."""
        script, args = (draw, (candidate, key)) if config is None else (draw_tokenizer, (candidate, key, config))
        self.app = AppTest.from_function(script, args=args, default_timeout=120)
        for name, value in state.items():
            self.app.session_state[name] = value
        self.run()

    def run(self) -> Forms:
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    @property
    def chosen(self):
        return self.app.session_state.chosen

    @property
    def tried(self):
        return self.app.session_state.tried

    @property
    def html(self) -> str:
        return "".join(element.proto.body for element in self.app.get("html"))

    @property
    def sentences(self) -> list[str]:
        """The boxes, in their order."""
        return [unescape(body) for body in re.findall(r'<div class="headlight-note [^>]*>(.*?)</div>', self.html)]

    def field(self, kind: str, label: str):
        """The control of that label."""
        return next(element for element in getattr(self.app, kind) if element.label == label)

    def set(self, kind: str, label: str, value) -> Forms:
        self.field(kind, label).set_value(value)
        return self.run()
