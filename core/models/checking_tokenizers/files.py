"""The files of a tokenizer, each checked by ourselves before a library opens it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_configs.json_files import json_in, object_in
from core.models.checking_files.telling import Wrong, distrusted, quoted, require_nbytes
from core.models.checking_tokenizers.bounds import (
    LONGEST_PIECE,
    MOST_ADDED,
    MOST_NBYTES,
    MOST_PIECES,
    MOST_SMALL_NBYTES,
)
from core.models.checking_tokenizers.sentencepiece_files import sentencepiece_facts
from core.models.checking_tokenizers.specification import check_ids, checked_id, checked_vocabulary

TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"
SMALL = ("special_tokens_map.json", "added_tokens.json")
# transformers hands these to a tokenizer's constructor or to programs outside, by position or by name.
_NEVER = ("init_inputs", "mecab_kwargs", "sudachi_kwargs", "jumanpp_kwargs", "gguf_file")
_OWN_CODE = (
    "its tokenizer is a program of its own (auto_map), which is never run: ask its authors for a tokenizer.json, or "
    "choose another tokenizer"
)


def check_files(folder: Path) -> None:
    """Raise HeadlightError, one sentence, for tokenizer files that are too large, contradict themselves or lie."""
    if (folder / CONFIG).exists():
        config = object_in(folder / CONFIG, MOST_SMALL_NBYTES)
        _say(folder / CONFIG, _check_config, config)
        _say(folder / CONFIG, _check_own_code, config, (folder / TOKENIZER).exists())
    for name in SMALL:
        if (folder / name).exists():
            _say(folder / name, _check_small, object_in(folder / name, MOST_SMALL_NBYTES))
    if (folder / TOKENIZER).exists():
        _say(folder / TOKENIZER, checked_vocabulary, json_in(folder / TOKENIZER, MOST_NBYTES))
    for path in sorted(folder.glob("vocab*.json")):
        _say(path, _check_vocabulary, json_in(path, MOST_NBYTES))
    for path in chain(sorted(folder.glob("vocab*.txt")), sorted(folder.glob("*merges*.txt"))):
        _check_lines(path)
    if not (folder / TOKENIZER).exists():
        require_sound_models(folder)


def require_sound_models(folder: Path) -> None:
    """Raise HeadlightError for a SentencePiece model whose normaliser could lead its reader out of its table."""
    for path in chain(sorted(folder.glob("*.model")), sorted(folder.glob("*.spm"))):
        facts = sentencepiece_facts(path)
        if not facts.is_sound:
            _say(path, _refuse, "its normaliser is damaged")


def _say(path: Path, check: Callable[..., object], *given: Any) -> None:
    """Run a check whose `Wrong` becomes a sentence that names the file."""
    with distrusted(path):
        check(*given)


def _refuse(why: str) -> None:
    raise Wrong(why)


def _check_config(config: dict[str, Any]) -> None:
    kind = config.get("tokenizer_class")
    if not isinstance(kind, str | None) or (kind and not kind.isidentifier()):
        raise Wrong("its tokenizer_class is no name of a class")
    named = next((name for name in _NEVER if config.get(name)), None)
    if named:
        raise Wrong(f"it hands {quoted(named)} to the tokenizer's program, which is never done")
    longest = config.get("model_max_length")
    if longest is not None and (type(longest) not in (int, float) or longest < 1):
        raise Wrong("its model_max_length is no number from 1 on")
    many = next((name for name, value in config.items() if isinstance(value, list) and len(value) > MOST_ADDED), None)
    if many:
        raise Wrong(f"{quoted(many)} has more than {MOST_ADDED:,} entries")
    options = config.get("sp_model_kwargs")
    if not isinstance(options, dict | None) or (options and {"model_file", "model_proto"} & set(options)):
        raise Wrong("its sp_model_kwargs name another model file")
    files = config.get("fast_tokenizer_files") or []
    if not isinstance(files, list) or not all(isinstance(n, str) and "/" not in n and "\\" not in n for n in files):
        raise Wrong("its fast_tokenizer_files lie outside of its folder")
    added = config.get("added_tokens_decoder")
    if not isinstance(added, dict | None):
        raise Wrong("its added_tokens_decoder is no object")
    if added and len(added) > MOST_ADDED:
        raise Wrong(f"it has {len(added):,} added tokens and {MOST_ADDED:,} are allowed")
    for number, token in (added or {}).items():
        if not number.isascii() or not number.isdigit() or len(number) > 10:
            raise Wrong(f"an added token has the id {quoted(number)}, and no whole number from 0 on")
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            raise Wrong(f"the added token {number} has no content")
        checked_id(token["content"], int(number))
        if len(token["content"]) > LONGEST_PIECE:
            raise Wrong(f"the added token {number} has {len(token['content']):,} characters")


def _check_own_code(config: dict[str, Any], has_tokenizer: bool) -> None:
    own = config.get("auto_map")
    names_tokenizer = isinstance(own, list) or (isinstance(own, dict) and "AutoTokenizer" in own)
    if names_tokenizer and not has_tokenizer:
        raise Wrong(_OWN_CODE.partition(":")[0], _OWN_CODE.partition(": ")[2])


def _check_small(tokens: dict[str, Any]) -> None:
    if len(tokens) > MOST_ADDED:
        raise Wrong(f"it has {len(tokens):,} tokens and {MOST_ADDED:,} are allowed")
    for name, value in tokens.items():
        if isinstance(value, int | float):
            checked_id(name, value)


def _check_vocabulary(vocabulary: Any) -> None:
    # Some models keep one vocabulary a language in one file.
    if isinstance(vocabulary, dict) and any(isinstance(value, dict) for value in vocabulary.values()):
        return
    check_ids(vocabulary)


def _check_lines(path: Path) -> None:
    """A vocabulary or merges, one a line: few enough, short enough, in UTF-8."""
    with distrusted(path) as (file, nbytes):
        require_nbytes(nbytes, MOST_NBYTES)
        for count, line in enumerate(file):
            if count > MOST_PIECES:
                raise Wrong(f"it has more than {MOST_PIECES:,} lines")
            if len(line) > 4 * LONGEST_PIECE:
                raise Wrong(f"its line {count + 1:,} has {len(line):,} bytes")
            line.decode("utf-8")


def require_tokenizer(folder: Path) -> None:
    """Raise HeadlightError for a folder that is none."""
    if not folder.is_dir():
        raise HeadlightError(f"{quoted(str(folder))} is no folder: choose the folder of a tokenizer.")
