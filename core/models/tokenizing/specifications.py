"""Tokenizers as the `tokenizers` library writes them into a tokenizer.json, built from a vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.models.opening.tokenizer_files import AS_IT_IS
from core.models.tokenizing.names import Named

Part = dict[str, Any]
# Characters that no script has.
_PRIVATE = range(0xF0000, 0xFFFFD)
_METASPACE = "▁"


def characters(ids: Mapping[str, int], names: Named) -> Part:
    """One token a character: BPE that merges nothing, so that characters keep together as words of the text."""
    model = _bpe(ids, unk_token=names.unknown)
    return _whole(model, names, ids, normalizer=_kept_apart(names, ids), decoder={"type": "Fuse"})


def whitespace(ids: Mapping[str, int], names: Named) -> Part:
    """One token a word between white space."""
    return _whole(
        _word_level(ids, names), names, ids, normalizer=_kept_apart(names, ids), splitter={"type": "WhitespaceSplit"}
    )


def pattern(expression: str, ids: Mapping[str, int], names: Named) -> Part:
    """One token a match, and one for each stretch between matches."""
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
    return _whole(
        _word_level(ids, names),
        names,
        ids,
        normalizer=_kept_apart(names, ids),
        splitter=split,
        decoder={"type": "Fuse"},
    )


def byte_pieces(ids: Mapping[str, int], names: Named) -> Part:
    """One token a byte: BPE that merges nothing and knows no character, so that each falls back to its bytes."""
    # Changes nothing. `core.text.fast` spells byte pieces byte by byte where the sign of SentencePiece is mentioned.
    mention = {"type": "Replace", "pattern": {"String": _METASPACE}, "content": _METASPACE}
    steps: list[Part] = [{"type": "ByteFallback"}, {"type": "Fuse"}]
    return _whole(
        _bpe(ids, byte_fallback=True),
        names,
        ids,
        normalizer=mention,
        decoder={"type": "Sequence", "decoders": steps},
    )


def wordpiece(ids: Mapping[str, int], names: Named, lowercase: bool) -> Part:
    """BERT's: words and signs, each spelled by the longest pieces that the vocabulary has."""
    model = {
        "type": "WordPiece",
        "unk_token": names.unknown,
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": dict(ids),
    }
    normalizer: Part = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": lowercase,
    }
    if apart := _kept_apart(names, ids):
        normalizer = {"type": "Sequence", "normalizers": [normalizer, apart]}
    decoder = {"type": "WordPiece", "prefix": "##", "cleanup": False}
    return _whole(model, names, ids, normalizer, {"type": "BertPreTokenizer"}, decoder)


def byte_level(ids: Mapping[str, int], merges: Sequence[tuple[str, str]], names: Named) -> Part:
    """GPT-2's and RoBERTa's: pairs of pieces of bytes, merged in the order of a list."""
    signs = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    model = _bpe(ids, unk_token=names.unknown, merges=[list(pair) for pair in merges])
    whole = _whole(model, names, ids, splitter=signs, decoder=signs)
    return whole | {"post_processor": _template(names, ids, ends_between=2 if names.start else 1)}


def unigram(pieces: Sequence[tuple[str, float]], unknown_id: int, byte_fallback: bool) -> Part:
    """SentencePiece's unigram model. pieces: with their scores, in the order of the ids."""
    vocabulary = [list(piece) for piece in pieces]
    return {"type": "Unigram", "unk_id": unknown_id, "vocab": vocabulary, "byte_fallback": byte_fallback}


def sentencepiece_bpe(
    ids: Mapping[str, int], merges: Sequence[tuple[str, str]], unknown: str | None, byte_fallback: bool, whole: bool
) -> Part:
    """SentencePiece's BPE model. whole: whether pieces that no merge makes are looked up."""
    merged = [list(pair) for pair in merges]
    return _bpe(ids, unk_token=unknown, merges=merged, fuse_unk=True, byte_fallback=byte_fallback, ignore_merges=whole)


def sentencepiece(
    model: Part,
    ids: Mapping[str, int],
    names: Named,
    charsmap: str,
    space_first: bool,
    single_spaces: bool,
    whole: Sequence[str],
) -> Part:
    """A model of SentencePiece between its normaliser and its signs for spaces.

    charsmap: its rules as Base64, "" for none. space_first: whether a space is put before a text. single_spaces:
    whether runs of spaces become one, and those around a text are dropped. whole: pieces that are always one token.
    """
    steps: list[Part] = [{"type": "Precompiled", "precompiled_charsmap": charsmap}] if charsmap else []
    if single_spaces:
        # SentencePiece strips spaces only; after the rules that it usually has, there is no other white space.
        steps += [{"type": "Strip", "strip_left": True, "strip_right": True}, _replace(" {2,}", " ")]
    steps += [{"type": "Prepend", "prepend": _METASPACE}] if space_first else []
    steps.append({"type": "Replace", "pattern": {"String": " "}, "content": _METASPACE})
    scheme = "always" if space_first else "never"
    signs = {"type": "Metaspace", "replacement": _METASPACE, "prepend_scheme": scheme, "split": False}
    literal = "|".join(map(re.escape, sorted(whole, key=len, reverse=True)))
    apart = {"type": "Split", "pattern": {"Regex": literal}, "behavior": "Isolated", "invert": False}
    decoders: list[Part] = [{"type": "ByteFallback"}, signs]
    return _whole(
        model,
        names,
        ids,
        {"type": "Sequence", "normalizers": steps},
        apart if whole else None,
        {"type": "Sequence", "decoders": decoders},
    )


def _replace(expression: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"Regex": expression}, "content": content}


def config_of(names: Named) -> Part:
    """What tokenizer_config.json says: the class is the one that takes a tokenizer.json as it is."""
    roles = {"unk": names.unknown, "bos": names.start, "eos": names.end, "pad": names.pad, "mask": names.mask}
    # Classifiers of BERT's kind ask for these.
    roles |= {"cls": names.start, "sep": names.end}
    told = {f"{role}_token": name for role, name in roles.items() if name is not None}
    return {"tokenizer_class": AS_IT_IS, "clean_up_tokenization_spaces": False, **told}


def _whole(
    model: Part,
    names: Named,
    ids: Mapping[str, int],
    normalizer: Part | None = None,
    splitter: Part | None = None,
    decoder: Part | None = None,
) -> Part:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(name, ids[name]) for name in sorted(names.all, key=ids.__getitem__)],
        "normalizer": normalizer,
        "pre_tokenizer": splitter,
        "post_processor": _template(names, ids),
        "decoder": decoder,
        "model": model,
    }


def _added(name: str, number: int) -> Part:
    sides = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": number, "content": name, **sides, "special": True}


def _template(names: Named, ids: Mapping[str, int], ends_between: int = 1) -> Part | None:
    """`start text end pair end`, with segment 1 from the pair on; RoBERTa has two ends between them."""
    if names.start is None and names.end is None:
        return None
    used = [name for name in (names.start, names.end) if name is not None]
    single = [*_special(names.start, 0), _sequence("A", 0), *_special(names.end, 0)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, *_special(names.end, 0) * (ends_between - 1), _sequence("B", 1), *_special(names.end, 1)],
        "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in used},
    }


def _special(name: str | None, segment: int) -> list[Part]:
    return [] if name is None else [{"SpecialToken": {"id": name, "type_id": segment}}]


def _sequence(which: str, segment: int) -> Part:
    return {"Sequence": {"id": which, "type_id": segment}}


def _word_level(ids: Mapping[str, int], names: Named) -> Part:
    return {"type": "WordLevel", "vocab": dict(ids), "unk_token": names.unknown}


def _bpe(ids: Mapping[str, int], **told: Any) -> Part:
    usual: Part = {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "merges": [],
    }
    return {"type": "BPE", **usual, **told, "vocab": dict(ids)}


def _kept_apart(names: Named, ids: Mapping[str, int]) -> Part | None:
    """A special token of one letter, such as ^, must not come out of a text in which somebody types that letter.

    `core.text.fast` cuts through longer names.
    """
    short = [name for name in names.all if len(name) == 1]
    if not short:
        return None
    free = next(chr(code) for code in _PRIVATE if chr(code) not in ids)
    return _replace("|".join(map(re.escape, short)), free)
