"""What is going to be opened, settled before a weight is read: which class, which files, which names in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel

from core.errors import HeadlightError
from core.jobs import Job
from core.models.adapters.adapter import Adapter, adapter_of
from core.models.checking_configs import check_generation
from core.models.estimate import sketch, weights_nbytes
from core.models.opening.classes import adapted_class, chosen_class, labels_brought, require_text
from core.models.opening.config_trust import require_proportion, trusted
from core.models.opening.configs import read_config, require_layers
from core.models.opening.encoding import has_tokenizer
from core.models.opening.place import Place
from core.models.opening.prepared import assumed_in, notes_in, taken_in
from core.models.opening.quantising import INT4, quantised_config
from core.models.opening.weights import WeightFiles, tensors_in, twice_meant, weights_of, whole_numbers, wrapper_of
from core.models.quoting import shown
from core.models.wording import continued, worded


@dataclass(frozen=True)
class Plan:
    """What `load` opens.

    folder      where the whole weights lie: of a model, or of the base of an adapter
    adapter     what is added to them, or None
    config      of the network, an adapter's own where it has one
    files       all weight files
    prefix      what stands before all names in the files and is taken off
    drawn       the network without memory for its weights
    notes       for the load report
    assumed     what was guessed of the network, for report and figures
    taken       what else of its config is no more than usual in its family
    tokenizer   where it lies, and whether the catalogue knows its files
    """

    folder: Path
    adapter: Adapter | None
    config: Any
    model_class: type[PreTrainedModel]
    files: WeightFiles
    prefix: str
    drawn: PreTrainedModel
    notes: tuple[str, ...]
    assumed: tuple[str, ...]
    taken: dict[str, Any]
    tokenizer: Path
    tokenizer_known: bool

    def nbytes(self, dtype: torch.dtype) -> int:
        """Memory of the weights in `dtype`: of those in the files, or of those that the config asks for if more."""
        stored = self.files.nbytes(dtype)
        # Of a checkpoint that comes quantised, what is drawn is what it was before.
        return stored if is_quantised(self.config) else max(stored, weights_nbytes(self.drawn, dtype))

    def held_nbytes(self, dtype: torch.dtype, rounding: str) -> int:
        """The same once the linear layers are rounded, about; rounding: one of `QUANTISED`, or "" for none."""
        output = self.drawn.get_output_embeddings()
        linear = [m for m in self.drawn.modules() if rounding and type(m) is nn.Linear and m is not output]
        saved = dtype.itemsize - (0.5 if rounding == INT4 else 1)
        return self.nbytes(dtype) - int(saved * sum(layer.weight.numel() for layer in linear))


def planned(name: str, place: Place, job: Job | None) -> Plan:
    """Look into the files of a place. Raises HeadlightError, one sentence, for what cannot be opened."""
    adapter = adapter_of(name, place.folder, job)
    folder = adapter.base if adapter else place.folder
    configured = adapter.configured if adapter else place.folder
    files = adapter.files(name) if adapter else weights_of(name, folder)
    known = place.known or (adapter is not None and not adapter.beside and configured == folder)
    nbytes = sum(path.stat().st_size for path in files.paths)
    remarks = () if known else trusted(name, configured, nbytes, job)
    if not known:
        check_generation(folder)
    config = read_config(name, configured)
    if sentence := quantised_config(config):
        raise HeadlightError(f"{name}: {continued(sentence)}")
    note = ""
    if adapter:
        own = configured == adapter.folder
        model_class = adapted_class(name, configured, config, adapter.settings, own)
        labels = None if own else labels_brought(tensors_in(name, adapter.weights))
        if labels is not None:
            config.num_labels = labels
    else:
        model_class, note = chosen_class(name, folder, config, files.tensors)
    require_layers(name, configured, files)
    with worded(damaged(name)):
        drawn = sketch(model_class, config)
        require_text(name, drawn)
        require_proportion(name, drawn, nbytes)
        _require_fractions(name, files, drawn)
        prefix = wrapper_of(files.tensors, drawn, model_class.base_model_prefix)
        _require_one_for_each(name, files, prefix, model_class.base_model_prefix)
    came = _said_of_quantisation(files) if is_quantised(config) else ""
    notes = tuple(filter(None, (*notes_in(place.folder), note, came, *remarks)))
    tokenizer = place.folder if has_tokenizer(place.folder) else folder
    tokenizer_known = place.known or (adapter is not None and not adapter.beside and tokenizer == folder)
    assumed, taken = assumed_in(place.folder), taken_in(place.folder)
    return Plan(
        folder, adapter, config, model_class, files, prefix, drawn, notes, assumed, taken, tokenizer, tokenizer_known
    )


def is_quantised(config: Any) -> bool:
    """Whether a config's checkpoint comes quantised."""
    return getattr(config, "quantization_config", None) is not None


def damaged(name: str) -> str:
    """The sentence for weights that cannot be read at all."""
    return f"{name}: its weights are damaged or do not belong to its config.json; get its files again."


def _said_of_quantisation(files: WeightFiles) -> str:
    formats = {stored.dtype for stored in files.tensors.values()}
    if any(not stored.is_real or stored.is_coarse for stored in files.tensors.values()):
        return "Its weights came quantised, as its config.json says, and are read so."
    held = " and ".join(sorted(formats))
    return f"Its config.json says that its weights came quantised, but its files hold {held} alone."


def _require_one_for_each(name: str, files: WeightFiles, prefix: str, base: str) -> None:
    """Raise HeadlightError where two tensors of the files would be read into one place."""
    if twice := twice_meant(files.tensors, prefix, base):
        raise HeadlightError(
            f"{name}: its files hold {shown(twice[0])} and {shown(twice[1])}, which are one weight of the network; get "
            "its files again, or leave one of the two out."
        )


def _require_fractions(name: str, files: WeightFiles, drawn: PreTrainedModel) -> None:
    """Raise HeadlightError where whole numbers would be read as weights: without their scale they mean nothing."""
    if is_quantised(drawn.config):
        return
    coarse = [key for key, stored in files.tensors.items() if stored.is_coarse]
    if coarse and any("scale" in key for key in files.tensors):
        raise HeadlightError(
            f"{name}: {len(coarse):,} of its weights are 8-bit fractions with scales beside them, and its config.json "
            "does not say how they belong together; get its config.json again, or the weights in a longer format."
        )
    wrong = whole_numbers(files.tensors, drawn)
    if wrong:
        raise HeadlightError(
            f"{name}: {len(wrong):,} of its weights, the first of them {shown(wrong[0])}, are whole numbers "
            f"({files.tensors[wrong[0]].dtype}) without a scale; get its files again in a format with fractions."
        )
