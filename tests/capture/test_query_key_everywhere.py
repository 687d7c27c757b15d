"""Every architecture shows the queries and keys that its weights come from, and its steps lead to these weights."""

import pytest
import torch

from core.capture import Call, QueryKeyDetail, prepare, query_key_detail, record
from tests.architectures import ARCHITECTURES, Architecture

TOLERANCE = 1e-5
# Architectures without queries and keys, each with the reason. None is left.
WITHOUT: dict[str, str] = {}
# Settings of the same architectures that add to the scores what the others do not.
VARIANTS = (
    Architecture("deberta", dict(relative_attention=True, pos_att_type=["c2p", "p2c"]), "deberta with positions"),
    Architecture("deberta-v2", dict(relative_attention=True, pos_att_type=["c2p", "p2c"]), "deberta-v2 with positions"),
    Architecture("convbert", dict(num_groups=2), "convbert in groups"),
)


def title_of(architecture: Architecture) -> str:
    return architecture.title


@torch.no_grad()
def calls_of(architecture: Architecture, padding: str = "left") -> tuple[Call, ...]:
    network = architecture.network()
    prepare(network, architecture.inputs("right"))
    with record(network) as recording:
        network(**architecture.inputs(padding))
    return recording.calls


def led_to(detail: QueryKeyDetail) -> torch.Tensor:
    """The weights that the detail's own steps lead to."""
    assert detail.capped is not None
    logits = detail.capped if detail.added is None else detail.capped + detail.added
    sink = -torch.inf if detail.sink is None else detail.sink
    logits = torch.cat([logits.masked_fill(detail.masked, -torch.inf), torch.tensor([sink])])
    return torch.softmax(logits, dim=0)[:-1]


@pytest.mark.parametrize("architecture", [*ARCHITECTURES, *VARIANTS], ids=title_of)
def test_the_steps_of_a_middle_query_lead_to_its_weights(architecture: Architecture) -> None:
    calls = calls_of(architecture)
    assert calls
    for call in calls:
        query = call.queries // 2
        for head in range(call.heads):
            for text in range(2):
                detail = query_key_detail(call, head, query, text)
                weights = call.weights([head], slice(query, query + 1), batch=text)[0, 0]
                assert (detail.weights - weights).abs().max() <= TOLERANCE
                assert torch.equal(torch.isneginf(detail.logits), detail.masked)
                assert torch.equal(
                    detail.masked, call.masked(batch=text, heads=[head])[0].expand(call.queries, -1)[query]
                )
                assert (detail.dims > 0) is (detail.remark == "") is (architecture.title not in WITHOUT)
                if not detail.masked.all():
                    assert (led_to(detail) - weights).abs().max() <= TOLERANCE


def test_a_position_bias_is_told_apart_from_the_products() -> None:
    for title, added in (("bloom", True), ("mpt", True), ("xlnet", True), ("bert", False), ("gpt_neo", False)):
        architecture = next(a for a in ARCHITECTURES if a.title == title)
        detail = query_key_detail(calls_of(architecture)[1], 2, 9)
        assert (detail.added is not None) is added
    alibi = query_key_detail(calls_of(Architecture("bloom"), "none")[0], 0, 20).added
    assert alibi is not None
    steps = alibi[1:21] - alibi[:20]
    assert torch.allclose(steps, steps[:1].expand(20))


@pytest.mark.parametrize("kind", ["bloom", "mpnet", "git", "megatron-bert"])
def test_half_precision_shows_them_too(kind: str) -> None:
    architecture = Architecture(kind)
    network = architecture.network().to(torch.bfloat16)
    prepare(network, architecture.inputs("right"))
    with torch.no_grad(), record(network) as recording:
        network(**architecture.inputs("left"))
    for call in recording.calls:
        detail = query_key_detail(call, 1, 12)
        assert detail.dims == 8
        assert (led_to(detail) - detail.weights).abs().max() <= 4 * torch.finfo(torch.bfloat16).eps
