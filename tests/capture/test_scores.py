"""Queries and keys are found however a module writes its scores, and only where they lead to its weights."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.capture import QueryKeyDetail, query_key_detail, record
from core.capture.stored import StoredCall
from tests.capture.modules import HEADS, WIDTH, Decoder, Luong, Pooling

D, T = WIDTH // HEADS, 7
BIAS = torch.linspace(-1, 1, HEADS * T * T).view(HEADS, T, T)
FUTURE = torch.ones(T, T).triu(1).bool()
REVERSED = torch.arange(T).flip(0)
LOW = FUTURE.float() * torch.finfo(torch.float32).min

ScoresOf = Callable[[Tensor, Tensor], Tensor]


class Attention(nn.Module):
    """Attention whose scores (B, H, T, T) are a given function of its queries and keys (B, H, T, D)."""

    def __init__(self, scores: ScoresOf) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.scores = scores

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (HEADS, D)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        self.q, self.k = q, k
        return F.softmax(self.scores(q, k), dim=-1) @ v


def texts(seed: int = 0, length: int = T) -> Tensor:
    return torch.randn(2, length, WIDTH, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def call_of(module: nn.Module, *inputs: Tensor) -> StoredCall:
    module.eval()
    with record(module) as recording:
        module(*(inputs or (texts(),)))
    (call,) = recording.calls
    assert isinstance(call, StoredCall)
    return call


def seen(scores: ScoresOf) -> tuple[Attention, StoredCall]:
    torch.manual_seed(0)
    module = Attention(scores)
    return module, call_of(module)


def detail_of(call: StoredCall) -> QueryKeyDetail:
    detail = query_key_detail(call, 2, 4, 1)
    logits = detail.logits if detail.sink is None else torch.cat([detail.logits, torch.tensor([detail.sink])])
    assert torch.allclose(torch.softmax(logits, 0)[: call.keys], detail.weights, atol=1e-6)
    return detail


def in_place(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT
    scores /= 3
    scores += LOW
    scores *= 2
    scores -= 1.0
    return scores.masked_fill_(FUTURE, -torch.inf)


def through_bmm(q: Tensor, k: Tensor) -> Tensor:
    return torch.bmm(q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2)).view(2, HEADS, T, T) / 4


def added_product(q: Tensor, k: Tensor) -> Tensor:
    start = torch.zeros(2 * HEADS, T, T)
    scores = torch.baddbmm(start, q.flatten(0, 1), k.flatten(0, 1).mT, beta=1.0, alpha=0.25)
    return scores.view(2, HEADS, T, T)


def largest_taken_off(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT * 0.25
    return scores - scores.max(dim=-1, keepdim=True).values


WITHOUT_ADDITION: dict[str, tuple[ScoresOf, float]] = {
    "query scaled before": (lambda q, k: (q / 2) @ k.mT, 1.0),
    "scaled after": (lambda q, k: 0.5 * torch.matmul(q, k.transpose(-1, -2)), 0.5),
    "divided by a tensor of one": (lambda q, k: q @ k.mT / torch.tensor(4.0), 0.25),
    "bmm": (through_bmm, 0.25),
    "baddbmm to zeros": (added_product, 0.25),
    "einsum": (lambda q, k: torch.einsum("bhqd,bhkd->bhqk", q, k) * 0.25, 0.25),
    "einsum, keys first": (lambda q, k: torch.einsum("bkhd,bqhd->bhqk", k.transpose(1, 2), q.transpose(1, 2)), 1.0),
    "einsum of a list": (lambda q, k: torch.einsum("...qd,...kd->...qk", [q, k]), 1.0),
    "einsum of numbers": (lambda q, k: torch.einsum(q, [0, 1, 2, 4], k, [0, 1, 3, 4], [0, 1, 2, 3]), 1.0),
    "keys first": (lambda q, k: (k @ q.mT).mT, 1.0),
    "in place": (in_place, 2 / 3),
    "mask added": (lambda q, k: (q @ k.mT) * 0.5 + LOW, 0.5),
    "mask multiplied": (lambda q, k: q @ k.mT * (~FUTURE).float() - 1e4 * FUTURE.float(), 1.0),
    "where": (lambda q, k: torch.where(FUTURE, torch.tensor(-1e9), q @ k.mT), 1.0),
    "lowest held": (lambda q, k: torch.max(q @ k.mT + LOW, torch.tensor(-1e30)), 1.0),
    "cast": (lambda q, k: (q @ k.mT).double().to(torch.float32).type_as(q), 1.0),
    "largest taken off": (largest_taken_off, 0.25),
}
WITH_ADDITION: dict[str, tuple[ScoresOf, float, float]] = {
    "bias": (lambda q, k: q @ k.mT * 0.5 + BIAS, 0.5, 1.0),
    "bias first": (lambda q, k: BIAS + q @ k.mT, 1.0, 1.0),
    "bias before the scale": (lambda q, k: (q @ k.mT + BIAS) * 0.5, 0.5, 0.5),
    "bias taken off": (lambda q, k: torch.sub(q @ k.mT, BIAS, alpha=2), 1.0, -2.0),
    "baddbmm": (
        lambda q, k: torch.baddbmm(
            BIAS.repeat(2, 1, 1), q.flatten(0, 1), k.flatten(0, 1).mT, beta=3, alpha=0.5
        ).unflatten(0, (2, HEADS)), 0.5, 3.0,
    ),
    "a shifted product": (lambda q, k: (torch.eye(T) @ BIAS.flip(1))[:, REVERSED] + q @ k.mT, 1.0, 1.0),
}  # fmt: skip
NO_PRODUCT: dict[str, ScoresOf] = {
    "no linear step": lambda q, k: torch.relu(q @ k.mT),
    "two products": lambda q, k: q @ k.mT + k @ q.mT,
    "distance": lambda q, k: -torch.cdist(q, k),
    "multiplied by a tensor": lambda q, k: q @ k.mT * BIAS,
    "from the other side": lambda q, k: 1 - q @ k.mT,
    "diagonals": lambda q, k: torch.einsum("bhii,bhij->bhij", q @ k.mT, (k @ k.mT).contiguous()),
    "single numbers": lambda q, k: torch.relu(q @ k.mT) + (q @ k.mT)[0, 0, 0, 0] + (k @ q.mT)[0, 0, 0],
    "heads mixed": lambda q, k: (q @ k.mT).flip(1).mean(1, keepdim=True).expand(-1, HEADS, -1, -1),
}


@pytest.mark.parametrize("way", WITHOUT_ADDITION)
def test_query_and_key_are_found_where_nothing_is_added(way: str) -> None:
    scores, scale = WITHOUT_ADDITION[way]
    module, call = seen(scores)
    detail = detail_of(call)
    assert detail.remark == ""
    assert detail.scale == pytest.approx(scale)
    assert detail.added is None
    assert detail.query is not None
    assert detail.key is not None
    halved = 2 if way == "query scaled before" else 1
    assert torch.equal(detail.query, module.q[1, 2, 4] / halved)
    assert torch.equal(detail.key, module.k[1, 2])
    assert detail.dots is not None
    assert torch.allclose(detail.dots, module.k[1, 2] @ module.q[1, 2, 4] / halved, atol=1e-6)


@pytest.mark.parametrize("way", WITH_ADDITION)
def test_what_is_added_is_told_apart(way: str) -> None:
    scores, scale, factor = WITH_ADDITION[way]
    module, call = seen(scores)
    detail = detail_of(call)
    assert detail.scale == pytest.approx(scale)
    assert torch.equal(detail.key, module.k[1, 2])
    assert detail.added is not None
    assert detail.scaled is not None
    assert torch.allclose(detail.added, factor * BIAS[2, 4], atol=1e-5)
    assert torch.allclose(detail.scaled + detail.added, detail.logits, atol=1e-5)


@pytest.mark.parametrize("way", NO_PRODUCT)
def test_nothing_is_claimed_that_does_not_lead_to_the_weights(way: str) -> None:
    module, call = seen(NO_PRODUCT[way])
    detail = detail_of(call)
    assert (detail.query, detail.key, detail.added, detail.dims) == (None, None, None, 0)
    assert detail.remark == "This model's queries and keys cannot be seen: its scores are shown without them."
    with torch.no_grad():
        assert torch.allclose(detail.logits, NO_PRODUCT[way](module.q, module.k)[1, 2, 4], atol=1e-5)


def test_a_change_that_torch_does_not_show_is_found_out() -> None:
    def scores(q: Tensor, k: Tensor) -> Tensor:
        result = q @ k.mT
        result[:, :, 4] = 1 - result[:, :, 4]  # one row that is not among those proven
        return result

    _, call = seen(scores)
    assert detail_of(call).query is None
    assert query_key_detail(call, 2, 3, 1).dims == D


def test_weights_that_are_mixed_after_the_softmax_have_no_scores() -> None:
    class Mixed(Attention):
        def forward(self, x: Tensor) -> Tensor:
            q, k, v = (t.unflatten(-1, (HEADS, D)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
            weights = F.linear((q @ k.mT).softmax(-1).permute(0, 2, 3, 1), torch.full((HEADS, HEADS), 0.25))
            return weights.permute(0, 3, 1, 2) @ v

    detail = query_key_detail(call_of(Mixed(lambda q, k: q)), 0, 0)
    assert detail.query is None
    assert "up to a number" in detail.remark
    assert torch.allclose(detail.logits.softmax(0), detail.weights)


def test_a_sink_has_the_score_that_gives_it_its_share() -> None:
    def scores(q: Tensor, k: Tensor) -> Tensor:
        return torch.cat([q @ k.mT, torch.full((2, HEADS, T, 1), 0.75)], -1)

    class Sink(Attention):
        def forward(self, x: Tensor) -> Tensor:
            q, k, v = (t.unflatten(-1, (HEADS, D)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
            return self.scores(q, k).softmax(-1)[..., :-1] @ v

    detail = detail_of(call_of(Sink(scores)))
    assert detail.dims == D
    assert detail.sink == pytest.approx(0.75, abs=1e-5)
    assert float(detail.weights.sum()) + detail.sink_weight == pytest.approx(1)


def test_weights_too_small_for_their_format_are_said_where_the_bias_is_not_kept() -> None:
    _, call = seen(lambda q, k: q @ k.mT + 1000 * BIAS.repeat(2, 1, 1).view(2, HEADS, T, T) * torch.eye(T))
    detail = query_key_detail(call, 0, 0)
    assert "too small" in detail.remark
    assert torch.isneginf(detail.logits).tolist() == [True] + 6 * [False]
    assert detail.dims == D


def test_queries_and_keys_are_kept_by_reference_and_nothing_else_is() -> None:
    module, call = seen(lambda q, k: q @ k.mT * 0.5 + LOW)
    weights, blocked, sizes, query, key = call.kept
    assert query.untyped_storage().data_ptr() == module.q.untyped_storage().data_ptr()
    assert key.untyped_storage().data_ptr() == module.k.untyped_storage().data_ptr()
    assert (sizes.numel(), blocked.numel(), weights.numel()) == (2 * HEADS * T, 2 * T * T, 2 * HEADS * T * T)


def test_scores_are_let_go_of_when_the_weights_have_met_the_values() -> None:
    alive: list[weakref.ref[Tensor]] = []

    def scores(q: Tensor, k: Tensor) -> Tensor:
        assert not any(ref() is not None for ref in alive)
        result = q @ k.mT
        alive.append(weakref.ref(result))
        return result

    model = nn.Sequential(*(Attention(scores) for _ in range(2)), nn.Flatten(2)).eval()
    model[0].register_forward_hook(lambda module, args, output: output.transpose(1, 2).flatten(2))
    gc.disable()
    try:
        with torch.no_grad(), record(model) as recording:
            model(texts())
    finally:
        gc.enable()
    assert len(recording.calls) == len(alive) == 2


@pytest.mark.parametrize("extra", [{}, {"add_zero_attn": True}, {"add_bias_kv": True}, {"kdim": WIDTH, "vdim": WIDTH}])
@pytest.mark.parametrize("mask", [FUTURE, LOW, BIAS[0], BIAS.repeat(2, 1, 1), None], ids=str)
def test_torch_multi_head_attention_shows_its_projections(extra: dict, mask: Tensor | None) -> None:
    torch.manual_seed(0)
    module = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, **extra).eval()
    x = texts()
    with torch.no_grad(), record(module) as recording:
        module(x, x, x, attn_mask=mask)
    detail = detail_of(recording.calls[0])
    assert detail.remark == ""
    assert (detail.dims, detail.scale) == (D, pytest.approx(1 / math.sqrt(D)))
    is_bias = mask is not None and mask.dtype != torch.bool and mask is not LOW
    assert (detail.added is not None) is is_bias
    assert (detail.sink is not None) is ("add_zero_attn" in extra or "add_bias_kv" in extra)


def test_attention_over_an_rnn_shows_states_as_queries_and_keys() -> None:
    module = Luong()
    call = call_of(module, texts(length=9), texts(1))
    detail = query_key_detail(call, 0, 4, 1)
    assert (detail.dims, detail.key.shape, detail.scale) == (WIDTH, (9, WIDTH), 1.0)
    for module, inputs in ((Decoder(), (texts(length=9), texts(1))), (Pooling("sum"), None)):
        mask = torch.ones(2, T, dtype=torch.bool)
        call = call_of(module, *(inputs or (texts(), mask)))
        detail = query_key_detail(call, 0, call.queries - 1, 1)
        assert detail.query is None  # additive attention has no product
        assert "cannot be seen: its scores" in detail.remark
        assert torch.allclose(detail.logits.softmax(0), detail.weights, atol=1e-6)
