"""Tiny random networks of many architectures, made small by one table of sizes that serves all their configs."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
)

from core.capture import capturable
from tests.tiny import VOCABULARY, WINDOW, batch, sharpen, two_stack_inputs

# What configs call the same sizes. One that a config does not have is left out.
_WIDTHS = ("hidden_size", "d_model", "n_embd", "dim", "emb_dim", "embed_dim", "word_embed_proj_dim")
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_STACKS = ("encoder_layers", "decoder_layers", "num_decoder_layers", "num_encoder_layers")
_HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
    "num_encoder_attention_heads", "num_decoder_attention_heads",
)  # fmt: skip
_HEAD_WIDTHS = (
    "head_dim",
    "d_kv",
    "kv_channels",
    "attention_head_dim",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
)
_FEED_FORWARD = (
    "intermediate_size", "d_ff", "ffn_dim", "n_inner", "hidden_dim", "d_inner", "encoder_ffn_dim", "decoder_ffn_dim",
    "dff", "ffn_hidden_size",
)  # fmt: skip
_POSITIONS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_sequence_length")
_WINDOWS = ("sliding_window", "local_attention", "window_size")
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
_RANKS = (
    "moe_intermediate_size",
    "shared_expert_intermediate_size",
    "embedding_size",
    "q_lora_rank",
    "kv_lora_rank",
)
SIZES: dict[str, int] = (
    dict.fromkeys(_WIDTHS, 32) | dict.fromkeys(_LAYERS, 4) | dict.fromkeys(_STACKS, 2) | dict.fromkeys(_HEADS, 4)
    | dict.fromkeys(_HEAD_WIDTHS, 8) | dict.fromkeys(_FEED_FORWARD, 48) | dict.fromkeys(_POSITIONS, 64)
    | dict.fromkeys(_WINDOWS, WINDOW) | dict.fromkeys(_EXPERTS, 4) | dict.fromkeys(_RANKS, 16)
    | dict(vocab_size=VOCABULARY, num_key_value_heads=2, num_experts_per_tok=2, rotary_dim=4, n_group=1, topk_group=1,
           first_k_dense_replace=1, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
)  # fmt: skip

_ABSENT = object()

# What the recorded weights are compared with.
EAGER = "eager"
SOFTMAX = "softmax of the scores that eager returns"
PRODUCT = "A·V = O of every row"


def sizes_of(known: Any, parts: bool = False) -> dict[str, Any]:
    """Those of `SIZES` that a config has as one number. parts: of the configs inside it too."""
    sizes: dict[str, Any] = {name: size for name, size in SIZES.items() if _is_one(getattr(known, name, _ABSENT))}
    if parts:
        inside = {name: value for name, value in vars(known).items() if isinstance(value, PreTrainedConfig)}
        sizes |= {name: sizes_of(part, parts) for name, part in inside.items()}
    return sizes


def _is_one(value: Any) -> bool:
    return value is None or isinstance(value, int)


@dataclass(frozen=True)
class Architecture:
    """A model type with what its config needs beside `SIZES`.

    changes   ... leaves a size to the config's own rules
    name      how tables call it; the model type unless one type stands there more than once
    truth     EAGER, or where the library's own maps are wrong, SOFTMAX or PRODUCT
    tolerance largest difference allowed; `note` says why where it is not 1e-5
    note      what is unusual
    """

    kind: str
    changes: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    truth: str = EAGER
    tolerance: float = 1e-5
    note: str = ""

    @property
    def title(self) -> str:
        return self.name or self.kind

    def config(self) -> Any:
        sizes = sizes_of(AutoConfig.for_model(self.kind)) | self.changes
        given = {name: size for name, size in sizes.items() if size is not ...}
        return capturable(AutoConfig.for_model(self.kind, **given), self.title)

    def network(self, attention: str | None = None) -> PreTrainedModel:
        """attention: "sdpa" or "eager"; what the class itself prefers when None."""
        config = self.config()
        if config.is_encoder_decoder:
            auto: Any = AutoModelForSeq2SeqLM
        else:
            auto = AutoModelForCausalLM if self.kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES else AutoModelForMaskedLM
        network = auto.from_config(copy.deepcopy(config), attn_implementation=attention)
        sharpen(network)
        return network.eval().requires_grad_(False)

    def inputs(self, padding: str) -> dict[str, Any]:
        if self.config().is_encoder_decoder:
            return two_stack_inputs(padding) | {"use_cache": False}
        return batch(padding)


_GENERIC = """
    afmoe albert apertus arcee aria_text bart beam bert bert-generation big_bird bigbird_pegasus biogpt bitnet
    blenderbot blenderbot-small bloom camembert codegen cohere cohere2 cohere2_moe convbert ctrl cwm data2vec-text
    deberta deberta-v2 distilbert doge electra ernie ernie4_5 ernie4_5_moe esm eurobert exaone exaone4 exaone_moe
    flaubert flex_olmo flint fsmt gemma gemma3_text git glm glm4 glm4_moe gpt-sw3 gpt2 gpt_bigcode gpt_neox
    gpt_neox_japanese gpt_oss gptj granite granitemoe granitemoeshared gte helium hrm_text hunyuan_v1_dense
    hunyuan_v1_moe hy_v3 hy_v4 hyperclovax ibert inkling_text internlm3 iquestcoder jais2 jetmoe
    jina_embeddings_v3 kolibri1 laguna lara_mini layoutlm lfm2 lfm3 llama llama4_text m2m_100 marian mbart
    megatron-bert mellum mimo_v2_flash minimax_m2 minimax_m3_vl_text ministral ministral3 mistral mixtral
    mobilebert modernbert modernbert-decoder moshi mpnet mpt mvp nanochat nemotron nemotron_h nllb-moe nomic_bert
    olmo olmo2 olmo3 olmo_hybrid olmoe openai-gpt opt pegasus persimmon phi phi3 phimoe plbart qwen2 qwen2_moe
    qwen3 qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next recurrent_gemma rembert roberta roberta-prelayernorm
    roformer sarvam_moe seamless_m4t seed_oss smollm3 solar_open stablelm starcoder2 switch_transformers t5 mt5
    umt5 tapas trocr ultrabert vaultgemma xglm xlm xlm-roberta xlm-roberta-xl
"""
_T5_GEMMA = dict(
    vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    head_dim=8, intermediate_size=48, sliding_window=WINDOW, max_position_embeddings=64, attn_logit_softcapping=1.5,
)  # fmt: skip
# Attention over a latent of its own has no fewer heads for keys and values.
_LATENT = dict(num_key_value_heads=4)
_OWN = (
    Architecture("bert", dict(is_decoder=True), "bert as decoder"),
    Architecture("gpt2", dict(scale_attn_by_inverse_layer_idx=True, reorder_and_upcast_attn=True), "gpt2 upcast"),
    Architecture("gpt_neo", dict(attention_types=[[["global", "local"], 2]])),
    Architecture("falcon", dict(head_dim=..., num_kv_heads=2, new_decoder_architecture=True)),
    Architecture("falcon", dict(head_dim=..., alibi=True), "falcon with ALiBi", PRODUCT, note="eager adds ALiBi twice"),
    Architecture("xlnet", dict(max_position_embeddings=...)),
    Architecture("squeezebert", dict(embedding_size=32), truth=SOFTMAX, note="eager returns scores"),
    Architecture("prophetnet", dict(num_hidden_layers=...), truth=SOFTMAX, note="eager returns scores"),
    Architecture("longformer", dict(attention_window=4), note="a band"),
    Architecture("led", dict(attention_window=[4, 4], num_hidden_layers=...), note="the encoder is a band"),
    Architecture("longt5", dict(local_radius=3), note="the encoder is in blocks"),
    Architecture(
        "longt5", dict(local_radius=3, global_block_size=4, encoder_attention_type="transient-global"),
        "longt5 with summaries", note="the encoder is in blocks; rows sum to less than one",
    ),
    Architecture("gemma2", dict(attn_logit_softcapping=1.5), note="soft-capped scores"),
    Architecture("t5gemma", dict(encoder=_T5_GEMMA, decoder=_T5_GEMMA), note="soft-capped scores"),
    Architecture("granite_swa", truth=PRODUCT, note="eager's maps lack the sinks"),
    Architecture("granitemoe_swa", truth=PRODUCT, note="eager's maps lack the sinks"),
    Architecture("diffllama", note="two calls a layer"),
    Architecture("minimax", note="its other layers are linear attention"),
    Architecture("jamba", dict(attn_layer_period=2, attn_layer_offset=1, use_mamba_kernels=False)),
    Architecture("bamba", dict(mamba_n_heads=4, mamba_d_head=16, attn_layer_indices=[1])),
    Architecture("granitemoehybrid", dict(layer_types=["attention"] * 4, mamba_n_heads=4, mamba_d_head=16)),
    Architecture("lfm2_moe", dict(layer_types=["full_attention", "conv"] * 2)),
    Architecture("deepseek_v2", _LATENT),
    Architecture("deepseek_v3", _LATENT),
    Architecture("deepseek_v32", _LATENT | dict(index_topk=4), note="a few keys chosen for each query"),
    Architecture("minicpm3", _LATENT),
    Architecture("glm4_moe_lite", _LATENT),
    Architecture("esmc", _LATENT),
    Architecture("luke", dict(entity_vocab_size=VOCABULARY, entity_emb_size=16)),
    Architecture("xmod", dict(default_language="en_XX", languages=["en_XX"])),
    Architecture("roc_bert", dict(pronunciation_vocab_size=VOCABULARY, shape_vocab_size=VOCABULARY)),
)  # fmt: skip
ARCHITECTURES = tuple(
    sorted((*(Architecture(kind) for kind in _GENERIC.split()), *_OWN), key=lambda architecture: architecture.title)
)
