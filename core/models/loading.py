"""Opening a model from the catalogue, a local folder or the hub's cache: nothing executed, nothing fetched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.answers import answer_kind, read_one_choice
from core.models.devices import SPREAD, Spread, best_device, dtype_named, first_device
from core.models.estimate import fit, free_nbytes
from core.models.first_text import first_ids
from core.models.known_ids import require_marks
from core.models.model import Model
from core.models.opening.encoding import positions_of as positions_of
from core.models.opening.encoding import text_encoder
from core.models.opening.place import place_of
from core.models.opening.planning import damaged, planned
from core.models.opening.probing import probe_inputs, settled
from core.models.opening.quantising import QUANTISED, held_nbytes, quantise, why_not
from core.models.opening.reading_weights import accepted, read_weights
from core.models.opening.weights import WeightFiles
from core.models.plugging.plugged import opened
from core.models.plugins import plugin_called
from core.models.pooling import home_of, pooling_of
from core.models.wording import worded


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
    """Open a model by its catalogue name, the path of a local folder or file, or the id of a downloaded hub model.

    device: see `core.load`; "auto" spreads the model over all devices, main memory and the disk.
    dtype: of `DTYPES`, or one of `QUANTISED`, to which the weights of linear layers are rounded after loading.
    job: told of each of the three steps, and may end the loading between them.
    called: what sentences and figures call the model, where that is not its name or its folder's.
    insist: open it even if tensors of its layers are not in its files; its report then says so.
    most_bytes: refuse weights that take more. memory: what "auto" may use of each device, in bytes.
    Raises HeadlightError, one sentence, when the model cannot be opened.
    """
    if (plugin := plugin_called(name)) is not None:
        return opened(plugin, device, dtype, job, most_bytes)
    rounding = dtype if dtype in QUANTISED else ""
    device = device or (best_device() if rounding else None)
    torch_dtype = _computing(device) if rounding else dtype_named(dtype)
    _advance(job, 0, "checking the files")
    place = place_of(name, job)
    name, shown_name = called or name, called or place.name
    _advance(job, 1, "reading the weights")
    plan = planned(name, place, job)
    nbytes = plan.nbytes(torch_dtype)
    device = device or _fitting(nbytes)
    if rounding and (sentence := why_not(rounding, device)):
        raise HeadlightError(sentence)
    fit(name, nbytes, device, None if rounding else most_bytes)
    fit(name, plan.held_nbytes(torch_dtype, rounding), device, most_bytes)
    with worded(damaged(name)):
        network, report = read_weights(name, plan, torch_dtype, Spread(memory) if device == SPREAD else None)
    read_one_choice(network)
    report = accepted(name, report, insist)
    encoder, ids = text_encoder(name, plan.tokenizer, network, plan.tokenizer_known, job)
    rows = _embedding_rows(network)
    report = replace(report, tokenizer_size=_readable(ids, encoder.unknown_id, rows), embedding_rows=rows)
    pooling = pooling_of(name, place.folder if home_of(place.folder) else plan.folder)
    _advance(job, 2, "trying it out")
    if device == SPREAD:
        device = first_device(network)
    else:
        with worded(f"The device {device} is not here or has too little memory for {name}: choose another."):
            nn.Module.to(network, device)
    if rounding:
        quantise(network, rounding)
        report = replace(report, quantised=rounding, nbytes=held_nbytes(network))
    require_marks(first_ids(encoder, 1, answer_kind(network).of_two_texts), network, name)
    # As the library runs it: what fails there its files are to blame for. What fails later is a fault that nobody
    # foresaw, and no sentence hides it.
    sentence = "its weights and its config.json do not belong together; get its files again"
    with worded(f"{name} failed on a first short text: {sentence}."), torch.no_grad():
        network(**probe_inputs(network, encoder, device))
    report = replace(report, probe=settled(network, encoder, device))
    revision = place.revision or _digest_of(plan.files)
    return Model(shown_name, network, encoder, report, revision, device, pooling)


def _advance(job: Job | None, done: int, step: str) -> None:
    if job is not None:
        job.advance(done, 3, step)


def _computing(device: str | None) -> torch.dtype:
    """What rounded weights are computed with: as long as the device has fast numbers of 16 bits, those."""
    return torch.bfloat16 if str(device).startswith("cuda") else torch.float32


def _fitting(nbytes: int) -> str:
    """The fastest device, or all of them where weights of `nbytes` do not fit on the first of several GPUs."""
    best = best_device()
    free = free_nbytes(best)
    return SPREAD if torch.cuda.device_count() > 1 and free is not None and nbytes > free else best


def _readable(ids: int, unknown_id: int | None, rows: int) -> int:
    """How many different ids of a tokenizer a text may have.

    One that fits but for an id that stands for unknown pieces was made for a model that has none: a text that needs
    that id is refused.
    """
    return rows if unknown_id == rows == ids - 1 else ids


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
