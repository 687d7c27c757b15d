"""Opening a model from the catalogue, a local folder or the hub's cache: nothing executed, nothing fetched."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoTokenizer, PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.adapters import adapter_of, added
from core.models.catalogue import find
from core.models.configs import model_class_of, read_config, require_layers
from core.models.devices import SPREAD, Spread, best_device, dtype_named, first_device
from core.models.estimate import fit, free_nbytes, sketch
from core.models.hub import hub_id, snapshot
from core.models.model import Model
from core.models.probing import settled
from core.models.refusals import RandomWeights
from core.models.report import LoadReport, report_of
from core.models.weights import WeightFiles, weights_of, whole_numbers, without, wrapper_of
from core.models.wording import worded
from core.text import TextEncoder, encoder_of

MAX_TOKENS = 16_384
# Without one of these, transformers makes up a tokenizer with an empty vocabulary.
TOKENIZER_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model", "source.spm",
    "tokenizer.model",
)  # fmt: skip
# These read bytes or code points, and need no vocabulary.
WITHOUT_FILES = ("ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer")


def load(
    name: str,
    *,
    device: str | None = None,
    dtype: str = "float32",
    job: Job | None = None,
    insist: bool = False,
    most_bytes: int | None = None,
    memory: Mapping[str | int, int] | None = None,
    called: str | None = None,
) -> Model:
    """Open a model by its catalogue name, the path of a local folder, or the id of a downloaded hub model.

    device: see `core.load`; "auto" spreads the model over all devices, main memory and the disk.
    job: told of each of the three steps, and may end the loading between them.
    called: what sentences and figures call the model, where that is not its name or its folder's.
    insist: open it even if tensors of its layers are not in its files; its report then says so.
    most_bytes: refuse weights that take more. memory: what "auto" may use of each device, in bytes.
    Raises HeadlightError, one sentence, when the model cannot be opened.
    """
    torch_dtype = dtype_named(dtype)
    _advance(job, 0, "checking the files")
    folder, shown_name, revision = _located(name, job)
    name, shown_name = called or name, called or shown_name
    _advance(job, 1, "reading the weights")
    config = read_config(name, folder)
    model_class = model_class_of(name, folder, config)
    adapter = adapter_of(name, folder, job)
    files = adapter.files(name) if adapter else weights_of(name, folder)
    require_layers(name, folder, files)
    device = device or _fitting(files.nbytes(torch_dtype))
    fit(name, files.nbytes(torch_dtype), device, most_bytes)
    with worded(f"{name}: its weights are damaged or do not belong to its config.json; get its files again."):
        spread = Spread(memory) if device == SPREAD else None
        drawn = sketch(model_class, config)
        _require_fractions(name, files, drawn)
        prefix = wrapper_of(files.tensors, drawn, model_class.base_model_prefix)
        whole = adapter.base if adapter else folder
        network, report = _read_weights(whole, model_class, config, files, prefix, torch_dtype, spread)
        report = added(name, network, report, adapter) if adapter else report
    report = _accepted(name, report, insist)
    encoder, ids = _text_encoder(name, folder if _has_tokenizer(folder) else whole, network)
    report = replace(report, tokenizer_size=ids, embedding_rows=_embedding_rows(network))
    _advance(job, 2, "trying it out")
    if device == SPREAD:
        device = first_device(network)
    else:
        with worded(f"The device {device} is not here or has too little memory for {name}: choose another."):
            nn.Module.to(network, device)
    with worded(f"{name} failed on a first short text: its files do not belong together, or it does not read text."):
        report = replace(report, probe=settled(network, encoder, device))
        return Model(shown_name, network, encoder, report, revision or _digest_of(files), device)


def _advance(job: Job | None, done: int, step: str) -> None:
    if job is not None:
        job.advance(done, 3, step)


def _located(name: str, job: Job | None) -> tuple[Path, str, str | None]:
    """The folder to open, the name to show for it, and its revision where the hub gives it one."""
    if entry := find(name):
        folder = entry.open_folder(job)
        return folder, name, entry.revision(folder)
    with worded(f"{name} is no path that this machine can have: check it."):  # for instance one that is too long
        folder = Path(name).expanduser()
        if (folder / "config.json").is_file():
            # A folder's path would carry the names of one machine into every caption.
            return folder, folder.resolve().name, None
    if (wanted := hub_id(name)) is None:
        raise HeadlightError(
            f"{name} is neither in the catalogue, nor a folder with a config.json, nor a name on the hub such as "
            "owner/name: check name or path."
        )
    if (downloaded := snapshot(wanted)) is None:
        raise HeadlightError(
            f"{name} is neither in the catalogue nor a folder with a config.json nor downloaded from the hub: check "
            "the name, or download it first."
        )
    return downloaded, str(wanted), downloaded.name[:12]


def _fitting(nbytes: int) -> str:
    """The fastest device, or all of them where weights of `nbytes` do not fit on the first of several GPUs."""
    best = best_device()
    free = free_nbytes(best)
    return SPREAD if torch.cuda.device_count() > 1 and free is not None and nbytes > free else best


def _require_fractions(name: str, files: WeightFiles, drawn: PreTrainedModel) -> None:
    """Raise HeadlightError where whole numbers would be read as weights: without their scale they mean nothing."""
    wrong = [] if hasattr(drawn.config, "quantization_config") else whole_numbers(files.tensors, drawn)
    if wrong:
        raise HeadlightError(
            f"{name}: {len(wrong):,} of its weights, the first of them {wrong[0]}, are whole numbers "
            f"({files.tensors[wrong[0]].dtype}) without a scale; get its files again in a format with fractions."
        )


def _read_weights(
    folder: Path,
    model_class: type[PreTrainedModel],
    config: Any,
    files: WeightFiles,
    prefix: str,
    dtype: torch.dtype,
    spread: Spread | None,
) -> tuple[PreTrainedModel, LoadReport]:
    # The stubs do not know that loading info turns the result into a pair.
    loaded: Any = model_class.from_pretrained(
        folder,
        config=config,
        dtype=dtype,
        attn_implementation="sdpa" if model_class._supports_sdpa else "eager",
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=not files.pickled,
        weights_only=True,
        key_mapping=without(prefix) or None,
        output_loading_info=True,
        **(spread.options if spread else {}),
    )
    network, info = loaded
    if spread:
        spread.belongs_to(network)
    return network.eval().requires_grad_(False), report_of(network, info, files, prefix)


def _accepted(name: str, report: LoadReport, insist: bool) -> LoadReport:
    if not report.random_body:
        return report
    if insist:
        return replace(report, insisted=True)
    raise RandomWeights(
        f"{name}: {len(report.random_body)} of its layers' tensors are not in its files ({report.loaded} tensors are), "
        f"the first of them {report.random_body[0]}, so its maps would come from random weights; check the files, or "
        "insist."
    )


def _text_encoder(name: str, folder: Path, network: PreTrainedModel) -> tuple[TextEncoder, int]:
    """The tokenizer, and the number of ids that it can give."""
    with worded(f"{name}: its tokenizer cannot be read; get its tokenizer.json again."):
        if not _has_tokenizer(folder) and not _reads_characters(folder):
            raise HeadlightError(f"{name} has no tokenizer: put its tokenizer.json beside its config.json.")
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        limit = min(tokenizer.model_max_length, positions_of(network), MAX_TOKENS)
        return encoder_of(tokenizer, limit), max(tokenizer.get_vocab().values(), default=-1) + 1


def _has_tokenizer(folder: Path) -> bool:
    return any((folder / file).is_file() for file in TOKENIZER_FILES)


def _reads_characters(folder: Path) -> bool:
    path = folder / "tokenizer_config.json"
    return path.is_file() and json.loads(path.read_text(encoding="utf-8")).get("tokenizer_class") in WITHOUT_FILES


def positions_of(network: PreTrainedModel) -> int:
    """How many tokens the position table has rows for, or MAX_TOKENS where there is no table.

    RoBERTa and its kin count positions from the padding index on: the rows up to it are never read by a token.
    """
    stated = getattr(network.config, "max_position_embeddings", None) or 0
    positions = stated if stated > 0 else MAX_TOKENS  # XLNet states -1
    for path, module in network.named_modules():
        if path.endswith("position_embeddings") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            return module.num_embeddings - module.padding_idx - 1
    return positions


def _embedding_rows(network: PreTrainedModel) -> int:
    """How many ids the network can look up; 0 for one that reads no ids."""
    embedding: Any = network.get_input_embeddings()
    return int(embedding.weight.shape[0]) if isinstance(embedding, nn.Embedding) else 0


def _digest_of(files: WeightFiles) -> str:
    """Names the weights whatever their folder is called: the start of the weight file's SHA-256.

    Of several files, that of their digests in the order of their names.
    """
    digests = []
    for path in files.paths:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256"))
    joined = digests[0] if len(digests) == 1 else hashlib.sha256(b"".join(d.digest() for d in digests))
    return joined.hexdigest()[:12]
