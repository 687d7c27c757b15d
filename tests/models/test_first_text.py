"""Every model is tried on a text that its own tokenizer knows, whatever letters that has, and refuses the others."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
import torch
from torch import nn
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedTokenizerFast

from core import load
from core.models.first_text import LETTERS, first_text
from core.models.opening.probing import LENGTH, probe_inputs, settled
from core.models.plugging.plugged import opened
from core.models.plugins import Plugin
from core.models.tokenizing import Characters, Pattern, Specials, Whitespace
from core.text import TextEncoder, word_encoder
from tests.architectures import ARCHITECTURES
from tests.models.own_networks import WORDS as OWN_WORDS
from tests.models.own_networks import Pooling, Transformer, Translator
from tests.models.tokenizing.readers import backend_of, built, encoder_of
from tests.sentences import refused
from tests.tiny import VOCABULARY, network_of, tiny_config

NONE = Specials(unknown="")
DNA, SUMS = "ACGT\n", "0123456789+=\n"
# How a network's attention is seen differs with them.
TRIED = ("bert", "gpt2", "longformer", "longt5", "bart", "deepseek_v3", "xlnet", "diffllama")


def saved(folder: Path, letters: str, rows: int, kind: str = "gpt2", auto: object = AutoModelForCausalLM) -> str:
    """A model with so many embeddings and a tokenizer of these letters, none of which stands for unknown ones."""
    network_of(tiny_config(kind, vocab_size=rows), auto=auto).save_pretrained(folder)
    made = built(Characters(tuple(letters), NONE))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend_of(made), unk_token=made.config["unk_token"])
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize(
    ("letters", "kind", "auto"),
    [
        (DNA, "gpt2", AutoModelForCausalLM), (SUMS, "llama", AutoModelForCausalLM),
        ("ab", "gpt2", AutoModelForCausalLM), ("\n !acdefghijkl", "bert", AutoModel),
        (DNA, "t5", AutoModelForSeq2SeqLM),
    ],
)  # fmt: skip
def test_a_model_without_those_letters_opens_and_reads_its_own(
    tmp_path: Path, letters: str, kind: str, auto: object
) -> None:
    model = load(saved(tmp_path, letters, len(letters), kind, auto), device="cpu")
    assert model.report.probe
    assert model.card.layers
    own = letters.strip()[:4]
    assert model.encode(own).ids == tuple(map(letters.index, own))


def test_what_the_vocabulary_lacks_is_named_and_no_other_tokenizer_is_asked_for(tmp_path: Path) -> None:
    model = load(saved(tmp_path, DNA, len(DNA)), device="cpu")
    model.name = "dna"
    with refused("The vocabulary of dna has no token for “Q”: leave it out of the text"):
        model.run("ACQT")
    with refused("“Q”, “␣”, “Z”: leave them out"):
        model.run("AQ CZQ")
    assert not model.encode("ACGT\n").unknown_share


def test_a_tokenizer_of_more_tokens_than_embeddings_still_belongs_to_another_model(tmp_path: Path) -> None:
    model = load(saved(tmp_path, DNA, len(DNA) - 1), device="cpu")
    for text in ("A\nC", "AQ\n", "AQ"):
        with refused("has no embedding for the token", "do not belong together"):
            model.run(text)


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (Characters(tuple("ab "), NONE), LETTERS), (Characters(tuple("abc"), NONE), "ab"),
        (Characters(tuple("ACGT "), NONE), "A C"), (Characters(tuple(DNA), NONE), "AC"),
        (Characters(tuple("!A"), NONE), "A!"), (Characters(tuple("\n A"), NONE), "A"),
        (Characters(("<unk>", *"AC")), "AC"), (Whitespace(("le", "chat"), NONE), "le chat"),
        (Pattern(r"\d+", ("12", "34", "+"), NONE), "12"),
    ],
)  # fmt: skip
def test_the_text_has_no_unknown_token(choice: Characters | Whitespace | Pattern, text: str) -> None:
    encoder = encoder_of(choice)
    assert first_text(encoder) == text
    assert not encoder.encode(first_text(encoder, 20)).unknown_share


def test_a_vocabulary_that_spells_nothing_is_tried_on_the_letters() -> None:
    assert first_text(encoder_of(Characters(tuple("\n "), NONE)), 2) == LETTERS


def test_a_tokenizer_that_knows_the_letters_is_tried_on_them(byte_level: tokenizers.Tokenizer) -> None:
    encoder = TextEncoder.fix(byte_level, None, 100)
    assert first_text(encoder, 3) == "a b a b a b"


@pytest.mark.parametrize("architecture", [each for each in ARCHITECTURES if each.title in TRIED], ids=lambda a: a.title)
def test_each_way_of_seeing_attention_is_found_on_it(architecture: object) -> None:
    own = encoder_of(Characters(("<unk>", *map(chr, range(0x4E00, 0x4E00 + VOCABULARY - 1)))))
    usual = encoder_of(Characters(("<unk>", *map(chr, range(32, 32 + VOCABULARY - 1)))))
    network = architecture.network()
    assert settled(network, own, "cpu") == settled(architecture.network(), usual, "cpu")
    mine, other = (probe_inputs(network, encoder, "cpu") for encoder in (own, usual))
    assert {name: tensor.shape for name, tensor in mine.items()} == {name: t.shape for name, t in other.items()}
    assert mine["input_ids"].shape == (2, LENGTH)


@pytest.mark.parametrize("network", [Transformer, Translator, Pooling])
def test_a_network_of_somebodys_own_is_tried_on_its_own_words(network: type[nn.Module]) -> None:
    words = ("<pad>", *(f"w{number}" for number in range(len(OWN_WORDS) - 1)))
    torch.manual_seed(0)
    plugin = Plugin("own", "A network", "MIT", lambda: (network(), word_encoder((*words, "<unk>"), unknown="<unk>")))
    model = opened(plugin, "cpu")
    assert model.encode("w1 w2").ids == (2, 3)


def test_a_network_whose_tokenizer_knows_two_words_only_opens() -> None:
    plugin = Plugin("own", "A network", "MIT", lambda: (Pooling(), word_encoder(("x", "y"))))
    assert opened(plugin, "cpu").encode("y x").ids == (1, 0)
