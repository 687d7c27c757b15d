"""What the figures of positions say of their source: names, captions, and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.text.labels import shortened
from core.views.runs import joined, stem_of

# Characters of a name that stands over half a page, at most.
LONGEST_NAME = 42


@dataclass(frozen=True)
class About:
    """Where what a figure shows comes from.

    title     the scheme's, as menus write it
    source    "formula", or the model and where in it the numbers lie
    settings  the numbers of the formula, in words; "" where there are none
    key       a few letters: a page's figures of the same kind are told apart by it, in their names and file names
    """

    title: str
    source: str
    settings: str
    key: str

    @property
    def words(self) -> str:
        """All of it in a caption."""
        return joined([self.title, self.source, self.settings])


def figure_name(about: About, kind: str) -> str:
    """The name of a figure, by which its card is found."""
    return f"{about.key}_{kind}"


def file_stem(kind: str, *sources: About) -> str:
    """The file name of a figure's downloads, without its ending."""
    return stem_of(
        kind, (part for about in sources for part in (about.title, about.source, _told_apart(about.settings)))
    )


def _told_apart(settings: str) -> str:
    """The settings with those first that tell figures apart which are alike otherwise: a file name is cut."""
    return ", ".join(sorted(settings.split(", "), key=lambda each: not each.startswith(("scaling", "factor"))))


def names_beside(sources: Sequence[About]) -> list[str]:
    """A name for each that stands in one figure with the others: the scheme, and where it is from if schemes repeat."""
    titles = [about.title for about in sources]
    told = [joined([each.title, each.source]) if titles.count(each.title) > 1 else each.title for each in sources]
    same = len(set(told)) < len(told)
    full = [joined([name, each.settings]) for name, each in zip(told, sources, strict=True)] if same else told
    return [shortened(name, LONGEST_NAME) for name in full]
