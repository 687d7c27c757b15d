"""One trace of the default model, with repeated, unknown and hostile tokens in it."""

from __future__ import annotations

import pytest

from core.capture import Trace
from core.heads import Survey, survey


@pytest.fixture(scope="session")
def trace(minilm) -> Trace:
    return minilm.run("the cat and the 猫 and </script> =1+1")


@pytest.fixture(scope="session")
def surveyed(trace: Trace) -> Survey:
    return survey(trace, "self")
