"""The page without a browser, for all tests of its controls and addresses."""

from __future__ import annotations

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest


class Page:
    """The running page and what tests ask of it."""

    def __init__(self) -> None:
        self.app = AppTest.from_file("../../app.py", default_timeout=120)

    def open(self, **parameters: str | list[str]) -> Page:
        """Arrive by an address with these parameters."""
        for name, value in parameters.items():
            self.app.query_params[name] = value
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    def run(self) -> Page:
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    def tell(self, **state: object) -> Page:
        """What a control would put into the session, and a run."""
        for name, value in state.items():
            self.app.session_state[name] = value
        return self.run()

    def choose_example(self, title: str) -> Page:
        """Click one of the examples in the sidebar."""
        next(group for group in self.app.button_group if group.label == "Examples").set_value(title).run()
        assert not self.app.exception, self.app.exception
        return self

    @property
    def address(self) -> dict[str, str]:
        """The parameters of the address as they stand."""
        found = dict(self.app.query_params)
        return {name: value if isinstance(value, str) else value[-1] for name, value in found.items()}

    @property
    def sentences(self) -> list[str]:
        """The boxes above the figures, in their order."""
        found = re.findall(r'<div class="headlight-note [^>]*>(.*?)</div>', self.html)
        return [unescape(body) for body in found]

    @property
    def html(self) -> str:
        return "".join(element.proto.body for element in self.app.get("html"))

    @property
    def title(self) -> str:
        return str(self.app.subheader[0].value)

    def component(self, name: str):
        """The message to one browser component: `.json` or `.bytes`."""
        return next(
            e.proto for e in self.app.get("bidi_component") if e.proto.component_name.endswith(f"headlight_{name}")
        )

    @property
    def drawn(self) -> list[str]:
        """Names of the components of the page, in their order."""
        return [e.proto.component_name.rpartition("headlight_")[2] for e in self.app.get("bidi_component")]


@pytest.fixture
def page() -> Page:
    return Page()
