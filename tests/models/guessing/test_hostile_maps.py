"""Maps of tensors made to hurt give no guess or an honest one, soon."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.guessing import guesses
from tests.examples import examples

BERT: dict[str, Any] = {
    "embeddings.word_embeddings.weight": (96, 32),
    "embeddings.position_embeddings.weight": (64, 32),
    "embeddings.token_type_embeddings.weight": (2, 32),
    "encoder.layer.0.attention.self.query.weight": (32, 32),
    "encoder.layer.0.intermediate.dense.weight": (48, 32),
}
SECONDS = 15.0


def test_tensors_of_nothing_known_give_no_guess() -> None:
    assert guesses({"a.weight": (3, 4), "b.bias": (4,)}) == ()
    assert guesses({}) == ()


def test_a_hundred_thousand_names_are_read_soon() -> None:
    begun = time.process_time()
    assert guesses({f"encoder.layer.{n}.{'x' * 40}": (1,) for n in range(100_000)} | BERT) == ()
    assert guesses({f"t{n}": () for n in range(300_000)}) == ()
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize(
    "changes",
    [
        {"embeddings.word_embeddings.weight": (10**9, 32)},
        {"embeddings.word_embeddings.weight": (10**30, 32)},
        {"embeddings.word_embeddings.weight": (-96, 32)},
        {"embeddings.word_embeddings.weight": ()},
        {"embeddings.word_embeddings.weight": (0, 32)},
        {"embeddings.word_embeddings.weight": ("96", 32)},
        {"encoder.layer.0.attention.self.query.weight": (32, 10**9)},
        {"encoder.layer.0.intermediate.dense.weight": (10**12, 32)},
        {"encoder.layer.999999999.attention.self.query.weight": (32, 32)},
        {"encoder.layer.1000.attention.self.query.weight": (32, 32)},
    ],
)
def test_sizes_that_no_model_has_give_no_guess(changes: dict[str, Any]) -> None:
    assert guesses(BERT | changes) == ()


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layer.99999999999999999999.attention.self.query.weight",
        "a\nb", "\u202e.weight", "", ".", "....", "encoder.layer.-1.x", "encoder.layer.².x", "model." * 200_000,
        "<script>", "\0",
    ],
)  # fmt: skip
def test_strange_names_are_left(name: str) -> None:
    (guess, *_) = guesses(BERT | {name: (1,)})
    assert guess.model_type == "bert"
    assert guess.left == (name,)
    assert guess.share == 5 / 6
    assert guess.missing


def test_a_network_of_as_many_layers_as_allowed_is_judged_soon() -> None:
    names = ("attention.self.query.weight", "intermediate.dense.weight")
    shapes = {f"encoder.layer.{n}.{name}": BERT[f"encoder.layer.0.{name}"] for n in range(120) for name in names}
    begun = time.process_time()
    (guess, *_) = guesses(BERT | shapes)
    assert guess.config["num_hidden_layers"] == 120
    assert guess.share == 1.0
    assert time.process_time() - begun < SECONDS


PARTS = (
    "model encoder decoder layer layers h block 0 1 7 embeddings word_embeddings embed_tokens self_attn q_proj k_proj "
    "attention self query weight bias wte shared SelfAttention c_attn tokens embedding"
)
parts = st.sampled_from([*PARTS.split(), "\n"])
strange_names = (
    st.lists(parts, min_size=1, max_size=7).map(".".join) | st.text(max_size=12) | st.sampled_from(list(BERT))
)
strange_shapes = st.lists(st.integers(-2, 2**40) | st.integers(1, 96), max_size=4).map(tuple)


@pytest.mark.parametrize("shape", [None, 7, "32", (None, 32), ((1,), 2), [96, 32.0]])
def test_what_is_no_shape_gives_no_guess(shape: Any) -> None:
    assert guesses(BERT | {"embeddings.word_embeddings.weight": shape, "classifier.weight": shape}) == ()


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(strange_names, strange_shapes, max_size=12))
def test_any_map_gives_guesses_or_none_but_no_error(shapes: dict[str, tuple[int, ...]]) -> None:
    for guess in guesses(BERT | shapes):
        assert 0 < guess.share <= 1
        assert set(guess.left) <= {*BERT, *shapes}
