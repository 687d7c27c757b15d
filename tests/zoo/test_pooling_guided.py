"""The diagnostic MLP: states of each word by itself, summed by the weights of another network that stays as it is."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from core import load
from core.capture import check_of, prepare, record
from core.errors import HeadlightError
from core.zoo.pooling import PoolingConfig, PoolingForSequenceClassification, guide_values
from tests.sentences import refused
from tests.zoo.checkpoints import characters, saved

POOLING = "PoolingForSequenceClassification"
TEXTS = torch.tensor([[4, 5, 6, 7, 2], [8, 9, 2, 0, 0]])
MASK = (TEXTS != 0).long()
GUIDE = {"encoder": "bilstm", "attention": "additive", "vocab_size": 12, "hidden_size": 16, "embedding_size": 8}

every_guide = pytest.mark.parametrize(
    "guide",
    [
        {"encoder": "bilstm", "attention": "additive"},
        {"encoder": "cnn", "attention": "dot"},
        {"encoder": "average", "attention": "uniform"},
    ],
    ids=lambda guide: str(guide["encoder"]),
)


def pair(dropout: float = 0.0, **guide: Any) -> tuple[PoolingForSequenceClassification, Any]:
    """A guide, and an MLP that has its weights."""
    torch.manual_seed(0)
    leader = PoolingForSequenceClassification(PoolingConfig(**(GUIDE | guide), dropout=dropout, num_labels=3)).eval()
    config = PoolingConfig(
        vocab_size=12, hidden_size=10, embedding_size=6, encoder="mlp", attention="guided", dropout=dropout,
        guide=guide_values(leader.config),
    )  # fmt: skip
    network = PoolingForSequenceClassification(config)
    network.guided.follow(leader)
    return leader, network.eval()


@every_guide
@torch.no_grad()
def test_its_weights_are_the_guides_and_its_states_are_its_own(guide: dict[str, Any]) -> None:
    leader, network = pair(**guide)
    output = network(TEXTS, output_attentions=True)
    (weights,) = output.attentions
    torch.testing.assert_close(weights, leader(TEXTS, output_attentions=True).attentions[0], atol=1e-6, rtol=1e-5)
    states = torch.tanh(network.encoder.linear(network.embedding(TEXTS)))  # (B, S, H)
    expected = network.classifier(torch.einsum("bs,bsh->bh", weights[:, 0, 0], states))
    torch.testing.assert_close(output.logits, expected, atol=1e-6, rtol=1e-5)


@every_guide
@torch.no_grad()
def test_one_call_is_recorded_and_it_is_the_guides_softmax(guide: dict[str, Any]) -> None:
    _, network = pair(**guide)
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


@torch.no_grad()
def test_padding_changes_nothing() -> None:
    _, network = pair()
    expected = network(TEXTS[1:, :3]).logits
    torch.testing.assert_close(network(TEXTS).logits[1:], expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(network(TEXTS, attention_mask=MASK).logits[1:], expected, atol=1e-6, rtol=0)


@torch.no_grad()
def test_an_mlp_with_attention_of_its_own_ignores_order() -> None:
    torch.manual_seed(0)
    network = PoolingForSequenceClassification(PoolingConfig(vocab_size=12, encoder="mlp")).eval()
    torch.testing.assert_close(network(TEXTS[:1]).logits, network(TEXTS[:1].flip(1)).logits, atol=1e-6, rtol=0)


def test_its_own_weights_learn_and_the_guides_never() -> None:
    _, network = pair(dropout=0.3)
    network.train()
    network(TEXTS).logits.logsumexp(-1).sum().backward()
    learning = {name for name, value in network.named_parameters() if value.grad is not None and value.grad.any()}
    own = {name for name, _ in network.named_parameters() if not name.startswith("guided.")}
    assert learning == own
    assert not any(value.requires_grad for value in network.guided.parameters())


@torch.no_grad()
def test_the_guide_drops_nothing_out_while_the_network_trains() -> None:
    leader, network = pair(dropout=0.5)
    network.train()
    expected = leader(TEXTS, output_attentions=True).attentions[0]
    for _ in range(2):
        weights = network(TEXTS, output_attentions=True).attentions[0]
        torch.testing.assert_close(weights, expected, atol=1e-6, rtol=1e-5)


def test_embeddings_are_read_only_beside_the_tokens_that_the_guide_needs() -> None:
    _, network = pair()
    embedded = network.get_input_embeddings()(TEXTS).detach().requires_grad_()
    logits = network(TEXTS, attention_mask=MASK, inputs_embeds=embedded).logits
    torch.testing.assert_close(logits, network(TEXTS).logits)
    logits.sum().backward()
    assert embedded.grad is not None
    assert embedded.grad[MASK == 1].ne(0).any(-1).all()
    with pytest.raises(HeadlightError, match="give input_ids beside inputs_embeds"):
        network(inputs_embeds=embedded)


def test_gradients_are_those_of_finite_differences() -> None:
    _, network = pair()
    network.double()
    embedded = network.get_input_embeddings()(TEXTS).detach().requires_grad_()

    def answer(given: torch.Tensor) -> torch.Tensor:
        return network(TEXTS, attention_mask=MASK, inputs_embeds=given).logits

    assert torch.autograd.gradcheck(answer, (embedded,))


def test_a_checkpoint_holds_the_guide_and_opens_through_the_auto_classes(tmp_path: Path) -> None:
    _, network = pair()
    network.save_pretrained(tmp_path)
    again = AutoModelForSequenceClassification.from_pretrained(tmp_path).eval()
    assert type(again) is PoolingForSequenceClassification
    torch.testing.assert_close(again(TEXTS).logits, network(TEXTS).logits, atol=1e-6, rtol=0)
    config = AutoConfig.from_pretrained(tmp_path)
    assert config.guide_config.encoder == "bilstm"


@pytest.mark.parametrize("half", [False, True])
def test_core_opens_it_and_draws_what_it_computes(half: bool, tmp_path: Path) -> None:
    saved(tmp_path, POOLING, encoder="mlp", attention="guided", guide=SAVED_GUIDE)
    if half:
        AutoModelForSequenceClassification.from_pretrained(tmp_path).half().save_pretrained(tmp_path)
    network = AutoModelForSequenceClassification.from_pretrained(tmp_path, dtype=torch.float32).eval()
    model = load(str(tmp_path), device="cpu")
    assert (model.report.missing, model.report.unexpected, model.report.mismatched) == ((), (), ())
    trace = model.run("abc cab")
    assert trace.streams == ("pooling",)
    expected = network(torch.tensor([trace.tokens.ids]), output_attentions=True).attentions[0][0]
    torch.testing.assert_close(trace.attention(0, stream="pooling"), expected, atol=1e-6, rtol=1e-5)
    assert trace.query_key(0, 0, 0).remark.startswith("The weights are those of another network, the guide.")


# As wide in tokens as the character tokenizer of `tests.zoo.checkpoints`.
SAVED_GUIDE = GUIDE | {"vocab_size": len(characters())}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"guide": None}, "needs the config of its guide"),
        ({"guide": {}}, "needs the config of its guide"),
        ({"guide": GUIDE | {"attention": "guided"}}, "guided itself"),
        ({"guide": GUIDE | {"guide": GUIDE}}, "no value of a guide"),
        ({"guide": GUIDE | {"num_labels": 2**40}}, "no value of a guide"),
        ({"guide": GUIDE | {"vocab_size": 13}}, "same vocabulary"),
        ({"guide": GUIDE | {"pad_token_id": 5}}, "same vocabulary"),
        ({"guide": GUIDE | {"hidden_size": 15}}, "15 is odd"),
        ({"guide": GUIDE | {"encoder": "gru"}}, "no encoder called 'gru'"),
        ({"attention": "dot"}, "leave it out"),
    ],
    ids=str,
)
def test_a_guide_that_does_not_fit_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HeadlightError, match=sentence):
        PoolingConfig(**({"vocab_size": 12, "encoder": "mlp", "attention": "guided", "guide": GUIDE} | changes))


HOSTILE: list[dict[str, Any]] = [
    {"guide": 3},
    {"guide": [1, 2]},
    {"guide": "bilstm"},
    {"guide": {"encoder": ["bilstm"]}},
    {"guide": SAVED_GUIDE | {"hidden_size": 2**40}},
    {"guide": SAVED_GUIDE | {"embedding_size": -1}},
    {"guide": SAVED_GUIDE | {"embedding_size": 4}},
    {"guide": SAVED_GUIDE | {"num_labels": 2**40}},
    {"guide": SAVED_GUIDE | {"encoder": "cnn", "kernel_sizes": [2**40 + 1]}},
    {"guide": SAVED_GUIDE | {"attention": "guided", "guide": SAVED_GUIDE}},
    {"guide": {str(number): number for number in range(1000)}},
    {"attention": "uniform"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guided")
    saved(folder, POOLING, encoder="mlp", attention="guided", guide=SAVED_GUIDE)
    return folder


@pytest.mark.parametrize("changes", HOSTILE, ids=str)
def test_a_hostile_guide_gives_one_sentence(changes: dict[str, Any], folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | changes))
    with refused():
        load(str(tmp_path))
