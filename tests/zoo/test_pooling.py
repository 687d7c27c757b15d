from pathlib import Path

import pytest
import torch

from core.capture import check_of, prepare, record
from core.errors import HeadlightError
from core.zoo.pooling import PoolingConfig, PoolingForSequenceClassification

ENCODERS = ("bilstm", "cnn", "average", "mlp")
ATTENTIONS = ("additive", "dot", "uniform")
TEXTS = torch.tensor([[4, 5, 6, 7, 2], [8, 9, 2, 0, 0]])
MASK = (TEXTS != 0).long()

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
every_attention = pytest.mark.parametrize("attention", ATTENTIONS)


def small(encoder: str = "bilstm", attention: str = "additive", **options: object) -> PoolingForSequenceClassification:
    torch.manual_seed(0)
    options = {"encoder": encoder, "attention": attention, "num_labels": 3} | options
    return PoolingForSequenceClassification(
        PoolingConfig(vocab_size=12, hidden_size=16, embedding_size=8, **options)
    ).eval()


@every_encoder
@every_attention
@torch.no_grad()
def test_a_text_is_one_call_of_one_query(encoder: str, attention: str) -> None:
    network = small(encoder, attention)
    inputs = {"input_ids": TEXTS, "attention_mask": MASK}
    assert prepare(network, inputs) == "tap"
    with record(network) as recording:
        output = network(**inputs, output_attentions=True)
    (call,) = recording.calls
    assert (call.stream, call.heads, call.queries, call.keys) == ("pooling", 1, 1, 5)
    for text in range(2):
        assert torch.equal(call.weights(batch=text), output.attentions[0][text])
    assert call.masked(batch=1).flatten().tolist() == [False, False, False, True, True]
    assert check_of(recording.errors(), torch.float32, recording.roundings()).passed


@every_encoder
@every_attention
@torch.no_grad()
def test_weights_sum_to_one_over_what_is_no_padding(encoder: str, attention: str) -> None:
    output = small(encoder, attention)(TEXTS, output_attentions=True)
    (weights,) = output.attentions
    assert output.logits.shape == (2, 3)
    assert weights.shape == (2, 1, 1, 5)
    assert weights[1, ..., 3:].eq(0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 1, 1), atol=1e-6, rtol=0)
    assert small(encoder, attention)(TEXTS).attentions is None


@every_encoder
@every_attention
@torch.no_grad()
def test_padding_changes_nothing(encoder: str, attention: str) -> None:
    network = small(encoder, attention)
    expected = network(TEXTS[1:, :3]).logits
    longer = torch.cat([TEXTS, torch.zeros(2, 4, dtype=torch.long)], dim=1)
    for texts in (TEXTS, longer):
        torch.testing.assert_close(network(texts).logits[1:], expected, atol=1e-6, rtol=0)
        masked = texts.masked_fill(texts == 0, 11)
        logits = network(masked, attention_mask=(texts != 0).long()).logits
        torch.testing.assert_close(logits[1:], expected, atol=1e-6, rtol=0)


@every_attention
@torch.no_grad()
def test_only_encoders_of_each_word_alone_ignore_order(attention: str) -> None:
    for encoder in ENCODERS:
        network = small(encoder, attention)
        there, back = network(TEXTS[:1]).logits, network(TEXTS[:1].flip(1)).logits
        assert torch.allclose(there, back, atol=1e-6) == (encoder in ("average", "mlp"))


@torch.no_grad()
def test_uniform_attention_gives_the_mean_of_the_states() -> None:
    network = small("average", "uniform")
    states = torch.relu(network.encoder.linear(network.embedding(TEXTS[1, :3])))
    torch.testing.assert_close(network(TEXTS).logits[1], network.classifier(states.mean(dim=0)), atol=1e-6, rtol=0)


@torch.no_grad()
def test_dot_attention_is_its_formula() -> None:
    network = small("average", "dot")
    states = torch.relu(network.encoder.linear(network.embedding(TEXTS[0])))
    output = network(TEXTS[:1], output_attentions=True)
    torch.testing.assert_close(output.attentions[0].flatten(), (states @ network.query).softmax(dim=0))


@torch.no_grad()
def test_filters_see_as_far_as_they_are_wide() -> None:
    network, mask = small("cnn", kernel_sizes=[1, 3]), torch.ones(1, 5)
    before = network.encoder(network.embedding(TEXTS[:1]), mask)
    changed = TEXTS[:1].clone()
    changed[0, 2] = 11
    moved = (network.encoder(network.embedding(changed), mask) != before)[0]
    assert moved[:, :8].any(dim=1).tolist() == [False, False, True, False, False]
    assert moved[:, 8:].any(dim=1).tolist() == [False, True, True, True, False]


@every_encoder
@every_attention
def test_a_saved_model_answers_as_before(encoder: str, attention: str, tmp_path: Path) -> None:
    network = small(encoder, attention, id2label={0: "bad", 1: "fair", 2: "good"}, num_labels=3)
    network.save_pretrained(tmp_path)
    again = PoolingForSequenceClassification.from_pretrained(tmp_path).eval()
    assert again.config.id2label == {0: "bad", 1: "fair", 2: "good"}
    torch.testing.assert_close(again(TEXTS).logits, network(TEXTS).logits, atol=1e-6, rtol=0)


@every_encoder
@pytest.mark.parametrize("attention", ["additive", "dot"])
def test_every_weight_learns(encoder: str, attention: str) -> None:
    network = small(encoder, attention).train()
    network(TEXTS).logits.logsumexp(dim=-1).sum().backward()
    still = {name for name, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()}
    assert still == set()


@torch.no_grad()
def test_embeddings_may_be_given_instead_of_ids() -> None:
    network = small()
    given = network(inputs_embeds=network.get_input_embeddings()(TEXTS), attention_mask=MASK).logits
    torch.testing.assert_close(given, network(TEXTS).logits)


def test_dropout_is_active_in_training_only() -> None:
    network = small("cnn", dropout=0.5)
    assert torch.equal(network(TEXTS).logits, network(TEXTS).logits)
    assert not torch.equal(network.train()(TEXTS).logits, network(TEXTS).logits)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"encoder": "bigru"}, "no encoder called 'bigru'"),
        ({"attention": "local"}, "no attention called 'local'"),
        ({"hidden_size": 15}, "15 is odd"),
        ({"encoder": "cnn", "kernel_sizes": [2, 3]}, "2, 3 do not"),
        ({"encoder": "cnn", "kernel_sizes": []}, "none do not"),
        ({"encoder": "cnn", "kernel_sizes": ["3"]}, "'3' do not"),
        ({"encoder": "cnn", "kernel_sizes": 3}, "3 do not"),
        ({"encoder": "cnn", "kernel_sizes": [-1, 10**9 + 1]}, "-1, 1000000001 do not"),
        ({"pad_token_id": 64}, "64, no token of 64"),
        ({"encoder": "cnn", "hidden_size": 30}, "1, 3, 5, 7 do not"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(HeadlightError, match=sentence):
        PoolingConfig(**options)


@pytest.mark.gpu
def test_gradients_reach_the_words_in_eval_mode_on_cuda() -> None:
    network = small().to("cuda")
    embedded = network.get_input_embeddings()(TEXTS.to("cuda")).detach().requires_grad_()
    network(inputs_embeds=embedded, attention_mask=MASK.to("cuda")).logits.sum().backward()
    assert embedded.grad is not None
    assert embedded.grad[0].ne(0).any(dim=-1).all()
