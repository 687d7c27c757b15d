"""Opening a model from the catalogue or a local folder: safetensors only, nothing executed, nothing fetched."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import transformers
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.catalogue import catalogue, find
from core.models.devices import best_device, dtype_named
from core.models.model import Model
from core.models.report import report_of
from core.text import TextEncoder

MAX_TOKENS = 16_384


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
    # The stubs do not know that loading info turns the result into a pair.
    loaded: Any = _model_class(name, config).from_pretrained(
        folder,
        config=config,
        dtype=torch_dtype,
        attn_implementation="sdpa",
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        output_loading_info=True,
    )
    network, info = loaded
    report = report_of(network, info)
    if report.random_attention:
        raise HeadlightError(
            f"{name}: {len(report.random_attention)} attention tensors are not in its files "
            f"(the first is {report.random_attention[0]}), so its maps would show random weights; check the files."
        )
    _advance(job, 2, "trying it out")
    network = network.to(device).eval().requires_grad_(False)
    return Model(name, network, _text_encoder(name, folder, config), report, _revision(folder), device)


def _advance(job: Job | None, done: int, step: str) -> None:
    if job is not None:
        job.advance(done, 3, step)


def _folder_of(name: str) -> Path:
    entry = find(name)
    if entry is not None:
        folder = entry.locate()
        entry.verify(folder)
        return folder
    folder = Path(name).expanduser()
    if not (folder / "config.json").is_file():
        names = ", ".join(listing.entry.name for listing in catalogue())
        raise HeadlightError(
            f"{name} is neither in the catalogue ({names}) nor a folder with a config.json: check the name or the path."
        )
    return folder


def _read_config(name: str, folder: Path) -> Any:
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, KeyError, OSError) as error:
        raise HeadlightError(
            f"{name}: its config.json does not name an architecture that the installed transformers knows."
        ) from error
    if config.is_encoder_decoder:
        raise HeadlightError(
            f"{name} is an encoder-decoder, which Headlight cannot run yet: choose an encoder or a decoder."
        )
    return config


def _model_class(name: str, config: Any) -> type[PreTrainedModel]:
    """The class that the config names, so that a classifier keeps its head and a language model its own."""
    named = (config.architectures or [""])[0]
    model_class = getattr(transformers, named, None)
    if not (isinstance(model_class, type) and issubclass(model_class, PreTrainedModel)):
        raise HeadlightError(f"{name}: its architecture, {named or 'unnamed'}, is not one that transformers offers.")
    if not model_class._supports_sdpa:
        raise HeadlightError(
            f"{name}: {named} computes attention in its own way, which Headlight cannot read yet: choose another model."
        )
    return model_class


def _text_encoder(name: str, folder: Path, config: Any) -> TextEncoder:
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if not tokenizer.is_fast:
        raise HeadlightError(f"{name}: its tokenizer has no tokenizer.json, which Headlight needs to place tokens.")
    positions = getattr(config, "max_position_embeddings", None) or MAX_TOKENS
    limit = min(tokenizer.model_max_length, positions, MAX_TOKENS)
    return TextEncoder.fix(tokenizer.backend_tokenizer, tokenizer.unk_token_id, limit)


def _revision(folder: Path) -> str:
    """First twelve digits of the SHA-256 over the weight files: names the weights whatever the folder is called."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]
