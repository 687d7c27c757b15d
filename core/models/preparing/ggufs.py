"""A GGUF file turned, in a box, into the folder that `load` opens: weights in bfloat16, and its tokenizer."""

from __future__ import annotations

from pathlib import Path

from core.errors import HeadlightError
from core.jobs.boxed import Unboxed
from core.models.checking_files import GgufHeader, gguf_of, header_of
from core.models.opening.tokenizer_files import ALL_FILES
from core.models.preparing.filling import Filling
from core.models.preparing.known_files import CONFIG, GENERATION, INDEX
from core.models.quoting import shown

BOX = "core.models.preparing.gguf_box:write_folder"
# SmolLM2-135M (135 million numbers in 98 MB, a header of 2 MB) takes 9 s of one core and 0.9 GB.
SECONDS, NUMBERS_A_SECOND = 180.0, 1_500_000
# Of two cores that others use too, with what is imported first; it took 24 s with loading.
USUAL_SECONDS, USUALLY_A_SECOND = 8.0, 12_000_000
# bfloat16 twice, as they are read and in the network, and the largest in float32 while it is unpacked. The library
# makes objects of every value in the header.
BYTES_A_NUMBER, BYTES_OF_LARGEST, BYTES_OF_HEADER = 4, 16, 160
SPARE_BYTES = 1 << 30
WRITTEN_A_NUMBER, WRITTEN_BESIDE = 2, 64_000_000
MOST_MADE = 200
# Of transformers' list, what is none or is not written as one here.
NO_LANGUAGE_MODELS = {"general", "tokenizer", "t5", "umt5"}


def put_gguf(paths: tuple[Path, ...], into: Filling, *, tokenizer: bool) -> None:
    """Put the model of a GGUF file into a folder. tokenizer: with the tokenizer that the file holds.

    Raises HeadlightError, one sentence, for a hostile or damaged file, one of an architecture that transformers does
    not take out of GGUF, and one that needs more memory than is free; and `Cancelled`.
    """
    if len(paths) != 1:
        raise HeadlightError(
            "A GGUF model in several files is not opened: join them with llama.cpp's llama-gguf-split --merge first."
        )
    # Not above: a box for pickles imports this package too, and would wait for what they import.
    from core.models.estimate import free_nbytes

    (path,) = paths
    header = gguf_of(path)
    _require_known(path, header)
    count, memory = sum(entry.count for entry in header.tensors.values()), _memory(header)
    free = free_nbytes("cpu")
    if free is not None and memory - SPARE_BYTES // 2 > free:
        raise HeadlightError(
            f"Unpacking “{shown(path.name)}” takes up to {memory / 1e9:,.1f} GB of memory and {free / 1e9:,.1f} GB are "
            "free: choose a smaller model."
        )
    try:
        with into.boxed(
            BOX,
            {"source": str(path.resolve()), "tokenizer": tokenizer},
            seconds=SECONDS + count / NUMBERS_A_SECOND,
            nbytes=memory,
            written=WRITTEN_A_NUMBER * count + WRITTEN_BESIDE,
            step=f"unpacking {shown(path.name)} in a process of its own",
            usual=USUAL_SECONDS + count / USUALLY_A_SECOND,
        ) as made:
            _take_all(made, into, tokenizer)
    except Unboxed as error:
        raise HeadlightError(
            f"“{shown(path.name)}” cannot be unpacked, because that {_why(error)}: get it again, or choose another "
            "model."
        ) from error
    formats = sorted({entry.dtype for entry in header.tensors.values()})
    into.notes.append(
        f"The weights come from a GGUF file ({', '.join(formats)}) and were turned into bfloat16, in which they are "
        "close to what the file holds, not equal."
    )


def _memory(header: GgufHeader) -> int:
    """Bytes that unpacking may take, beyond what is imported for it."""
    numbers = [entry.count for entry in header.tensors.values()]
    before = min((entry.start for entry in header.tensors.values()), default=header.nbytes)
    unpacked = BYTES_A_NUMBER * sum(numbers) + BYTES_OF_LARGEST * max(numbers, default=0)
    return header.nbytes + unpacked + BYTES_OF_HEADER * before + SPARE_BYTES


def _require_known(path: Path, header: GgufHeader) -> None:
    from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES

    known = set(map(_plain, GGUF_SUPPORTED_ARCHITECTURES)) - NO_LANGUAGE_MODELS
    if _plain(header.architecture) not in known:
        raise HeadlightError(
            f"“{shown(path.name)}” is of the architecture “{shown(header.architecture)}”, which transformers does not "
            "take out of GGUF: open the same model in its Hugging Face format."
        )


def _plain(architecture: str) -> str:
    """llama.cpp writes "qwen2moe" and "gpt-oss" where transformers has "qwen2_moe" and "gpt_oss"."""
    return architecture.replace("-", "").replace("_", "")


def _take_all(made: Path, into: Filling, tokenizer: bool) -> None:
    """Take what the box wrote, as untrusted as the file: known names alone, weights with a sound header."""
    known = {CONFIG, GENERATION, INDEX, *(ALL_FILES if tokenizer else ())}
    names = sorted(child.name for child, _ in zip(made.iterdir(), range(MOST_MADE), strict=False))
    for name in names:
        if name in known:
            into.take(made / name, name)
        elif name.startswith("model") and name.endswith(".safetensors"):
            header_of(into.take(made / name, name))
    if CONFIG not in names:
        raise HeadlightError("The file did not come out of its conversion: get it again, or choose another model.")


def _why(error: Unboxed) -> str:
    return "failed" if error.reason == "error" else error.why
