"""What the files of tokenizers are called, and the names of classes by which transformers opens them."""

from __future__ import annotations

SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "source.spm", "tokenizer.model")
# Without one of these, transformers makes up a tokenizer with an empty vocabulary.
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", *SENTENCEPIECE)
# These read bytes or code points, and need no vocabulary.
WITHOUT_FILES = ("ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer")
# What a tokenizer_config.json says where tokenizer.json is to be read as it stands.
AS_IT_IS = "TokenizersBackend"
# All that a tokenizer may consist of.
ALL_FILES = (
    *TOKENIZER_FILES, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt",
    "target.spm", "chat_template.jinja",
)  # fmt: skip
