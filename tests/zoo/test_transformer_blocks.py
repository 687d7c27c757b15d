"""With the same weights, our blocks compute what PyTorch's own modules do."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from core.zoo.transformer.attention import MultiHeadAttention
from core.zoo.transformer.blocks import Block
from core.zoo.transformer.stack import Memory, Stack
from tests.tiny import sharpen
from tests.zoo.tiny_transformers import config

WIDTH, HEADS = 16, 4


def states(length: int, seed: int) -> Tensor:
    return torch.randn(2, length, WIDTH, generator=torch.Generator().manual_seed(seed))


def padding(length: int) -> Tensor:
    """True at the two last places of the second text."""
    mask = torch.zeros(2, length, dtype=torch.bool)
    mask[1, -2:] = True
    return mask


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def copy_block(ours: Block, theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    around = [ours.around_self, ours.around_feed_forward]
    if isinstance(theirs, nn.TransformerDecoderLayer):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        around.insert(1, ours.around_cross)
    for number, residual in enumerate(around, start=1):
        theirs.get_submodule(f"norm{number}").load_state_dict(residual.norm.state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.expand.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.contract.state_dict())


def drawn(module: nn.Module) -> nn.Module:
    """Random weights, biases and norms."""
    sharpen(module)
    for parameter in module.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return module.requires_grad_(False)


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_that_of_nn_multihead_attention(implementation: str, masked: bool) -> None:
    settings = config()
    settings._attn_implementation = implementation
    ours = drawn(MultiHeadAttention(settings, causal=False))
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).requires_grad_(False)
    copy_attention(ours, theirs)
    hidden, memory = states(5, 0), states(7, 1)
    ignored = padding(7) if masked else None
    mask = None if ignored is None else ~ignored[:, None, None, :]
    expected, expected_weights = theirs(hidden, memory, memory, ignored, average_attn_weights=False)
    torch.testing.assert_close(ours(hidden, memory, mask)[0], expected, atol=1e-5, rtol=0)
    output, weights = ours(hidden, memory, mask, output_attentions=True)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(weights, expected_weights, atol=1e-5, rtol=0)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_an_encoder_block_is_nn_transformer_encoder_layer(norm: str) -> None:
    ours = drawn(Block(config(norm=norm), causal=False, cross=False))
    theirs = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, batch_first=True, norm_first=norm == "pre")
    copy_block(ours, theirs.requires_grad_(False))
    hidden, ignored = states(7, 0), padding(7)
    output, _, _ = ours(hidden, ~ignored[:, None, None, :])
    expected = theirs(hidden, src_key_padding_mask=ignored)
    torch.testing.assert_close(output[~ignored], expected[~ignored], atol=1e-5, rtol=0)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_decoder_block_is_nn_transformer_decoder_layer(norm: str) -> None:
    ours = drawn(Block(config(norm=norm), causal=True, cross=True))
    theirs = nn.TransformerDecoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, batch_first=True, norm_first=norm == "pre")
    copy_block(ours, theirs.requires_grad_(False))
    hidden, memory, ignored = states(5, 0), states(7, 1), padding(7)
    output, _, _ = ours(hidden, None, None, None, memory, ~ignored[:, None, None, :])
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected = theirs(hidden, memory, tgt_mask=later, memory_key_padding_mask=ignored)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=0)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_two_stacks_are_nn_transformer(norm: str) -> None:
    """Its norms after the last layers stand in ours only where sublayers read normalised states."""
    settings = config(norm=norm, positions="none")
    encoder = drawn(Stack(settings, 2, causal=False))
    decoder = drawn(Stack(settings, 2, causal=True, cross=True, embeds=False))
    theirs = nn.Transformer(WIDTH, HEADS, 2, 2, 4 * WIDTH, 0.0, batch_first=True, norm_first=norm == "pre")
    theirs.requires_grad_(False)
    for ours, stack in ((encoder, theirs.encoder), (decoder, theirs.decoder)):
        for own, other in zip(ours.layers, stack.layers, strict=True):
            copy_block(own, other)
        if norm == "pre":
            stack.norm.load_state_dict(ours.last_norm.state_dict())
        else:
            stack.norm = None
    source, target = states(7, 0), states(5, 1)
    memory = encoder(inputs_embeds=source).last_hidden_state
    output = decoder(inputs_embeds=target, memory=Memory(memory)).last_hidden_state
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected = theirs(math.sqrt(WIDTH) * source, math.sqrt(WIDTH) * target, tgt_mask=later)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=0)
