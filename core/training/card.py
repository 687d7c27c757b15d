"""The card of a trained model: README.md in Markdown, and training.json, which a program reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.training.settings import unused_by

# What only shipped models tell of themselves in training.json.
FACTS = ("shipped", "quality", "alignment")


@dataclass(frozen=True)
class Card:
    """What is said of a trained model.

    title, summary: what it is and what for. data: where its examples come from, with the licence. values: the recipe,
    by name. scores: measured values, by name; None where something could not be measured. limits: what it cannot do, a
    sentence each. history: what training.json keeps of the run, beside all this. tables: more scores, each table under
    its heading. examples: what it answers to some texts. command: how to train it again. facts: what training.json
    keeps besides, by keys of its own.
    """

    title: str
    summary: str
    data: str
    values: Mapping[str, Any]
    scores: Mapping[str, float | int | str | None]
    limits: Sequence[str] = ()
    history: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The scores that are numbers, in one line."""
        return "; ".join(
            f"{name} {_shown(value)}" for name, value in self.scores.items() if isinstance(value, float | int)
        )

    def as_dict(self) -> dict[str, Any]:
        """For training.json."""
        return {
            "title": self.title,
            "summary": self.summary,
            "data": self.data,
            "limits": list(self.limits),
            "recipe": dict(self.values),
            "scores": dict(self.scores),
            "tables": {heading: dict(rows) for heading, rows in self.tables.items()},
            "examples": dict(self.examples),
            **self.facts,
            "history": dict(self.history),
        }

    def markdown(self) -> str:
        """For README.md."""
        parts = [
            f"# {_escaped(self.title)}",
            _escaped(self.summary),
            "Trained with Headlight. Open its folder with `core.load(folder)`, or in the app.",
            "## Data",
            _escaped(self.data),
            "## Scores",
            _table("score", self.scores),
        ]
        for heading, rows in self.tables.items():
            parts += [f"## {_escaped(heading)}", _table("score", rows)]
        if self.examples:
            parts += ["## Examples", _table("answer", self.examples, "text")]
        parts += ["## Recipe", _table("value", _flat(self.values))]
        if self.command:
            parts += ["## Training it again", f"```\n{self.command}\n```"]
        if self.limits:
            parts += ["## Limits", "\n".join(f"- {_escaped(limit)}" for limit in self.limits)]
        return "\n\n".join(parts) + "\n"


def card_of(told: Mapping[str, Any]) -> Card:
    """The card whose `as_dict` is in a training.json; "" or nothing for what an older one does not tell."""
    shipped = told.get("shipped", {})
    return Card(
        title=told["title"],
        summary=told.get("summary", ""),
        data=told.get("data", ""),
        values=told["recipe"],
        scores=told["scores"],
        limits=told.get("limits", ()),
        history=told["history"],
        tables=told.get("tables", {}),
        examples=told.get("examples", {}),
        command=shipped.get("command", ""),
        facts={name: told[name] for name in FACTS if name in told},
    )


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Nested values side by side, without what the network does not have; their own names are plain enough."""
    unused = unused_by(values["architecture"]) if "architecture" in values else ()
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if name not in unused:
            flat |= _flat(value) if isinstance(value, Mapping) else {name: value}
    return flat


def _table(heading: str, values: Mapping[str, Any], first: str = "name") -> str:
    rows = [f"| {_escaped(name)} | {_escaped(_shown(value))} |" for name, value in values.items()]
    return "\n".join([f"| {first} | {heading} |", "| --- | --- |", *rows])


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    shown = " ".join(text.split())
    for mark in "\\`*_[]<>|":
        shown = shown.replace(mark, f"\\{mark}")
    return shown
