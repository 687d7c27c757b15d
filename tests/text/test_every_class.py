"""Every class of tokenizers in transformers that can be built here: the ids are the library's own."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from tokenizers import AddedToken
from transformers import PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.text import TextEncoder, encoder_of
from tests.text.classes import classes, write_files
from tests.text.test_every_tokenizer import check, own

PROTEIN = "MKTAYIAKQRQISFVKSHFSRQ"
SENTENCE = "the cat sat on the mat"
TEXTS = (
    "The cat sat on the mat.",
    "  two  leading and trailing  ",
    " a",
    "naïve café Ünïcode e\u0301",
    "line\nbreak\ttab",
    "我爱你 我爱 中文",
    "кот сидел",
    "العربية हिन्दी ไทย 한국어",
    "😀 👩‍👩‍👧 x",
    PROTEIN,
    "don't! (what?) a,b;c",
    "HELLO World",
    "1234567 3.14",
    "ﬁ ½ İ",
    "▁a ▁ b Ġ",
)
NEEDS = {
    "BioGptTokenizer": "sacremoses",
    "CpmAntTokenizer": "rjieba",
    "CpmTokenizer": "rjieba",
    "CpmTokenizerFast": "rjieba",
    "FSMTTokenizer": "sacremoses",
    "FastSpeech2ConformerTokenizer": "g2p",
    "FlaubertTokenizer": "sacremoses",
    "RoFormerTokenizer": "rjieba",
    "VitsTokenizer": "phonemizer",
    "Wav2Vec2PhonemeCTCTokenizer": "phonemizer",
    "XLMTokenizer": "sacremoses",
}
# What they are called with is no text, so there is nothing to compare with.
READ_NO_TEXT = {
    "LayoutLMv2Tokenizer": "words and their boxes",
    "LayoutLMv3Tokenizer": "words and their boxes",
    "LayoutXLMTokenizer": "words and their boxes",
    "UdopTokenizer": "words and their boxes",
    "MarkupLMTokenizer": "words and their paths in a page",
    "TapasTokenizer": "tables",
    "PythonBackend": "nothing: it is the base of others",
}
ALL = {kind.__name__: kind for kind in classes()}
COMPARED = pytest.mark.parametrize("name", sorted(ALL.keys() - NEEDS.keys() - READ_NO_TEXT.keys()))
ADDED = (
    AddedToken("plainly", special=False),
    AddedToken("[left]", lstrip=True, special=False),
    AddedToken("[right]", rstrip=True, special=False),
    AddedToken("[both]", lstrip=True, rstrip=True, special=False, normalized=False),
    AddedToken("alone", single_word=True, special=False),
    AddedToken("Ünï", normalized=True, special=False),
)
WITH_ADDED = (
    "a plainly added plainlyplainly x",
    "a  [left]  b [right]  c [both] d",
    "[left][right][both]",
    "alone aloneness alone, xalone alone",
    "an Ünï ünï ÜNÏ uni",
)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PreTrainedTokenizerBase]:
    """A tokenizer of each class; the tests change none of them."""
    tokenizers = {}
    for name, kind in ALL.items():
        if name not in NEEDS | READ_NO_TEXT:
            folder = tmp_path_factory.mktemp("tokenizer")
            write_files(kind, folder)
            tokenizers[name] = kind.from_pretrained(folder, local_files_only=True)
    return tokenizers


def require_equal(encoder: TextEncoder, tokenizer: PreTrainedTokenizerBase, text: str, pair: str | None = None) -> None:
    theirs = tokenizer(text, pair)
    try:
        tokens = encoder.encode(text, pair)
    except HeadlightError:  # it keeps nothing of one of them
        texts = [text] if pair is None else [text, pair]
        assert not all(tokenizer(one, add_special_tokens=False).input_ids for one in texts)
        return
    assert not tokens.literals
    assert list(tokens.ids) == theirs.input_ids
    assert list(tokens.type_ids) == list(theirs.get("token_type_ids", tokens.type_ids))
    check(tokens)


@COMPARED
def test_ids_and_segments_are_the_librarys_own(built: dict[str, PreTrainedTokenizerBase], name: str) -> None:
    tokenizer = built[name]
    encoder = encoder_of(tokenizer, 4096)
    for text, pair in zip(TEXTS, (*TEXTS[1:], SENTENCE), strict=True):
        require_equal(encoder, tokenizer, text)
        require_equal(encoder, tokenizer, text, pair)
    # Otherwise equal ids would say nothing.
    assert len(set(encoder.encode(f"{SENTENCE} {PROTEIN}").ids)) > 6


@COMPARED
def test_labels_are_the_letters_of_the_text_in_their_order(
    built: dict[str, PreTrainedTokenizerBase], name: str
) -> None:
    encoder = encoder_of(built[name], 4096)
    tokens = encoder.encode(SENTENCE)
    labels = [label for label, span in zip(tokens.labels, tokens.spans, strict=True) if span and span[0] < span[1]]
    assert "".join(labels).replace("␣", "") == SENTENCE.replace(" ", "")


@COMPARED
def test_added_tokens_are_read_as_the_library_reads_them(built: dict[str, PreTrainedTokenizerBase], name: str) -> None:
    tokenizer = copy.deepcopy(built[name])
    assert tokenizer.add_tokens(list(copy.deepcopy(ADDED)))
    encoder = encoder_of(tokenizer, 4096)
    for text in WITH_ADDED:
        require_equal(encoder, tokenizer, text)


@COMPARED
def test_special_tokens_that_a_user_types_are_text(built: dict[str, PreTrainedTokenizerBase], name: str) -> None:
    encoder = encoder_of(built[name], 4096)
    for special in encoder.special_names:
        for text in (special, f"the {special} cat", f"cat{special}cat"):
            try:
                tokens = encoder.encode(text)
            except HeadlightError:  # it keeps nothing of it
                continue
            check(tokens)
            typed = {(i, p) for i, p, s in zip(tokens.ids, tokens.pieces, tokens.special, strict=True) if not s}
            reached = {i for i, piece in typed if piece in encoder.special_names}
            # CANINE's are characters of a private area, which have no other id.
            assert name == "CanineTokenizer" or not reached & (encoder.reader.special_ids - {encoder.unknown_id})


def test_targets_are_read_as_the_library_reads_them(built: dict[str, PreTrainedTokenizerBase]) -> None:
    switching = [name for name, tokenizer in built.items() if hasattr(tokenizer, "_switch_to_target_mode")]
    assert {"MarianTokenizer", "M2M100Tokenizer", "MBart50Tokenizer", "NllbTokenizer"} <= set(switching)
    for name in switching:
        tokenizer = built[name]
        if name == "M2M100Tokenizer":
            tokenizer = copy.deepcopy(tokenizer)
            tokenizer.tgt_lang = tokenizer.src_lang
        for text in TEXTS:
            assert list(encoder_of(tokenizer, 4096).encode_target(text).ids) == tokenizer(text_target=text).input_ids


def test_a_protein_is_read_by_its_residues(built: dict[str, PreTrainedTokenizerBase]) -> None:
    tokens = encoder_of(built["EsmTokenizer"], 4096).encode(PROTEIN)
    assert tokens.labels == ("<cls>", *PROTEIN, "<eos>")
    assert own(tokens) == [(i, i + 1) for i in range(len(PROTEIN))]
    assert not any(tokens.unknown)


@pytest.mark.parametrize("name", NEEDS)
def test_what_cannot_be_built_lacks_a_package(name: str, tmp_path: Path) -> None:
    write_files(ALL[name], tmp_path)
    with pytest.raises(ImportError, match=NEEDS[name]):
        ALL[name].from_pretrained(tmp_path, local_files_only=True)(SENTENCE)


def test_a_tokenizer_of_tables_is_refused_by_what_it_reads(tmp_path: Path) -> None:
    write_files(ALL["TapasTokenizer"], tmp_path)
    tokenizer = ALL["TapasTokenizer"].from_pretrained(tmp_path, local_files_only=True)
    with pytest.raises(HeadlightError, match="reads a table"):
        encoder_of(tokenizer, 512)
