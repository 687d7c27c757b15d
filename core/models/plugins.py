"""Own code: models that Python files in the folder of HEADLIGHT_PLUGINS bring along. Off unless that is set.

Whoever starts the server names the folder; nothing in the browser can. A file is run once, when somebody first asks for
the plugins, without a box: it is the server's own code.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from core.errors import HeadlightError
from core.models.plugging.raised import raised_in
from core.models.quoting import shown
from core.models.shipped import shipped

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedTokenizerBase

    from core.text import TextEncoder

VARIABLE = "HEADLIGHT_PLUGINS"
# Two sessions that ask first at the same time must not run a file twice.
_READING = RLock()
# A file that asks for models while it is run must not be run again for that.
_running: ContextVar[bool] = ContextVar("running_plugins", default=False)


@dataclass(frozen=True)
class Plugin:
    """A model of one's own; a file defines one as PLUGIN.

    name         what `core.load` and links call it
    summary      one line: what it is and what it was trained for
    licence      of the weights
    load         gives the network and its tokenizer. The network's forward takes input_ids (B, T) and, where it has
                 such arguments, attention_mask, token_type_ids and decoder_input_ids. It returns logits (B, labels) of
                 texts or (B, T, labels) of tokens, or states (B, T, E): a tensor, a tuple that begins with it, or a
                 dict that has it as "logits" or "last_hidden_state"
    labels       names of the labels, in their order
    start_id     what the decoder of an encoder-decoder reads first
    file         the name of its file; set when it is read
    unavailable  why the file cannot be used, in one sentence; set when it is read
    """

    name: str
    summary: str
    licence: str
    load: Callable[[], tuple[nn.Module, TextEncoder | PreTrainedTokenizerBase]]
    labels: tuple[str, ...] = ()
    start_id: int = 0
    file: str = ""
    unavailable: str | None = None


def plugins() -> tuple[Plugin, ...]:
    """The plugin of each file, in the order of the files' names; () where the variable is not set.

    A file that cannot be used has one too, called as the file, whose `unavailable` says why.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if not named or _running.get():
        return ()
    token = _running.set(True)
    try:
        with _READING:
            return _read(named)
    finally:
        _running.reset(token)


def plugin_called(name: str) -> Plugin | None:
    """The plugin of that name, or None."""
    return next((plugin for plugin in plugins() if plugin.name == name), None)


@cache
def _read(named: str) -> tuple[Plugin, ...]:
    folder = Path(named).expanduser()
    if not folder.is_dir():
        return (_broken(VARIABLE, f"{VARIABLE} names no folder that is there: set it to the folder of your plugins."),)
    taken = dict.fromkeys(_catalogued(), "the catalogue")
    found = []
    for path in sorted(folder.glob("*.py")):
        if path.name.startswith(("_", ".")):
            continue
        try:
            plugin = _checked(_defined_in(path), path.name, taken)
        except HeadlightError as error:
            plugin = _broken(path.name, str(error))
        taken[plugin.name] = path.name
        found.append(plugin)
    return tuple(found)


def _defined_in(path: Path) -> Any:
    """What a file defines as PLUGIN. Raises HeadlightError where it cannot be run or defines none."""
    name = f"headlight_plugin_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses and pickles look their module up by name
    with raised_in(path.name, f"{shown(path.name)} cannot be used, because running it raised"):
        specification.loader.exec_module(module)
    return getattr(module, "PLUGIN", None)


def _checked(plugin: Any, file: str, taken: dict[str, str]) -> Plugin:
    """The plugin, with the name of its file. Raises HeadlightError, one sentence, for what is no plugin."""
    quoted = shown(file)
    if not isinstance(plugin, Plugin):
        raise HeadlightError(f"{quoted} defines no PLUGIN: end it with PLUGIN = Plugin(name=…, summary=…, …).")
    for field in ("name", "summary", "licence"):
        value: Any = getattr(plugin, field)
        if not isinstance(value, str) or not value.strip():
            raise HeadlightError(f"{quoted}: the {field} of its plugin is no text: write one.")
    if shown(plugin.name) != plugin.name or any(sign in plugin.name for sign in "/\\@"):
        raise HeadlightError(
            f"{quoted}: its plugin is called “{shown(plugin.name)}”, which is too long or has a sign that paths and "
            "hub names have: choose another name."
        )
    if not callable(plugin.load):
        raise HeadlightError(f"{quoted}: the load of its plugin is no function: give one without arguments.")
    if plugin.name in taken:
        raise HeadlightError(
            f"{quoted}: its plugin is called {plugin.name}, as one of {shown(taken[plugin.name])} is: choose another "
            "name."
        )
    return replace(plugin, file=file, unavailable=None)


def _broken(name: str, sentence: str) -> Plugin:
    """What stands for a file that cannot be used."""

    def load() -> Any:
        raise HeadlightError(sentence)

    return Plugin(name, "Cannot be used", "unknown", load, file=name, unavailable=sentence)


def _catalogued() -> Iterator[str]:
    """Names that the catalogue has already."""
    package = importlib.import_module("core.models.entries")
    for module in pkgutil.iter_modules(package.__path__):
        yield importlib.import_module(f"{package.__name__}.{module.name}").ENTRY.name
    yield from (trained.name for trained in shipped())
