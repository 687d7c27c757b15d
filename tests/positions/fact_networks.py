"""Tiny random networks as their classes draw them: a large random weight would hide a table that is a formula."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, PreTrainedModel

from core.positions.facts import Fact, facts_of
from tests.tiny import ONE_STACK, TWO_STACKS, VOCABULARY

_ONE = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=64
)
_TWO = TWO_STACKS["bart"]
_T5 = TWO_STACKS["t5"]
_XLM = dict(emb_dim=32, n_layers=2, n_heads=4, max_position_embeddings=64)
_DEBERTA = dict(_ONE, relative_attention=True, pos_att_type=["c2p", "p2c"])
_SIZES: dict[str, dict[str, Any]] = {
    **ONE_STACK,
    **TWO_STACKS,
    "xlm-roberta": _ONE,
    "mpnet": _ONE,
    "xlm": dict(_XLM, sinusoidal_embeddings=True),
    "xglm": dict(d_model=32, num_layers=2, attention_heads=4, ffn_dim=48, max_position_embeddings=64),
    "pegasus": _TWO,
    "m2m_100": _TWO,
    "fsmt": dict(_TWO, langs=["en", "de"], src_vocab_size=VOCABULARY, tgt_vocab_size=VOCABULARY),
    "mt5": _T5,
    "umt5": _T5,
    "longt5": _T5,
    "bloom": dict(hidden_size=32, n_layer=2, n_head=4),
    "mpt": dict(d_model=32, n_heads=4, n_layers=2, max_seq_len=64),
    "falcon": dict(_ONE, alibi=True),
    "codegen": dict(n_embd=32, n_layer=2, n_head=4, n_positions=64, rotary_dim=4),
    "roformer": _ONE,
    "ctrl": dict(n_embd=32, n_layer=2, n_head=4, n_positions=64, dff=48),
    "phi": dict(_ONE, num_key_value_heads=2),
    "cohere": dict(_ONE, num_key_value_heads=2),
    "cohere2": dict(_ONE, num_hidden_layers=4, num_key_value_heads=2, head_dim=8),
    "smollm3": dict(_ONE, num_hidden_layers=4, num_key_value_heads=2),
    "deberta": dict(_DEBERTA, max_relative_positions=-1),
    "deberta-v2": dict(_DEBERTA, position_buckets=8, norm_rel_ebd="layer_norm", position_biased_input=False),
    "wav2vec2-bert": dict(_ONE, position_embeddings_type="relative_key"),
    "jamba": dict(_ONE, num_key_value_heads=2, num_hidden_layers=4),
    "xlnet": dict(d_model=32, n_layer=2, n_head=4, d_inner=48),
}
_SPECIAL = dict(vocab_size=VOCABULARY, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=0)


def drawn(kind: str, attention: str | None = None, **changes: Any) -> PreTrainedModel:
    """A network of a family, the same each time; padding is token 1, as in RoBERTa."""
    torch.manual_seed(0)
    config = AutoConfig.for_model(kind, **(_SPECIAL | _SIZES[kind] | changes))
    return AutoModel.from_config(config, attn_implementation=attention).eval().requires_grad_(False)


def inputs(network: PreTrainedModel, length: int = 12) -> dict[str, Tensor]:
    """A text without padding, and the same as what a decoder has said."""
    ids = torch.arange(3, 3 + length)[None]  # (1, T)
    return {"input_ids": ids} | ({"decoder_input_ids": ids} if network.config.is_encoder_decoder else {})


def only_fact(network: nn.Module, scheme: str, stack: str = "self") -> Fact:
    """The one fact of a scheme and a stack."""
    (fact,) = [fact for fact in facts_of(network) if (fact.scheme, fact.stack) == (scheme, stack)]
    return fact
