"""SmolLM2 from its package: what is known about its heads is found again."""

from __future__ import annotations

import pytest
import torch

from core import load
from core.capture import Trace, check_of, record
from core.heads import role_scores
from core.heads.survey import survey
from core.models import catalogue
from core.models.model import Model
from core.views import View
from core.views.captions import measure_rows

NAME = "SmolLM2-135M-Instruct"
REASON_AGAINST = next(listing.unavailable for listing in catalogue() if listing.entry.name == NAME)
pytestmark = pytest.mark.skipif(REASON_AGAINST is not None, reason=str(REASON_AGAINST))


@pytest.fixture(scope="module")
def model() -> Model:
    return load(NAME)


@pytest.fixture(scope="module")
def repeated(model: Model) -> Trace:
    """Forty random tokens and the same forty again: only looking back can tell what comes next."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1000, 40_000, (40,), generator=generator).repeat(2)
    with torch.no_grad(), record(model.network) as recording:
        model.network(input_ids=ids[None], use_cache=False)
    assert check_of(recording.errors(), model.dtype).passed
    example = model.run("one two")
    return Trace(model.encoder.tokens_of_ids(ids.tolist()), recording.calls, example.provenance, example.output)


def test_head_18_6_is_an_induction_head(repeated: Trace):
    scores = role_scores(repeated, "self")["induction"].scores
    assert float(scores[18, 6]) > 0.8
    assert divmod(int(scores.argmax()), scores.shape[1]) == (18, 6)


def test_its_first_token_sink_is_stated(model: Model):
    trace = model.run("The quick brown fox jumps over the lazy dog and runs away from the old farm.")
    surveyed = survey(trace, "self")
    layer, head = divmod(int(torch.stack([m.first for m in surveyed.measures]).argmax()), 9)
    rows = {row.name: row for row in measure_rows(trace, surveyed, View("self", layer, head))}
    share = float(surveyed.measures[layer].first[head])
    assert share > 0.9
    assert rows["On the first token"].value == f"{share:.2f}"
    assert float(rows["On the first token"].uniform) == pytest.approx(surveyed.measures[layer].uniform_first, abs=0.005)


def test_it_knows_the_capital_of_france(model: Model):
    label, share = model.run("The capital of France is").output.likeliest[0]
    assert label == "␣Paris"
    assert share == pytest.approx(0.77, abs=0.01)


def test_its_heads_share_key_value_heads(model: Model):
    assert (model.card.heads, model.card.key_value_heads) == ({"self": 9}, {"self": 3})
    assert model.card.positions == "rotary"
