"""Where weights meet the values they multiply: the many ways of writing one product, brought into one layout.

A product is (weights (…, T, S), value (…, S, D), output (…, T, D)), the leading dimensions equal or one.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

MATMULS = {torch.matmul, torch.bmm, Tensor.matmul, Tensor.bmm, Tensor.__matmul__}
MULTIPLICATIONS = {torch.mul, torch.multiply, Tensor.mul, Tensor.multiply, Tensor.__mul__, Tensor.__rmul__}
SUMS = {torch.sum, Tensor.sum}


class Product(NamedTuple):
    """Weights, the values that they multiply, and what comes out."""

    weights: Tensor
    value: Tensor
    output: Tensor

    def map(self, change: Callable[[Tensor], Tensor]) -> Product:
        return Product(change(self.weights), change(self.value), change(self.output))


# Brings the weights, or a mask of their shape, and the values into one layout.
Arrange = Callable[[Tensor], Product | None]


def is_product(func: Callable[..., Any]) -> bool:
    """Whether a function of torch may multiply weights and values: its result is no weights any more."""
    return func in MATMULS or func is torch.einsum


def operands_of(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
    """The tensors that a function of torch is called with, in order; an einsum may take them as a list."""
    given = args[1] if func is torch.einsum and isinstance(args[1], (list, tuple)) else [*args, *kwargs.values()]
    return [each for each in given if isinstance(each, Tensor)]


def product_of(
    func: Callable[..., Any], args: Sequence[Any], operands: Sequence[Tensor], mine: Tensor, output: Tensor
) -> Arrange | None:
    """How to read a product as weights times values; None if it is none of two tensors that are computed.

    mine: that of the operands which are the weights
    """
    if len(operands) != 2:
        return None
    first, second = operands
    weights_first = mine is first
    value = second if weights_first else first
    # The expected embedding of a word is a softmax times parameters.
    if isinstance(value, nn.Parameter):
        return None
    if func is torch.einsum:
        return lambda weights: _of_einsum(args[0], weights, value, weights_first, output)
    if weights_first:
        return lambda weights: _of_matmul(weights, value, output)
    if first.dim() < 2 or second.dim() < 2:
        return None
    return lambda weights: _of_matmul(weights.mT, value.mT, output.mT)


def operands_of_scores(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor
) -> tuple[Tensor, Tensor] | None:
    """Query (…, T, D) and key (…, S, D) of a product (…, T, S) of two computed tensors; None if it is none of these."""
    operands = operands_of(func, args, kwargs)[-2:]
    if len(operands) != 2 or any(isinstance(operand, nn.Parameter) for operand in operands):
        return None
    first, second = (operand.detach() for operand in operands)
    if func is torch.einsum:
        return _scores_of_einsum(args[0], first, second, result) if isinstance(args[0], str) else None
    if min(first.dim(), second.dim()) < 2:
        return None
    depth = result.dim()
    first, second = (t[(None,) * (depth - t.dim())] for t in (first, second))
    return first, second.mT


def _of_matmul(weights: Tensor, value: Tensor, output: Tensor) -> Product | None:
    if weights.dim() < 2 or value.dim() < 2:
        return None
    if value.dim() < weights.dim():
        value = value[(None,) * (weights.dim() - value.dim())]
    return Product(weights, value, output)


def _of_einsum(equation: str, weights: Tensor, value: Tensor, weights_first: bool, output: Tensor) -> Product | None:
    """Of an einsum over two tensors; None where its letters are not those of weights and values."""
    if "->" not in equation:
        return None
    sources, result = equation.replace(" ", "").split("->")
    terms = sources.split(",")
    if len(terms) != 2:
        return None
    first, second = terms if weights_first else reversed(terms)
    mine, theirs = _spelled(first, weights), _spelled(second, value)
    out = _spelled(result, output)
    keys = [i for i in mine if i in theirs and i not in out]
    widths = [i for i in theirs if i not in mine and i in out]
    queries = [i for i in mine if i in out and i not in theirs]
    shared = [i for i in mine if i in out and i not in queries[-1:]]
    if len(keys) != 1 or len(widths) != 1 or len(mine) != len(shared) + len(queries[-1:]) + 1:
        return None
    asked = queries[-1:]
    return Product(
        _arranged(weights, mine, shared, asked, keys),
        _arranged(value, theirs, shared, keys, widths),
        _arranged(output, out, shared, asked, widths),
    )


def _scores_of_einsum(equation: str, first: Tensor, second: Tensor, result: Tensor) -> tuple[Tensor, Tensor] | None:
    """The same of an einsum, whose letters tell which operand has the rows; None where they tell something else."""
    terms, arrow, out = equation.replace(" ", "").partition("->")
    if not arrow or terms.count(",") != 1:
        return None
    given = dict(zip("qk", (first, second), strict=True))
    spelled = {name: _spelled(term, given[name]) for name, term in zip("qk", terms.split(","), strict=True)}
    *lead, row, column = _spelled(out, result) if result.dim() > 1 else ("", "", "")
    if row in spelled["k"]:
        given, spelled = {"q": given["k"], "k": given["q"]}, {"q": spelled["k"], "k": spelled["q"]}
    width = [letter for letter in spelled["q"] if letter in spelled["k"] and letter not in (*lead, row, column)]
    for name, own in (("q", row), ("k", column)):
        letters = spelled[name]
        if len(width) != 1 or own not in letters or len({*letters}) != len(letters):
            return None
        if not {*letters} <= {*lead, own, *width}:
            return None
    query, key = (_arranged(given[n], spelled[n], lead, [own], width) for n, own in (("q", row), ("k", column)))
    return query, key


def _spelled(term: str, tensor: Tensor) -> list[str]:
    """The letters of a term, with capital ones for its ellipsis."""
    if "..." not in term:
        return list(term)
    before, after = term.split("...")
    rest = tensor.dim() - len(before) - len(after)
    return [*before, *string.ascii_uppercase[26 - rest :], *after]


def _arranged(tensor: Tensor, letters: list[str], shared: list[str], row: list[str], column: list[str]) -> Tensor:
    """The tensor as (shared…, row, column); of size 1 where it lacks a letter, or where there is no row."""
    wanted = [*shared, *row, *column]
    tensor = tensor.permute([letters.index(letter) for letter in wanted if letter in letters])
    for place, letter in enumerate(wanted):
        if letter not in letters:
            tensor = tensor.unsqueeze(place)
    return tensor if row else tensor.unsqueeze(-2)


def pooled_product(
    weights: Tensor, value: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any], output: Tensor
) -> Product | None:
    """Of `(weights * values).sum(dim)`, where weights (…, S, 1) are spread over values (…, S, D)."""
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if isinstance(dim, (tuple, list)) and len(dim) == 1:
        dim = dim[0]
    depth = value.dim()
    if not isinstance(dim, int) or depth != weights.dim() or depth not in (3, 4) or weights.shape[-1] != 1:
        return None
    if dim % depth != depth - 2:
        return None
    if kwargs.get("keepdim", False):
        output = output.squeeze(depth - 2)
    if depth == 3:  # (B, S, 1) * (B, S, D): one query
        return Product(weights.mT, value, output.unsqueeze(-2))
    if value.shape[1] != 1:
        return None
    return Product(weights[..., 0], value[:, 0], output)  # (B, T, S, 1) * (B, 1, S, D)
