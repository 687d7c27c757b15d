"""What a file is by its name alone, where that is enough: most are never opened."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.models.finding.results import FileKind, Severity
from core.models.hub import MODULES, READING, SETTINGS
from core.models.opening.tokenizer_files import SENTENCEPIECE

CONFIG, ADAPTER_CONFIG, TRAINING = "config.json", "adapter_config.json", "training.json"
INDEX = ".index.json"
PICKLES = frozenset({".pkl", ".pickle", ".joblib", ".dill"})
# People give these to what torch.save writes, too.
SOMETIMES_WEIGHTS = PICKLES | {"", ".zip", ".tar", ".model", ".th", ".weights", ".params", ".chkpt", ".checkpoint"}
ARCHIVES = frozenset({".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar"})
TOKENIZER_CONFIG = "tokenizer_config.json"
_LEFT_OUT = "left out"


@dataclass(frozen=True)
class Known:
    """What a sentence says of a file after its name."""

    kind: FileKind
    words: str
    severity: Severity = "info"


_BY_NAME: dict[str, Known] = {
    "tokenizer.json": Known("tokenizer", "the tokenizer"),
    TOKENIZER_CONFIG: Known("tokenizer", "settings of the tokenizer"),
    "special_tokens_map.json": Known("tokenizer", "names of the tokenizer's special tokens"),
    "added_tokens.json": Known("tokenizer", "tokens that the tokenizer was given later"),
    "merges.txt": Known("tokenizer", "merges of a byte-pair tokenizer, read together with its vocab.json"),
    "target.spm": Known("tokenizer", "a SentencePiece tokenizer for the language that is translated into"),
    "vocab.txt": Known("vocabulary", "a vocabulary, one token a line"),
    "vocab.json": Known("vocabulary", "a vocabulary, tokens with their ids"),
    "meta.pkl": Known("vocabulary", "nanoGPT's characters with their ids, in a pickle of which nothing is run"),
    "generation_config.json": Known("settings", "settings for writing text"),
    MODULES: Known("settings", "the modules of a sentence-transformers model: how a text's states become one vector"),
    SETTINGS: Known("settings", "settings of sentence-transformers, of which its prompts are read"),
    "trainer_state.json": Known("other", f"how a training went, {_LEFT_OUT}"),
    "training_args.bin": Known("other", "a pickle of settings, never opened"),
} | {name: Known("tokenizer", "a SentencePiece tokenizer") for name in SENTENCEPIECE} | {
    name: Known("settings", "how sentence-transformers reads texts: how many tokens, and in which letters")
    for name in READING
}  # fmt: skip

_OTHERS_WEIGHTS = "Headlight reads safetensors, PyTorch and GGUF: save the model with save_pretrained"
_PATTERNS: tuple[tuple[re.Pattern[str], Known], ...] = tuple(
    (re.compile(pattern, re.ASCII), known)
    for pattern, known in (
        (r".*optim(izer)?([._-].*)?\.(bin|pt|pth|safetensors)|.*optim_states\.pt",
         Known("other", f"state of an optimiser, {_LEFT_OUT}")),
        (r"(lr_)?(scheduler|scaler|grad_scaler)\.(bin|pt|pth)", Known("other", f"state of a training, {_LEFT_OUT}")),
        (r"(rng_state|random_states).*\.(pth|pt|pkl|bin)", Known("other", f"states of random numbers, {_LEFT_OUT}")),
        (r".*\.(h5|hdf5|keras|tflite|pb)|.*\.ckpt\.(index|meta|data.*)",
         Known("other", f"weights for TensorFlow, {_LEFT_OUT}, because {_OTHERS_WEIGHTS}", "warning")),
        (r".*\.msgpack", Known("other", f"weights for Flax, {_LEFT_OUT}, because {_OTHERS_WEIGHTS}", "warning")),
        (r".*\.onnx(_data)?|.*\.onnx\.data",
         Known("other", f"a network for ONNX, {_LEFT_OUT}, because {_OTHERS_WEIGHTS}", "warning")),
        (r".*\.(ot|mlmodel|mlpackage|engine|mar|distcp|npz|npy|xml|ggml|llamafile|nemo|jit|ptl|pte)",
         Known("other", f"a network or numbers in another format, {_LEFT_OUT}, because {_OTHERS_WEIGHTS}", "warning")),
        (r".*\.(py|pyc|pyd|ipynb|so|dll|dylib|exe|sh|bat|ps1|js|jar|wasm)", Known("other", "a program, never run")),
        (r"(readme|licen[cs]e|notice|use_policy|changelog)([._-].*)?|.*\.(md|rst)",
         Known("other", "a text about the model, not read")),
        (r".*\.(png|jpe?g|gif|svg|webp|pdf|html?|csv|tsv|parquet|arrow|log|ya?ml|toml|cfg|ini|jinja|lock|tfevents.*)",
         Known("other", _LEFT_OUT)),
        (r"events\.out\.tfevents.*|requirements.*\.txt", Known("other", _LEFT_OUT)),
    )
)  # fmt: skip


def known_by_name(name: str) -> Known | None:
    """What a file of that name is, without a look into it; None where that takes a look, or nothing is known."""
    small = name.lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    return next((known for pattern, known in _PATTERNS if pattern.fullmatch(small)), None)
