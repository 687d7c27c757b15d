"""From a choice to what tokenizer.json and tokenizer_config.json say; to be done in a box."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import HeadlightError
from core.models.checking_files.telling import Wrong
from core.models.quoting import shown
from core.models.tokenizing import specifications
from core.models.tokenizing.choices import Bytes, Characters, FromFile, Pattern, Specials, Vocabulary, Whitespace
from core.models.tokenizing.merges import MERGES, byte_level_of
from core.models.tokenizing.meta import is_meta
from core.models.tokenizing.names import Named, named, with_unknown
from core.models.tokenizing.sentencepieces import SUFFIXES, read_pieces, tokenizer_of
from core.models.tokenizing.specifications import Part, config_of
from core.models.tokenizing.vocabularies import Read, of_tokens, read_vocabulary
from core.models.tokenizing.whole import whole_file

DOCUMENT_END = "<|endoftext|>"
HIGHEST_OFFSET = 1_000_000


@dataclass(frozen=True)
class Built:
    """The contents of the two files, and sentences on what is odd about them."""

    tokenizer: Part
    config: Part
    notes: tuple[str, ...] = ()


def built(choice: FromFile | Characters | Bytes | Whitespace | Pattern) -> Built:
    """Raises HeadlightError, one sentence, for a file or a choice that makes no tokenizer."""
    match choice:
        case FromFile():
            return _of_file(choice)
        case Bytes():
            return _of_bytes(choice)
        case Characters():
            read = listed(choice.vocabulary)
            made = _of_list(read, _specials(choice), specifications.characters)
            return replace(made, notes=(*made.notes, *_on_characters(made.tokenizer, read.ids)))
        case Whitespace():
            return _of_list(listed(choice.vocabulary), choice.specials, specifications.whitespace)
        case Pattern(pattern=expression):
            return _of_list(
                listed(choice.vocabulary),
                choice.specials,
                lambda ids, names: specifications.pattern(expression, ids, names),
            )


def listed(vocabulary: Vocabulary) -> Read:
    """The tokens of a list or of a file. Raises HeadlightError."""
    if isinstance(vocabulary, Path):
        return read_vocabulary(vocabulary)
    try:
        return of_tokens(vocabulary)
    except Wrong as wrong:
        raise HeadlightError(f"The vocabulary is not taken, because {wrong.what}: {wrong.cure}.") from wrong


def _of_list(read: Read, specials: Specials, specified: Callable[[Mapping[str, int], Named], Part]) -> Built:
    names, ids, notes = with_unknown(named(specials, read.ids), specials, read.ids)
    return Built(specified(ids, names), config_of(names), (*read.notes, *notes))


def _specials(choice: Characters) -> Specials:
    """Of nanoGPT's characters none stands for those that are not there, and nobody has to say so."""
    is_told = choice.specials.unknown is not None or not is_meta(choice.vocabulary)
    return choice.specials if is_told else replace(choice.specials, unknown="")


def _on_characters(tokenizer: Part, ids: Mapping[str, int]) -> tuple[str, ...]:
    special = {token["content"] for token in tokenizer["added_tokens"]}
    longer = [token for token in ids if len(token) > 1 and token not in special]
    if not longer:
        return ()
    said = "1 token has" if len(longer) == 1 else f"{len(longer):,} tokens have"
    return (f"{said} more than one character and will never be read, “{shown(longer[0])}” among them.",)


def _of_bytes(choice: Bytes) -> Built:
    if not 0 <= choice.offset <= HIGHEST_OFFSET:
        raise HeadlightError(f"The id of byte 0 must lie between 0 and {HIGHEST_OFFSET:,}: correct it.")
    if len(choice.before) > choice.offset:
        raise HeadlightError(
            f"There are {len(choice.before):,} names for the {choice.offset:,} ids before byte 0: leave some out, or "
            "move byte 0."
        )
    before = [*choice.before, *(f"<{number}>" for number in range(len(choice.before), choice.offset))]
    if any(len(name) < 2 for name in (*before, *choice.after)):
        raise HeadlightError("A name of one letter could be taken for that letter: give it at least two.")
    ids = listed((*before, *(f"<0x{byte:02X}>" for byte in range(256)), *choice.after)).ids
    # No byte is ever unknown, so a name for that is kept and never needed.
    names = named(choice.specials, ids)
    return Built(specifications.byte_pieces(ids, names), config_of(names))


def _of_file(choice: FromFile) -> Built:
    path = choice.path
    if is_meta(path):
        return built(Characters(path, choice.specials))
    if path.suffix.lower() in SUFFIXES:
        tokenizer, names = tokenizer_of(read_pieces(path), choice.specials)
        return Built(tokenizer, config_of(names))
    if path.name.lower().endswith("tokenizer.json"):
        tokenizer, names = whole_file(path, choice.specials)
        return Built(tokenizer, config_of(names))
    read = read_vocabulary(path)
    merges = path.with_name(MERGES)
    if choice.split is None and path.suffix.lower() == ".json" and merges.is_file():
        tokenizer, names, notes = byte_level_of(read, merges, choice.specials)
        # GPT-2's token between documents ends what a model writes, and is not put after a text.
        written = {"eos_token": DOCUMENT_END} if names.end is None and DOCUMENT_END in read.ids else {}
        return Built(tokenizer, config_of(names) | written, notes)
    lowercase = _has_no_capitals(read.ids) if choice.split is None else choice.split == "lowercase wordpiece"
    pieces = _of_list(read, choice.specials, lambda ids, names: specifications.wordpiece(ids, names, lowercase))
    return Built(pieces.tokenizer, pieces.config, (*pieces.notes, *_on_wordpiece(read.ids, choice, lowercase)))


def _has_no_capitals(ids: Mapping[str, int]) -> bool:
    """Of a whole lower-cased vocabulary only the names of special tokens and reserved ones have capitals."""
    return all(token == token.lower() for token in ids if token[:1] not in "[<")


def _on_wordpiece(ids: Mapping[str, int], choice: FromFile, lowercase: bool) -> tuple[str, ...]:
    notes = []
    if choice.split is None and lowercase:
        notes.append("Texts are lower-cased before they are split, as the vocabulary has no capital letter.")
    if not any(token.startswith("##") for token in ids):
        notes.append(
            "No token of the vocabulary begins with ##, so it may be none of WordPiece: long words become unknown."
        )
    return tuple(notes)
