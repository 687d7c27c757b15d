"""Choosing once, after loading, how a network's attention is seen, and trying that out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from core.capture.call import AttentionCall
from core.capture.frames import install_hooks
from core.capture.paths import ROW_BLOCKS, TAP, implementation_of, interface_path, use
from core.capture.recording import Recording
from core.capture.trace import check_of

# Mean difference of two answers as a share of their mean size. Two ways of summing differ by rounding, which a network
# amplifies; under a wrong mask they would differ by about their own size.
ROUNDING = 1e-3
ROUNDING_OF_HALF = 0.25


@torch.no_grad()
def prepare(network: nn.Module, probe_inputs: Mapping[str, Any]) -> str:
    """Choose the path and return its name; see `core.capture.paths`.

    Call it once after loading, on the device where the network will run, in eval mode and before threads share it:
    it may change the network's attention implementation and puts hooks on its modules. Nothing does so later.

    probe_inputs: what the network's forward takes, small: two texts of about eight tokens, one of them padded, with
        their attention masks. An encoder-decoder needs `decoder_input_ids` too.

    A path that calls the attention interface is kept if the weights times the values give the output in every call,
    and, for "row blocks", if the network then answers as under the library's eager attention. Otherwise the network is
    set to eager attention and tapped. Raises what the network raises.
    """
    path = interface_path(network)
    chosen = _tried(network, path, probe_inputs) if path is not None else None
    if path is not None and chosen is None:
        _set(network, TAP)
    use(network, chosen or TAP)
    return chosen or TAP


def _tried(network: nn.Module, path: str, inputs: Mapping[str, Any]) -> str | None:
    """The path, with the tap beside it if that sees more; None if it does not give the weights that the model uses."""
    expected = None
    if path == ROW_BLOCKS:
        _set(network, TAP)
        expected = network(**inputs)[0]
    _set(network, path)
    recording = Recording(network)
    handles = install_hooks(network)
    try:
        with recording.listening(tapped=True):
            answer = network(**inputs)[0]
    finally:
        for handle in handles:
            handle.remove()
    of_interface = [isinstance(call, AttentionCall) for call in recording.calls]
    errors, roundings = (
        [by_head for by_head, ours in zip(of_calls, of_interface, strict=True) if ours]
        for of_calls in (recording.errors(), recording.roundings())
    )
    if not errors or not check_of(errors, _dtype_of(network), roundings).passed:
        return None
    if expected is not None and not _same(answer, expected, inputs, _dtype_of(network)):
        return None
    return path if all(of_interface) else f"{path} and {TAP}"


def _set(network: Any, path: str) -> None:
    network.set_attn_implementation(implementation_of(path))


def _dtype_of(network: nn.Module) -> torch.dtype:
    return next((p.dtype for p in network.parameters() if p.is_floating_point()), torch.float32)


def _same(answer: Tensor, expected: Tensor, inputs: Mapping[str, Any], dtype: torch.dtype) -> bool:
    """Whether two answers agree wherever they are about the text: the rows of padding are of no consequence.

    On the whole, because rounding may send a few tokens to other experts.
    """
    mask = inputs.get("decoder_attention_mask" if "decoder_input_ids" in inputs else "attention_mask")
    if mask is not None and answer.shape[:2] == mask.shape:
        answer, expected = answer[mask.bool()], expected[mask.bool()]
    tolerance = ROUNDING if dtype in (torch.float32, torch.float64) else ROUNDING_OF_HALF
    answer, expected = answer.float(), expected.float()
    return bool((answer - expected).abs().mean() <= tolerance * expected.abs().mean())
