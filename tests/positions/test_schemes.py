"""What all schemes share in words and shapes, and the two that are no formula."""

import dataclasses
import re
import subprocess
import sys

import pytest
import torch

from core.errors import HeadlightError
from core.positions import SCHEMES, TRAINABLE, Settings, scheme_named
from core.positions.objects import Bias, Buckets, Rotation, Table
from tests.sentences import is_one_sentence, refused

BIASED = {"relative", "alibi"}
FORMULAS = [name for name in SCHEMES if name not in {"none", "learned"}]
SMALL = Settings(length=9, width=6, clip=3)


def test_the_names_are_those_that_configs_use() -> None:
    names = ["none", "sinusoidal", "learned", "shaw", "relative", "alibi", "rotary", "deberta"]
    assert list(SCHEMES) == names
    assert list(TRAINABLE) == names[:-1]
    assert all(scheme.name == name for name, scheme in SCHEMES.items())


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_is_explained_in_sentences(name: str) -> None:
    scheme = SCHEMES[name]
    for sentence in (scheme.summary, *scheme.notes):
        assert is_one_sentence(sentence), sentence
    assert scheme.acts in {"nowhere", "embeddings", "scores", "queries and keys"}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_formula_is_explained_symbol_by_symbol(name: str) -> None:
    formula = SCHEMES[name].formula
    written = re.sub(r"\\(quad|qquad|text\{[^}]*\}|begin\{\w+\}|end\{\w+\}|[A-Za-z]+)", "", formula.latex)
    explained = " ".join(symbol for symbol, _ in formula.symbols)
    assert set(re.findall(r"[A-Za-z]", written)) <= set(re.findall(r"[A-Za-z]", explained))
    assert set(re.findall(r"\\(?:omega|beta|theta)", formula.latex)) <= set(re.findall(r"\\[a-z]+", explained))
    assert all(symbol and words for symbol, words in formula.symbols)
    assert re.search(r"\d{4}", formula.source)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_uses_fields_that_settings_have(name: str) -> None:
    uses = SCHEMES[name].uses
    assert set(uses) <= {field.name for field in dataclasses.fields(Settings)}
    assert bool(uses) == (name in FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_only_the_fields_that_a_scheme_uses_change_it(name: str) -> None:
    others = {"width": 8, "base": 50.0, "heads": 4, "causal": True, "factor": 2.0, "trained": 7, "clip": 2}
    others |= {"layout": "half-split", "buckets": 8, "farthest": 20}
    unused = {field: value for field, value in others.items() if field not in SCHEMES[name].uses}
    changed = SCHEMES[name].by_distance(dataclasses.replace(SMALL, **unused))  # type: ignore[arg-type]
    assert torch.equal(changed.values, SCHEMES[name].by_distance(SMALL).values)


def test_an_unknown_name_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="no positional scheme called fourier: choose one of none, sinusoidal"):
        scheme_named("fourier")


@pytest.mark.parametrize("name", TRAINABLE)
def test_a_scheme_acts_at_one_place_only(name: str) -> None:
    encoding = SCHEMES[name].encoding(width=32, heads=4, length=10, causal=False)
    hidden, heads = torch.ones(2, 10, 32), torch.ones(2, 4, 10, 8)
    assert torch.equal(encoding.add(hidden), hidden) == (name not in {"sinusoidal", "learned"})
    assert torch.equal(encoding.rotate(heads), heads) == (name != "rotary")
    assert (encoding.bias(10, 10) is None) == (name not in BIASED)


@pytest.mark.parametrize("name", TRAINABLE)
def test_texts_that_begin_later_are_given_their_own_positions(name: str) -> None:
    encoding = SCHEMES[name].encoding(width=32, heads=4, length=10, causal=False)
    hidden = torch.zeros(2, 6, 32)
    places = torch.tensor([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]])
    added = encoding.add(hidden, places)
    torch.testing.assert_close(added[0], encoding.add(hidden)[0])
    torch.testing.assert_close(added[1, 2:], added[0, :4])


def test_what_cannot_be_trained_here_says_so() -> None:
    with pytest.raises(HeadlightError) as caught:
        SCHEMES["deberta"].encoding(width=32, heads=4, length=10, causal=False)
    assert is_one_sentence(str(caught.value))


KINDS = {
    "sinusoidal": (Table, (9, 6)),
    "rotary": (Rotation, (9, 3)),
    "alibi": (Bias, (9, 9)),
    "relative": (Buckets, (9, 9)),
    "shaw": (Buckets, (9, 9)),
    "deberta": (Buckets, (9, 9)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_matrix_has_a_row_for_each_position(name: str) -> None:
    kind, shape = KINDS[name]
    matrix = SCHEMES[name].matrix(length=9, width=6)
    assert isinstance(SCHEMES[name].thing(SMALL), kind)
    assert matrix.shape == shape
    assert matrix.dtype == torch.float32


@pytest.mark.parametrize("name", FORMULAS)
def test_a_single_position_has_a_matrix_and_one_distance(name: str) -> None:
    assert SCHEMES[name].matrix(length=1, width=4).shape[0] == 1
    assert SCHEMES[name].by_distance(Settings(length=1, width=4)).offsets.tolist() == [0]


@pytest.mark.parametrize("name", FORMULAS)
def test_distances_reach_as_far_as_the_length_on_both_sides(name: str) -> None:
    found = SCHEMES[name].by_distance(SMALL)
    assert found.offsets.tolist() == list(range(-8, 9))
    assert found.values.shape == (SMALL.heads if name == "alibi" else 1, 17)
    assert found.values.dtype == torch.float32


@pytest.mark.parametrize("name", FORMULAS)
def test_a_causal_mask_ends_distances_at_the_query(name: str) -> None:
    causal = "causal" in SCHEMES[name].uses
    found = SCHEMES[name].by_distance(dataclasses.replace(SMALL, causal=causal))
    assert int(found.offsets[-1]) == (0 if causal else 8)


@pytest.mark.parametrize("name", SCHEMES)
def test_only_sinusoids_and_rotations_have_frequencies(name: str) -> None:
    found = SCHEMES[name].frequencies(Settings(width=8))
    if name not in {"sinusoidal", "rotary"}:
        assert found is None
    else:
        assert found is not None
        assert found.dtype == torch.float64
        assert found.tolist() == pytest.approx([1, 0.1, 0.01, 0.001])


def test_a_matrix_takes_the_other_settings() -> None:
    assert torch.equal(SCHEMES["alibi"].matrix(6, heads=2), 2**-4 / 2**-1 * SCHEMES["alibi"].matrix(6))
    assert SCHEMES["shaw"].matrix(6, clip=2)[0].tolist() == [2, 3, 4, 4, 4, 4]
    assert not torch.equal(SCHEMES["sinusoidal"].matrix(6, base=100.0), SCHEMES["sinusoidal"].matrix(6))


@pytest.mark.parametrize(("name", "advice"), [("none", "choose another scheme"), ("learned", "open a model")])
def test_what_is_no_formula_has_nothing_to_show(name: str, advice: str) -> None:
    for ask in (SCHEMES[name].matrix, SCHEMES[name].thing, SCHEMES[name].by_distance):
        with refused(advice):
            ask()


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
