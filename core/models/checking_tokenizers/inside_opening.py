"""What runs in the box that opens a tokenizer first: all that the server does with it later, and nasty texts.

Only `core.jobs.boxed` calls this. What transformers needs is imported here at the top, before the limits hold.
"""

from __future__ import annotations

import json
import math
import re
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

from core.errors import HeadlightError
from core.models.checking_tokenizers.files import check_files, require_sound_models
from core.models.checking_tokenizers.suspects import suspicions, unproven_patterns
from core.models.checking_tokenizers.trials import TRIALS
from core.models.opening.tokenizer_opening import open_tokenizer
from core.text import TextEncoder, encoder_of
from core.text.fast import GaveUp
from core.text.opening import for_sources_and_targets
from core.text.panics import panics_caught

# Importing the class by its name makes the lazy module fetch what most tokenizers need.
BACKED = PreTrainedTokenizerFast
MOST_TOKENS = 1 << 20
# A tokenizer that takes so long for 4,000 letters would take minutes for a page.
MOST_SECONDS_A_TEXT = 2.0
# What transformers says of a package that it misses.
_NAMED = re.compile(r"(?:install|requires the) ([\w-]+)")
SOURCE, TARGET = "source.json", "target.json"


def opened(argument: dict[str, Any]) -> dict[str, Any]:
    """Facts about the tokenizer of a folder, after it was opened and has read the trial texts.

    argument: "folder", and "keep": whether to write what it reads by into the working folder, as SOURCE and TARGET.
    Raises HeadlightError, one sentence.
    """
    with panics_caught():
        try:
            return _opened(Path(argument["folder"]), bool(argument["keep"]))
        except ImportError as error:
            found = _NAMED.search(str(error))
            name = found[1] if found else str(error)
            raise HeadlightError(
                f"Its tokenizer needs the package {name}, which is not installed here: run pip install {name}."
            ) from error


def _opened(folder: Path, keep: bool) -> dict[str, Any]:
    begun = time.process_time()
    check_files(folder)
    tokenizer = open_tokenizer(folder)
    encoder = encoder_of(tokenizer, MOST_TOKENS)
    for name, text in TRIALS:
        _try(encoder, name, text)
    backends = _backends(tokenizer)
    if not backends:
        require_sound_models(folder)
    specifications = [json.loads(backend) for backend in backends.values()]
    if keep:
        for name, backend in backends.items():
            Path(name).write_text(backend, encoding="utf-8")
    limit = tokenizer.model_max_length
    return {
        **_facts(tokenizer.get_vocab()),
        "patterns": list(dict.fromkeys(p for s in specifications for p in unproven_patterns(s))),
        "suspicions": list(dict.fromkeys(why for s in specifications for why in suspicions(s))),
        "unknown_id": tokenizer.unk_token_id,
        "end_id": tokenizer.eos_token_id,
        "mask_id": tokenizer.mask_token_id,
        "max_length": int(limit) if math.isfinite(limit) and 0 < limit < MOST_TOKENS else MOST_TOKENS,
        "seconds": time.process_time() - begun,
    }


def _try(encoder: TextEncoder, name: str, text: str) -> None:
    begun = time.process_time()
    try:
        encoder.encode(text)
    except GaveUp as error:
        raise HeadlightError(
            f"Its tokenizer gives up on {name}: its files are damaged, or a regular expression in them takes too long."
        ) from error
    except HeadlightError:  # many drop all of a text
        return
    except Exception as error:
        raise HeadlightError(f"Its tokenizer fails on {name}: get its files again.") from error
    if time.process_time() - begun > MOST_SECONDS_A_TEXT:
        raise HeadlightError(
            f"Its tokenizer takes more than {MOST_SECONDS_A_TEXT:g} seconds of the processor for {name}: "
            "get another one."
        )


def _backends(tokenizer: Any) -> dict[str, str]:
    """As tokenizer.json, what reads texts and, where it is another one, what reads targets; none for slow ones."""
    if not tokenizer.is_fast:
        return {}
    source, target = for_sources_and_targets(tokenizer)
    found = {SOURCE: source.backend_tokenizer.to_str()}
    if target is not None:
        found[TARGET] = target.backend_tokenizer.to_str()
    return found


def _facts(vocabulary: dict[str, int]) -> dict[str, int]:
    ids = sorted(vocabulary.values())
    return {
        "size": len(ids),
        "highest_id": ids[-1] if ids else -1,
        "duplicates": sum(first == second for first, second in pairwise(ids)),
        "missing": ids[-1] + 1 - len(set(ids)) if ids else 0,
    }
