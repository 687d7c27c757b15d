"""Byte-level BPE tokenizers, trained here in a moment, set up in the ways that published models set up theirs."""

from typing import Any

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers.pre_tokenizers import ByteLevel

SENTENCES = [
    "The cat sat on the mat.",
    "the dog chased the owner of the café",
    "naïve résumé 猫追老鼠 猫",
    "  four   spaces\n\tnew line\n\n\n  x",
    "a    b     c        d\t\t\te \n \n f",
    "emoji 😀 😀 👩‍👩‍👧",
] * 5
SPECIALS = ["<|endoftext|>", "<s>", "</s>"]
# How the tokenizers of Llama 3, Qwen and others cut a text into words.
_WORDS = Regex(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_level_tokenizer(pre: Any = None, post: Any = None, normalizer: Any = None) -> Tokenizer:
    """Without arguments: one that reports untrimmed spans and adds no special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre or ByteLevel(add_prefix_space=False)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(
        vocab_size=450, special_tokens=SPECIALS, initial_alphabet=ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if post is not None:
        tokenizer.post_processor = post
    return tokenizer


def _roberta(add_prefix_space: bool) -> Tokenizer:
    post = processors.RobertaProcessing(("</s>", 2), ("<s>", 1), trim_offsets=True, add_prefix_space=add_prefix_space)
    return byte_level_tokenizer(ByteLevel(add_prefix_space=add_prefix_space), post)


def _llama() -> Tokenizer:
    start = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", SPECIALS.index("<s>"))]
    )
    post = processors.Sequence([processors.ByteLevel(trim_offsets=True), start])
    return byte_level_tokenizer(_words_then_bytes(), post)


def _words_then_bytes() -> Any:
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(_WORDS, "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)]
    )


SETUPS = {
    "plain": byte_level_tokenizer,
    "gpt2": lambda: byte_level_tokenizer(post=processors.ByteLevel(trim_offsets=True)),
    "roberta": lambda: _roberta(add_prefix_space=False),
    "roberta with a space put first": lambda: _roberta(add_prefix_space=True),
    "llama 3": _llama,
    "qwen": lambda: byte_level_tokenizer(
        _words_then_bytes(), processors.ByteLevel(trim_offsets=False), normalizers.NFC()
    ),
}
