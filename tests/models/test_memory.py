"""A run for which there is not enough memory: one sentence, and the process lives on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import resource
import torch
from core import load
from core.errors import HeadlightError

model = load("all-MiniLM-L6-v2")
model.run("a short text")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used, resource.RLIM_INFINITY))
hoard = []
try:
    while True:
        hoard.append(torch.empty(1 << 17))
except RuntimeError:
    del hoard[-2:]  # a megabyte is left: enough for tokens, not for the run
try:
    model.run("word " * 600)
except HeadlightError as error:
    print(error)
hoard.clear()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(len(model.run("word " * 600).tokens))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read as Linux tells it")
def test_too_little_memory_in_the_middle_of_a_run_is_one_sentence_and_the_next_run_works():
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", RUN], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [
        "CPU ran out of memory for this text on all-MiniLM-L6-v2: shorten the text.",
        "512",
    ]
