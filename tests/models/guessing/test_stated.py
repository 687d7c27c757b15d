"""A file's own values answer what its tensors leave open, and a file that nothing fits is told why."""

from __future__ import annotations

from typing import Any

import pytest

from core.models.guessing import Guess, Question, Stated, guesses, stated_answers, why_unlike
from tests.models.guessing.test_families import shapes_of
from tests.sentences import is_one_sentence


def guess(name: str = "num_attention_heads") -> Guess:
    asked = Question(name, 2, (2, 4), ""), Question("hidden_act", "gelu", ("gelu", "relu"), "")
    return Guess("bert", "BertModel", {"hidden_size": 128, name: 2}, 1.0, (), (), "", asked)


@pytest.mark.parametrize(
    ("beside", "stated"),
    [
        ({"hyper_parameters": {"num_attention_heads": 4}}, Stated(4, ("hyper_parameters", "num_attention_heads"))),
        ({"model_args": {"n_head": 8, "n_embd": 128}}, Stated(8, ("model_args", "n_head"))),
        ({"a": {"b": {"nhead": 8}}, "n_head": 4}, Stated(4, ("n_head",))),
        ({"n_head": 8, "config": {"num_attention_heads": 4}}, Stated(4, ("config", "num_attention_heads"))),
    ],
)
def test_heads_are_taken_from_what_training_left_there(beside: dict[str, Any], stated: Stated) -> None:
    assert stated_answers(guess(), beside) == {"num_attention_heads": stated}


@pytest.mark.parametrize("value", [3, 0, -4, 5_000, 4.0, True, "4", None])
def test_a_value_that_cannot_be_a_number_of_heads_is_passed_over(value: Any) -> None:
    assert stated_answers(guess(), {"num_attention_heads": value}) == {}


def test_words_are_taken_where_they_are_among_the_usual_ones() -> None:
    assert stated_answers(guess(), {"hidden_act": "relu"})["hidden_act"].value == "relu"
    assert stated_answers(guess(), {"hidden_act": "os.system"}) == {}


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"encoder.layers.0.self_attn.in_proj_weight": (9, 3), "encoder.layers.0.self_attn.out_proj.weight": (3, 3)},
         "nn.MultiheadAttention"),
        ({"lstm.weight_ih_l0": (8, 2), "lstm.weight_hh_l0": (8, 2)}, "nn.LSTM"),
    ],
)  # fmt: skip
def test_a_network_of_torchs_own_layers_is_told_to_need_its_own_code(tensors: dict[str, Any], said: str) -> None:
    why = why_unlike(tensors)
    assert said in why
    assert "HEADLIGHT_PLUGINS" in why
    assert is_one_sentence(why)


def test_other_files_are_told_nothing() -> None:
    assert why_unlike(shapes_of("GPT2LMHeadModel")) == ""
    assert why_unlike({}) == ""


def test_what_compiling_puts_before_names_hides_nothing() -> None:
    compiled = {f"_orig_mod.{name}": shape for name, shape in shapes_of("GPT2LMHeadModel").items()}
    assert guesses(compiled)[0].share == 1.0
