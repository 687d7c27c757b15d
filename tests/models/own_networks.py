"""Networks that somebody might bring along: each with attention that torch's own modules do not compute."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WORDS = ("<pad>", "<unk>", "a", "b", "c", "d", "warm", "film")
WIDTH, HEADS = 16, 2


def by_hand(scores: Tensor) -> Tensor:
    """A softmax over the last dimension, as textbooks write it."""
    exponents = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponents / exponents.sum(dim=-1, keepdim=True)


class Attention(nn.Module):
    """Causal self-attention, whose softmax is written by hand; `seen` holds its last weights."""

    def __init__(self) -> None:
        super().__init__()
        self.projections = nn.Linear(WIDTH, 3 * WIDTH)

    def forward(self, states: Tensor) -> Tensor:
        split = [part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.projections(states).chunk(3, -1)]
        query, key, value = split  # (B, H, T, D)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        self.seen = by_hand(scores.masked_fill(later, -torch.inf))
        return (self.seen @ value).transpose(1, 2).flatten(2)  # (B, H, T, D) -> (B, T, H · D)


class Transformer(nn.Module):
    """A language model of two layers with 40 learned positions; it answers with a tuple."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(len(WORDS), WIDTH), nn.Embedding(40, WIDTH)
        self.layers = nn.ModuleList(Attention() for _ in range(2))
        self.head = nn.Linear(WIDTH, len(WORDS))

    def forward(self, tokens: Tensor) -> tuple[Tensor, str]:
        states = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            states = states + layer(states)
        return self.head(states), "and more"


class Translator(nn.Module):
    """A GRU that looks back at the source at each step, in one module with everything else."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(len(WORDS), WIDTH)
        self.encoder = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.cell = nn.GRUCell(2 * WIDTH, WIDTH)
        self.score = nn.Linear(2 * WIDTH, 1)
        self.head = nn.Linear(WIDTH, len(WORDS))

    def forward(self, input_ids: Tensor, decoder_input_ids: Tensor) -> dict[str, Tensor]:
        states, last = self.encoder(self.words(input_ids))
        state, rows, logits = last[0], [], []
        for given in self.words(decoder_input_ids).unbind(1):
            asked = torch.cat([states, state[:, None].expand_as(states)], dim=-1)  # (B, S, 2 · E)
            rows.append(by_hand(torch.tanh(self.score(asked)).squeeze(-1)))  # (B, S)
            context = torch.bmm(rows[-1][:, None], states)[:, 0]
            state = self.cell(torch.cat([given, context], dim=-1), state)
            logits.append(self.head(state))
        self.seen = torch.stack(rows, dim=1)  # (B, T, S)
        return {"logits": torch.stack(logits, dim=1)}


class Pooling(nn.Module):
    """One query over embeddings. normalise: scores to weights; total: weights and states to their sum."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(len(WORDS), WIDTH)
        self.query = nn.Linear(WIDTH, 1)
        self.head = nn.Linear(WIDTH, 2)

    def normalise(self, scores: Tensor, mask: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)

    def total(self, weights: Tensor, states: Tensor) -> Tensor:
        return (weights[..., None] * states).sum(1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        states = self.words(input_ids)
        self.seen = self.normalise(self.query(states)[..., 0], attention_mask)  # (B, S)
        return self.head(self.total(self.seen, states))


class Bag(nn.Module):
    """No attention: the mean of the embeddings, and one logit a text."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(len(WORDS), WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, input_ids: Tensor) -> Tensor:
        return self.head(self.words(input_ids).mean(1))[:, 0]


class OneHot(Pooling):
    """No table of embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Linear(len(WORDS), WIDTH)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        states = torch.tanh(self.words(F.one_hot(input_ids, len(WORDS)).float()))
        return self.head(self.total(torch.softmax(self.query(states)[..., 0], dim=-1), states))
