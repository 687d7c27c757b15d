"""Tokens of ids that a model wrote."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerBase

from core.text import TextEncoder
from tests.text.setups import WRITERS
from tests.text.test_every_tokenizer import LOSSLESS, check

Encoders = dict[str, TextEncoder]


@pytest.mark.parametrize("setup", WRITERS)
@settings(deadline=None, max_examples=40)
@given(numbers=st.lists(st.integers(0, 10**6), max_size=20), continuing=st.booleans())
def test_any_ids_give_tokens(
    opened: dict[str, PreTrainedTokenizerBase], encoders: Encoders, setup: str, numbers: list[int], continuing: bool
) -> None:
    ids = [number % len(opened[setup]) for number in numbers]
    tokens = encoders[setup].tokens_of_ids(ids, continuing)
    assert tokens.ids == tuple(ids)
    check(tokens)
    assert {i for span in tokens.spans if span for i in range(*span)} == set(range(len(tokens.text)))
    assert len(tokens.merged()) <= len(tokens)


def test_bytes_of_one_character_are_numbered_and_broken_ones_are_named(encoders: Encoders) -> None:
    for setup in ("llama", "gpt2", "byt5"):
        encoder = encoders[setup]
        whole = encoder.encode("x💩").ids
        ids = [i for i in whole if i not in encoder.reader.special_ids]
        tokens = encoder.tokens_of_ids(ids)
        assert tokens.text == "x💩"
        assert tokens.labels[-1].startswith("💩[")
        broken = encoder.tokens_of_ids(ids[:-1])
        assert broken.text.startswith("x\ufffd")
        assert broken.labels[-1].startswith("⟨0x")


def test_special_tokens_that_a_model_writes_are_marked(encoders: Encoders) -> None:
    encoder = encoders["llama"]
    ids = [1, *encoder.encode("the cat").ids, 2]
    tokens = encoder.tokens_of_ids(ids)
    assert tokens.labels == ("<s>", "the", "␣cat", "</s>") or "".join(tokens.labels) == "<s>the␣cat</s>"
    assert tokens.text == "the cat"
    assert (tokens.special[0], tokens.special[-1], encoder.end_id) == (True, True, 2)
    assert tokens.kinds[0] == "special"


def test_the_end_of_gpt2_is_the_end_though_it_is_called_unknown_too(encoders: Encoders) -> None:
    tokens = encoders["gpt2"].tokens_of_ids([*encoders["gpt2"].encode("the").ids, 0])
    assert (tokens.labels[-1], tokens.special[-1], tokens.text) == ("<|endoftext|>", True, "the")


def test_an_unknown_token_is_written_as_its_name(encoders: Encoders) -> None:
    encoder = encoders["bert"]
    tokens = encoder.tokens_of_ids(encoder.encode("the 💩 cat").ids)
    assert tokens.labels == ("[CLS]", "the", "␣[UNK]", "␣cat", "[SEP]")
    assert tokens.kinds == ("special", "", "unknown", "", "special")


def test_an_id_outside_the_vocabulary_is_named(encoders: Encoders) -> None:
    for setup in ("llama", "bert", "gpt2"):
        assert "⟨id=99999⟩" in encoders[setup].tokens_of_ids([99999]).labels[0]


@pytest.mark.parametrize("setup", LOSSLESS)
def test_a_continuation_goes_on_where_the_text_ends(encoders: Encoders, setup: str) -> None:
    encoder = encoders[setup]
    prompt = encoder.encode("the cat")
    own = [i for i, special in zip(encoder.encode("the cat sat 💩").ids, prompt.special * 9, strict=False)]
    own = [i for i in own if i not in encoder.reader.special_ids]
    given = [i for i in prompt.ids if i not in encoder.reader.special_ids]
    assert own[: len(given)] == given
    whole = encoder.continued(encoder.tokens_of_ids(given), own[len(given) :])
    check(whole)
    assert whole.text == "the cat sat 💩"
    assert whole.ids == tuple(own)
    assert [label.lstrip("␣") for label in whole.merged().labels] == ["the", "cat", "sat", "💩"]


def test_a_continuation_can_go_on_with_a_word(encoders: Encoders) -> None:
    encoder = encoders["gpt2"]
    prompt = encoder.encode("a phen")
    whole = encoder.continued(prompt, encoder.encode("omenal cat").ids)
    assert whole.merged().labels == ("a", "␣phenomenal", "␣cat")
    assert whole.text == "a phenomenal cat"


def test_a_continuation_of_a_pair_belongs_to_its_second_text(encoders: Encoders) -> None:
    encoder = encoders["gpt2"]
    whole = encoder.continued(encoder.encode("the", "cat"), encoder.encode(" sat").ids)
    check(whole)
    assert (whole.text, whole.text_pair) == ("the", "cat sat")


def test_targets_of_marian_are_read_by_its_second_model(
    opened: dict[str, PreTrainedTokenizerBase], encoders: Encoders
) -> None:
    encoder, tokenizer = encoders["marian"], opened["marian"]
    text = "the well-known café's owner chased the dog"
    target = encoder.encode_target(text)
    assert list(target.ids) == tokenizer(text_target=text).input_ids
    assert list(encoder.encode(text).ids) == tokenizer(text).input_ids
    assert target.ids != encoder.encode(text).ids
    assert target.ids[-1] == encoder.end_id == tokenizer.eos_token_id
    check(target)
    assert encoder.tokens_of_ids(target.ids).text == text
    start = tokenizer.pad_token_id  # what Marian's decoder starts with
    read = encoder.tokens_of_ids([start, *target.ids[:-1]])
    assert (read.labels[0], read.special[0], read.text) == ("<pad>", True, text)


def test_without_a_second_model_targets_are_read_like_texts(encoders: Encoders) -> None:
    assert encoders["t5"].encode_target("the cat") == encoders["t5"].encode("the cat")
