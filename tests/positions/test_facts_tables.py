"""A table's rows are those that the model adds: position p gets row p of what was read, whatever offset it has."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel

from core.models.model import Model
from core.positions.facts import facts_of
from core.positions.facts.sinusoids import is_sinusoidal
from core.positions.objects import Table
from core.positions.sinusoidal import sinusoids
from tests.positions.fact_networks import drawn, inputs, only_fact
from tests.tiny import joined_config, network_of

# Family: first row that a position reads.
LEARNED = {
    "bert": 0, "distilbert": 0, "albert": 0, "electra": 0, "gpt2": 0, "roberta": 2, "xlm-roberta": 2, "mpnet": 2,
    "opt": 2, "bart": 2,
}  # fmt: skip
SINUSOIDAL = {"marian": 0, "pegasus": 0, "xlm": 0, "m2m_100": 2, "fsmt": 2, "xglm": 2}


@torch.no_grad()
def added(network: PreTrainedModel, source: str) -> Tensor:
    """What the table's module gave for the positions of a short text: (T, D)."""
    seen: list[Tensor] = []
    module = network.get_submodule(source.rpartition(".")[0])
    with_hook = module.register_forward_hook(lambda *call: seen.append(call[2]))
    network(**inputs(network))
    with_hook.remove()
    return seen[0].reshape(-1, seen[0].shape[-1])[:12]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("decoder", ["bert", "gpt2"])
def test_each_of_two_joined_models_has_its_own_table(decoder: str, tied: bool) -> None:
    network = network_of(joined_config("bert", decoder), auto=AutoModelForSeq2SeqLM)
    if tied and decoder == "bert":
        network.decoder.bert.embeddings = network.encoder.embeddings
    own = {"encoder": network.encoder.embeddings.position_embeddings.weight, "decoder": _table_of(network.decoder)}
    for fact in (facts := facts_of(network)):
        assert isinstance(fact.thing, Table)
        assert torch.equal(fact.thing.values, own[fact.stack])
    assert [fact.stack for fact in facts] == ["encoder", "decoder"]


def _table_of(decoder: PreTrainedModel) -> Tensor:
    named = dict(decoder.named_parameters())
    return next(weight for name, weight in named.items() if name.endswith(("wpe.weight", "position_embeddings.weight")))


@pytest.mark.parametrize("family", LEARNED | SINUSOIDAL)
def test_the_rows_are_those_that_the_model_adds(family: str) -> None:
    network, first = drawn(family), (LEARNED | SINUSOIDAL)[family]
    facts = [fact for fact in facts_of(network) if isinstance(fact.thing, Table)]
    assert {fact.scheme for fact in facts} == {"learned" if family in LEARNED else "sinusoidal"}
    assert {fact.stack for fact in facts} == ({"encoder", "decoder"} if network.config.is_encoder_decoder else {"self"})
    for fact in facts:
        assert isinstance(fact.thing, Table)
        torch.testing.assert_close(added(network, fact.source), fact.thing.values[:12])
        assert dict(fact.lines).get("first row used") == (str(first) if first else None)
        assert (fact.thing.learned, fact.layers) == (family in LEARNED, None)
        assert any("for no position" in note for note in fact.notes) is (first > 0)


@pytest.mark.parametrize("family", [*SINUSOIDAL, "ctrl"])
def test_the_frequencies_of_sinusoids_give_their_dot_products(family: str) -> None:
    table = next(fact.thing for fact in facts_of(drawn(family)) if fact.scheme == "sinusoidal")
    assert isinstance(table, Table)
    assert table.frequencies is not None
    values, apart = table.values[:40].double(), torch.arange(40)[:, None, None] - torch.arange(40)[:, None]  # (T, T, 1)
    expected = (apart * table.frequencies).cos().sum(-1)  # (T, T, P) -> (T, T)
    torch.testing.assert_close(values @ values.T, expected, atol=1e-3, rtol=0)


@pytest.mark.parametrize(("family", "halves"), [("marian", True), ("xlm", False)])
def test_whether_sines_and_cosines_stand_apart_is_known(family: str, halves: bool) -> None:
    table = next(fact.thing for fact in facts_of(drawn(family)) if fact.scheme == "sinusoidal")
    assert isinstance(table, Table)
    assert table.halves is halves
    assert table.values[0, :2].tolist() == ([0.0, 0.0] if halves else [0.0, 1.0])  # sin 0, and then sin 0 or cos 0


def test_tensor2tensor_spreads_the_pairs_to_exactly_the_last_wavelength() -> None:
    ends = []
    for family in ("m2m_100", "marian"):
        table = only_fact(drawn(family), "sinusoidal", "encoder").thing
        assert isinstance(table, Table)
        assert table.frequencies is not None
        ends.append(1 / float(table.frequencies[-1]))
    assert ends == [pytest.approx(10_000), pytest.approx(10_000 ** (30 / 32))]


def test_what_is_sinusoidal_is_told_by_the_numbers() -> None:
    table = sinusoids(torch.arange(64.0), 16)
    assert is_sinusoidal(table)
    assert is_sinusoidal(table.bfloat16().float()[:, torch.randperm(16)])
    assert not is_sinusoidal(table + 0.1 * torch.randn(64, 16))
    assert not is_sinusoidal(torch.zeros(64, 16))


def test_minilm_has_a_learned_table_of_512_rows(minilm: Model) -> None:
    (fact,) = facts_of(minilm.network)
    assert isinstance(fact.thing, Table)
    assert (fact.scheme, fact.source, fact.trained) == ("learned", "embeddings.position_embeddings.weight", 512)
    assert fact.thing.values.shape == (512, 384)
    near = torch.nn.functional.cosine_similarity(*map(torch.stack, zip(*pairwise(fact.thing.values), strict=True)))
    assert fact.thing.learned
    assert float(near.mean()) > 0.5
