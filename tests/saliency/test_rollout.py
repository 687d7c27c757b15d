"""Rollout: rows that sum to one, the reference under each layer's own mask, and translators through their encoder."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

from core.saliency import METHODS, ask, scores_of
from core.saliency.attention.rollout import METHOD, mixed, roll, uniform_causal, uniform_under_mask
from core.saliency.reading import reading_of
from core.saliency.runner import Runner
from tests.saliency.asked import FILM, opened, tiny
from tests.tiny import WINDOW

SHORT = "A good film, a dull cast."


def maps(layers: int, tokens: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [
        torch.softmax(torch.randn(tokens, tokens, generator=generator, dtype=torch.float64), -1) for _ in range(layers)
    ]


def test_rows_sum_to_one_whatever_a_sink_took_and_a_dead_row_stays_itself() -> None:
    first, second = maps(2, 6)
    first[3] *= 0.2
    second[5] = 0
    assert torch.allclose(roll(torch.eye(6, dtype=torch.float64), [second, first]).sum(dim=-1), torch.ones(6).double())
    assert mixed(second)[5].tolist() == [0, 0, 0, 0, 0, 1]


def test_the_last_layer_is_multiplied_first() -> None:
    first, second = maps(2, 4)
    assert torch.allclose(roll(torch.eye(4, dtype=torch.float64), [second, first]), mixed(second) @ mixed(first))


def test_an_encoder_is_rolled_out_by_the_products_of_its_maps() -> None:
    question = ask(opened("sentiment-minilm-lora"), FILM)
    whole = torch.eye(len(question.tokens), dtype=torch.float64)
    for layer in range(question.trace.layers()):
        whole = mixed(question.trace.attention(layer).double().mean(dim=0)) @ whole
    found = METHOD.run(question, Runner(question))
    assert torch.allclose(found.values, whole[0])
    assert "[CLS]" in found.note


def test_uniform_attention_under_the_mask_of_a_plain_decoder_is_the_triangle() -> None:
    question = ask(opened("lm-rotary"), FILM)
    for found, wanted in zip(uniform_under_mask(question.trace), uniform_causal(len(question.tokens), 2), strict=True):
        assert torch.equal(found, wanted)


def test_a_window_is_part_of_what_a_decoder_is_compared_with(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    question = ask(tiny(tmp_path, "mistral", AutoModelForCausalLM, byte_level), SHORT)
    last, *_ = uniform_under_mask(question.trace)
    assert int((last[-1] > 0).sum()) == WINDOW < len(question.tokens)
    found = scores_of(question, "rollout")
    assert found.values.sum() + found.rest == pytest.approx(0, abs=1e-9)
    assert "uniform causal" in found.note


def test_windows_do_not_make_a_decoder_of_an_encoder(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    model = tiny(tmp_path, "modernbert", AutoModelForSequenceClassification, byte_level)
    found = scores_of(ask(model, SHORT), "rollout")
    assert found.values.sum() + found.rest == pytest.approx(1)
    assert found.values.min() >= 0


def test_a_word_of_a_translation_goes_through_the_encoder() -> None:
    question = ask(opened("en-fr-transformer"), FILM, answer="Un film très drôle.", target=1)
    trace, rows = question.trace, list(reading_of(question).rows)
    crossed = torch.stack([trace.attention(layer, None, "cross").double() for layer in range(3)])  # (L, H, T, S)
    carried = crossed[:, :, rows].mean(dim=(0, 1, 2))  # (S,)
    for layer in (2, 1, 0):
        carried = carried @ mixed(trace.attention(layer, None, "encoder").double().mean(dim=0))
    found = METHOD.run(question, Runner(question))
    assert torch.allclose(found.values, carried)
    assert "decoder's own attention is left out" in found.note


@pytest.mark.parametrize("name", ["sentiment-bilstm-dot", "en-fr-gru-bahdanau"])
def test_one_layer_over_an_rnn_has_nothing_to_roll_out(name: str) -> None:
    assert "nothing to roll out" in METHODS["rollout"].refuse(opened(name))


def test_one_token_rolls_out_as_itself() -> None:
    question = ask(opened("lm-rotary"), "a")
    assert METHOD.run(question, Runner(question)).values.isfinite().all()
