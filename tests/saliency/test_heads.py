"""Heads of every kind, tiny and random: their answers by hand, their default targets, and every method on each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForMultipleChoice,
    AutoModelForNextSentencePrediction,
    AutoModelForPreTraining,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    DPRContextEncoder,
    PreTrainedTokenizerFast,
    TapasForQuestionAnswering,
)

from core import load
from core.agreement.erasure import erasure
from core.models.model import Model
from core.saliency import METHODS, Question, Refused, Scores, ask, explain_all
from tests.sentences import refused
from tests.tiny import network_of, tiny_config

WORDS = [
    "the",
    "capital",
    "of",
    "France",
    "is",
    "Paris",
    "and",
    "a",
    "cat",
    "sat",
    "on",
    "mat",
    ".",
    "?",
    "what",
    "where",
]
TEXT, CONTEXT = "where is Paris ?", "the capital of France is Paris and a cat sat ."
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
_NAMED = dict(num_labels=5, id2label=dict(enumerate(TAGS)), label2id={tag: i for i, tag in enumerate(TAGS)})
# What is opened, and what is asked besides the text.
HEADS: dict[str, tuple[str, Any, dict[str, Any], dict[str, Any]]] = {
    "label": ("bert", AutoModelForSequenceClassification, {}, {}),
    "token label": ("bert", AutoModelForTokenClassification, _NAMED, {}),
    "token label of RoBERTa": ("roberta", AutoModelForTokenClassification, _NAMED, {}),
    "token label of GPT-2": ("gpt2", AutoModelForTokenClassification, _NAMED, {}),
    "span": ("bert", AutoModelForQuestionAnswering, {}, {"text_pair": CONTEXT}),
    "span of DistilBERT": ("distilbert", AutoModelForQuestionAnswering, {}, {"text_pair": CONTEXT}),
    "masked word": ("bert", AutoModelForMaskedLM, {}, {}),
    "masked word of pretraining": ("bert", AutoModelForPreTraining, {}, {}),
    "replaced tokens": ("electra", AutoModelForPreTraining, {}, {}),
    "choice": ("bert", AutoModelForMultipleChoice, {}, {"text_pair": "the cat\nParis\na mat"}),
    "next sentence": ("bert", AutoModelForNextSentencePrediction, {}, {"text_pair": CONTEXT}),
    "next token": ("gpt2", AutoModelForCausalLM, {}, {}),
    "similarity": ("bert", AutoModel, {}, {"text_pair": CONTEXT}),
}


def tokenizer() -> PreTrainedTokenizerFast:
    """Words of a small vocabulary, between the special tokens of BERT."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*specials, *WORDS])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    named = {
        f"{name}_token": special for name, special in zip(("pad", "unk", "cls", "sep", "mask"), specials, strict=True)
    }
    return PreTrainedTokenizerFast(tokenizer_object=backend, **named)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("heads")


@cache
def opened(head: str, folder: Path) -> Model:
    kind, auto, changes, _ = HEADS[head]
    place = folder / head.replace(" ", "-")
    network_of(tiny_config(kind, vocab_size=len(WORDS) + 5, **changes), auto=auto).save_pretrained(place)
    tokenizer().save_pretrained(place)
    return load(str(place))


def asked(head: str, folder: Path, **more: Any) -> Question:
    return ask(opened(head, folder), TEXT, **{**HEADS[head][3], **more})


def answer_to(question: Question) -> Any:
    with torch.no_grad():
        return question.model.network(**question.model.inputs(question.reading))


@pytest.mark.parametrize("head", HEADS)
def test_every_method_explains_every_head_or_says_why_not(head: str, folder: Path) -> None:
    question = asked(head, folder)
    assert question.blind == ""
    found = dict(zip(METHODS, explain_all(question, list(METHODS)), strict=True))
    sentences = {name: each.sentence for name, each in found.items() if isinstance(each, Refused)}
    assert not any("unforeseen" in sentence or "not built as" in sentence for sentence in sentences.values())
    assert {"integrated_gradients", "gradient_norm", "attention", "occlusion_mask"} <= found.keys() - sentences.keys()
    sums = {each.method: each for each in found.values() if isinstance(each, Scores) and each.completeness_delta}
    assert all(each.completeness_delta < 0.05 for name, each in sums.items() if name in ("decompx", "attnlrp"))
    kept = [each for each in found.values() if isinstance(each, Scores)][:2]
    curves = erasure(question, kept, orders=3)
    assert curves.curves[kept[0].method].deletion[0] == pytest.approx(question.probability, abs=1e-5)


def test_a_token_s_label_is_its_own_logit_against_the_others(folder: Path) -> None:
    for head in ("token label", "token label of RoBERTa", "token label of GPT-2"):
        logits = answer_to(asked(head, folder)).logits[0].double()
        for place in (1, 3):
            question = asked(head, folder, at=place, target="B-LOC")
            others = [i for i in range(5) if i != 3]
            assert question.value == pytest.approx(float(logits[place, 3] - logits[place, others].mean()), abs=1e-5)
            assert question.probability == pytest.approx(float(logits[place].softmax(-1)[3]), abs=1e-6)
        held = asked(head, folder, at="Paris", target=("B-LOC", "O"))
        place = held.tokens.labels.index("Paris")
        assert held.value == pytest.approx(float(logits[place, 3] - logits[place, 0]), abs=1e-5)
        assert held.target.words == "label “B-LOC” of “Paris” against “O”"


def test_the_token_that_is_explained_at_first_is_surest_of_a_rare_label(folder: Path) -> None:
    question = asked("token label", folder)
    shares = answer_to(question).logits[0].softmax(-1)[1:-1]
    labels = shares.argmax(-1).tolist()
    common = max(sorted(set(labels)), key=labels.count)
    rare = [i for i, label in enumerate(labels) if label != common] or range(len(labels))
    assert question.target.place == 1 + max(rare, key=lambda i: float(shares[i].max()))
    assert question.target.index == labels[question.target.place - 1]


@pytest.mark.parametrize("head", ["span", "span of DistilBERT"])
def test_both_ends_of_the_most_probable_span_are_explained(head: str, folder: Path) -> None:
    question = asked(head, folder)
    answer, second = answer_to(question), question.tokens.sequences.index(1)
    starts, ends = (part[0].double() for part in (answer.start_logits, answer.end_logits))
    pairs = [(i, j) for i in range(second, len(starts) - 1) for j in range(i, len(starts) - 1)]
    start, end = max(pairs, key=lambda pair: float(starts[pair[0]] + ends[pair[1]]))
    assert [(t.label, t.place) for t in question.targets] == [("start", start), ("end", end)]
    for target, logits, place in (("start", starts, start), ("end", ends, end)):
        found = asked(head, folder, target=target)
        others = [i for i in range(len(logits)) if i != place]
        assert found.value == pytest.approx(float(logits[place] - logits[others].mean()), abs=1e-5)
        assert found.probability == pytest.approx(float(logits.softmax(-1)[place]), abs=1e-6)
    assert asked(head, folder, target="end", at=2).value == pytest.approx(
        float(ends[2] - np.delete(ends.numpy(), 2).mean()), abs=1e-5
    )
    # "is" stands in the question too, which nobody answers with a word of.
    assert asked(head, folder, target="end", at="is").target.place == second + CONTEXT.split().index("is")
    output = question.trace.output
    product = float(starts.softmax(-1)[start] * ends.softmax(-1)[end])
    assert output.likeliest[0][1] == pytest.approx(product, abs=1e-6)
    tokens = question.tokens
    assert output.likeliest[0][0] == tokens.text_pair[tokens.spans[start][0] : tokens.spans[end][1]]
    with refused("leave the contrast out"):
        asked(head, folder, target=("start", "end"))


@pytest.mark.parametrize("head", ["masked word", "masked word of pretraining"])
def test_a_masked_word_is_explained_where_the_text_has_a_mask_or_where_one_is_put(head: str, folder: Path) -> None:
    model = opened(head, folder)
    typed, put = ask(model, "the [MASK] sat"), ask(model, "the cat sat", at="cat")
    assert typed.tokens.ids == put.tokens.ids == (2, WORDS.index("the") + 5, 4, WORDS.index("sat") + 5, 3)
    assert (typed.target.at, put.target.at) == ("[MASK]", "cat")
    answer = answer_to(put)
    logits = (answer.prediction_logits if "prediction_logits" in answer else answer.logits)[0, 2].double()
    best = int(logits.argmax())
    assert put.target.index == best
    others = np.delete(logits.numpy(), best).mean()
    assert put.value == typed.value == pytest.approx(float(logits[best]) - others, abs=1e-4)
    assert ask(model, "the cat sat").target.at == "sat"
    assert ask(model, "the cat sat", at="cat", target="mat").target.label.strip("␣") == "mat"
    shown = model.run("the [MASK] sat").output
    assert shown.kind == "masked words"
    assert shown.likeliest[0][1] == pytest.approx(float(logits.softmax(-1).max()), abs=1e-6)
    assert model.run("the cat sat").output.likeliest == ()
    with refused("no word “dog”"):
        ask(model, "the cat sat", at="dog")


def test_of_several_masks_the_one_that_is_meant_is_explained(folder: Path) -> None:
    model, text = opened("masked word", folder), "the [MASK] cat sat on [MASK] ."
    put = ask(model, text, at="cat")
    logits = answer_to(put).logits[0]
    assert [place for place, number in enumerate(put.tokens.ids) if number == 4] == [2, 3, 6]
    assert (put.target.place, put.target.at, put.target.index) == (3, "cat", int(logits[3].argmax()))
    typed = [ask(model, text, at=at) for at in (None, "[MASK]", 2, 6)]
    assert [question.target.place for question in typed] == [2, 2, 2, 6]
    assert len({question.tokens.ids for question in typed}) == 1


def test_a_discriminator_says_of_each_token_whether_it_was_replaced(folder: Path) -> None:
    question = asked("replaced tokens", folder, at="Paris")
    logits = answer_to(question).logits[0].double()
    assert question.value == pytest.approx(float(logits[question.target.place]), abs=1e-5)
    assert question.probability == pytest.approx(float(logits[question.target.place].sigmoid()), abs=1e-6)
    assert question.target.words == "label “replaced” of “Paris”"


def test_a_choice_is_its_score_beside_those_that_the_others_have(folder: Path) -> None:
    model, choices = opened("choice", folder), ("the cat", "Paris", "a mat")
    ids = [model.encode(TEXT, choice).ids for choice in choices]
    rows = {"input_ids": [[*row, *[0] * (12 - len(row))] for row in ids]}
    rows["attention_mask"] = [[int(number > 0) for number in row] for row in rows["input_ids"]]
    types = [model.encode(TEXT, choice).type_ids for choice in choices]
    rows["token_type_ids"] = [[*row, *[0] * (12 - len(row))] for row in types]
    with torch.no_grad():  # as the library is given them: all choices of a text at once, (1, K, T)
        scores = model.network(**{name: torch.tensor([each]) for name, each in rows.items()}).logits[0].double()
    output = model.run(TEXT, "\n".join(choices)).output
    shares = {choice: float(share) for choice, share in zip(choices, scores.softmax(-1), strict=True)}
    assert dict(output.likeliest) == pytest.approx(shares, abs=1e-5)
    assert asked("choice", folder).target.label == max(choices, key=shares.__getitem__)
    for place, choice in enumerate(choices):
        question = asked("choice", folder, target=choice)
        others = [i for i in range(3) if i != place]
        assert question.target.index == place
        assert question.tokens.text_pair == choice
        assert question.value == pytest.approx(float(scores[place] - scores[others].mean()), abs=1e-5)
        assert question.probability == pytest.approx(shares[choice], abs=1e-5)
        assert asked("choice", folder, target=place, scalar="logit").value == pytest.approx(
            float(scores[place]), abs=1e-5
        )
    with refused("no such choice"):
        asked("choice", folder, target="a dog")
    with refused("one a line"):
        ask(model, TEXT)


def test_whether_a_sentence_is_next_is_asked_of_two(folder: Path) -> None:
    question = asked("next sentence", folder, target="is next")
    logits = answer_to(question).logits[0].double()
    assert question.value == pytest.approx(float(logits[0] - logits[1]), abs=1e-5)
    assert [target.label for target in question.targets] in (["is next", "is not next"], ["is not next", "is next"])
    model = opened("next sentence", folder)
    assert model.run(TEXT).output.likeliest == ()
    with refused("give a second text"):
        ask(model, TEXT)


@pytest.mark.parametrize(
    ("kind", "said"),
    [(DPRContextEncoder, "one vector for a text"), (TapasForQuestionAnswering, "cells of a table")],
)
def test_other_answers_are_refused_by_what_they_are(kind: Any, said: str, tmp_path: Path) -> None:
    sizes = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)
    kind(kind.config_class(vocab_size=len(WORDS) + 5, **sizes)).save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    with refused(kind.__name__, said):
        ask(load(str(tmp_path)), TEXT, text_pair=CONTEXT)


@pytest.mark.parametrize(
    ("auto", "second"), [(AutoModelForQuestionAnswering, CONTEXT), (AutoModelForMultipleChoice, "the cat\na mat")]
)
def test_longformer_tells_two_texts_apart_by_three_separators(auto: Any, second: str, tmp_path: Path) -> None:
    config = tiny_config("longformer", vocab_size=len(WORDS) + 5, attention_window=4, sep_token_id=3)
    network_of(config, auto=auto).save_pretrained(tmp_path)
    own = tokenizer()
    own.save_pretrained(tmp_path)
    with refused("three separators"):
        load(str(tmp_path))
    own.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    own.save_pretrained(tmp_path)
    model = load(str(tmp_path))
    question = ask(model, TEXT, text_pair=second)
    ids = torch.tensor([question.tokens.ids])
    with torch.no_grad():
        own_answer = model.network(input_ids=ids, attention_mask=torch.ones_like(ids))
    torch.testing.assert_close(answer_to(question)[0], own_answer[0])
    assert isinstance(next(iter(explain_all(question, ["occlusion_unknown"]))), Scores)
    with refused("three separators"):
        ask(model, TEXT)


def test_a_decoder_that_reads_the_text_again_is_named(tmp_path: Path) -> None:
    config = tiny_config("bart", vocab_size=len(WORDS) + 5)
    network_of(config, auto=AutoModelForQuestionAnswering).save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    with refused("BartForQuestionAnswering", "reads the text again"):
        ask(load(str(tmp_path)), TEXT, text_pair=CONTEXT)
