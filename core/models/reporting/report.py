"""What happened when a model's weights were read: the first thing to look at when a picture is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedModel

from core.models.opening.weights import WeightFiles
from core.models.reporting.lines import ReportLine, about_tokens, lines_of
from core.models.reporting.lines import Severity as Severity
from core.models.reporting.taken import is_length

_ORDER = ("error", "warning", "info")
Shape = tuple[int, ...]


@dataclass(frozen=True)
class LoadReport:
    """The load report. Names are those of the model's state dict.

    loaded          number of tensors taken from the files
    missing         tensors that the files lack; the library initialised them at random
    mismatched      tensors whose shape in the files is another; initialised at random as well
    random_body     those of the missing and mismatched on which attention weights depend: all but heads and poolers
    unexpected      tensors of the files that the model does not have; left out
    cast            (format in the files, format used, number of tensors), for each two that differ
    prefix          what stood before all names in the files and was taken off; "" where nothing did
    pickled         whether the weights came from a .bin file instead of safetensors
    parameters      number of weights
    nbytes          their memory in the format they were loaded in
    dtype           that format
    shapes          (shape that the config asks for, shape in the files) of each mismatched tensor
    architecture    the name of the model's class
    quantised       what its linear weights were rounded to after loading, such as "int8"; "" where they were not
    tokenizer_size  number of different ids that the tokenizer can give
    embedding_rows  number of ids that the network has an embedding for
    insisted        whether random weights would have kept it closed, had nobody insisted
    adapted         number of weights that a LoRA adapter was added to; 0 without one
    rank            of what it added, the largest where they differ
    brought         tensors that it brought whole, such as a classifier
    probe           how the attention of the first short text was read; "" before it was
    notes           what was done to the files, and guessed about them, before they could be read
    assumed         what was guessed of the network itself, and every map depends on, such as "2 heads, guessed"
    taken           what else of its config is no more than usual in its family: key and value
    """

    loaded: int
    missing: tuple[str, ...]
    mismatched: tuple[str, ...]
    random_body: tuple[str, ...]
    unexpected: tuple[str, ...]
    cast: tuple[tuple[str, str, int], ...]
    prefix: str
    pickled: bool
    parameters: int
    nbytes: int
    dtype: str
    shapes: tuple[tuple[Shape, Shape], ...] = ()
    architecture: str = ""
    quantised: str = ""
    tokenizer_size: int = 0
    embedding_rows: int = 0
    insisted: bool = False
    adapted: int = 0
    rank: int = 0
    brought: tuple[str, ...] = ()
    probe: str = ""
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    taken: tuple[tuple[str, Any], ...] = ()

    @property
    def reinitialised(self) -> tuple[str, ...]:
        """All tensors that the library initialised at random."""
        return tuple(sorted({*self.missing, *self.mismatched}))

    @property
    def takes_longest(self) -> bool:
        """Whether the longest text is no more than usual in its family, and nothing in the files tells it."""
        return any(is_length(name) for name, _ in self.taken)

    @property
    def remark(self) -> str:
        """What every figure of the model must say; "" where nothing."""
        random = f"{len(self.random_body):,} tensors of the layers are random" if self.insisted else ""
        return ", ".join(filter(None, (random, *self.assumed)))

    def lines(self) -> tuple[ReportLine, ...]:
        """The report as sentences with what to do about each, the gravest first."""
        said = [*lines_of(self), *about_tokens(self.tokenizer_size, self.embedding_rows)]
        return tuple(sorted(said, key=lambda line: _ORDER.index(line.severity)))


def report_of(model: PreTrainedModel, info: Mapping[str, Any], files: WeightFiles, prefix: str) -> LoadReport:
    """Build the report from a model, the loading info that `from_pretrained` returns with it, and its files.

    prefix: what was taken off the names in the files.
    """
    missing = tuple(sorted(info["missing_keys"]))
    misfits = {name: (tuple(wanted), tuple(stored)) for name, stored, wanted in info["mismatched_keys"]}
    mismatched = tuple(sorted(misfits))
    # A tied tensor lies in the files once, whatever it is called there.
    own = set(model.state_dict()) - set(model.all_tied_weights_keys or ())
    weights = list(model.parameters())
    used = str(model.dtype).removeprefix("torch.")
    stored = Counter(tensor.dtype for tensor in files.tensors.values() if tensor.is_real and tensor.dtype != used)
    return LoadReport(
        loaded=len(own - {*missing, *mismatched}),
        missing=missing,
        mismatched=mismatched,
        random_body=tuple(name for name in sorted({*missing, *mismatched}) if _in_body(name, model)),
        unexpected=tuple(sorted(info["unexpected_keys"])),
        cast=tuple((name, used, count) for name, count in sorted(stored.items())),
        prefix=prefix,
        pickled=files.pickled,
        parameters=sum(w.numel() for w in weights),
        nbytes=sum(w.numel() * w.element_size() for w in weights),
        dtype=used,
        shapes=tuple(misfits[name] for name in mismatched),
        architecture=type(model).__name__,
    )


def _in_body(name: str, model: PreTrainedModel) -> bool:
    """Whether a tensor lies in the stack of layers and not in what comes after: a head or a pooler."""
    prefix = model.base_model_prefix
    in_stack = name.startswith(f"{prefix}.") if hasattr(model, prefix) else True
    return in_stack and "pooler." not in name
