"""Tokenizers that a user may choose for a model that came without one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

# How a plain list of tokens is to be read, where the file itself does not say.
Split = Literal["wordpiece", "lowercase wordpiece"]
Vocabulary = tuple[str, ...] | Path


@dataclass(frozen=True)
class Specials:
    """What the vocabulary calls its special tokens.

    None: the usual name, if the vocabulary has one ("[UNK]", "<unk>" …). "": there is none, or it is not to be used.

    unknown     stands for what the vocabulary lacks
    start, end  put before and after a text; of a pair, both texts end with `end`
    pad         fills up the shorter texts of a batch
    mask        hides a word from a masked language model
    """

    unknown: str | None = None
    start: str | None = None
    end: str | None = None
    pad: str | None = None
    mask: str | None = None


@dataclass(frozen=True)
class FromCatalogue:
    """The tokenizer of a model of the catalogue that is available here."""

    name: str


@dataclass(frozen=True)
class FromFile:
    """A tokenizer in a file, or beside it.

    path: tokenizer.json; a SentencePiece *.model or *.spm; vocab.json with merges.txt beside it; or a vocabulary of
        WordPiece: vocab.txt with one token a line (the first has id 0), or vocab.json as {token: id}. nanoGPT's
        meta.pkl lists characters, and is read as `Characters` reads it.
    split: for a vocabulary of WordPiece, whether texts are lower-cased and lose their accents first; None: they are
        where none of its words has a capital letter.
    """

    path: Path
    split: Split | None = None
    specials: Specials = field(default_factory=Specials)


@dataclass(frozen=True)
class Characters:
    """One token a character. vocabulary: all tokens in the order of their ids, special ones too, or such a file."""

    vocabulary: Vocabulary
    specials: Specials = field(default_factory=Specials)


@dataclass(frozen=True)
class Bytes:
    """One token a byte of UTF-8.

    offset  id of byte 0
    before  names of the ids before it, from 0 on; those left over are called <0>, <1> …
    after   names of the ids after byte 255
    """

    offset: int = 0
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    specials: Specials = field(default_factory=Specials)


@dataclass(frozen=True)
class Whitespace:
    """One token a word between white space, punctuation included; vocabulary as in `Characters`."""

    vocabulary: Vocabulary
    specials: Specials = field(default_factory=Specials)


@dataclass(frozen=True)
class Pattern:
    """One token a match of a regular expression, and one for each stretch between matches: nothing is dropped.

    pattern: of the Oniguruma library, at most 1,000 characters; a match counts as a whole, whatever its groups.
    vocabulary: as in `Characters`.
    """

    pattern: str
    vocabulary: Vocabulary
    specials: Specials = field(default_factory=Specials)


TokenizerChoice = FromCatalogue | FromFile | Characters | Bytes | Whitespace | Pattern
# Splits reactions and molecules written as SMILES. The published pattern has no bound for what stands in brackets; with
# one, no text can keep the engine busy. Source: Schwaller et al. 2019, Molecular Transformer, section 3.
SMILES = r"\[[^\]]{1,64}\]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|\\|\/|:|~|@|\?|>|\*|\$|\%[0-9]{2}|[0-9]"


@dataclass(frozen=True)
class Offer:
    """A tokenizer that may fit a model.

    kind      "catalogue", "file", "characters", "bytes", "whitespace" or "pattern"
    label     a few words for a menu
    sentence  why it is offered
    choice    ready to be written; None where something has to be filled in first
    """

    kind: Literal["catalogue", "file", "characters", "bytes", "whitespace", "pattern"]
    label: str
    sentence: str
    choice: TokenizerChoice | None = None
