"""What a head does, as scores: how much of its weight goes where a named kind of head would send it.

A role is a pattern of cells. Its score is the weight that a query puts on its cells of the pattern, averaged over the
queries that have any such cell which they may attend to. Weights of a row sum to one, so scores lie in 0 to 1.
TransformerLens's `head_detector` divides by the attention of all queries instead, those without a target included;
its patterns are the same. A score says what a head does on this text; judge a head by many texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture import Trace
from core.errors import HeadlightError
from core.jobs import Job
from core.text import Tokens

# Maps are read in blocks of rows of about this many cells (64 MB of float32).
CELLS = 2**24

# Positions of the rows (rows, 1), positions of the columns (1, keys), what each token is (keys,) -> bool (rows, keys).
Pattern = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Role:
    """A kind of head.

    definition  the cells (i, j) of the pattern in words; query i, key j, both counted from 0
    threshold   from this score on a head is said to have the role
    source      where the role, and the threshold if it is not our own, come from
    """

    name: str
    definition: str
    threshold: float
    source: str
    pattern: Pattern


@dataclass(frozen=True)
class RoleScores:
    """The scores of one role in all heads of a stream.

    scores      float32 (layers, heads): 0 to 1; NaN where no query could have played the role, as a causal model
                cannot look at the next token, and for heads that a layer with fewer of them lacks
    uniform     float32 (layers,): the score of a head that spreads its weight evenly over what it may attend to
    queries     of each layer, how many queries the mean is over
    """

    role: Role
    scores: Tensor
    uniform: Tensor
    queries: tuple[int, ...]

    def holders(self) -> list[tuple[int, int]]:
        """(layer, head) of the heads that reach the role's threshold, the highest score first."""
        found = (self.scores >= self.role.threshold).nonzero().tolist()
        return sorted(((layer, head) for layer, head in found), key=lambda place: -float(self.scores[place]))


def _previous(row: Tensor, col: Tensor, kinds: Tensor) -> Tensor:
    return col == row - 1


def _next(row: Tensor, col: Tensor, kinds: Tensor) -> Tensor:
    return col == row + 1


def _own(row: Tensor, col: Tensor, kinds: Tensor) -> Tensor:
    return col == row


def _first(row: Tensor, col: Tensor, kinds: Tensor) -> Tensor:
    return (col == 0) & (row > 0)


def _duplicate(row: Tensor, col: Tensor, kinds: Tensor) -> Tensor:
    return (kinds[None, :] == kinds[row]) & (col < row)


def _induction(row: Tensor, col: Tensor, kinds: Tensor) -> Tensor:
    before = kinds.roll(1)  # of each key the token before it; the first has none
    return (before[None, :] == kinds[row]) & (col > 0) & (col <= row)


_CLARK = "Clark et al. 2019, “What does BERT look at?”, section 3.1; threshold ours"
ROLES: dict[str, Role] = {
    role.name: role
    for role in (
        Role(
            "previous token",
            "j = i - 1",
            0.5,
            _CLARK + "; pattern also in TransformerLens head_detector",
            _previous,
        ),
        Role("next token", "j = i + 1", 0.5, _CLARK, _next),
        Role("own token", "j = i", 0.5, _CLARK, _own),
        Role(
            "first token",
            "j = 0, for i > 0: the attention sink",
            0.3,
            "Gu et al. 2025, “When attention sink emerges in language models”: sink rate with ε = 0.3",
            _first,
        ),
        Role(
            "duplicate token",
            "j < i where token j is the same as token i, special tokens aside",
            0.5,
            "TransformerLens head_detector, duplicate_token_head; threshold ours",
            _duplicate,
        ),
        Role(
            "induction",
            "0 < j ≤ i where token j - 1 is the same as token i, special tokens aside; on a sequence that repeats "
            "itself with period p this is j = i - p + 1",
            0.5,
            "Olsson et al. 2022, “In-context learning and induction heads”, prefix matching, and TransformerLens "
            "head_detector, induction_head; threshold ours",
            _induction,
        ),
    )
}


def role_scores(trace: Trace, stream: str | None = None, job: Job | None = None) -> dict[str, RoleScores]:
    """Score every head of a stream for every role, by the role's name; one block of rows of a layer in memory.

    For duplicate-token and induction heads the text should be random tokens, repeated: on ordinary text few tokens
    repeat, and those that do are followed by the same token by habit of the language.
    job: told after each layer.
    Raises HeadlightError for cross-attention, whose rows and columns are different tokens.
    """
    stream = stream or trace.first_stream
    tokens = trace.queries(stream)
    if trace.keys(stream).ids != tokens.ids:
        raise HeadlightError(
            "Roles compare a token with the tokens beside it, and cross-attention looks at another text: "
            "choose a stream of self-attention."
        )
    kinds, layers, heads = _kinds(tokens), trace.layers(stream), trace.heads(stream)
    by_layer: list[tuple[Tensor, Tensor, Tensor]] = []
    for layer in range(layers):
        by_layer.append(_score_layer(trace, stream, layer, kinds, heads))
        if job is not None:
            job.advance(layer + 1, layers, f"scoring layer {layer}")
    scores, uniform, queries = (torch.stack(parts) for parts in zip(*by_layer, strict=True))  # (layers, roles, ...)
    return {
        name: RoleScores(role, scores[:, i], uniform[:, i], tuple(int(n) for n in queries[:, i]))
        for i, (name, role) in enumerate(ROLES.items())
    }


def _score_layer(trace: Trace, stream: str, layer: int, kinds: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Of one layer: scores (roles, heads), those of uniform attention (roles,), and queries (roles,)."""
    n = len(kinds)
    mass, uniform, queries = torch.zeros(len(ROLES), heads), torch.zeros(len(ROLES)), torch.zeros(len(ROLES))
    step, present = max(1, CELLS // (heads * max(1, n))), 0
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        attention, visible = trace.attention(layer, stream=stream, rows=rows), ~trace.masked(layer, stream, rows)
        present = attention.shape[0]
        for i, role in enumerate(ROLES.values()):
            targets = role.pattern(torch.arange(n)[rows, None], torch.arange(n)[None, :], kinds) & visible
            counted = targets.any(dim=-1)  # (rows,)
            # Of the row blocks only what the pattern holds: (heads, rows, keys) -> (heads,)
            mass[i, :present] += torch.einsum("hij,ij->h", attention[:, counted], targets[counted].float())
            uniform[i] += (targets[counted].sum(-1) / visible[counted].sum(-1)).sum()
            queries[i] += counted.sum()
    mass[:, present:] = torch.nan
    return mass / queries[:, None], uniform / queries, queries


def _kinds(tokens: Tokens) -> Tensor:
    """A number for each token, equal where tokens are the same; special tokens equal nothing: (T,)."""
    pairs = zip(tokens.ids, tokens.special, strict=True)
    return torch.tensor([-1 - i if special else number for i, (number, special) in enumerate(pairs)])
