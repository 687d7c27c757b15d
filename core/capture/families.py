"""Families whose attention cannot be shown as it is computed, and those that first need a word in their config."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn

from core.errors import HeadlightError

_NO_ATTENTION = "it has no attention: it carries a state from token to token"
_APPROXIMATION = "it never computes the weights of one token for another, only an approximation of their sum"
_RESHAPED = "its layers read other units than the text's tokens, so its weights are not about tokens"

REASONS = {
    "reformer": "its tokens are sorted by random hashes and attend within chunks, so two runs of one text differ",
    "rwkv": _NO_ATTENTION,
    "mamba": _NO_ATTENTION,
    "mamba2": _NO_ATTENTION,
    "falcon_mamba": _NO_ATTENTION,
    "xlstm": _NO_ATTENTION,
    "fnet": "it has no attention: it mixes tokens by a Fourier transform",
    "yoso": _APPROXIMATION,
    "nystromformer": _APPROXIMATION,
    "mra": _APPROXIMATION,
    "funnel": _RESHAPED,
    "canine": _RESHAPED,
    "perceiver": _RESHAPED,
    "deepseek_v4": _RESHAPED,
    "pegasus_x": "its encoder attends in staggered blocks and to tokens of its own that are not in the text",
}  # fmt: skip
# Their sparse attention computes blocks that the library only reconstructs to maps, and switches itself off for good
# when a text is short: full attention from the start is what the weights were trained for at such lengths.
_FULL_ATTENTION = {"big_bird", "bigbird_pegasus"}
# Stacks that may put a prompt before the text, and whether it asks too; elsewhere it is only looked at.
_PROMPTED = {"CpmAntModel": True, "MvpEncoder": False, "MvpDecoder": False}


def has_attention(config: Any) -> bool:
    """Whether the config does not say itself that its network has none, as our own recurrent ones may."""
    return getattr(config, "attention", None) != "none"


@dataclass(frozen=True)
class Prompt:
    """Learnt positions that a network itself puts before the text's own: how many rows and keys of a map they are."""

    rows: int = 0
    keys: int = 0

    @property
    def words(self) -> str:
        return f"the {self.keys} positions of the model's own prompt"


def prompts_of(network: nn.Module) -> dict[nn.Module, Prompt]:
    """The prompt of each module of the stacks that have one; they know their own: MVP's may be its decoder alone."""
    stacks = [(stack, _PROMPTED[name]) for stack in network.modules() if (name := type(stack).__name__) in _PROMPTED]
    lengths = [(stack, getattr(stack, "prompt_length", 0), asks) for stack, asks in stacks]
    return {
        module: Prompt(length if asks else 0, length)
        for stack, length, asks in lengths
        if length
        for module in stack.modules()
    }


def capturable(config: Any, name: str) -> Any:
    """The config, ready for a network whose attention can be captured; call it before the network is built.

    name: what the user calls the model
    Raises HeadlightError, one sentence with the family and the reason, where it cannot.
    """
    family = config.model_type
    if family in REASONS:
        raise HeadlightError(
            f"{name} is of the family {family}, which cannot be shown because {REASONS[family]}: choose another model."
        )
    if family in _FULL_ATTENTION:
        config.attention_type = "original_full"
    return config
