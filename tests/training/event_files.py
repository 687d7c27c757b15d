"""Reading TensorBoard event files back."""

from __future__ import annotations

import struct
from collections import defaultdict
from pathlib import Path

import pytest
from tensorboardX.proto.event_pb2 import Event


def events(folder: Path) -> list[Event]:
    """All events in a folder: TensorFlow's records, each a length, its checksum, the event and its checksum."""
    found = []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack("<Q", data[:8])
            found.append(Event.FromString(data[12 : 12 + length]))
            data = data[16 + length :]
    return found


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    found = defaultdict(list)
    for event in events(folder):
        for value in event.summary.value:
            found[value.tag].append((event.step, pytest.approx(value.simple_value)))
    return dict(found)
