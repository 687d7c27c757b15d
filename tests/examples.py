"""How many examples a test that fuzzes takes: few in every run, as many as somebody asks for in a long one."""

from __future__ import annotations

import os


def examples(few: int) -> int:
    """`few`, or HEADLIGHT_FUZZ_EXAMPLES where that is set."""
    return int(os.environ.get("HEADLIGHT_FUZZ_EXAMPLES", few))
