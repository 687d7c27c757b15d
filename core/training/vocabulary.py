"""Tokenizers of in-house models: one id a character for the toy tasks, or shared byte-pair pieces for real text.

Every tokenizer has the same four special tokens, and puts </s> behind sources and targets alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

PAD, START, END, UNKNOWN = "<pad>", "<s>", "</s>", "<unk>"
SPECIALS = (PAD, START, END, UNKNOWN)
PAD_ID, START_ID, END_ID, UNKNOWN_ID = range(4)
# How SentencePiece marks the start of a word, so that text reads the same after decoding.
WORD_START = "▁"


def character_tokenizer(alphabet: str) -> PreTrainedTokenizerFast:
    """A tokenizer with one id for each character of an alphabet, in its order, from 4 on."""
    vocabulary = {token: number for number, token in enumerate((*SPECIALS, *alphabet))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return _finished(tokenizer)


def piece_tokenizer(texts: Iterable[str], size: int, lowercase: bool = True) -> PreTrainedTokenizerFast:
    """A byte-pair vocabulary of at most `size` pieces, learnt from texts in Unicode's NFKC form.

    The order of the texts does not matter; the same texts give the same vocabulary.
    """
    texts = list(texts)
    tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN))
    steps = [normalizers.NFKC(), normalizers.Lowercase()] if lowercase else [normalizers.NFKC()]
    # A line break or a tab, of which examples have none, means the same as a space to a reader.
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Replace(Regex(r"\s+"), " ")])
    # Punctuation is cut off, so that "word." and "word" share a piece; Chinese is read by character.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=WORD_START),
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.Split(Regex(r"\p{Han}"), "isolated"),
        ]
    )
    tokenizer.decoder = decoders.Metaspace(replacement=WORD_START)
    # Rare characters must not take the places of pieces.
    alphabet = _alphabet(map(tokenizer.normalizer.normalize_str, texts), size // 2)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIALS),
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _finished(tokenizer)


def _alphabet(texts: Iterable[str], most: int) -> list[str]:
    """The `most` most frequent characters, WORD_START first.

    Of equally frequent ones the lower code points are kept; the trainer's own limit would draw among them at random.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text.replace(" ", ""))
    return [WORD_START, *sorted(counts, key=lambda character: (-counts[character], character))][:most]


def language_tokenizer(texts: Iterable[str], size: int, lowercase: bool) -> PreTrainedTokenizerFast:
    """As `piece_tokenizer`, but a text begins with <s> and is left open, for a language model to go on with."""
    pieces = piece_tokenizer(texts, size, lowercase).backend_tokenizer
    pieces.post_processor = processors.TemplateProcessing(single=f"{START} $A", special_tokens=[(START, START_ID)])
    return _wrapped(pieces)


def word_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """A vocabulary of the `size` most frequent words, lower-cased; punctuation marks are words of their own."""
    tokenizer = Tokenizer(models.WordLevel({}, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=list(SPECIALS), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return _finished(tokenizer)


def _finished(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A {END} $B {END}", special_tokens=[(END, END_ID)]
    )
    return _wrapped(tokenizer)


def _wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        clean_up_tokenization_spaces=False,
        # Special tokens that are typed in a text are plain text, whoever opens the checkpoint.
        split_special_tokens=True,
        model_input_names=["input_ids", "attention_mask"],
    )
