"""The ways in which a model's attention is seen, and which of them a network uses.

"sdpa"         its calls of the attention interface, whose "sdpa" entry is wrapped
"row blocks"   the same for classes that the fused function does not serve
"tap"          torch's own functions, for everything that does not call the interface
"sdpa and tap", "row blocks and tap"   for classes of which only a part calls it
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from core.capture import row_blocks
from core.capture.frames import install_hooks

SDPA = "sdpa"
ROW_BLOCKS = "row blocks"
TAP = "tap"
_ATTRIBUTE = "attention_path"


def path_of(network: nn.Module) -> str:
    """How the network's attention is seen: what `prepare` found, or what its implementation says without it."""
    chosen: str | None = getattr(network, _ATTRIBUTE, None)
    return chosen or _current(network)


def is_tapped(network: nn.Module) -> bool:
    """Whether recording needs the tap. A network that nobody has prepared gets the hooks for it now."""
    if not path_of(network).endswith(TAP):
        return False
    if getattr(network, _ATTRIBUTE, None) is None:
        use(network, TAP)
    return True


def use(network: nn.Module, path: str) -> None:
    """Settle the path. Not while other threads run the network: hooks are put on its modules for the tap."""
    hooked = (getattr(network, _ATTRIBUTE, None) or "").endswith(TAP)
    if path.endswith(TAP) and not hooked:
        install_hooks(network)
    object.__setattr__(network, _ATTRIBUTE, path)


def interface_path(network: nn.Module) -> str | None:
    """ "sdpa" or "row blocks" where all of the network's classes call the attention interface, None elsewhere."""
    classes = {type(model) for model in _submodels(network)}
    if not classes or not all(cls._can_set_attn_implementation() for cls in classes):
        return None
    if all(cls._supports_sdpa for cls in classes):
        return SDPA
    return None if any(_compares_names(cls) for cls in classes) else ROW_BLOCKS


def implementation_of(path: str) -> str:
    """transformers' name for the attention implementation that a path stands on."""
    if path.startswith(SDPA):
        return "sdpa"
    return row_blocks.NAME if path.startswith(ROW_BLOCKS) else "eager"


def _current(network: nn.Module) -> str:
    path = interface_path(network)
    if path is None or any(_implementation(m) != implementation_of(path) for m in _submodels(network)):
        return TAP
    return path


def _submodels(network: nn.Module) -> list[PreTrainedModel]:
    return [module for module in network.modules() if isinstance(module, PreTrainedModel)]


def _implementation(model: PreTrainedModel) -> Any:
    return model.config._attn_implementation


def _compares_names(cls: type) -> bool:
    """Whether a class looks for "eager" or "sdpa" by name to build its mask: under another name it would leave it out.

    Short probes cannot show this: the sparse masks of these classes begin to matter after thousands of tokens.
    """
    source = inspect.getsource(sys.modules[cls.__module__])
    return re.search(r"_attn_implementation (?:==|!=|in|not in) [^:\n]*\"(?:eager|sdpa)\"", source) is not None
