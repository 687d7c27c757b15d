"""The values of a config in words: what each field is called, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_WIDTH = "Numbers in the state of each token (d_model): the second side of the table of embeddings."
_LAYERS = "Blocks that follow each other, each with its own attention."
_HEADS = (
    "Attention maps in each layer. Tensors have all heads side by side, so only their width times their number shows."
)
_INNER = "Width of the two feed-forward matrices within a layer."
_LENGTH = "Tokens of the longest text: the rows of the table of positions, where there is one."
_EPSILON = "What is added to a variance before the root, so that nothing is divided by 0."
_BEND = "The function between the two feed-forward matrices."


@dataclass(frozen=True)
class Words:
    """What a field is called beside its control, and what pointing at the question mark tells."""

    label: str
    help: str


FIELDS: Mapping[str, Words] = MappingProxyType({
    "vocab_size": Words("Vocabulary", "Rows of the table of embeddings, one for each token that can be read."),
    **dict.fromkeys(("hidden_size", "n_embd", "d_model", "dim", "word_embed_proj_dim"), Words("Width", _WIDTH)),
    "embedding_size": Words("Width of embeddings", "Numbers in each row of the table, where fewer than Width."),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers"), Words("Layers", _LAYERS)),
    "encoder_layers": Words("Encoder layers", _LAYERS),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers"), Words("Decoder layers", _LAYERS)),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), Words("Heads", _HEADS)),
    "encoder_attention_heads": Words("Encoder heads", _HEADS),
    "decoder_attention_heads": Words("Decoder heads", _HEADS),
    "num_key_value_heads": Words("Key-value heads", "Fewer than Heads where several of them share keys and values."),
    **dict.fromkeys(("head_dim", "d_kv"), Words("Width of a head", "Numbers in the query and in the key of one head.")),
    **dict.fromkeys(("intermediate_size", "n_inner", "d_ff", "hidden_dim", "ffn_dim"), Words("Feed-forward", _INNER)),
    "encoder_ffn_dim": Words("Encoder feed-forward", _INNER),
    "decoder_ffn_dim": Words("Decoder feed-forward", _INNER),
    **dict.fromkeys(("max_position_embeddings", "n_positions"), Words("Positions", _LENGTH)),
    "type_vocab_size": Words("Kinds of text", "Rows of the table that tells a first text from a second one."),
    "num_labels": Words("Labels", "Answers that the classifier chooses from."),
    **dict.fromkeys(("layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps"), Words("Epsilon of norms", _EPSILON)),
    **dict.fromkeys(
        ("hidden_act", "activation", "activation_function", "dense_act_fn", "feed_forward_proj"),
        Words("Activation", _BEND),
    ),
    "rope_theta": Words("Base of rotary positions", "Wavelengths grow up to about 2π times this (θ of RoPE)."),
    "sliding_window": Words("Window", "How far back a token attends; none: to the beginning."),
    "scaled": Words("Scaled scores", "Whether a score is divided by the root of the head's width."),
    "positions": Words("Positions", "How the network knows the order of tokens."),
    "relative_attention_num_buckets": Words("Position buckets", "Groups of distances that share one learned number."),
    "relative_attention_max_distance": Words("Farthest distance", "From here on all distances share one bucket."),
    "attention_bias": Words("Biases in attention", "Whether queries, keys and values have a bias."),
    "mlp_bias": Words("Biases in feed-forward", "Whether the feed-forward matrices have a bias."),
    "is_encoder_decoder": Words("Encoder and decoder", "Whether one stack reads and another one writes an answer."),
    "tie_word_embeddings": Words("Tied head", "The table of embeddings is the head as well: it lies in the file once."),
})  # fmt: skip

# By the end of a class's name: what it is, in words.
_HEADS_IN_WORDS = (
    ("ForMaskedLM", "masked language model: fills in left-out words"),
    ("ForCausalLM", "causal language model: writes on, token by token"),
    ("LMHeadModel", "causal language model: writes on, token by token"),
    ("ForSequenceClassification", "classifier of whole texts"),
    ("ForTokenClassification", "classifier of each token"),
    ("ForQuestionAnswering", "marks an answer within a text"),
    ("ForConditionalGeneration", "encoder and decoder: answers a text with another"),
    ("ForPreTraining", "as it was pre-trained, with its first heads"),
    ("ForTagging", "a label for each token"),
    ("Model", "no head: states and attention, no answer"),
)


def words_of(name: str) -> Words:
    """A field in words, and its name in config.json."""
    known = FIELDS.get(name, Words(name, "A value of this architecture's own."))
    return known if known.label == name else Words(known.label, f"{known.help} In config.json: {name}.")


def class_words(architecture: str) -> str:
    """A class with what it is for, as a menu shows it."""
    words = head_in_words(architecture)
    return f"{architecture}: {words}" if words else architecture


def head_in_words(architecture: str) -> str:
    """What a class is for, told by its name; "" for one that says nothing."""
    return next((words for end, words in _HEADS_IN_WORDS if architecture.endswith(end)), "")
