"""Opening a model from the catalogue or a local folder: safetensors only, nothing executed, nothing fetched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.catalogue import catalogue, find
from core.models.devices import best_device, dtype_named
from core.models.model import Model
from core.models.report import LoadReport, report_of
from core.text import TextEncoder

MAX_TOKENS = 16_384
# Without one of these, transformers makes up a tokenizer with an empty vocabulary.
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json")


def load(name: str, *, device: str | None = None, dtype: str = "float32", job: Job | None = None) -> Model:
    """Open a model by its catalogue name or the path of a local folder; see `core.load`.

    job: told of each of the three steps, and may end the loading between them.
    """
    torch_dtype = dtype_named(dtype)
    device = device or best_device()
    _advance(job, 0, "checking the files")
    folder = _folder_of(name)
    _advance(job, 1, "reading the weights")
    config = _read_config(name, folder)
    network, report = _read_weights(name, folder, config, torch_dtype)
    encoder = _text_encoder(name, folder, network)
    _advance(job, 2, "trying it out")
    with _worded(f"The device {device} is not here or has too little memory for {name}: choose another."):
        nn.Module.to(network, device)
    with _worded(f"{name} failed on a first short text: its files do not belong together, or it does not read text."):
        # A folder's path would carry the names of one machine into every caption.
        shown_name = name if find(name) else folder.resolve().name
        return Model(shown_name, network, encoder, report, _revision(folder), device)


@contextmanager
def _worded(sentence: str) -> Iterator[None]:
    """Broken or hostile files make the libraries raise errors of any kind: each becomes this sentence."""
    try:
        yield
    except HeadlightError:
        raise
    except Exception as error:
        raise HeadlightError(sentence) from error


def _advance(job: Job | None, done: int, step: str) -> None:
    if job is not None:
        job.advance(done, 3, step)


def _folder_of(name: str) -> Path:
    entry = find(name)
    if entry is not None:
        folder = entry.locate()
        entry.verify(folder)
        return folder
    known = ", ".join(listing.entry.name for listing in catalogue())
    absent = f"{name} is neither in the catalogue ({known}) nor a folder with a config.json: check name or path."
    with _worded(absent):  # for instance a name too long for a path
        folder = Path(name).expanduser()
        if (folder / "config.json").is_file():
            return folder
    raise HeadlightError(absent)


def _read_config(name: str, folder: Path) -> Any:
    with _worded(f"{name}: its config.json does not describe an architecture that the installed transformers knows."):
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    config.return_dict = True  # answers are read by name
    if config.is_encoder_decoder:
        raise HeadlightError(
            f"{name} is an encoder-decoder, which Headlight cannot run yet: choose an encoder or a decoder."
        )
    return config


def _model_class(name: str, config: Any) -> type[PreTrainedModel]:
    """The class that the config names, so that a classifier keeps its head and a language model its own."""
    named = str((config.architectures or [""])[0])
    model_class = getattr(transformers, named, None)
    if not (isinstance(model_class, type) and issubclass(model_class, PreTrainedModel)):
        raise HeadlightError(f"{name}: its architecture, {named or 'unnamed'}, is not one that transformers offers.")
    if not model_class._supports_sdpa:
        raise HeadlightError(
            f"{name}: {named} computes attention in its own way, which Headlight cannot read yet: choose another model."
        )
    return model_class


def _read_weights(name: str, folder: Path, config: Any, dtype: torch.dtype) -> tuple[PreTrainedModel, LoadReport]:
    model_class = _model_class(name, config)
    if not any(folder.glob("*.safetensors")):
        raise HeadlightError(
            f"{name} has no model.safetensors, the only kind of weights that is opened: save the model once more with "
            "transformers, which writes that file."
        )
    with _worded(f"{name}: its weights are damaged or do not belong to its config.json; get its files again."):
        # The stubs do not know that loading info turns the result into a pair.
        loaded: Any = model_class.from_pretrained(
            folder,
            config=config,
            dtype=dtype,
            attn_implementation="sdpa",
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
        )
    network, info = loaded
    report = report_of(network, info)
    if report.random_body:
        raise HeadlightError(
            f"{name}: {len(report.random_body)} of its layers' tensors are not in its files, the first of them "
            f"{report.random_body[0]}, so its maps would come from random weights; check the files."
        )
    return network.eval().requires_grad_(False), report


def _text_encoder(name: str, folder: Path, network: PreTrainedModel) -> TextEncoder:
    if not any((folder / file).is_file() for file in TOKENIZER_FILES):
        raise HeadlightError(f"{name} has no tokenizer: put its tokenizer.json beside its config.json.")
    with _worded(f"{name}: its tokenizer cannot be read; get its tokenizer.json again."):
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        if not tokenizer.is_fast:
            raise HeadlightError(f"{name}: its tokenizer has no tokenizer.json, which Headlight needs to place tokens.")
        limit = min(tokenizer.model_max_length, _positions(network), MAX_TOKENS)
        return TextEncoder.fix(tokenizer.backend_tokenizer, tokenizer.unk_token_id, limit)


def _positions(network: PreTrainedModel) -> int:
    """How many tokens the position table has rows for, or MAX_TOKENS where there is no table.

    RoBERTa and its kin count positions from the padding index on: the rows up to it are never read by a token.
    """
    positions: int = getattr(network.config, "max_position_embeddings", None) or MAX_TOKENS
    for path, module in network.named_modules():
        if path.endswith("position_embeddings") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            return module.num_embeddings - module.padding_idx - 1
    return positions


def _revision(folder: Path) -> str:
    """Names the weights whatever the folder is called: the start of the weight file's SHA-256.

    Of several files, that of their digests in the order of their names.
    """
    digests = []
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256"))
    joined = digests[0] if len(digests) == 1 else hashlib.sha256(b"".join(d.digest() for d in digests))
    return joined.hexdigest()[:12]
