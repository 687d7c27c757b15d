import pytest
import torch
from torch import nn

from core.zoo.recurrent.cells import CELLS, Cell, State
from core.zoo.recurrent.initial import initialise
from core.zoo.recurrent.layers import RecurrentLayers

TORCH_CELLS = {"tanh": nn.RNNCell, "lstm": nn.LSTMCell, "gru": nn.GRUCell}


def cell_of(layer: nn.RNNBase, ending: str = "") -> Cell:
    """The written-out cell with the weights of one direction of a layer of torch's."""
    cell = CELLS[layer.mode.lower().removeprefix("rnn_")](layer.input_size, layer.hidden_size)
    cell.load_state_dict({name: getattr(layer, f"{name}_l0{ending}") for name in cell.state_dict()})
    return cell


def run(cell: Cell, inputs: torch.Tensor) -> tuple[torch.Tensor, State]:
    """All states (S, H) of one text (S, I) from zero, and the last."""
    state: State = (torch.zeros(1, cell.weight_hh.shape[1]),) * cell.parts
    states = []
    for each in inputs:
        state = cell(each[None], state)
        states.append(state[0])
    return torch.cat(states), state


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_is_torchs(kind: str) -> None:
    torch.manual_seed(0)
    theirs, ours = TORCH_CELLS[kind](5, 7), CELLS[kind](5, 7)
    ours.load_state_dict(theirs.state_dict())
    inputs, before = torch.randn(3, 5), tuple(torch.randn(3, 7) for _ in range(ours.parts))
    expected = theirs(inputs, before if kind == "lstm" else before[0])
    for mine, other in zip(ours(inputs, before), expected if kind == "lstm" else (expected,), strict=True):
        torch.testing.assert_close(mine, other, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("layers", [1, 2])
@torch.no_grad()
def test_the_layers_of_an_encoder_are_the_cells_run_both_ways(kind: str, layers: int) -> None:
    torch.manual_seed(0)
    encoder = RecurrentLayers(kind, 5, 8, layers)
    texts, lengths = torch.randn(3, 6, 5), [6, 2, 4]
    states = encoder(texts, torch.arange(6) < torch.tensor(lengths)[:, None])
    for text, length, each, final in zip(texts, lengths, *states, strict=True):
        below, ends = text[:length], []
        for layer in encoder.stack:
            forward, last = run(cell_of(layer), below)
            backward, first = run(cell_of(layer, "_reverse"), below.flip(0))
            below = torch.cat([forward, backward.flip(0)], dim=1)
            ends = [torch.cat(both, dim=1)[0] for both in zip(last, first, strict=True)]
        torch.testing.assert_close(each[:length], below, atol=1e-6, rtol=0)
        torch.testing.assert_close(final, torch.stack(ends), atol=1e-6, rtol=0)
        assert each[length:].eq(0).all()


@torch.no_grad()
def test_one_direction_sees_nothing_of_what_follows() -> None:
    torch.manual_seed(0)
    texts, mask = torch.randn(1, 4, 5), torch.ones(1, 4)
    changed = texts.clone()
    changed[:, 2] += 1
    for bidirectional in (False, True):
        encoder = RecurrentLayers("gru", 5, 8, bidirectional=bidirectional)
        before, after = encoder(texts, mask).each, encoder(changed, mask).each
        assert before.shape == (1, 4, 8)
        assert torch.equal(before[:, :2], after[:, :2]) == (not bidirectional)


@pytest.mark.parametrize("forget_bias", [0.0, 1.0, 3.0])
def test_the_biases_of_the_forget_gates_sum_to_what_is_asked_and_the_others_to_zero(forget_bias: float) -> None:
    for module in (CELLS["lstm"](3, 4), nn.LSTM(3, 4, bidirectional=True)):
        initialise(module, forget_bias)
        weights = dict(module.named_parameters())
        for name in weights:
            if name.startswith("bias_ih"):
                total = weights[name] + weights[name.replace("_ih", "_hh")]
                assert total.tolist() == [0.0] * 4 + [forget_bias] * 4 + [0.0] * 8


@pytest.mark.parametrize("kind", CELLS)
def test_matrices_between_states_start_orthogonal_gate_by_gate(kind: str) -> None:
    cell = CELLS[kind](3, 4)
    initialise(cell, 0.0)
    for gate in cell.weight_hh.detach().split(4):
        torch.testing.assert_close(gate @ gate.T, torch.eye(4), atol=1e-6, rtol=0)


def test_layers_keep_for_cudnn_what_its_backward_needs_in_eval_mode() -> None:
    encoder = RecurrentLayers("lstm", 3, 4, layers=2, dropout=0.5).eval()
    assert all(layer.training and layer.dropout == 0 for layer in encoder.stack)
    assert not encoder.dropout.training


@pytest.mark.parametrize("kind", ["gru", "lstm", "tanh"])
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_gradients_pass_through_layers_in_eval_mode(kind: str, device: str) -> None:
    encoder = RecurrentLayers(kind, 3, 4).to(device).eval()
    texts = torch.randn(2, 5, 3, device=device, requires_grad=True)
    encoder(texts, torch.ones(2, 5, device=device)).each[:, -1].sum().backward()
    assert texts.grad is not None
    assert texts.grad[:, 0].ne(0).all()
