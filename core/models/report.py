"""What happened when a model's weights were read: the first thing to look at when a picture is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from transformers import PreTrainedModel

from core.models.weights import WeightFiles

Severity = Literal["info", "warning", "error"]
SHOWN = 3


@dataclass(frozen=True)
class ReportLine:
    """One sentence of the load report and how much it matters: an error casts doubt on every picture of the model."""

    sentence: str
    severity: Severity


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
    tokenizer_size  number of different ids that the tokenizer can give
    embedding_rows  number of ids that the network has an embedding for
    insisted        whether random weights would have kept it closed, had nobody insisted
    adapted         number of weights that a LoRA adapter was added to; 0 without one
    rank            of what it added
    brought         tensors that it brought whole, such as a classifier
    probe           how the attention of the first short text was read; "" before it was
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
    tokenizer_size: int = 0
    embedding_rows: int = 0
    insisted: bool = False
    adapted: int = 0
    rank: int = 0
    brought: tuple[str, ...] = ()
    probe: str = ""

    @property
    def reinitialised(self) -> tuple[str, ...]:
        """All tensors that the library initialised at random."""
        return tuple(sorted({*self.missing, *self.mismatched}))

    @property
    def remark(self) -> str:
        """What every figure of the model must say; "" where nothing."""
        return f"{len(self.random_body):,} tensors of the layers are random" if self.insisted else ""

    def lines(self) -> tuple[ReportLine, ...]:
        """The report as sentences, the gravest first."""
        order = ("error", "warning", "info")
        return tuple(sorted(self._lines(), key=lambda line: order.index(line.severity)))

    def _lines(self) -> Iterable[ReportLine]:
        said = f"{self.loaded:,} {_tensors(self.loaded)} loaded"
        yield ReportLine(f"{said}, all that the model has." if not self.reinitialised else f"{said}.", "info")
        size = f"{self.parameters:,} parameters take {self.nbytes / 1e6:,.1f} MB in {self.dtype}."
        yield ReportLine(size, "info")
        yield from (
            ReportLine(f"{count:,} {_tensors(count)} cast from {stored} to {used}.", "info")
            for stored, used, count in self.cast
        )
        if self.random_body:
            counted = _counted(self.random_body, "of the layers", "not in the files")
            yield ReportLine(f"{counted}: random weights stand in their place and make the maps meaningless.", "error")
        if heads := [name for name in self.reinitialised if name not in self.random_body]:
            counted = _counted(heads, "after the layers", "not in the files")
            yield ReportLine(f"{counted}: the model's answer is random, the maps are not.", "warning")
        if self.mismatched:
            yield ReportLine(f"{_counted(self.mismatched, 'in the files', 'of another shape')}.", "warning")
        if self.unexpected:
            counted = _counted(self.unexpected, "in the files", "left out")
            yield ReportLine(f"{counted}: the model has no place for them.", "info")
        if self.prefix:
            yield ReportLine(f"The prefix “{self.prefix}” was taken off the names in the files.", "warning")
        if self.adapted:
            whole = (
                f", and brought {len(self.brought)} {'tensor' if len(self.brought) == 1 else 'tensors'} whole"
                if self.brought
                else ""
            )
            weights = "1 weight" if self.adapted == 1 else f"{self.adapted:,} weights"
            yield ReportLine(f"A LoRA adapter added changes of rank {self.rank} to {weights}{whole}.", "info")
        if self.pickled:
            yield ReportLine("The weights come from a pickle, read without running anything in it.", "info")
        yield from self._about_tokens()
        if self.probe:
            yield ReportLine(f"Attention is read by {self.probe}, tried on a first short text.", "info")

    def _about_tokens(self) -> Iterable[ReportLine]:
        if not self.tokenizer_size:
            return
        sizes = f"The tokenizer has {self.tokenizer_size:,} tokens and the model {self.embedding_rows:,} embeddings"
        if self.tokenizer_size > self.embedding_rows:
            yield ReportLine(f"{sizes}: some tokens cannot be read, so the two may not belong together.", "warning")
        else:
            yield ReportLine(f"{sizes}.", "info")


def report_of(model: PreTrainedModel, info: Mapping[str, Any], files: WeightFiles, prefix: str) -> LoadReport:
    """Build the report from a model, the loading info that `from_pretrained` returns with it, and its files.

    prefix: what was taken off the names in the files.
    """
    missing = tuple(sorted(info["missing_keys"]))
    mismatched = tuple(sorted(_name(key) for key in info["mismatched_keys"]))
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
    )


def _in_body(name: str, model: PreTrainedModel) -> bool:
    """Whether a tensor lies in the stack of layers and not in what comes after: a head or a pooler."""
    prefix = model.base_model_prefix
    in_stack = name.startswith(f"{prefix}.") if hasattr(model, prefix) else True
    return in_stack and "pooler." not in name


def _name(key: str | Iterable[Any]) -> str:
    return key if isinstance(key, str) else str(next(iter(key)))


def _tensors(count: int) -> str:
    return "tensor was" if count == 1 else "tensors were"


def _counted(names: Iterable[str], where: str, what: str) -> str:
    """How many tensors there are, where, what about them, and the names of the first."""
    known = sorted(names)
    more = ", …" if len(known) > SHOWN else ""
    number = "1 tensor" if len(known) == 1 else f"{len(known):,} tensors"
    verb = "is" if len(known) == 1 else "are"
    return f"{number} {where} {verb} {what} ({', '.join(known[:SHOWN])}{more})"
