"""Plain torch modules with attention, as people write it, that know nothing of transformers."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTH, HEADS = 16, 4


class ByHand(nn.Module):
    """Multi-head self-attention in one's own words; `product` says how weights and values are multiplied."""

    def __init__(self, product: str = "matmul", softmax: str = "function") -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.heads = nn.Parameter(torch.full((HEADS, HEADS), 1 / HEADS))
        self.product = product
        self.softmax = {
            "function": lambda scores: F.softmax(scores, dim=-1),
            "torch": lambda scores: torch.softmax(scores, -1),
            "method": lambda scores: scores.softmax(-1),
            "module": nn.Softmax(dim=-1),
        }[softmax]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        texts, length, _ = x.shape
        shape = (texts, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = self.qkv(x).view(shape).permute(2, 0, 3, 1, 4)  # (B, H, T, D) each
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = F.dropout(self.softmax(scores), 0.1, self.training)
        self.seen = weights
        return self.out(self.multiplied(weights, v).transpose(1, 2).reshape(texts, length, WIDTH))

    def multiplied(self, weights: Tensor, v: Tensor) -> Tensor:
        length, width = v.shape[2:]
        match self.product:
            case "matmul":
                return torch.matmul(weights, v)
            case "operator":
                return weights @ v
            case "bmm":
                return torch.bmm(weights.view(-1, length, length), v.reshape(-1, length, width)).view_as(v)
            case "named bmm":
                return torch.bmm(input=weights.flatten(0, 1), mat2=v.flatten(0, 1)).view_as(v)
            case "einsum":
                return torch.einsum("bhqk,bkhd->bhqd", weights, v.transpose(1, 2))
            case "einsum of a list":
                return torch.einsum("bhqk,bhkd->bhqd", [weights, v])
            case "ellipsis":
                return torch.einsum("...qk,...kd->...qd", weights, v)
            case "values first":
                return (v.mT @ weights.mT).mT
            case "talking heads":
                mixed = F.linear(weights.permute(0, 2, 3, 1), self.heads)  # (B, T, S, H)
                return mixed.permute(0, 3, 1, 2) @ v
            case "permuted":
                rows_first = weights.permute(2, 0, 1, 3)  # (T, B, H, S)
                return torch.einsum("qbhk,bhkd->bhqd", rows_first.contiguous(), v)
        raise ValueError(self.product)


class Router(nn.Module):
    """A mixture of experts with a softmax that multiplies no values of tokens, over an attention layer that does."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = ByHand()
        self.gate = nn.Linear(WIDTH, 3)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.vocabulary = nn.Linear(WIDTH, 20)
        self.embedding = nn.Parameter(torch.randn(20, 20))

    def forward(self, x: Tensor) -> Tensor:
        x = self.attention(x)
        shares, chosen = self.gate(x).softmax(-1).topk(2, dim=-1)
        outputs = torch.stack([expert(x) for expert in self.experts], dim=-2)  # (B, T, E, D)
        picked = outputs.gather(-2, chosen[..., None].expand(*chosen.shape, WIDTH))
        x = (shares[..., None] * picked).sum(-2)
        # The expected embedding of the next token: a softmax times parameters.
        expected = self.vocabulary(x).softmax(-1) @ self.embedding
        return expected @ expected.mT


class Decoder(nn.Module):
    """An RNN encoder and a decoder that asks it once for each token, after Bahdanau."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.attention = Additive()
        self.cell = nn.GRUCell(2 * WIDTH, WIDTH)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        states, last = self.encoder(source)
        hidden, outputs = last[0], []
        for step in range(target.shape[1]):
            context = self.attention(hidden, states)
            hidden = self.cell(torch.cat([target[:, step], context], -1), hidden)
            outputs.append(hidden)
        return torch.stack(outputs, 1)


class Additive(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.score = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, hidden: Tensor, states: Tensor) -> Tensor:
        energy = self.score(torch.tanh(self.query(hidden)[:, None] + self.key(states)))  # (B, S, 1)
        weights = F.softmax(energy.squeeze(-1), dim=1)
        self.seen = weights
        return torch.bmm(weights.unsqueeze(1), states).squeeze(1)


class Luong(nn.Module):
    """All queries at once: (B, T, S)."""

    def __init__(self, attention_stream: str | None = None) -> None:
        super().__init__()
        self.encoder = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.decoder = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.attention = Dot(attention_stream)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        states, last = self.encoder(source)
        return self.attention(self.decoder(target, last)[0], states)


class Dot(nn.Module):
    def __init__(self, attention_stream: str | None) -> None:
        super().__init__()
        self.attention_stream = attention_stream

    def forward(self, queries: Tensor, states: Tensor) -> Tensor:
        weights = (queries @ states.mT).softmax(-1)
        self.seen = weights
        return torch.cat([weights @ states, queries], -1)


class Pooling(nn.Module):
    """An LSTM whose states are summed by weights, one query for a whole text."""

    def __init__(self, style: str) -> None:
        super().__init__()
        self.rnn = nn.LSTM(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * WIDTH, 1)
        self.style = style

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        states, _ = self.rnn(x)
        scores = self.score(torch.tanh(states)).masked_fill(~mask[..., None], -1e9)  # (B, S, 1)
        weights = F.softmax(scores, dim=1)
        self.seen = weights[..., 0]
        match self.style:
            case "sum":
                return (weights * states).sum(dim=1)
            case "torch.sum":
                return torch.sum(states * weights, 1)
            case "matmul":
                return torch.matmul(weights.transpose(1, 2), states).squeeze(1)
            case "einsum":
                return torch.einsum("bs,bsd->bd", weights.squeeze(-1), states)
        raise ValueError(self.style)
