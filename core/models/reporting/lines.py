"""The sentences of a load report, each with how much it matters and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.models.quoting import shown
from core.models.reporting.remedies import for_misfits, for_random_head, for_unexpected, is_pooler_alone
from core.models.reporting.taken import about_taken

if TYPE_CHECKING:
    from core.models.reporting.report import LoadReport

Severity = Literal["info", "warning", "error"]
SHOWN = 3
GUESSED = "guessed"
# Where a value comes from that tensors do not tell, and how a sentence says that.
_CAME = {
    GUESSED: "was guessed",
    "chosen": "was chosen",
    "written by hand": "was written by hand",
    "as the file says": "is as the file says",
}
_HEADS = re.compile(r"([\d,]+) ([\w -]*head)s?")
# Bits of the fraction of a number, by the format's name: fewer of them are a loss.
_PRECISION = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}


@dataclass(frozen=True)
class ReportLine:
    """One sentence of the load report and how much it matters: an error casts doubt on every picture of the model.

    remedy: what to do about it, one sentence; "" where there is nothing to be done.
    """

    sentence: str
    severity: Severity
    remedy: str = ""


def lines_of(report: LoadReport) -> Iterator[ReportLine]:
    """What a report says of the weights, in no order of gravity."""
    said = f"{report.loaded:,} {_tensors(report.loaded)} loaded"
    yield ReportLine(f"{said}, all that the model has." if not report.reinitialised else f"{said}.", "info")
    size = f"{report.parameters:,} parameters take {report.nbytes / 1e6:,.1f} MB in {report.quantised or report.dtype}."
    yield ReportLine(size, "info")
    yield from (ReportLine(note, "info") for note in report.notes)
    yield from map(_about_assumed, report.assumed)
    yield from (ReportLine(sentence, "info", remedy) for sentence, remedy in about_taken(report.taken))
    yield from _about_random(report)
    yield from _about_names(report)
    yield from _about_formats(report)
    if report.adapted or report.brought:
        yield ReportLine(
            _adapted(report),
            "info",
            "Compare it with its base, “Base against fine-tuned” on the Models page, to see what the adapter changed.",
        )
    if report.probe:
        yield ReportLine(f"Attention is read by {report.probe}, tried on a first short text.", "info")


def about_tokens(size: int, rows: int) -> Iterator[ReportLine]:
    """How many ids the tokenizer can give, beside how many embeddings the network has."""
    if not size:
        return
    sizes = f"The tokenizer has {size:,} tokens and the model {rows:,} embeddings"
    if size > rows:
        yield ReportLine(
            f"{sizes}: some tokens cannot be read, so the two may not belong together.",
            "warning",
            f"Open the model with the tokenizer it was trained with, one of at most {rows:,} tokens.",
        )
    elif size < rows:
        yield ReportLine(
            f"{sizes}.",
            "info",
            "Nothing if it is a few more, which pad the table or lie in reserve; a tokenizer of about as many tokens "
            "belongs to the model otherwise.",
        )
    else:
        yield ReportLine(f"{sizes}.", "info")


def _about_assumed(words: str) -> ReportLine:
    """One of the report's `assumed`: "2 heads, guessed", or chosen, or as something beside the tensors has it."""
    what, _, how = words.rpartition(", ")
    came = _CAME.get(how, "")
    heads = _HEADS.fullmatch(what) if came else None
    told = f"The number of {heads[2]}s, {heads[1]}," if heads else f"“{shown(what if came else words)}”"
    sentence = f"{told} {came or 'was assumed'}: tensors do not tell it, and every map depends on it."
    if came and how != GUESSED:
        return ReportLine(sentence, "info")
    return ReportLine(
        sentence,
        "warning",
        f"Open it differently, with {'the number that' if heads else 'what'} the model's own config, or the program "
        "that trained it, says.",
    )


def _about_random(report: LoadReport) -> Iterator[ReportLine]:
    if report.random_body:
        counted = _counted(report.random_body, "of the layers", _lost(report, report.random_body))
        yield ReportLine(
            f"{counted}: random weights stand in their place and make the maps meaningless.",
            "error",
            "These files are of another model or were saved in part: get all weight files again, with the config.json "
            "that was saved beside them.",
        )
    heads = [name for name in report.reinitialised if name not in report.random_body]
    if heads and is_pooler_alone(report.architecture, heads):
        counted = _counted(heads, "of the pooler", _lost(report, heads))
        yield ReportLine(
            f"{counted}: it is random, and neither the maps nor the states of the last layer depend on it.",
            "info",
            "Nothing: many checkpoints are saved without a pooler, which reads the first token's last state only.",
        )
    elif heads:
        yield ReportLine(
            f"{_counted(heads, 'after the layers', _lost(report, heads))}: the model's answer is random, the maps are "
            "not.",
            "warning",
            for_random_head(report.architecture, report.unexpected),
        )
    if report.mismatched:
        wanted, stored = report.shapes[0] if report.shapes else ((), ())
        told = f", and {shown(report.mismatched[0])} is {stored} there and {wanted} in the config" if stored else ""
        yield ReportLine(
            f"{_counted(report.mismatched, 'in the files', 'of another shape')}{told}.",
            "warning",
            for_misfits(dict(zip(report.mismatched, report.shapes, strict=False))),
        )


def _about_names(report: LoadReport) -> Iterator[ReportLine]:
    if report.unexpected:
        yield ReportLine(
            f"{_counted(report.unexpected, 'in the files', 'left out')}: the model has no place for them.",
            "info",
            for_unexpected(report.architecture, report.unexpected),
        )
    if report.prefix:
        yield ReportLine(
            f"The prefix “{report.prefix}” was taken off the names in the files.",
            "warning",
            "Nothing if all else fits; to be rid of it, save the network inside its wrapper instead of the wrapper.",
        )


def _about_formats(report: LoadReport) -> Iterator[ReportLine]:
    for stored, used, count in report.cast:
        loses = _PRECISION.get(used, 0) < _PRECISION.get(stored, 0)
        yield ReportLine(
            f"{count:,} {_tensors(count)} cast from {stored} to {used}.",
            "info",
            f"Choose {stored if stored in _PRECISION else 'float32'} to read them as they were saved." if loses else "",
        )
    if report.quantised:
        yield ReportLine(
            f"The weights of its linear layers were rounded to {report.quantised} after loading.",
            "info",
            f"Choose {report.dtype} to see the maps without this rounding.",
        )
    if report.pickled:
        yield ReportLine(
            "The weights come from a pickle, read without running anything in it.",
            "info",
            "Save the model once more with save_pretrained, which writes safetensors.",
        )


def _lost(report: LoadReport, names: Iterable[str]) -> str:
    """How the files lack tensors."""
    lost = set(names)
    missing, misshaped = lost.intersection(report.missing), lost.intersection(report.mismatched)
    if missing and misshaped:
        return "not in the files or misshaped there"
    return "misshaped in the files" if misshaped else "not in the files"


def _adapted(report: LoadReport) -> str:
    brought = f"{len(report.brought)} {'tensor' if len(report.brought) == 1 else 'tensors'} whole"
    if not report.adapted:
        return f"An adapter brought {brought}."
    weights = "1 weight" if report.adapted == 1 else f"{report.adapted:,} weights"
    whole = f", and brought {brought}" if report.brought else ""
    return f"A LoRA adapter added changes of rank {report.rank} to {weights}{whole}."


def _tensors(count: int) -> str:
    return "tensor was" if count == 1 else "tensors were"


def _counted(names: Iterable[str], where: str, what: str) -> str:
    """How many tensors there are, where, what about them, and the names of the first."""
    known = sorted(names)
    more = ", …" if len(known) > SHOWN else ""
    number = "1 tensor" if len(known) == 1 else f"{len(known):,} tensors"
    verb = "is" if len(known) == 1 else "are"
    return f"{number} {where} {verb} {what} ({', '.join(map(shown, known[:SHOWN]))}{more})"
