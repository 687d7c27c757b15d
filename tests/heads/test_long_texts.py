"""16,384 tokens of a small model: all of it is looked at in little more memory than a block takes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# In a process of its own, because the most memory that a process ever had never falls.
LOOK = """
import resource, torch
from transformers import GPT2Config, GPT2Model
from core.capture import record
from core.heads import Filters, attention_map, is_long, survey, whole_map, window_at
from tests.heads.hand_made import tokens_of, trace_of

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

n = 16_384
config = GPT2Config(n_positions=n, n_layer=1, n_head=2, n_embd=16, vocab_size=99, bos_token_id=0, eos_token_id=0)
network = GPT2Model(config).eval().requires_grad_(False)
with torch.no_grad(), record(network) as recording:
    network(torch.arange(n)[None] % 99, use_cache=False)
trace = trace_of(recording.calls, tokens_of([None, *[i // 2 for i in range(n - 2)], None]))
before = most()
found = survey(trace, "self")
whole = whole_map(trace, "self", 0, 1, Filters(words=True, special="renormalise"))
rows, cols = window_at(trace, "self", Filters(special="hide"), 9000, 8800)
window = attention_map(trace, "self", 0, None, Filters(special="hide"), rows, cols)
assert is_long(trace, "self")
assert found.tiles.shape == (1, 2, 64, 64) and found.factor == 256
assert whole.weights.shape == (512, 512) and whole.factor == 16
assert window.weights.shape == (2, 512, 512) and window.rows.places[0] == 9000
assert all(m.entropy.isfinite().all() for m in found.measures)
print(most() - before)
"""


@pytest.mark.nightly
def test_16384_tokens_are_looked_at_in_bounded_memory() -> None:
    answer = subprocess.run([sys.executable, "-c", LOOK], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    # One map alone would take 1,074 MB.
    assert float(answer.stdout) < 150
