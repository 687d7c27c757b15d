"""Every architecture of the parity list that dispatches: its heads can be changed, in each of its streams."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core.capture import HeadChange, changed, check_of, prepare, record
from core.capture.paths import is_tapped
from core.errors import HeadlightError
from tests.architectures import ARCHITECTURES, Architecture

HEAD = 1


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.title)
@torch.no_grad()
def test_a_heads_own_map_changes_nothing_switching_it_off_does_and_a_tap_refuses(architecture: Architecture) -> None:
    network, inputs = architecture.network(), architecture.inputs("none")
    prepare(network, architecture.inputs("right"))
    if is_tapped(network):
        # What a tap reads cannot be changed by it: a real head is asked for, and the run says that nothing was met.
        with record(network) as recording:
            network(**inputs)
        read = recording.calls[0]
        with pytest.raises(HeadlightError), changed(network, [HeadChange(read.stream, read.layer, HEAD, "zero")]):
            network(**inputs)
        return

    def answer(*changes: HeadChange) -> Tensor:
        with changed(network, changes), record(network) as recording:
            result: Tensor = network(**inputs)[0]
        assert check_of(recording.errors(), torch.float32).passed
        return result

    with record(network) as recording:
        untouched: Tensor = network(**inputs)[0]
    assert torch.equal(answer(), untouched)
    last = {call.stream: call for call in recording.calls if call.heads > HEAD}
    assert last
    for stream, call in last.items():
        batch = call.query.shape[0]
        own = torch.stack([call.weights([HEAD], batch=b)[0] for b in range(batch)])
        kept = answer(HeadChange(stream, call.layer, HEAD, own))
        assert (kept - untouched).abs().max() <= 1e-5 * untouched.abs().max()
        off = answer(HeadChange(stream, call.layer, HEAD, "zero"))
        # An encoder's last layer reaches the answer through the decoder; everywhere the change must be felt.
        assert (off - untouched).abs().max() > 1e-6 * untouched.abs().max()
