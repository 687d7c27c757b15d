"""Runs as the figures of `core.views` want them: panels of the alignment, curves of quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.ui.alignment.judging import Gold, Verdict, verdict_on
from core.ui.alignment.looking import Looking
from core.ui.alignment.models import DIRECTIONS, OTHER, labels_of, shipped_for, told
from core.ui.alignment.running import Outcome, Run
from core.ui.alignment.wish import Wish
from core.views import (
    AlignedPanel,
    Figure,
    QualityCurve,
    alignment_figure,
    quality_bins,
    quality_figure,
)

NO_ATTENTION = "It has no attention: all that it knows of the sentence is one vector, so there is nothing to align."
MADE_TO_BEGIN = "It was made to begin otherwise."
NOTHING_WRITTEN = "(nothing but the token that ends a text)"
HELD_OUT = "held-out sentences, the longest longer than any in training"
# So much of a sentence stands in a caption.
QUOTED = 80


@dataclass(frozen=True)
class Aligned:
    """One model in the figure. verdict: None without attention."""

    outcome: Outcome
    panel: AlignedPanel
    verdict: Verdict | None


def aligned_of(outcomes: Sequence[Outcome], looking: Looking, gold: Gold | None) -> list[Aligned]:
    """What the figure shows of each model that ran."""
    labels = labels_of([outcome.model for outcome in outcomes])
    return [
        _aligned(outcome, outcome.run, labels[outcome.model], looking, gold)
        for outcome in outcomes
        if outcome.run is not None
    ]


def alignment(aligned: Sequence[Aligned], wish: Wish, looking: Looking) -> Figure:
    """The matrices side by side."""
    judged = next((each.verdict for each in aligned if each.verdict is not None and each.verdict.judged), None)
    sure, possible = (judged.sure, judged.possible) if judged else (frozenset(), frozenset())
    return alignment_figure([each.panel for each in aligned], sure, possible, looking.reads, about_of(wish))


def quality(wish: Wish) -> Figure | None:
    """Quality by source length of all shipped models of the direction; None where none tells it."""
    names = sorted(each.name for each in shipped_for(wish.direction))
    labels = labels_of(names)
    curves = [
        QualityCurve(labels[name], quality_bins(bins), name) for name in names if (bins := told(name).get("quality"))
    ]
    return quality_figure(curves, f"{DIRECTIONS[wish.direction]}, {HELD_OUT}") if curves else None


def about_of(wish: Wish) -> str:
    """Sentence and direction, for captions."""
    text = " ".join(wish.text.split())
    quoted = text if len(text) <= QUOTED else f"{text[:QUOTED]}…"
    return f"“{quoted}”" if wish.direction == OTHER else f"{DIRECTIONS[wish.direction]}: “{quoted}”"


def which(run: Run, looking: Looking) -> str:
    """Which of a network's attentions that is, in words; "" where it has only one."""
    layers, heads = run.trace.layers("cross"), run.trace.heads("cross")
    if layers == heads == 1:
        return ""
    layer, head = looking.of(layers, heads)
    of_layers = "" if layers == 1 else f"mean over {layers} layers" if layer is None else f"layer {layer}"
    of_heads = "" if heads == 1 else f"mean over {heads} heads" if head is None else f"head {head}"
    if layer is None and head is None and of_layers and of_heads:
        return f"mean over {layers} layers × {heads} heads"
    return ", ".join(filter(None, [of_layers, of_heads]))


def _aligned(outcome: Outcome, run: Run, label: str, looking: Looking, gold: Gold | None) -> Aligned:
    written = _text_of(run)
    if not run.attends:
        return Aligned(outcome, AlignedPanel(label, "", None, written, note=NO_ATTENTION), None)
    verdict = verdict_on(run.trace, place_of(run, looking), looking.reads, gold)
    note = MADE_TO_BEGIN if run.reading.prefix else ""
    panel = AlignedPanel(label, which(run, looking), verdict.words, written, verdict.judged, note)
    return Aligned(outcome, panel, verdict)


def place_of(run: Run, looking: Looking) -> tuple[int | None, int | None]:
    """Layer and head of this network, None for the mean over all."""
    return looking.of(run.trace.layers("cross"), run.trace.heads("cross"))


def _text_of(run: Run) -> str:
    """What a model wrote or was made to say."""
    text = (run.reading.target or run.trace.output.written or "").strip()
    return text or NOTHING_WRITTEN
