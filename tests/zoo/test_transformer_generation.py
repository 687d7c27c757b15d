"""`generate` writes what the whole forward pass would choose, token by token, whatever is said of a cache."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.models.generation import Decoding, continue_with
from core.positions import TRAINABLE
from tests.zoo.tiny_transformers import inputs, network

COUNT = 6


def prompts(kind: str, padding: str) -> dict[str, Tensor]:
    given = inputs(kind, padding)
    return {name: given[name] for name in ("input_ids", "attention_mask")}


def next_logits(model: PreTrainedModel, source: Tensor, written: Tensor) -> Tensor:
    """For one text without padding: what may come after all that is written, (V,)."""
    texts = (
        {"input_ids": source, "decoder_input_ids": written}
        if model.config.is_encoder_decoder
        else {"input_ids": written}
    )
    return model(**texts).logits[0, -1]


@torch.no_grad()
def step_by_step(model: PreTrainedModel, source: Tensor, ends: int | None = None) -> list[int]:
    """Greedy continuation of one text (1, S), up to COUNT tokens or the end token."""
    written = torch.tensor([[1]]) if model.config.is_encoder_decoder else source
    given = written.shape[1]
    while written.shape[1] < given + COUNT and (written.shape[1] == given or int(written[0, -1]) != ends):
        written = torch.cat([written, next_logits(model, source, written).argmax().reshape(1, 1)], dim=1)
    return written[0, given:].tolist()


@pytest.mark.parametrize("positions", [name for name in TRAINABLE if name != "none"])
@pytest.mark.parametrize("kind", ["encoder-decoder", "language model"])
def test_a_padded_batch_is_written_as_each_text_alone(kind: str, positions: str) -> None:
    model, given = network(kind, positions=positions), prompts(kind, "left")
    model.generation_config.eos_token_id = None
    written = model.generate(**given, max_new_tokens=COUNT)
    expected = [step_by_step(model, ids[None, mask.bool()]) for ids, mask in zip(*given.values(), strict=True)]
    assert written[:, -COUNT:].tolist() == expected


@pytest.mark.parametrize("kind", ["encoder-decoder", "language model"])
def test_a_text_ends_with_its_end_token_and_is_filled_up(kind: str) -> None:
    model, given = network(kind), prompts(kind, "left")
    sources = [ids[None, mask.bool()] for ids, mask in zip(*given.values(), strict=True)]
    end = step_by_step(model, sources[0])[2]
    model.generation_config.eos_token_id = end
    expected = [step_by_step(model, source, end) for source in sources]
    written = model.generate(**given, max_new_tokens=COUNT)
    first = 1 if kind == "encoder-decoder" else given["input_ids"].shape[1]
    longest = max(map(len, expected))
    assert written[:, first:].tolist() == [ids + [0] * (longest - len(ids)) for ids in expected]
    assert expected[0][-1] == end
    assert len(expected[0]) <= 3


@pytest.mark.parametrize("kind", ["encoder-decoder", "language model"])
def test_as_many_beams_as_tokens_find_the_likeliest_text(kind: str) -> None:
    model = network(kind, vocab_size=9)
    model.generation_config.eos_token_id = None
    source = torch.tensor([[4, 7, 5, 8]])
    found = model.generate(source, attention_mask=torch.ones_like(source), max_new_tokens=2, num_beams=9)
    start = torch.tensor([[1]]) if kind == "encoder-decoder" else source
    chances = {}
    with torch.no_grad():
        for pair in product(range(9), repeat=2):
            written, chance = start, 0.0
            for token in pair:
                chance += float(next_logits(model, source, written).log_softmax(-1)[token])
                written = torch.cat([written, torch.tensor([[token]])], dim=1)
            chances[pair] = chance
    assert tuple(found[0, -2:].tolist()) == max(chances, key=lambda pair: chances[pair])


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("kind", ["encoder-decoder", "language model"])
def test_asking_for_a_cache_changes_nothing(kind: str, beams: int) -> None:
    model, given = network(kind), prompts(kind, "left")
    plain, cached = (
        model.generate(**given, max_new_tokens=COUNT, num_beams=beams, use_cache=use) for use in (False, True)
    )
    assert torch.equal(plain, cached)
    assert not model.config.use_cache


@pytest.mark.parametrize("kind", ["encoder-decoder", "language model"])
def test_the_app_can_let_it_write(kind: str) -> None:
    model, given = network(kind), {name: tensor[:1] for name, tensor in prompts(kind, "none").items()}
    greedy = continue_with(model, given, COUNT, Decoding(), None)
    assert greedy == step_by_step(model, given["input_ids"], ends=2)
    assert len(continue_with(model, given, COUNT, Decoding("sampled", top_p=0.9), None)) <= COUNT


def test_generation_gives_the_weights_of_every_step() -> None:
    model, given = network("encoder-decoder"), prompts("encoder-decoder", "right")
    model.generation_config.eos_token_id = None
    answer = model.generate(**given, max_new_tokens=3, output_attentions=True, return_dict_in_generate=True)
    assert [step[0].shape for step in answer.cross_attentions] == [(2, 4, rows, 24) for rows in (1, 2, 3)]
    assert len(answer.encoder_attentions) == 2
