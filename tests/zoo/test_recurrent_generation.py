from typing import Any

import pytest
import torch

from tests.zoo.recurrent_models import ATTENTIONS, SOURCE, TARGET, small

ALL = ("none", *ATTENTIONS)
LENGTH = 5


def ended(ids: list[int]) -> list[int]:
    """Up to and with the first </s>."""
    return ids[: ids.index(2) + 1] if 2 in ids else ids


@pytest.mark.parametrize("attention", ALL)
@torch.no_grad()
def test_greedy_writing_takes_the_best_token_again_and_again(attention: str) -> None:
    network = small(attention)
    for source in (SOURCE[:1], SOURCE[1:, :3]):
        ids = [1]
        while len(ids) <= LENGTH and ids[-1] != 2:
            ids.append(int(network(input_ids=source, decoder_input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        assert network.generate(source, max_new_tokens=LENGTH)[0].tolist() == ids


@pytest.mark.parametrize(("attention", "beams"), [*((attention, 1) for attention in ALL), ("general", 3), ("none", 3)])
def test_a_padded_batch_writes_what_its_texts_write_alone(attention: str, beams: int) -> None:
    network = small(attention)
    together = network.generate(SOURCE, max_new_tokens=LENGTH, num_beams=beams)
    alone = [network.generate(each, max_new_tokens=LENGTH, num_beams=beams) for each in (SOURCE[:1], SOURCE[1:, :3])]
    assert [ended(ids) for ids in together.tolist()] == [ended(ids[0].tolist()) for ids in alone]


def test_the_source_is_read_once() -> None:
    network, reads = small("general"), []
    network.encoder.register_forward_hook(lambda *_: reads.append(1))
    network.generate(SOURCE, max_new_tokens=LENGTH, num_beams=3)
    assert len(reads) == 1


@pytest.mark.parametrize("use_cache", [False, True])
def test_writing_does_not_depend_on_what_is_said_of_a_cache(use_cache: bool) -> None:
    network = small("general")
    assert torch.equal(
        network.generate(SOURCE, max_new_tokens=LENGTH, use_cache=use_cache),
        network.generate(SOURCE, max_new_tokens=LENGTH),
    )


@torch.no_grad()
def test_enough_beams_find_the_most_probable_target_of_all() -> None:
    network, source = small("general"), SOURCE[:1]
    network.lm_head.bias.data[2] = -1e3
    starts = torch.stack([torch.ones(12, dtype=torch.long), torch.arange(12)], dim=1)
    steps = network(input_ids=source.expand(12, -1), decoder_input_ids=starts).logits.log_softmax(dim=-1)
    both = steps[0, 0][:, None] + steps[:, 1]  # after the start, each first token; after that, each second one
    first, second = divmod(int(both.argmax()), 12)
    written = network.generate(source, max_new_tokens=2, num_beams=12, length_penalty=0.0)
    assert written.tolist() == [[1, first, second]]


def test_the_end_token_ends() -> None:
    network = small("general")
    network.lm_head.bias.data[2] = 1e3
    assert network.generate(SOURCE, max_new_tokens=LENGTH).tolist() == [[1, 2], [1, 2]]


def test_weights_of_each_step_come_with_what_is_written() -> None:
    network = small("general")
    network.lm_head.bias.data[2] = -1e3
    written = network.generate(SOURCE, max_new_tokens=3, output_attentions=True, return_dict_in_generate=True)
    assert [step[0].shape for step in written.cross_attentions] == [(2, 1, rows, 5) for rows in (1, 2, 3)]


@pytest.mark.parametrize(
    ("attention", "options"),
    [*((attention, {}) for attention in ALL), ("dot", {"input_feeding": False}), ("general", {"cell": "lstm"})],
)
@torch.no_grad()
def test_writing_token_by_token_is_reading_all_of_them_at_once(attention: str, options: dict[str, Any]) -> None:
    network, mask = small(attention, **options), (SOURCE != 0).long()
    write = network.writer(network.encoder(SOURCE, mask), mask)
    one_by_one = torch.stack([write(newest) for newest in TARGET.unbind(1)], dim=1)
    at_once = network(input_ids=SOURCE, attention_mask=mask, decoder_input_ids=TARGET).logits
    torch.testing.assert_close(one_by_one, at_once, atol=1e-6, rtol=1e-5)
