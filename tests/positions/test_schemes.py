"""What all schemes share, and the two that are no formula."""

import subprocess
import sys

import pytest
import torch

from core.errors import HeadlightError
from core.positions import SCHEMES, scheme_named

BIASED = {"relative", "alibi"}


def test_the_names_are_those_that_configs_use() -> None:
    assert list(SCHEMES) == ["none", "sinusoidal", "learned", "relative", "rotary", "alibi"]
    assert all(scheme.name == name and scheme.summary.endswith(".") for name, scheme in SCHEMES.items())


def test_an_unknown_name_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="no positional scheme called fourier: choose one of none, sinusoidal"):
        scheme_named("fourier")


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_acts_at_one_place_only(name: str) -> None:
    encoding = SCHEMES[name].encoding(width=32, heads=4, length=10, causal=False)
    hidden, heads = torch.ones(2, 10, 32), torch.ones(2, 4, 10, 8)
    assert torch.equal(encoding.add(hidden), hidden) == (name not in {"sinusoidal", "learned"})
    assert torch.equal(encoding.rotate(heads), heads) == (name != "rotary")
    assert (encoding.bias(10, 10) is None) == (name not in BIASED)


@pytest.mark.parametrize("name", SCHEMES)
def test_texts_that_begin_later_are_given_their_own_positions(name: str) -> None:
    encoding = SCHEMES[name].encoding(width=32, heads=4, length=10, causal=False)
    hidden = torch.zeros(2, 6, 32)
    places = torch.tensor([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]])
    added = encoding.add(hidden, places)
    torch.testing.assert_close(added[0], encoding.add(hidden)[0])
    torch.testing.assert_close(added[1, 2:], added[0, :4])


@pytest.mark.parametrize(("name", "shape"), [("sinusoidal", (9, 6)), ("rotary", (9, 3)), ("alibi", (9, 9))])
def test_a_matrix_has_a_row_for_each_position(name: str, shape: tuple[int, int]) -> None:
    matrix = SCHEMES[name].matrix(length=9, width=6)
    assert matrix.shape == shape
    assert matrix.dtype == torch.float32


@pytest.mark.parametrize(("name", "advice"), [("none", "choose another scheme"), ("learned", "open a model")])
def test_what_is_no_formula_has_no_matrix(name: str, advice: str) -> None:
    with pytest.raises(HeadlightError, match=advice):
        SCHEMES[name].matrix()


def test_learned_positions_end_with_their_table() -> None:
    encoding = SCHEMES["learned"].encoding(width=8, heads=2, length=10, causal=False)
    assert encoding.add(torch.zeros(1, 10, 8)).shape == (1, 10, 8)
    with pytest.raises(HeadlightError, match="has 11 tokens, but the model's position table ends at 10: shorten"):
        encoding.add(torch.zeros(1, 11, 8))


def test_padding_before_a_text_takes_no_row_of_the_table() -> None:
    encoding = SCHEMES["learned"].encoding(width=8, heads=2, length=10, causal=False)
    places = (torch.arange(12) - 2).clamp(min=0)[None]
    assert encoding.add(torch.zeros(1, 12, 8), places).shape == (1, 12, 8)


def test_naming_the_schemes_does_not_load_torch() -> None:
    code = "import sys, core.positions; list(core.positions.SCHEMES); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
