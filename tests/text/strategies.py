"""Texts that hurt: any code point, surrogates too, and more often than chance would have it the awkward ones."""

from hypothesis import strategies as st

_AWKWARD = [
    " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2028", "\x85", "\x00", "\x1b", "\ufffd",
    "\u200b", "\u200c", "\u200d", "\u202e", "\u2066", "\ufeff", "\u00ad", "\ufe0f", "\ud800", "\udfff",
    "e\u0301", "\u0301", "é", "İ", "ß", "ﬁ", "각", "क्षि", "ไ้", "猫", "追", "😀", "👩‍👩‍👧", "🇩🇪", "👍🏽",
    "Ġ", "##", "▁", "Ċ", "[SEP]", "[UNK]", "<s>", "<|endoftext|>", "the", " cat", "naïve", "'s", "</script>", "**",
]  # fmt: skip

ANY_CHARACTER = st.characters(exclude_categories=())
TEXTS = st.lists(st.one_of(st.sampled_from(_AWKWARD), ANY_CHARACTER), min_size=1, max_size=12).map("".join)
