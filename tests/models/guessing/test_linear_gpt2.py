"""GPT-2 out of nn.Linear, as nanoGPT and minGPT build it, is told by its joint matrices, and for a whole file."""

from __future__ import annotations

from typing import Any

import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.estimate import sketch
from core.models.guessing import Guess, guesses, is_linear_gpt2, places, revised, stated_answers
from core.models.guessing.asking import heads
from core.models.preparing.naming import Naming, naming
from tests.examples import examples
from tests.models.guessing.test_families import Shapes, shapes_of
from tests.models.preparing.linear_gpt2 import LinearGpt2, Sizes, mingpt, nanogpt
from tests.sentences import is_one_sentence

JOINT = "h.0.attn.c_attn.weight"
BIGCODE = {"model_type": "gpt_bigcode", "architectures": ["GPTBigCodeForCausalLM"], "multi_query": False}


def shapes(network: LinearGpt2) -> Shapes:
    return {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}


def asked(guess: Guess, name: str) -> tuple[object, str]:
    question = next(question for question in guess.open_questions if question.name == name)
    return question.value, question.why


def test_the_reason_names_the_shape_in_the_file_and_what_is_done_about_it() -> None:
    (guess,) = guesses(shapes(nanogpt(bias=False)))
    assert "h.*.attn.c_attn.weight (96, 32)" in guess.reason
    assert "nn.Linear" in guess.reason
    assert "zeros stand for the biases" in guess.reason
    assert is_one_sentence(guess.reason)
    (guess,) = guesses(shapes(nanogpt(bias=True)))
    assert "zeros" not in guess.reason


def test_what_gpt_bigcode_has_too_is_guessed_with_a_word_about_it() -> None:
    (guess,) = guesses(shapes(nanogpt(bias=True)))
    assert "a gpt_bigcode model looks the same and needs its own config.json" in guess.reason
    assert is_one_sentence(guess.reason)
    # It has all biases, and keeps no masks.
    for other in (nanogpt(bias=False), mingpt()):
        assert "bigcode" not in guesses(shapes(other))[0].reason


def test_the_activation_is_that_of_the_program_that_saves_such_files() -> None:
    value, why = asked(guesses(shapes(nanogpt(bias=True)))[0], "activation_function")
    assert (value, "nanoGPT" in why) == ("gelu", True)
    value, why = asked(guesses(shapes(mingpt()))[0], "activation_function")
    assert (value, "minGPT" in why) == ("gelu_new", True)
    value, why = asked(guesses(shapes_of("GPT2LMHeadModel"))[0], "activation_function")
    assert (value, "family" in why) == ("gelu_new", True)


def test_the_padded_vocabulary_and_the_positions_are_read_and_the_heads_are_those_beside() -> None:
    (guess,) = guesses(shapes(nanogpt(bias=False, sizes=Sizes(vocab_size=50_304, n_embd=8, n_layer=1))))
    assert (guess.config["vocab_size"], guess.config["n_positions"]) == (50_304, 48)
    assert "eos_token_id" not in guess.config
    stated = stated_answers(guess, {"model_args": {"n_head": 2, "n_embd": 8}, "config": {"n_head": 4}})
    assert (stated["n_head"].value, stated["n_head"].path) == (2, ("model_args", "n_head"))


@given(st.integers(1, 64), st.integers(1, 64))
@settings(max_examples=examples(60), deadline=None)
def test_no_width_makes_both_ways_one(width: int, inner: int) -> None:
    linear = {"wte.weight": (9, width), "wpe.weight": (5, width), JOINT: (3 * width, width)}
    assert is_linear_gpt2(linear | {"h.0.mlp.c_fc.weight": (inner, width)})
    assert not is_linear_gpt2(linear | {JOINT: (width, 3 * width)})
    assert not is_linear_gpt2(linear | {"h.1.attn.c_attn.weight": (width, 3 * width)})


def test_square_matrices_are_turned_with_the_others_and_never_alone() -> None:
    config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_inner=32, n_positions=8, vocab_size=40)
    drawn = sketch(transformers.GPT2LMHeadModel, config)
    conv = {name: tuple(tensor.shape) for name, tensor in drawn.state_dict().items()}
    guess = guesses(conv)[0]
    assert not places(conv, guess).turned
    linear = {name: shape[::-1] if "c_attn" in name else shape for name, shape in conv.items()}
    turned = places(linear, guess).turned
    parts = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
    assert turned == {f"transformer.h.{n}.{part}.weight" for n in range(2) for part in parts}
    assert all(linear[name] in ((96, 32), (32, 32)) for name in turned)


def test_gpt2_itself_is_not_turned_and_keeps_no_zeros() -> None:
    conv = shapes_of("GPT2LMHeadModel")
    without = {name: shape for name, shape in conv.items() if not name.endswith(".bias")}
    for given_shapes in (conv, without):
        assert not is_linear_gpt2(given_shapes)
        found = places(given_shapes, guesses(conv)[0])
        assert (found.turned, found.zeros) == (frozenset(), {})


def test_a_config_of_gpt_bigcode_leaves_the_matrices_as_they_lie() -> None:
    config = transformers.GPTBigCodeConfig(n_embd=32, n_layer=3, n_head=4, n_positions=48, vocab_size=450, **BIGCODE)
    drawn = sketch(transformers.GPTBigCodeForCausalLM, config)
    own = {name: tuple(tensor.shape) for name, tensor in drawn.state_dict().items()}
    assert own == shapes(nanogpt(bias=True))
    said = config.to_dict() | BIGCODE
    assert naming(own, said) == Naming({name: name for name in own}, tied=naming(own, said).tied)
    assert not naming({f"module.{name}": shape for name, shape in own.items()}, said).turned


@pytest.mark.parametrize(
    ("lost", "zeros"),
    [
        (("ln_1.bias", "ln_2.bias", "ln_f.bias"), 7),
        (("c_attn.bias", "c_proj.bias", "c_fc.bias"), 12),
        (("ln_1.bias",), 0),
        (("c_attn.bias",), 0),
        (("h.0.ln_1.bias", "h.0.attn.c_attn.bias"), 0),
    ],
)
def test_zeros_stand_for_biases_of_a_kind_that_the_file_has_none_of(lost: tuple[str, ...], zeros: int) -> None:
    kept = {name: shape for name, shape in shapes(nanogpt(bias=True)).items() if not name.endswith(lost)}
    guess = guesses(kept)[0]
    assert len(places(kept, guess).zeros) == zeros
    assert bool(guess.missing) == ("zeros" not in guess.reason) == (zeros == 0)


@pytest.mark.parametrize("size", ["32", None, 0, -32, 1.5, [32], (32,), 10**30, True])
def test_sizes_that_are_none_are_no_linear_layers(size: Any) -> None:
    known = shapes(nanogpt(bias=False))
    for name in ("transformer.wte.weight", "transformer.h.0.attn.c_attn.weight"):
        for shape in ((450, size), (size, 32), (size, size), size):
            assert all(guess.share < 1 for guess in guesses(known | {name: shape}))
            is_linear_gpt2({"wte.weight": shape, "wpe.weight": shape, JOINT: shape})


def test_a_guess_with_other_values_stays_turned() -> None:
    known = shapes(mingpt())
    guess = guesses(known)[0]
    deeper = revised(known, guess, {"n_layer": 4})
    assert deeper is not None
    assert (deeper.share, deeper.left) == (1.0, ())
    assert all(".h.3." in name for name in deeper.missing)


@pytest.mark.parametrize(("width", "count"), [(384, 6), (768, 12), (1_024, 16), (1_280, 20), (1_600, 25)])
def test_numbers_of_heads_of_nanogpts_own_settings_are_guessed(width: int, count: int) -> None:
    assert heads("n_head", width).value == count
