"""Opening a plugin: a user's own `nn.Module`, tried out and wrapped, as a `Model`."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.jobs import Job
from core.models.devices import SPREAD, best_device, dtype_named
from core.models.estimate import fit, weights_nbytes
from core.models.first_text import first_text
from core.models.model import PACE_TOKENS, Model
from core.models.opening.probing import settled
from core.models.opening.quantising import QUANTISED, held_nbytes, quantise
from core.models.plugging.answering import Answering
from core.models.plugging.raised import raised_in
from core.models.plugging.shell import CLASSES, Plugged, PluggedConfig
from core.models.plugging.trial import Lookups, answer_to, probe_tokens, runs_on_embeddings, settle_streams, tried
from core.models.plugins import Plugin
from core.models.quoting import shown
from core.models.reporting.report import LoadReport
from core.text import TextEncoder, encoder_of

MAX_TOKENS = 16_384
_NOTHING_SEEN = "No attention was seen: no softmax over the tokens multiplies their states."


def opened(
    plugin: Plugin,
    device: str | None = None,
    dtype: str = "float32",
    job: Job | None = None,
    most_bytes: int | None = None,
) -> Model:
    """The model of a plugin; its file's load makes the network.

    device: as for `core.load`; nothing is spread over several. most_bytes: refuse weights that take more.
    Raises HeadlightError, one sentence with what to change in the file or the module, where it cannot be opened.
    """
    name, rounding = plugin.name, dtype if dtype in QUANTISED else ""
    number_format = dtype_named("float32" if rounding else dtype)
    if plugin.unavailable:
        raise HeadlightError(plugin.unavailable)
    _advance(job, 0, "running its load")
    with raised_in(plugin.file, f"{name} cannot be opened, because its load raised"):
        module, encoder = _parts(name, plugin.load())
    device = best_device() if device in (None, SPREAD) else device
    fit(name, weights_nbytes(module, number_format), device, most_bytes)
    _advance(job, 1, "trying it out")
    with raised_in(plugin.file, f"{name} cannot be moved to {device} in {dtype}, because that raised"):
        module = _placed(module, device, number_format, bool(rounding)).eval().requires_grad_(False)
    if rounding:
        quantise(module, rounding)
    with raised_in(plugin.file, f"{name} failed on two first short texts, with"):
        answering, lookups = tried(name, module, encoder, device, len(plugin.labels), plugin.start_id)
    most = min(encoder.max_length, MAX_TOKENS, *lookups.positions)
    encoder = replace(encoder, max_length=most)
    longest = min(PACE_TOKENS, encoder.max_length)
    longer = f"{name} fails on {longest} tokens, so give its tokenizer the max_length that it reads; it raised"
    with raised_in(plugin.file, longer):
        answer_to(module, encoder, device, plugin.start_id, longest)
    network = _wrapped(plugin, module, encoder, answering, lookups)
    report = _report(plugin, network, number_format)
    report = replace(report, quantised=rounding, probe=settled(network, encoder, device))
    if not settle_streams(network, encoder, device):
        network.config.attention = "none"
        report = replace(report, probe="", notes=(*report.notes, _NOTHING_SEEN))
    _advance(job, 2, "timing it")
    model = Model(name, network, encoder, report, _digest_of(module), device)
    model.accepted = network.takes
    if "inputs_embeds" in model.accepted and not runs_on_embeddings(network, encoder, device):
        model.accepted = model.accepted - {"inputs_embeds"}
    return _with_recurrence(model)


def _parts(name: str, loaded: Any) -> tuple[nn.Module, TextEncoder]:
    """The network and the encoder that a load gave. Raises HeadlightError for anything else."""
    parts = loaded if isinstance(loaded, tuple) and len(loaded) == 2 else (None, None)
    module, tokenizer = parts
    if not isinstance(module, nn.Module) or not isinstance(tokenizer, TextEncoder | PreTrainedTokenizerBase):
        raise HeadlightError(
            f"{name}: its load does not return a network and its tokenizer: return (nn.Module, TextEncoder or a "
            "tokenizer of transformers)."
        )
    if not any(weight.is_floating_point() for weight in module.parameters()):
        raise HeadlightError(f"{name} has no weights that could be shown: register them as parameters of the module.")
    encoder = tokenizer if isinstance(tokenizer, TextEncoder) else _encoder(tokenizer)
    try:
        probe_tokens(encoder, 2)
    except HeadlightError as error:
        raise HeadlightError(
            f"{name}: its tokenizer reads neither “a b” nor its own first tokens, and every model is tried on one of "
            "these: give it an unknown token."
        ) from error
    return module, encoder


def _placed(module: nn.Module, device: str, dtype: torch.dtype, changing: bool) -> nn.Module:
    """The module there in that format: a copy where that changes weights, which its file may keep for the next time."""
    weights = [each for each in module.parameters() if each.is_floating_point()]
    if not changing and all(each.dtype == dtype and each.device == torch.device(device) for each in weights):
        return module.to(device)
    return copy.deepcopy(module).to(device, dtype)


def _encoder(tokenizer: PreTrainedTokenizerBase) -> TextEncoder:
    return encoder_of(tokenizer, min(tokenizer.model_max_length, MAX_TOKENS))


def _wrapped(
    plugin: Plugin, module: nn.Module, encoder: TextEncoder, answering: Answering, lookups: Lookups
) -> Plugged:
    """The module in its shell, with a table only where one serves all tokens alike."""
    table = lookups.tables[0] if len(lookups.tables) == 1 else None
    decodes = answering.decodes
    stands = next(i for i, special in zip(*_of_text(encoder), strict=True) if not special)
    config = PluggedConfig(
        file=plugin.file,
        stand_in=stands,
        vocab_size=min((each.num_embeddings for each in lookups.tables), default=0),
        type_vocab_size=2,
        pad_token_id=None if table is None else table.padding_idx,
        decoder_start_token_id=plugin.start_id if decodes else None,
        is_encoder_decoder=decodes,
        id2label=dict(enumerate(_labels(plugin, encoder, answering))),
    )
    config.name_or_path = plugin.name
    return CLASSES.get(answering.kind, Plugged)(config, module, answering, table)


def _of_text(encoder: TextEncoder) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    tokens = encoder.encode(first_text(encoder))
    return tokens.ids, tokens.special


def _labels(plugin: Plugin, encoder: TextEncoder, answering: Answering) -> tuple[str, ...]:
    """Names of what the module answers with: the plugin's own, or tokens where it is a language model."""
    if plugin.labels or not answering.labels:
        return plugin.labels or ("0", "1")
    if answering.of_vocabulary:
        return tuple(encoder.reader.pieces_of(range(answering.width)))
    return tuple(str(number) for number in range(answering.width))


def _report(plugin: Plugin, network: Plugged, dtype: torch.dtype) -> LoadReport:
    weights = list(network.parameters())
    embeddings: Tensor = network.get_input_embeddings().weight  # type: ignore[assignment]
    rows = 0 if embeddings.is_meta else len(embeddings)
    return LoadReport(
        loaded=len(network.state_dict()), missing=(), mismatched=(), random_body=(), unexpected=(), cast=(), prefix="",
        pickled=False, parameters=sum(w.numel() for w in weights), nbytes=held_nbytes(network),
        dtype=str(dtype).removeprefix("torch."), embedding_rows=rows, architecture=type(network.module).__name__,
        notes=(f"The code of {shown(plugin.file)}, a plugin of this server, made it.",),
    )  # fmt: skip


def _digest_of(module: nn.Module) -> str:
    """Names the weights: the start of the SHA-256 of their bytes, in the order of their names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        if isinstance(tensor, Tensor):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]


def _with_recurrence(model: Model) -> Model:
    """The same model, whose card says that a recurrent layer knows the order where nothing else was found to."""
    recurrent = any(isinstance(each, nn.RNNBase | nn.RNNCellBase) for each in model.network.modules())
    if recurrent and model.card.positions == "unknown":
        model.card = replace(model.card, positions="recurrence")
    return model


def _advance(job: Job | None, done: int, step: str) -> None:
    if job is not None:
        job.advance(done, 3, step)
