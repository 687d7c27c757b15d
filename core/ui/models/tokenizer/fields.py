"""What each kind of tokenizer still needs, as fields, and the choice that they make up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import streamlit as st

from core.models import catalogue
from core.models.tokenizing import (
    SMILES,
    Bytes,
    Characters,
    FromCatalogue,
    FromFile,
    Pattern,
    Specials,
    Split,
    TokenizerChoice,
    Whitespace,
)
from core.ui.models.tokenizer.vocabulary_source import TYPE_THEM, vocabulary_source
from core.ui.words import note

if TYPE_CHECKING:
    from core.models.finding import Candidate

LONGEST_PATTERN = 1_000
MOST_BYTE_OFFSET = 1_000_000
NONE_OF_THEM = "-"
SPLITS: Mapping[str, Split | None] = MappingProxyType({
    "As the words show": None, "Keep capital letters": "wordpiece", "Lower-case first": "lowercase wordpiece",
})  # fmt: skip
SPLIT_HELP = (
    "WordPiece cuts words into the longest pieces that the vocabulary has. Some models lower-case a text and drop "
    "accents before. As the words show: where no word has a capital letter."
)
SPECIALS_HELP = (
    "Empty: the usual name, where the vocabulary has one. A single hyphen: there is none. Any other name must stand in "
    "the vocabulary."
)
SPECIALS = {
    "unknown": ("Unknown", "[UNK], <unk> …"),
    "start": ("Start", "[CLS], <s> …"),
    "end": ("End", "[SEP], </s> …"),
    "pad": ("Padding", "[PAD], <pad> …"),
    "mask": ("Mask", "[MASK], <mask> …"),
}
OFFSET_HELP = "Id of the byte 0. Ids below it are special tokens: ByT5, for example, has three of them."
PATTERN_HELP = (
    "Each match is a token, and so is each stretch between matches. The example splits reactions and molecules written "
    "as SMILES (Schwaller et al. 2019, Molecular Transformer)."
)
TYPE_PATTERN = "Type a regular expression, or take the one for SMILES."
TYPE_BOTH = "Type a regular expression, or take the one for SMILES, and then the tokens, or upload a file with them."
Draw = Callable[["Candidate", str], TokenizerChoice | None]


def _catalogue(candidate: Candidate, slot: str) -> TokenizerChoice | None:
    here = [listing.entry.name for listing in catalogue() if listing.unavailable is None]
    name = st.selectbox("Model whose tokenizer is taken", here, width=420, key=f"{slot}-from", persist_state="session")
    return FromCatalogue(name) if name else None


def _file(candidate: Candidate, slot: str) -> TokenizerChoice | None:
    path = vocabulary_source(candidate, slot, may_be_typed=False)
    if not isinstance(path, Path):
        return None
    words = st.selectbox(
        "Words", tuple(SPLITS), help=SPLIT_HELP, width=420, key=f"{slot}-split", persist_state="session"
    )
    return FromFile(path, SPLITS[words], _specials(slot))


def _characters(candidate: Candidate, slot: str) -> TokenizerChoice | None:
    vocabulary = vocabulary_source(candidate, slot, may_be_typed=True)
    return None if vocabulary is None else Characters(vocabulary, _specials(slot))


def _whitespace(candidate: Candidate, slot: str) -> TokenizerChoice | None:
    vocabulary = vocabulary_source(candidate, slot, may_be_typed=True)
    return None if vocabulary is None else Whitespace(vocabulary, _specials(slot))


def _bytes(candidate: Candidate, slot: str) -> TokenizerChoice | None:
    with st.container(horizontal=True, key=f"{slot}-bytes"):
        offset = st.number_input(
            "Id of byte 0", 0, MOST_BYTE_OFFSET, 0, 1, help=OFFSET_HELP, width=178, key=f"{slot}-offset",
            persist_state="session",
        )  # fmt: skip
        before = _names(slot, "before", "Special tokens before the bytes", "<pad> </s> <unk>")
        after = _names(slot, "after", "Special tokens after the bytes", "")
    if len(before) > offset:
        note(f"{len(before)} tokens have no room before byte 0: set its id to {len(before)} or more.", "error")
        return None
    return Bytes(int(offset), before, after, _specials(slot))


def _pattern(candidate: Candidate, slot: str) -> TokenizerChoice | None:
    pattern = st.text_input(
        "Regular expression", placeholder=SMILES, max_chars=LONGEST_PATTERN, help=PATTERN_HELP, key=f"{slot}-pattern",
        persist_state="session",
    )  # fmt: skip
    st.button("Take the one for SMILES", on_click=_fill_smiles, args=(f"{slot}-pattern",), key=f"{slot}-smiles")
    missing = TYPE_THEM if pattern else TYPE_BOTH
    vocabulary = vocabulary_source(candidate, slot, may_be_typed=True, missing=missing)
    if vocabulary is None:
        return None
    if not pattern:
        note(TYPE_PATTERN, "info")
        return None
    return Pattern(pattern, vocabulary, _specials(slot))


def _fill_smiles(key: str) -> None:
    st.session_state[key] = SMILES


def _names(slot: str, name: str, label: str, placeholder: str) -> tuple[str, ...]:
    typed = st.text_input(
        label, placeholder=placeholder, help="Their names with spaces between them, in the order of their ids.",
        max_chars=10_000, width=300, key=f"{slot}-{name}", persist_state="session",
    )  # fmt: skip
    return tuple(typed.split())


def _specials(slot: str) -> Specials:
    with (
        st.expander("Names of the special tokens", key=f"{slot}-specials"),
        st.container(horizontal=True, key=f"{slot}-specials-row"),
    ):
        typed = {
            name: st.text_input(
                label, placeholder=usual, help=SPECIALS_HELP, max_chars=200, width=150, key=f"{slot}-special-{name}",
                persist_state="session",
            )
            for name, (label, usual) in SPECIALS.items()
        }  # fmt: skip
    return Specials(**{name: "" if word == NONE_OF_THEM else word or None for name, word in typed.items()})


# By the kind of an offer that has to be filled in.
FIELDS: Mapping[str, Draw] = MappingProxyType({
    "catalogue": _catalogue,
    "file": _file,
    "characters": _characters,
    "bytes": _bytes,
    "whitespace": _whitespace,
    "pattern": _pattern,
})  # fmt: skip
