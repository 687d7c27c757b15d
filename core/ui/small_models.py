"""Models that read a small alphabet, told by their folders before they are opened: what they read, and an example.

No text in a language means anything to them, so that the sidebar offers their own example instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.errors import HeadlightError
from core.models.checking_configs.json_files import object_or_nothing
from core.models.folders import below_roots
from core.training.tasks import TASKS
from core.ui import own_models

# Characters of an alphabet that is small, and bytes that a tokenizer of one takes at most.
MOST_CHARACTERS = 64
MOST_BYTES = 1 << 16
# So many neighbours in an alphabet are named by the first and the last of them.
A_RANGE = 3
MOST_PARTS = 4
# Characters that nobody sees, in words, and the signs that the figures have for them where no other says it.
UNSEEN = {" ": ("space", ""), "\n": ("newline", " (⏎)"), "\t": ("tab", " (⇥)"), "\r": ("carriage return", " (␍)")}


@dataclass(frozen=True)
class SmallModel:
    """alphabet: every character that it reads; title, text: its task and the example of it, "" where it tells none."""

    alphabet: str
    title: str = ""
    text: str = ""

    @property
    def reads(self) -> str:
        """What it reads, in a sentence."""
        *first, last = _parts(self.alphabet)
        if len(first) >= MOST_PARTS:
            seen = "".join(each for each in self.alphabet if _is_seen(each))
            unseen = " and ".join(_name(each, "s") for each in self.alphabet if not _is_seen(each))
            named = f", and {unseen}" if unseen else ""
            return f"Reads only these {len(seen)} characters{named}: {seen}"
        kind = "letters" if self.alphabet.isalpha() else "characters"
        return f"Reads the {kind} {' and '.join(filter(None, [', '.join(first), last]))}."


def small_model(name: str) -> SmallModel | None:
    """What is told of a model of this session or of the server's folders; None for others and for larger alphabets."""
    folder = own_models.folder_of(name)
    if folder is None:
        try:
            folder = below_roots(name)
        except HeadlightError:
            return None
    try:
        return _told(folder, (folder / "tokenizer.json").stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=64)
def _told(folder: Path, _: int) -> SmallModel | None:
    """What a folder tells, read again when its tokenizer has changed."""
    tokenizer = object_or_nothing(folder / "tokenizer.json", MOST_BYTES)
    added = {str(token.get("content")) for token in tokenizer.get("added_tokens") or () if isinstance(token, dict)}
    model = tokenizer.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    pieces = [piece for piece in vocabulary if piece not in added] if isinstance(vocabulary, dict) else []
    if not 0 < len(pieces) <= MOST_CHARACTERS or any(len(piece) != 1 for piece in pieces):
        return None
    recipe = object_or_nothing(folder / "training.json", MOST_BYTES).get("recipe")
    task = TASKS.get(str(recipe.get("task"))) if isinstance(recipe, dict) else None
    alphabet = "".join(sorted(pieces))
    if task is None or not set(task.shown.source) <= set(alphabet):
        return SmallModel(alphabet)
    return SmallModel(alphabet, task.title, task.shown.source)


def _parts(alphabet: str) -> list[str]:
    """An alphabet in code order as "a to r", or one by one where there are few neighbours."""
    runs: list[str] = []
    for character in alphabet:
        if runs and _follows(character, runs[-1][-1]):
            runs[-1] += character
        else:
            runs.append(character)
    named = [[f"{run[0]} to {run[-1]}"] if len(run) >= A_RANGE else [_name(each) for each in run] for run in runs]
    return [part for parts in named for part in parts]


def _follows(character: str, before: str) -> bool:
    """Whether two characters are neighbours of one kind."""
    seen = _is_seen(character) and _is_seen(before)
    return seen and ord(character) == ord(before) + 1 and character.isalnum() == before.isalnum()


def _is_seen(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def _name(character: str, plural: str = "") -> str:
    """A character as a sentence names it; plural: what to put behind a word for one that nobody sees."""
    if character in UNSEEN:
        word, sign = UNSEEN[character]
        return f"{word}{plural}{sign}"
    return {",": "comma"}.get(character, character if _is_seen(character) else f"U+{ord(character):04X}")
