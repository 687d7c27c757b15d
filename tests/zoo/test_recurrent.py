import math
from pathlib import Path

import pytest
import torch

from core.errors import HeadlightError
from core.zoo.recurrent import RecurrentConfig, RecurrentForConditionalGeneration
from tests.zoo.recurrent_models import ATTENTIONS, SOURCE, TARGET, run, small

ALL = ("none", *ATTENTIONS)
UNFED = [(attention, False) for attention in ("dot", "general", "local")]
DECODERS = [*((attention, None) for attention in ALL), *UNFED]


@pytest.mark.parametrize(("attention", "input_feeding"), DECODERS)
@torch.no_grad()
def test_a_target_read_at_once_gives_what_its_beginnings_give(attention: str, input_feeding: bool | None) -> None:
    network = small(attention, cell="lstm", input_feeding=input_feeding)
    whole = network(input_ids=SOURCE, decoder_input_ids=TARGET).logits
    for length in range(1, TARGET.shape[1] + 1):
        part = network(input_ids=SOURCE, decoder_input_ids=TARGET[:, :length]).logits
        torch.testing.assert_close(part, whole[:, :length], atol=1e-6, rtol=0)


@pytest.mark.parametrize(("attention", "input_feeding"), DECODERS)
@torch.no_grad()
def test_padding_changes_nothing(attention: str, input_feeding: bool | None) -> None:
    network = small(attention, input_feeding=input_feeding)
    alone = network(input_ids=SOURCE[1:, :3], decoder_input_ids=TARGET[1:]).logits
    padded = network(input_ids=SOURCE, attention_mask=(SOURCE != 0).long(), decoder_input_ids=TARGET).logits[1:]
    torch.testing.assert_close(padded, alone, atol=1e-6, rtol=0)


def test_padding_at_the_start_is_refused() -> None:
    with pytest.raises(HeadlightError, match="padded at the end"):
        run(small(), SOURCE.flip(1))


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_the_weights_are_given_when_asked_for(attention: str) -> None:
    network = small(attention)
    logits, weights = run(network)
    assert logits.shape == (2, 4, 12)
    assert weights.shape == (2, 4, 5)
    assert weights[1, :, 3:].eq(0).all()
    assert network(input_ids=SOURCE, decoder_input_ids=TARGET).cross_attentions is None


def test_without_attention_there_are_no_weights() -> None:
    assert small("none")(input_ids=SOURCE, decoder_input_ids=TARGET, output_attentions=True).cross_attentions == ()


def test_bahdanau_asks_before_the_step_and_luong_after_it() -> None:
    other = TARGET.clone()
    other[:, 0] = 5
    for attention, asks_before in [("additive", True), *((name, False) for name in ("dot", "general", "concat"))]:
        network = small(attention)
        first, second = run(network)[1], run(network, target=other)[1]
        assert torch.equal(first[:, 0], second[:, 0]) == asks_before
        assert not torch.allclose(first[:, 1], second[:, 1], atol=1e-5)


@torch.no_grad()
def test_bahdanau_is_its_formulas() -> None:
    network = small("additive")
    encoded, decoder = network.encoder(SOURCE), network.decoder
    states, score = encoded.last_hidden_state, decoder.attention.score
    blocked = SOURCE == 0
    state = torch.tanh(decoder.start[0](encoded.final_states[:, 0]))
    logits, weights = run(network)
    for step, token in enumerate(TARGET.T):
        hidden = torch.tanh(score.of_query(state)[:, None] + score.of_state(states))
        row = score.total(hidden)[..., 0].masked_fill(blocked, -torch.inf).softmax(dim=-1)
        context = (row[..., None] * states).sum(dim=1)
        (state,) = decoder.cell(torch.cat([decoder.embedding(token), context], dim=1), (state,))
        output = torch.tanh(decoder.readout.of_both(torch.cat([context, state], dim=1)))
        torch.testing.assert_close(weights[:, step], row, atol=1e-6, rtol=0)
        torch.testing.assert_close(logits[:, step], network.lm_head(output), atol=1e-6, rtol=0)


@pytest.mark.parametrize("input_feeding", [True, False])
@torch.no_grad()
def test_luong_is_its_formulas(input_feeding: bool) -> None:
    network = small("general", cell="lstm", input_feeding=input_feeding)
    encoded, decoder = network.encoder(SOURCE), network.decoder
    states, blocked = encoded.last_hidden_state, SOURCE == 0
    hidden, cell = (linear(part) for linear, part in zip(decoder.start, encoded.final_states.unbind(1), strict=True))
    hidden, output = torch.tanh(hidden), torch.zeros(2, 16)
    logits, weights = run(network)
    for step, token in enumerate(TARGET.T):
        fed = [decoder.embedding(token), *([output] if input_feeding else [])]
        hidden, cell = decoder.cell(torch.cat(fed, dim=1), (hidden, cell))
        scores = (hidden[:, None] * decoder.attention.score.of_state(states)).sum(dim=-1)
        row = scores.masked_fill(blocked, -torch.inf).softmax(dim=-1)
        context = (row[..., None] * states).sum(dim=1)
        output = torch.tanh(decoder.readout.of_both(torch.cat([context, hidden], dim=1)))
        torch.testing.assert_close(weights[:, step], row, atol=1e-6, rtol=0)
        torch.testing.assert_close(logits[:, step], network.lm_head(output), atol=1e-6, rtol=0)


@torch.no_grad()
def test_without_attention_the_final_states_are_all_that_is_known_of_the_source() -> None:
    for attention, is_bottleneck in [("none", True), ("general", False)]:
        network = small(attention)
        encoded = network.encoder(SOURCE)
        expected = network(encoder_outputs=encoded, decoder_input_ids=TARGET).logits
        encoded.last_hidden_state = torch.randn_like(encoded.last_hidden_state)
        logits = network(encoder_outputs=encoded, decoder_input_ids=TARGET).logits
        assert torch.equal(logits, expected) == is_bottleneck
        encoded.final_states = encoded.final_states + 1
        moved = network(encoder_outputs=encoded, decoder_input_ids=TARGET).logits
        assert not torch.allclose(moved, logits, atol=1e-3)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_states_are_as_wide_as_the_config_says_in_both_cases(bidirectional: bool) -> None:
    network = small("dot", bidirectional=bidirectional, num_hidden_layers=2)
    assert network.encoder(SOURCE).last_hidden_state.shape == (2, 5, 16)
    assert network.encoder(SOURCE).final_states.shape == (2, 1, 16)


@torch.no_grad()
def test_embeddings_may_be_given_instead_of_ids() -> None:
    network, mask = small("general"), (SOURCE != 0).long()
    embedded = network.get_input_embeddings()(SOURCE)
    target = network.decoder.embedding(TARGET)
    given = network(inputs_embeds=embedded, attention_mask=mask, decoder_inputs_embeds=target).logits
    torch.testing.assert_close(given, run(network)[0])


@pytest.mark.parametrize(
    ("attention", "cell", "tied"),
    [*((attention, "gru", False) for attention in ALL), ("none", "lstm", True), ("additive", "tanh", True)],
)
def test_a_saved_model_answers_as_before(attention: str, cell: str, tied: bool, tmp_path: Path) -> None:
    config = RecurrentConfig(
        vocab_size=12, hidden_size=16, embedding_size=16, attention=attention, cell=cell, forget_bias=1.0, window=3,
        tie_word_embeddings=tied,
    )  # fmt: skip
    network = RecurrentForConditionalGeneration(config).eval()
    network.save_pretrained(tmp_path)
    again = RecurrentForConditionalGeneration.from_pretrained(tmp_path).eval()
    assert again.config.to_dict() | {"_name_or_path": ""} == network.config.to_dict()
    assert (again.lm_head.weight is again.encoder.embedding.weight) == tied
    expected, logits = (each(input_ids=SOURCE, decoder_input_ids=TARGET).logits for each in (network, again))
    torch.testing.assert_close(logits, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("attention", ALL)
def test_every_weight_learns(attention: str) -> None:
    network = small(attention, cell="lstm").train()
    network(input_ids=SOURCE, decoder_input_ids=TARGET).logits.logsumexp(dim=-1).sum().backward()
    still = {name for name, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()}
    assert still == set()


def test_dropout_is_active_in_training_only() -> None:
    network = small("general", dropout=0.5, num_hidden_layers=2)
    assert torch.equal(run(network)[0], run(network)[0])
    assert not torch.equal(run(network.train())[0], run(network)[0])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("attention", ALL)
def test_half_precision_is_near_full(attention: str, dtype: torch.dtype) -> None:
    network = small(attention)
    expected = network(input_ids=SOURCE, decoder_input_ids=TARGET).logits
    with torch.autocast("cpu", dtype):
        mixed = network(input_ids=SOURCE, decoder_input_ids=TARGET).logits
    halved = network.to(dtype)(input_ids=SOURCE, decoder_input_ids=TARGET).logits
    assert (mixed.float() - expected).abs().max() < 0.1
    assert (halved.float() - expected).abs().max() < 0.1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"cell": "elman"}, "no cell called 'elman'"),
        ({"attention": "hard"}, "no attention called 'hard'"),
        ({"attention": "additive", "input_feeding": True}, "Input feeding"),
        ({"hidden_size": 15}, "15 is odd"),
        ({"attention": "local", "window": 0}, "window is 0"),
        ({"tie_word_embeddings": True, "embedding_size": 8}, "are 8 and 64 wide"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(HeadlightError, match=sentence):
        RecurrentConfig(**options)


@pytest.mark.gpu
@pytest.mark.parametrize("cell", ["tanh", "lstm", "gru"])
def test_gradients_reach_the_source_in_eval_mode_on_cuda(cell: str) -> None:
    network = small("general", cell=cell).to("cuda")
    embedded = network.get_input_embeddings()(SOURCE.to("cuda")).detach().requires_grad_()
    mask, target = (SOURCE != 0).long().to("cuda"), TARGET.to("cuda")
    network(inputs_embeds=embedded, attention_mask=mask, decoder_input_ids=target).logits.sum().backward()
    assert embedded.grad is not None
    assert embedded.grad[0].ne(0).any(dim=-1).all()


@pytest.mark.parametrize(("tied", "size"), [(False, 1.0), (True, 256**-0.5)])
def test_embeddings_that_are_the_output_start_small(tied: bool, size: float) -> None:
    torch.manual_seed(0)
    network = RecurrentForConditionalGeneration(
        RecurrentConfig(vocab_size=512, hidden_size=256, embedding_size=256, tie_word_embeddings=tied)
    ).eval()
    assert network.get_input_embeddings().weight.std().item() == pytest.approx(size, rel=0.02)
    ids = torch.randint(4, 512, (4, 9))
    logits = network(input_ids=ids, decoder_input_ids=ids).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.randint(4, 512, (4, 9)).flatten())
    assert loss.item() == pytest.approx(math.log(512), abs=1)
