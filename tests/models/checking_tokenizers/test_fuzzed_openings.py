"""Steps of all kinds put together at random: what gives no reason for suspicion is read here without a box."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers

from core.models.checking_files.telling import Wrong
from core.models.checking_tokenizers.specification import checked_vocabulary
from core.models.checking_tokenizers.suspects import suspicions
from core.models.checking_tokenizers.trials import TRIALS
from core.text.fast import FastReader
from tests.examples import examples
from tests.models.checking_tokenizers.good_files import GOOD

EXAMPLES = examples(100)
_GOOD = {kind: make() for kind, make in GOOD.items()}
_STEPS: dict[str, list[Any]] = {
    "normalizers": [
        normalizers.NFC(), normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip(), normalizers.Nmt(),
        normalizers.StripAccents(), normalizers.Replace("a", "bc"), normalizers.Replace(Regex("a|b"), ""),
        normalizers.Prepend("▁"), normalizers.BertNormalizer(), normalizers.ByteLevel(),
    ],
    "pretokenizers": [
        pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(),
        pre_tokenizers.Punctuation(), pre_tokenizers.UnicodeScripts(), pre_tokenizers.CharDelimiterSplit("a"),
        pre_tokenizers.FixedLength(3), pre_tokenizers.Split(" ", "merged_with_next"), pre_tokenizers.Metaspace(),
        pre_tokenizers.Split(Regex("a|"), "isolated"), pre_tokenizers.ByteLevel(),
    ],
    "decoders": [
        decoders.WordPiece(), decoders.CTC(), decoders.BPEDecoder(), decoders.Fuse(), decoders.Strip("a", 1, 1),
        decoders.Strip("a", 1, 0), decoders.ByteFallback(), decoders.Replace("a", ""), decoders.Metaspace(),
    ],
}  # fmt: skip
_WRITTEN = {name: [json.loads(step.__getstate__()) for step in steps] for name, steps in _STEPS.items()}
_SEQUENCES = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from(steps), max_size=4) for name, steps in _WRITTEN.items()}
)
_VALUES = st.sampled_from(
    [None, True, 0, 1, 2**32, "", "a", "▁", "##", [], {}, {"String": ""}, {"Regex": "a|"}, "Removed", "x", "never"]
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(kind=st.sampled_from(sorted(GOOD)), steps=_SEQUENCES, data=st.data())
def test_what_is_not_suspected_never_panics(kind: str, steps: dict[str, list[Any]], data: st.DataObject) -> None:
    specification = copy.deepcopy(_GOOD[kind])
    for name, place in zip(steps, ("normalizer", "pre_tokenizer", "decoder"), strict=True):
        if steps[name]:
            specification[place] = {"type": "Sequence", name: copy.deepcopy(steps[name])}
    parts = [specification["model"], *(step for name in steps for step in _lists(specification, name))]
    for _ in range(data.draw(st.integers(0, 2))):
        part = data.draw(st.sampled_from(parts))
        part[data.draw(st.sampled_from(sorted(part)))] = data.draw(_VALUES)
    with suppress(Wrong):
        checked_vocabulary(specification)
        if not suspicions(specification):
            _read_with(specification)


def _lists(specification: dict[str, Any], name: str) -> list[Any]:
    return [step for part in specification.values() if isinstance(part, dict) for step in part.get(name, [])]


def _read_with(specification: dict[str, Any]) -> None:
    """A panic of Rust's is no Exception, and would end the test; errors are told when a model is opened."""
    with suppress(Exception):
        reader = FastReader.fixed(Tokenizer.from_str(json.dumps(specification)))
        for _, text in TRIALS:
            reading = reader.read(text[:200], "the cat")
            reader.bytes_of(reading.pieces[:30])
            reader.pieces_of(reading.ids[:30])
