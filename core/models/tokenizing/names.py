"""What vocabularies usually call their special tokens, and which of those names one has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from core.errors import HeadlightError
from core.models.quoting import shown
from core.models.tokenizing.choices import Specials

# In the order in which they are looked for.
USUAL = {
    "unknown": ("[UNK]", "<unk>", "<UNK>", "[unk]", "<unknown>", "<oov>", "<OOV>", "[OOV]", "UNK"),
    "start": ("[CLS]", "<s>", "<cls>", "<bos>", "<sos>", "<BOS>", "<SOS>", "[BOS]", "[SOS]", "[START]", "<start>"),
    "end": ("[SEP]", "</s>", "<sep>", "<eos>", "<EOS>", "[EOS]", "[END]", "<end>"),
    "pad": ("[PAD]", "<pad>", "<PAD>", "[pad]", "<blank>"),
    "mask": ("[MASK]", "<mask>", "<MASK>"),
}
# Special too, and never put around a text.
_OTHERS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "[CLS]", "[SEP]", "<s>", "</s>")
_PURPOSE = {
    "unknown": "what it does not know",
    "start": "the start of a text",
    "end": "the end of a text",
    "pad": "padding",
    "mask": "hidden words",
}


@dataclass(frozen=True)
class Named:
    """The names that a vocabulary's special tokens have; None where there is none. As in `Specials`.

    others: special tokens that have no purpose here.
    """

    unknown: str | None
    start: str | None
    end: str | None
    pad: str | None
    mask: str | None
    others: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Each name once."""
        own = (self.unknown, self.pad, self.start, self.end, self.mask, *self.others)
        return tuple(dict.fromkeys(name for name in own if name is not None))


def named(specials: Specials, vocabulary: Mapping[str, int]) -> Named:
    """The special tokens. Raises HeadlightError for a name that the vocabulary lacks."""
    found = {field.name: _name(field.name, getattr(specials, field.name), vocabulary) for field in fields(specials)}
    usual = {name for names in USUAL.values() for name in names} | set(_OTHERS)
    # Which of them are special does not hang on whether they are used.
    others = sorted((name for name in usual if name in vocabulary and len(name) > 1), key=vocabulary.__getitem__)
    return Named(**found, others=tuple(others))


def with_unknown(
    names: Named, specials: Specials, vocabulary: Mapping[str, int]
) -> tuple[Named, dict[str, int], tuple[str, ...]]:
    """The same, a vocabulary with a token for unknown pieces, and notes.

    Where a user says that there is none for them, one is added behind the last id. No model has an embedding for it,
    so a text that needs it is refused by name, instead of being read without what is unknown.
    Raises HeadlightError where none was found and the user said nothing.
    """
    if names.unknown is not None:
        return names, dict(vocabulary), ()
    if specials.unknown is None:
        raise HeadlightError(
            "The vocabulary has no token for what it does not know, such as [UNK] or <unk>: name one of its tokens for "
            "that, or say that there is none."
        )
    name = _new_name(vocabulary)
    added = max(vocabulary.values()) + 1
    note = f"No token stands for unknown pieces: a text with any of them is refused (their id would be {added:,})."
    return replace(names, unknown=name), {**vocabulary, name: added}, (note,)


def _name(purpose: str, wish: str | None, vocabulary: Mapping[str, int]) -> str | None:
    if wish is None:
        return next((name for name in USUAL[purpose] if name in vocabulary), None)
    if not wish:
        return None
    if wish not in vocabulary:
        raise HeadlightError(
            f"The vocabulary has no token “{shown(wish)}” for {_PURPOSE[purpose]}: name one that it has, or add it."
        )
    if wish.isspace():
        raise HeadlightError(f"White space cannot stand for {_PURPOSE[purpose]}: name another token of the vocabulary.")
    return wish


def _new_name(vocabulary: Mapping[str, int]) -> str:
    name = "<unknown>"
    while name in vocabulary:
        name = f"<{name}>"
    return name
