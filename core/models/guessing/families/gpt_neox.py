"""GPT-NeoX, of which Pythia is one."""

from __future__ import annotations

from collections.abc import Iterator

from core.models.guessing.asking import activation, epsilon, heads, positions, theta
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors

WORDS = "embed_in.weight"
JOINT, INNER = "layers.#.attention.query_key_value.weight", "layers.#.mlp.dense_h_to_4h.weight"
_HEADS = (
    ("score.weight", "GPTNeoXForSequenceClassification"),
    ("lm_head.weight", "GPTNeoXForCausalLM"),
    ("qa_outputs.weight", "GPTNeoXForQuestionAnswering"),
)
# The head widths of Pythia-2.8B and GPT-NeoX-20B, and from what width on the other Pythias have 128.
_USUAL = {2_560: 80, 6_144: 96}
_WIDE = 2_048


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """The one network that has these names."""
    ids, width = tensors.shape(WORDS, 2)
    tensors.rows(JOINT, width)
    architecture, head = head_of(tensors, _HEADS, "GPTNeoXModel")
    sizes = {
        "vocab_size": ids,
        "hidden_size": width,
        "num_hidden_layers": tensors.depth(JOINT, INNER),
        "intermediate_size": tensors.rows(INNER, width),
        "attention_bias": tensors.has("layers.#.attention.query_key_value.bias"),
    }
    questions = (
        heads("num_attention_heads", width, _USUAL.get(width, 128 if width >= _WIDE else 64)),
        epsilon("layer_norm_eps", 1e-5),
        activation("hidden_act", "gelu"),
        theta(name="rotary_emb_base"),
        Question("rotary_pct", 0.25, (0.25, 0.5, 1.0), "Rotary positions have no weights; this is the family's own."),
        Question(
            "use_parallel_residual", True, (True, False),
            "The order of attention and feed-forward has no weights; the published ones run them side by side.",
        ),
        positions(2_048),
    )  # fmt: skip
    labels = labels_of(tensors, "score.weight")
    yield Draft("gpt_neox", architecture, sizes | labels, because(tensors, WORDS, JOINT, INNER, head=head), questions)
