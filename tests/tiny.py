"""Tiny random networks of many architectures, with attention far from uniform, and inputs for them."""

import copy
from pathlib import Path
from typing import Any

import tokenizers
import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, EncoderDecoderConfig, PreTrainedModel, PreTrainedTokenizerFast

VOCABULARY = 96
WIDTH = 32
WINDOW = 6
POSITIONS = 64
LENGTH = 24
TARGET_LENGTH = 19

_GPT = dict(n_embd=WIDTH, n_layer=3, n_head=4, n_positions=POSITIONS)
_BERT = dict(
    hidden_size=WIDTH, num_hidden_layers=3, num_attention_heads=4, intermediate_size=48,
    max_position_embeddings=POSITIONS,
)  # fmt: skip
_LLAMA = dict(_BERT, num_key_value_heads=2, head_dim=8)
_BART = dict(
    d_model=WIDTH, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4,
    encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=POSITIONS,
)  # fmt: skip

# One stack of layers; the two texts of a batch fit all of them.
ONE_STACK: dict[str, dict[str, Any]] = {
    "bert": _BERT,
    "roberta": _BERT,
    "distilbert": dict(dim=WIDTH, n_layers=3, n_heads=4, hidden_dim=48, max_position_embeddings=POSITIONS),
    "albert": dict(_BERT, embedding_size=16),
    "electra": dict(_BERT, embedding_size=16),
    "modernbert": dict(_BERT, num_hidden_layers=4, local_attention=WINDOW, global_attn_every_n_layers=2),
    "gpt2": _GPT,
    "gptj": dict(_GPT, rotary_dim=4),
    "gpt_neox": _BERT,
    "opt": dict(_BERT, ffn_dim=48, word_embed_proj_dim=WIDTH),
    "llama": _LLAMA,
    "mistral": dict(_LLAMA, sliding_window=WINDOW),
    "qwen2": _LLAMA,
    "qwen3": _LLAMA,
    "phi3": _LLAMA,
    "mixtral": dict(_LLAMA, num_local_experts=4, sliding_window=None),
    "gemma3_text": dict(_LLAMA, num_hidden_layers=4, sliding_window=WINDOW, sliding_window_pattern=2),
}
TWO_STACKS: dict[str, dict[str, Any]] = {
    "t5": dict(d_model=WIDTH, num_layers=2, num_decoder_layers=3, num_heads=4, d_kv=8, d_ff=48),
    "bart": _BART,
    "marian": _BART,
}
_GEMMA = dict(
    _LLAMA, num_hidden_layers=2, sliding_window=WINDOW, query_pre_attn_scalar=8, vocab_size=VOCABULARY,
    layer_types=["sliding_attention", "full_attention"],
)  # fmt: skip
_VISION = dict(
    hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=28, patch_size=14
)
_PICTURES = dict(image_token_index=90, boi_token_index=91, eoi_token_index=92)
# Whose maps hold more than the text's own tokens.
MIXED: dict[str, dict[str, Any]] = {
    "t5gemma2": dict(
        encoder=dict(text_config=_GEMMA, vision_config=_VISION, mm_tokens_per_image=4, **_PICTURES), decoder=_GEMMA,
        image_token_index=90, eoi_token_index=92,
    ),
    "cpmant": dict(
        hidden_size=WIDTH, num_attention_heads=4, dim_head=8, dim_ff=48, num_hidden_layers=3, prompt_length=10
    ),
    "mvp": dict(_BART, use_prompt=True, prompt_length=10, prompt_mid_dim=8),
}  # fmt: skip
# As many layers a side in two models that are joined.
_JOINED: dict[str, dict[str, Any]] = {
    "bert": dict(num_hidden_layers=2), "roberta": dict(num_hidden_layers=2), "gpt2": dict(n_layer=2),
}  # fmt: skip
_SPECIAL_IDS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)


def tiny_config(kind: str, **changes: Any) -> Any:
    sizes = ONE_STACK.get(kind) or TWO_STACKS.get(kind) or MIXED.get(kind) or {}
    return AutoConfig.for_model(kind, **(dict(vocab_size=VOCABULARY, **_SPECIAL_IDS) | sizes | changes))


def sharpen(network: nn.Module, seed: int = 0) -> None:
    """Draw large weights: freshly initialised ones attend almost uniformly, and would hide a wrong formula."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.dim() > 1:
                # T5 does not divide by the root of the head's width: its own initialisation puts it into q instead.
                own_scale = 8**-0.5 if name.endswith(("SelfAttention.q.weight", "EncDecAttention.q.weight")) else 1.0
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.25 * own_scale)


def tiny_network(kind: str, attention: str | None = None, **changes: Any) -> PreTrainedModel:
    """The same weights whenever it is called with the same kind."""
    return network_of(tiny_config(kind, **changes), attention)


def joined_config(encoder: str, decoder: str, **changes: Any) -> Any:
    """Two of the library's models as one encoder-decoder, 2 + 2 layers."""
    sides = (tiny_config(kind, **_JOINED[kind] | changes) for kind in (encoder, decoder))
    return EncoderDecoderConfig.from_encoder_decoder_configs(*sides, **_SPECIAL_IDS)


def network_of(config: Any, attention: str | None = None, auto: Any = AutoModel) -> PreTrainedModel:
    """attention: "sdpa" or "eager"; what the class itself prefers when None."""
    # A config carries the attention implementation of the model it was used for: each model gets its own copy.
    network = auto.from_config(copy.deepcopy(config), attn_implementation=attention)
    sharpen(network)
    return network.eval().requires_grad_(False)


def batch(padding: str, length: int = LENGTH, seed: int = 0) -> dict[str, Tensor]:
    """Two texts, the second a third shorter unless padding is "none"."""
    ids = torch.randint(3, VOCABULARY, (2, length), generator=torch.Generator().manual_seed(seed))
    mask = torch.ones(2, length, dtype=torch.long)
    short = length - length // 3
    if padding == "right":
        mask[1, short:] = 0
    elif padding == "left":
        mask[1, : length - short] = 0
    return {"input_ids": ids.masked_fill(mask == 0, 0), "attention_mask": mask}


def two_stack_inputs(padding: str) -> dict[str, Tensor]:
    target = batch(padding, TARGET_LENGTH, seed=1)
    return batch(padding) | {
        "decoder_input_ids": target["input_ids"],
        "decoder_attention_mask": target["attention_mask"],
    }


def save_model(
    folder: Path, kind: str | tuple[str, str], auto: Any, tokenizer: tokenizers.Tokenizer, **changes: Any
) -> PreTrainedModel:
    """Write a tiny network with a tokenizer as a folder that `core.load` opens, and return the network.

    kind: two kinds are joined to an encoder-decoder.
    """
    sizes = {"vocab_size": tokenizer.get_vocab_size(), **changes}
    config = tiny_config(kind, **sizes) if isinstance(kind, str) else joined_config(*kind, **sizes)
    network = network_of(config, auto=auto)
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return network
