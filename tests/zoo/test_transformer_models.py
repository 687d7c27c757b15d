"""The three models as wholes: order, padding, dropout, checkpointing and number formats."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from core.errors import HeadlightError
from core.positions import TRAINABLE
from core.positions.shaw import CLIP
from core.zoo.transformer.attention import MultiHeadAttention
from tests.zoo.tiny_transformers import MODELS, VOCABULARY, config, inputs, network, real_rows

TARGET = {"encoder-decoder": "decoder_input_ids", "language model": "input_ids"}


@torch.no_grad()
def logits(model: PreTrainedModel, given: dict[str, Tensor]) -> Tensor:
    return model(**given).logits


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize("kind", TARGET)
def test_a_later_token_changes_no_earlier_logit(kind: str, padding: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind, padding)
    before = logits(model, given)
    changed = given[TARGET[kind]].clone()
    changed[:, -3] = (changed[:, -3] + 1) % VOCABULARY
    after = logits(model, given | {TARGET[kind]: changed})
    real = real_rows(kind, given)
    torch.testing.assert_close(after[:, :-3][real[:, :-3]], before[:, :-3][real[:, :-3]])
    assert not torch.allclose(after[0, -3], before[0, -3])


@pytest.mark.parametrize("kind", ["encoder-decoder", "classifier"])
def test_an_encoder_reads_in_both_directions(kind: str) -> None:
    model, given = network(kind, positions="none"), inputs(kind, "none")
    states: list[Tensor] = []
    model.encoder.layers[0].register_forward_hook(lambda _, __, output: states.append(output[0]))
    logits(model, given)
    given["input_ids"][:, -1] = (given["input_ids"][:, -1] + 1) % VOCABULARY
    logits(model, given)
    assert not torch.allclose(states[0][:, 0], states[1][:, 0])


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("kind", MODELS)
def test_padding_changes_nothing(kind: str, padding: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind, padding)
    together = logits(model, given)[1:][real_rows(kind, given)[1:]]
    source, target = (
        given.get(name, given["attention_mask"])[1] for name in ("attention_mask", "decoder_attention_mask")
    )
    alone = {"input_ids": given["input_ids"][1:, source.bool()]}
    if kind == "encoder-decoder":
        alone["decoder_input_ids"] = given["decoder_input_ids"][1:, target.bool()]
    torch.testing.assert_close(together, logits(model, alone).reshape(together.shape), atol=1e-4, rtol=1e-4)


def test_without_positions_an_encoder_keeps_no_order() -> None:
    model, ids = network("classifier", positions="none"), inputs("classifier", "none")["input_ids"]
    order = torch.randperm(ids.shape[1], generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        states, shuffled = (model.encoder(given).last_hidden_state for given in (ids, ids[:, order]))
    torch.testing.assert_close(shuffled, states[:, order], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("kind", ["encoder-decoder", "classifier"])
def test_only_with_positions_a_text_differs_from_its_reverse(kind: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind, "none")
    forwards = logits(model, given)
    backwards = logits(model, given | {"input_ids": given["input_ids"].flip(1)})
    assert torch.allclose(forwards, backwards, atol=1e-3) == (positions == "none")


def test_a_causal_decoder_knows_an_order_without_positions() -> None:
    model, ids = network("language model", positions="none"), inputs("language model", "none")["input_ids"]
    shuffled = torch.cat([ids[:, :-1].flip(1), ids[:, -1:]], dim=1)
    assert not torch.allclose(logits(model, {"input_ids": ids})[:, -1], logits(model, {"input_ids": shuffled})[:, -1])


def test_a_classifier_takes_the_mean_of_its_last_states() -> None:
    model, given = network("classifier"), inputs("classifier", "right")
    with torch.no_grad():
        answer = model(**given, output_hidden_states=True)
        states = answer.hidden_states[-1][1, given["attention_mask"][1].bool()]
        torch.testing.assert_close(answer.logits[1], model.classifier(states.mean(0)))
    assert len(answer.hidden_states) == 3


def places_of_dropout(model: nn.Module) -> list[nn.Module]:
    return [module for module in model.modules() if isinstance(module, nn.Dropout | MultiHeadAttention)]


def switch(module: nn.Module, share: float) -> None:
    setattr(module, "p" if isinstance(module, nn.Dropout) else "dropout", share)


def test_dropout_has_its_three_places_and_no_other() -> None:
    """A stack's sum of embeddings, each attention's weights, each sublayer's output."""
    of_encoder, of_decoder = 1 + 2 * (1 + 2), 1 + 2 * (2 + 3)
    assert len(places_of_dropout(network("encoder-decoder", dropout=0.3))) == of_encoder + of_decoder
    assert len(places_of_dropout(network("classifier", dropout=0.3))) == of_encoder
    assert len(places_of_dropout(network("language model", dropout=0.3))) == of_encoder


@pytest.mark.parametrize("place", range(18))
def test_each_place_drops_in_training_and_none_in_evaluation(place: int) -> None:
    model, given = network("encoder-decoder", dropout=0.5), inputs("encoder-decoder")
    expected = logits(model, given)
    for number, module in enumerate(places_of_dropout(model)):
        switch(module, 0.5 if number == place else 0.0)
    assert torch.equal(logits(model, given), expected)
    model.train()
    assert not torch.allclose(logits(model, given), expected, atol=1e-3)
    switch(places_of_dropout(model)[place], 0.0)
    torch.testing.assert_close(logits(model, given), expected, atol=1e-4, rtol=1e-4)


def gradients(model: PreTrainedModel, given: dict[str, Tensor]) -> dict[str, Tensor]:
    torch.manual_seed(0)
    model.zero_grad()
    model(**given).logits.square().mean().backward()
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("positions", ["relative", "rotary", "shaw"])
@pytest.mark.parametrize("kind", MODELS)
def test_checkpointing_gives_the_same_gradients(kind: str, positions: str, reentrant: bool) -> None:
    model = network(kind, positions=positions, dropout=0.2).train()
    given, runs = inputs(kind), []
    attention = next(module for module in model.modules() if isinstance(module, MultiHeadAttention))
    attention.register_forward_hook(lambda *_: runs.append(None))
    expected = gradients(model, given)
    model.activation_checkpointing_enable({"use_reentrant": reentrant})
    found = gradients(model, given)
    assert len(runs) == 1 + 2
    assert found.keys() == expected.keys() == dict(model.named_parameters()).keys()
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("kind", MODELS)
def test_half_precision_and_autocast_run_on_every_path(kind: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert logits(model, given).isfinite().all()
    model.to(torch.bfloat16)
    for output_attentions in (False, True):
        answer = model(**given, output_attentions=output_attentions)
        assert answer.logits.dtype == torch.bfloat16
        assert answer.logits.isfinite().all()


@pytest.mark.parametrize("kind", MODELS)
def test_embeddings_can_be_given_instead_of_tokens(kind: str) -> None:
    model, given = network(kind), inputs(kind)
    embedded = model.get_input_embeddings()(given["input_ids"])
    other = {name: tensor for name, tensor in given.items() if name != "input_ids"} | {"inputs_embeds": embedded}
    assert torch.equal(logits(model, other), logits(model, given))


def test_only_the_asked_rows_of_logits_are_computed() -> None:
    model, given = network("language model"), inputs("language model")
    with torch.no_grad():
        kept = model(**given, logits_to_keep=2).logits
    torch.testing.assert_close(kept, logits(model, given)[:, -2:])


def test_embeddings_enter_with_entries_of_size_one() -> None:
    model = MODELS["classifier"](config(hidden_size=256, vocab_size=500))
    assert float(model.encoder.tokens.weight.detach().std()) * 256**0.5 == pytest.approx(1, abs=0.02)


def test_learned_positions_begin_as_large_as_sinusoids_and_a_bias_at_zero() -> None:
    learned, relative = (MODELS["classifier"](config(positions=name)).encoder for name in ("learned", "relative"))
    assert float(learned.positions.table.detach().std()) == pytest.approx(0.5**0.5, abs=0.02)
    assert not relative.positions.table.any()


@pytest.mark.parametrize("kind", MODELS)
def test_relative_vectors_are_one_table_a_stack_as_wide_as_a_head(kind: str) -> None:
    model = network(kind, positions="shaw", num_hidden_layers=3)
    tables = {name: weight.shape for name, weight in model.named_parameters() if "positions" in name}
    stacks = [name for name in ("encoder", "decoder") if hasattr(model, name)]
    assert tables == {f"{name}.positions.table": (2 * CLIP + 1, 4) for name in stacks}


@pytest.mark.parametrize("positions", ["shaw", "relative"])
def test_only_relative_vectors_leave_all_far_keys_alike(positions: str) -> None:
    """The first two tokens change places, and one layer reads them: nobody beyond the clip notices."""
    model = network("classifier", positions=positions, num_hidden_layers=1)
    ids = torch.full((1, 60), 5)
    ids[0, :2] = torch.tensor([6, 7])
    states = []
    model.encoder.layers[0].register_forward_hook(lambda _, __, output: states.append(output[0]))
    for order in ([0, 1], [1, 0]):
        logits(model, {"input_ids": torch.cat([ids[:, order], ids[:, 2:]], dim=1)})
    far = [each[0, 2 + CLIP :] for each in states]
    assert torch.allclose(far[0], far[1], atol=1e-5) is (positions == "shaw")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(norm="middle"), "no norm called middle: choose pre or post"),
        (dict(positions="fourier"), "no positional scheme called fourier"),
        (dict(positions="deberta"), "Models are not built with deberta positions here: choose one of none, sinusoidal"),
        (dict(num_attention_heads=3), "width of 16 cannot be shared by 3 heads"),
    ],
)
def test_choices_that_do_not_go_together_are_refused_in_words(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(HeadlightError, match=sentence):
        config(**changes)


def test_a_text_beyond_a_learned_table_is_refused_in_words() -> None:
    model = network("language model", positions="learned", max_position_embeddings=10)
    with pytest.raises(HeadlightError, match="24 tokens, but the model's position table ends at 10: shorten the text"):
        logits(model, inputs("language model"))


def test_a_decoder_without_a_text_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="pass decoder_input_ids"):
        network("encoder-decoder")(torch.ones(1, 3, dtype=torch.long))
