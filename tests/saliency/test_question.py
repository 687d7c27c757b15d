"""A question: the same F by words and by embeddings in every kind of model, its targets, and what is refused."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
)

from core.capture import SIGMOID, shares_of
from core.models.pooling import Pooling
from core.saliency import Question, ask, scores_of
from core.saliency.reading import reading_of
from core.saliency.scalars import scalar_of
from tests.saliency.asked import DULL, FILM, SHIPPED, opened, other_network, tiny
from tests.sentences import refused

ARCHITECTURES = [
    ("gpt2", AutoModelForCausalLM),
    ("llama", AutoModelForCausalLM),
    ("opt", AutoModelForCausalLM),
    ("gemma3_text", AutoModelForCausalLM),
    ("t5", AutoModelForSeq2SeqLM),
    ("bart", AutoModelForSeq2SeqLM),
    ("marian", AutoModelForSeq2SeqLM),
    ("roberta", AutoModelForSequenceClassification),
    ("albert", AutoModelForSequenceClassification),
]


def same_by_words_and_by_embeddings(question: Question) -> None:
    mask, ids, embedded = question.attention_mask(), question.input_ids(), question.embeddings()
    assert question.blind == ""
    with torch.no_grad():
        assert float(question.score(embedded)[0]) == pytest.approx(question.value, abs=1e-4, rel=1e-4)
        both = question.score(torch.cat([embedded, question.baseline_embeddings()]))
    assert float(both[0]) == pytest.approx(question.value, abs=1e-4, rel=1e-4)
    assert float(question.score_ids(ids, mask)[0]) == pytest.approx(question.value, abs=1e-5)
    assert float(question.probability_ids(ids, mask)[0]) == pytest.approx(question.probability, abs=1e-5)


@pytest.mark.parametrize("name", SHIPPED)
def test_words_and_their_embeddings_give_one_f(name: str) -> None:
    question = ask(opened(name), FILM, **SHIPPED[name])
    same_by_words_and_by_embeddings(question)
    assert question.labels[2].lstrip("␣").startswith("grip")


@pytest.mark.parametrize(("kind", "auto"), ARCHITECTURES)
def test_so_they_do_in_the_architectures_of_transformers(
    kind: str, auto: type, tmp_path: Path, byte_level: Tokenizer
) -> None:
    model = tiny(tmp_path, kind, auto, byte_level)
    answer = "a dog" if model.card.answers else None
    same_by_words_and_by_embeddings(ask(model, "the cat sat", answer=answer))


@pytest.mark.parametrize("name", SHIPPED)
def test_padding_and_company_change_no_f(name: str) -> None:
    question = ask(opened(name), FILM, **SHIPPED[name])
    ids, mask = question.input_ids(), question.attention_mask()
    padded = torch.cat([ids, ids.new_full((1, 5), question.model.network.config.pad_token_id or 0)], dim=1)
    hidden = torch.cat([mask, mask.new_zeros(1, 5)], dim=1)
    types = torch.zeros_like(padded)
    company = padded.clone()
    company[0, 1] = company[0, 2]
    alone = question.score_ids(torch.cat([padded, company]), torch.cat([hidden, hidden]), torch.cat([types, types]))
    assert float(alone[0]) == pytest.approx(question.value, abs=1e-4)


def test_scored_are_the_words_and_never_the_special_tokens() -> None:
    question = ask(opened("sentiment-minilm-lora"), FILM)
    assert not any(question.tokens.special[place] for place in question.scored)
    assert len(question.scored) == len(question.tokens) - 2
    assert sum(map(len, question.groups)) == len(question.scored)
    by_token = ask(question.model, FILM, by="token")
    assert all(len(group) == 1 for group in by_token.groups)
    assert by_token.scored == question.scored
    changed = (question.baseline_embeddings() != question.embeddings()).any(dim=-1)[0]
    assert not changed[0]
    assert not changed[-1]
    assert bool(changed[1:-1].all())


def test_each_kind_of_model_has_its_own_baseline() -> None:
    found = {name: ask(opened(name), FILM, **SHIPPED[name]).baseline for name in SHIPPED}
    assert found["all-MiniLM-L6-v2"] == "mask"
    assert found["sentiment-transformer"] == "unknown"
    for baseline in ("zero", "mean", "padding", "unknown"):
        question = ask(opened("sentiment-cnn-additive"), DULL, baseline=baseline)
        assert question.baseline_embeddings().shape == question.embeddings().shape


def test_scalars_have_known_values() -> None:
    logits = torch.tensor([[3.0, 1.0, 2.0]])
    assert float(scalar_of(logits, 0, None, "margin")) == 1.5
    assert float(scalar_of(logits, 0, 1, "margin")) == 2.0
    assert float(scalar_of(logits[:, :2], 1, None, "margin")) == -2.0
    assert float(scalar_of(logits, 2, None, "logit")) == 2.0
    assert float(scalar_of(logits, 0, None, "margin", SIGMOID)) == 3.0
    assert float(scalar_of(logits[:, :1], 0, None, "probability", SIGMOID)) == pytest.approx(0.9526, abs=1e-4)
    assert torch.allclose(scalar_of(logits, 0, None, "log probability").exp(), shares_of(logits)[:, 0])
    assert torch.allclose(shares_of(logits, SIGMOID), torch.sigmoid(logits))


def test_labels_of_which_several_may_hold_stand_alone() -> None:
    model = opened("sentiment-cnn-additive")
    network = copy.deepcopy(model.network)
    network.config.problem_type = "multi_label_classification"
    several, one = ask(other_network(model, network), FILM, target=1), ask(model, FILM, target=1, scalar="logit")
    assert several.value == one.value
    assert several.probability == pytest.approx(float(torch.sigmoid(torch.tensor(one.value))))


def test_targets_go_by_name_by_number_and_against_each_other() -> None:
    model = opened("sentiment-transformer")
    likeliest = ask(model, DULL)
    assert likeliest.target.label == "negative"
    assert [t.label for t in likeliest.targets] == ["negative", "positive"]
    assert ask(model, DULL, target="positive").value == pytest.approx(-likeliest.value, abs=1e-6)
    assert ask(model, DULL, target=(1, 0)).value == pytest.approx(-likeliest.value, abs=1e-6)
    with refused("no label “sad”"):
        ask(model, DULL, target="sad")
    with refused("no label number 2"):
        ask(model, DULL, target=2)
    with refused("against itself"):
        ask(model, DULL, target=("positive", 1))


def test_a_next_token_may_be_any_of_the_vocabulary() -> None:
    model = opened("lm-rotary")
    question = ask(model, "The cat sat on the", target=17)
    assert question.target.index == 17
    first, second = ask(model, "The cat sat on the").targets[:2]
    one, other = (ask(model, "The cat sat on the", target=t.index, scalar="logit").value for t in (first, second))
    assert ask(model, "The cat sat on the", target=(first.index, second.index)).value == pytest.approx(one - other)


def test_a_word_of_an_answer_is_the_sum_over_its_pieces() -> None:
    model = opened("en-fr-transformer")
    question = ask(model, FILM, answer="Un film incroyablement drôle.", target=2, scalar="log probability")
    assert question.target.label == "incroyablement"
    assert len(question.word_rows) > 1
    assert torch.tensor(question.value).exp() == pytest.approx(question.probability, rel=1e-4)
    assert len(question.targets) == 5
    assert question.targets[0].label == "un"
    with refused("contrast"):
        ask(model, FILM, answer="Un film.", target=(0, 1))


def test_two_texts_have_the_cosine_of_their_mean_states() -> None:
    model = opened("all-MiniLM-L6-v2")
    assert ask(model, DULL, text_pair=DULL).value == pytest.approx(1, abs=1e-5)
    one, other = ask(model, FILM, text_pair=DULL), ask(model, DULL, text_pair=FILM)
    assert one.value == pytest.approx(other.value, abs=1e-5)
    assert one.target.kind == "similarity"


def test_every_method_explains_the_similarity_of_what_is_pooled() -> None:
    model = copy.copy(opened("all-MiniLM-L6-v2"))
    model.pooling = Pooling(("cls",))
    question = ask(model, DULL, text_pair=FILM)
    same_by_words_and_by_embeddings(question)
    assert reading_of(question).rows == question.rows_read == (0,)
    own = question.trace.attention(5)[:, 0].mean(dim=0)  # (H, T, T) -> (T,)
    assert scores_of(question, "attention").values == pytest.approx(own[list(question.scored)].numpy(), abs=1e-6)
    assert abs(scores_of(question, "integrated_gradients").completeness_delta or 1) < 0.02
    hidden, deleted = scores_of(question, "occlusion_attention"), scores_of(question, "deletion")
    for place, group in enumerate(question.groups):
        mask, ids = question.attention_mask(), question.input_ids()
        kept = [token for token in range(ids.shape[1]) if token not in group]
        mask[0, list(group)] = 0
        for scores, given in ((hidden, (ids, mask)), (deleted, (ids[:, kept], torch.ones_like(ids[:, kept])))):
            states = model.network(input_ids=given[0], attention_mask=given[1]).last_hidden_state[0, 0]
            without = float(torch.cosine_similarity(states, question.reader.other, dim=0))
            assert scores.values[place] == pytest.approx(question.value - without, abs=1e-5)


def test_what_cannot_be_explained_is_refused(tmp_path: Path, byte_level: Tokenizer) -> None:
    with refused("second text"):
        ask(opened("all-MiniLM-L6-v2"), FILM)
    with refused("drops every character"):
        ask(opened("sentiment-minilm-lora"), "\u0301")  # an accent alone, which its tokenizer takes away
    with refused("no mask token"):
        ask(opened("sentiment-transformer"), FILM, baseline="mask").baseline_embeddings()
    for choice in ("scalar", "baseline", "aggregation"):
        with refused(f"no {choice} called"):
            ask(opened("sentiment-transformer"), FILM, **{choice: "?"})
    with refused("no mask token"):
        ask(tiny(tmp_path, "bert", AutoModelForMaskedLM, byte_level), "the cat")


def test_one_word_saturation_and_what_is_left_out_are_said() -> None:
    model = opened("sentiment-minilm-lora")
    assert any("one word" in note for note in ask(model, "Good").notes)
    assert any("left out" in note for note in ask(model, "good " * 600).notes)
    for scalar in ("probability", "log probability"):
        assert "hardly moves" in ask(opened("sentiment-mlp-bilstm"), FILM, scalar=scalar).notes[0]
    assert ask(model, DULL).notes == ()


def test_asking_changes_nothing_in_the_model() -> None:
    model = opened("sentiment-cnn-additive")
    before = copy.deepcopy(model.network.state_dict())
    ask(model, FILM)
    assert all(torch.equal(before[name], value) for name, value in model.network.state_dict().items())
    assert all(weight.grad is None for weight in model.network.parameters())
