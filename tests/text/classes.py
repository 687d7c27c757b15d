"""Files of every class of tokenizers in transformers, tiny, in the layout in which people bring them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import sentencepiece
import transformers
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerBase, XGLMTokenizer

from tests.byte_level import byte_level_tokenizer
from tests.text.setups import sentencepiece_model

Files = Mapping[str, str | bytes]

_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?-'我爱éкот"
_WORDS = ["the", "cat", "sat", "on", "mat", "naïve"]
_NAMES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<cls>", "<sep>", "[CLS]", "[SEP]", "[UNK]", "[MASK]", "[PAD]"]
_RESIDUES = ["<cls>", "<pad>", "<eos>", "<unk>", *"LAGVSERTIDPKQNFYMHWCXBUZO.-", "<null_1>", "<mask>"]
_FOR_BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[EMPTY]", "[X_SEP]"]
_MERGES = "#version: 0.2\nt h\nth e</w>\nc a\nca t</w>\n"


def _lines(*words: str) -> str:
    return "".join(f"{word}\n" for word in dict.fromkeys(words))


def _numbered(*pieces: str) -> str:
    return json.dumps({piece: i for i, piece in enumerate(dict.fromkeys(pieces))})


def _wordpiece(*special: str) -> str:
    return _lines(*special, *_WORDS, "##ting", *_SIGNS, *(f"##{sign}" for sign in _SIGNS))


@cache
def _byte_level() -> Files:
    model = json.loads(byte_level_tokenizer().to_str())["model"]
    merges = "".join(f"{' '.join(merge)}\n" for merge in model["merges"])
    return {"vocab.json": _numbered(*model["vocab"], *_NAMES), "merges.txt": f"#version: 0.2\n{merges}"}


def _word_ends() -> Files:
    """BPE whose pieces at the end of a word carry `</w>`, as in GPT and CLIP."""
    names = [*_NAMES, "<|startoftext|>", "<|endoftext|>"]
    pieces = [*names, *_SIGNS, *(f"{sign}</w>" for sign in _SIGNS), "th", "the</w>", "ca", "cat</w>"]
    return {"vocab.json": _numbered(*pieces), "merges.txt": _MERGES}


def _word_insides() -> list[str]:
    """The pieces of BPE whose pieces inside a word carry `@@`, as in fairseq."""
    return [*_SIGNS, *(f"{sign}@@" for sign in _SIGNS), "th@@", "the", "ca@@", "cat"]


def _fairseq() -> Files:
    codes = "t h 4\nth e</w> 3\nc a 2\nca t</w> 1\n"
    return {"vocab.txt": "".join(f"{piece} 1\n" for piece in _word_insides()), "bpe.codes": codes}


@cache
def _unigram() -> bytes:
    names = ",".join(["<mask>", "<cls>", "<sep>", "[CLS]", "[SEP]", "[MASK]"])
    return sentencepiece_model("unigram", bos_id=1, pad_id=0, eos_id=2, unk_id=3, control_symbols=names)


@cache
def _bpe() -> bytes:
    return sentencepiece_model("bpe", byte_fallback=True, character_coverage=0.98, pad_id=3)


def _pieces(model: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


def _scored(model: bytes) -> list[tuple[str, float]]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [(processor.id_to_piece(i), processor.get_score(i)) for i in range(processor.get_piece_size())]


def _japanese() -> Files:
    byte_names = (f"<|byte{i}|>" for i in range(256))
    kinds = ["<|endoftext|>", "<|startoftext|>", "<SP>", "<BR>", "<TAB>", "<BLOCK>", "<KIGOU>", "<U2000U2BFF>"]
    emoji = {"emoji": {"😀": "<|emoji1|>"}, "emoji_inv": {"<|emoji1|>": "😀"}}
    return {"vocab.txt": _lines(*kinds, *_SIGNS, *byte_names), "emoji.json": json.dumps(emoji)}


def _chinese() -> Files:
    vocabulary = _wordpiece(*_FOR_BERT)
    shapes = _numbered(*vocabulary.splitlines())
    return {"vocab.txt": vocabulary, "word_shape.json": shapes, "word_pronunciation.json": shapes}


_HEARD = _numbered("[GO]", "[s]", "<pad>", "<s>", "</s>", "<unk>", "|", " ", *_SIGNS)
_ENTITIES = _numbered("[MASK]", "[UNK]", "[PAD]", "[MASK2]")
_MYT5 = json.dumps({"decompose_map": {"41": "41 42"}, "merge_map": {"74 68": "41"}})

# Where the names of a class's files do not say what is in them.
_FILES: dict[str, Callable[[], Files]] = {
    "EsmTokenizer": lambda: {"vocab.txt": _lines(*_RESIDUES)},
    "BertweetTokenizer": _fairseq,
    "PhobertTokenizer": _fairseq,
    "CLIPTokenizer": _word_ends,
    "OpenAIGPTTokenizer": _word_ends,
    "HerbertTokenizer": _word_ends,
    "XLMTokenizer": _word_ends,
    "FlaubertTokenizer": _word_ends,
    "BioGptTokenizer": _word_ends,
    "FSMTTokenizer": lambda: {
        "vocab-src.json": _word_ends()["vocab.json"],
        "vocab-tgt.json": _word_ends()["vocab.json"],
        "merges.txt": _MERGES,
    },
    "CTRLTokenizer": lambda: {"vocab.json": _numbered("<unk>", *_word_insides()), "merges.txt": _MERGES},
    "BlenderbotSmallTokenizer": lambda: {
        "vocab.json": _numbered("__null__", "__start__", "__end__", "__unk__", *_word_insides()),
        "merges.txt": _MERGES,
    },
    "MgpstrTokenizer": lambda: {"vocab.json": _HEARD},
    "Wav2Vec2CTCTokenizer": lambda: {"vocab.json": _HEARD},
    "Wav2Vec2PhonemeCTCTokenizer": lambda: {"vocab.json": _HEARD},
    "VitsTokenizer": lambda: {"vocab.json": _HEARD},
    "FastSpeech2ConformerTokenizer": lambda: {"vocab.json": _HEARD},
    "MyT5Tokenizer": lambda: {"byte_maps.json": _MYT5},
    "GPTNeoXJapaneseTokenizer": _japanese,
    "RoCBertTokenizer": _chinese,
    "MPNetTokenizer": lambda: {"vocab.txt": _wordpiece("<s>", "<pad>", "</s>", "[UNK]", "<mask>")},
    "FunnelTokenizer": lambda: {"vocab.txt": _wordpiece("<pad>", "<unk>", "<cls>", "<sep>", "<mask>", "<s>", "</s>")},
    "BartphoTokenizer": lambda: {
        "sentencepiece.bpe.model": _unigram(),
        "dict.txt": "".join(f"{piece} 1\n" for piece in _pieces(_unigram())[10:200]),
    },
    "MarianTokenizer": lambda: {
        "source.spm": _unigram(),
        "target.spm": _bpe(),
        "vocab.json": _numbered(*_pieces(_unigram()), *_pieces(_bpe())),
    },
    "M2M100Tokenizer": lambda: {"sentencepiece.bpe.model": _unigram(), "vocab.json": _numbered(*_pieces(_unigram()))},
    "Speech2TextTokenizer": lambda: {
        "sentencepiece.bpe.model": _unigram(),
        "vocab.json": _numbered(*_pieces(_unigram())),
    },
    "GemmaTokenizer": lambda: {"tokenizer.model": _bpe()},
    "Siglip2Tokenizer": lambda: {"tokenizer.model": _bpe()},
    "Qwen3_5Tokenizer": lambda: {"tokenizer.json": byte_level_tokenizer().to_str()},
    "TokenizersBackend": lambda: {"tokenizer.json": byte_level_tokenizer().to_str()},
    "ParakeetTokenizer": lambda: {"tokenizer.model": _bpe()},
    "XGLMTokenizer": lambda: {"tokenizer.json": XGLMTokenizer(vocab=_scored(_unigram())).backend_tokenizer.to_str()},
    "SpeechT5Tokenizer": lambda: {"spm_char.model": sentencepiece_model("char", pad_id=3)},
}


def write_files(kind: type[PreTrainedTokenizerBase], folder: Path) -> None:
    """The files of a class, with nothing but its name as their configuration."""
    files = _FILES[kind.__name__]() if kind.__name__ in _FILES else _by_name(kind)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind.__name__}))


def _by_name(kind: type[PreTrainedTokenizerBase]) -> Files:
    of_bpe = getattr(kind, "model", None) is BPE
    files: dict[str, str | bytes] = {}
    for name in kind.vocab_files_names.values():
        match name:
            case "vocab.txt" | "prophetnet.tokenizer":
                files[name] = _wordpiece(*_FOR_BERT)
            case "vocab.json" | "merges.txt":
                files |= _byte_level()
            case "entity_vocab.json":
                files[name] = _ENTITIES
            case _ if name.endswith(".model"):
                files[name] = _bpe() if of_bpe else _unigram()
    return files


def classes() -> Iterator[type[PreTrainedTokenizerBase]]:
    """Every class of tokenizers in this version of transformers, exported or not; Pop2Piano's is of notes."""
    models = Path(transformers.__file__).parent / "models"
    for path in sorted(models.glob("*/tokenization_*.py")):
        if path.stem != "tokenization_pop2piano":
            importlib.import_module(f"transformers.models.{path.parent.name}.{path.stem}")
    yield from sorted(set(_below(PreTrainedTokenizerBase)), key=lambda kind: kind.__name__)


def _below(kind: type[PreTrainedTokenizerBase]) -> Iterator[type[PreTrainedTokenizerBase]]:
    for other in kind.__subclasses__():
        if other.__module__.startswith("transformers."):
            yield other
        yield from _below(other)
