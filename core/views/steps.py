"""A translation as it is written, token by token: where the model looks, what it wrote, and what else it thought of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.text.labels import bounded, visible
from core.views.alignment_words import READS, sums_words
from core.views.export import READING, csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack
from core.views.runs import joined, run_words, stem_of
from core.views.scales import SPANS, scale_words

if TYPE_CHECKING:
    from core.capture import NextToken


@dataclass(frozen=True)
class Steps:
    """One model's output, a step a token.

    source              the source's words
    weights             (T, C) attention weights of each step on them; None for a model without attention
    tokens              the T tokens that were produced
    alternatives        for each step the likeliest next tokens, likeliest first
    chosen_probability  of the token that came, for each step
    forced              leading tokens that the model was made to say
    own                 places of those among them that the user chose, the others having been kept before a choice;
                        None where the user gave them all
    ids                 of the tokens; () to know them among the alternatives by label and probability
    about               whose weights: layer and head or mean over them
    Raises ValueError for parts that do not fit together.
    """

    label: str
    about: str
    source: tuple[str, ...]
    weights: np.ndarray | None
    tokens: tuple[str, ...]
    alternatives: tuple[tuple[NextToken, ...], ...]
    chosen_probability: tuple[float, ...]
    forced: int = 0
    own: tuple[int, ...] | None = None
    ids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.tokens)
        if self.weights is not None and self.weights.shape != (count, len(self.source)):
            raise ValueError(
                f"weights have the shape {self.weights.shape}, and {count} tokens over {len(self.source)} words need "
                f"{(count, len(self.source))}"
            )
        for name, part in (("alternatives", self.alternatives), ("probabilities", self.chosen_probability)):
            if len(part) != count:
                raise ValueError(f"{len(part)} {name} for {count} tokens")
        if self.ids and len(self.ids) != count:
            raise ValueError(f"{len(self.ids)} ids for {count} tokens")


def steps_figure(
    steps: Steps,
    reads: str = "output",
    about: str = "",
    scale: str = "linear",
    span: str = "one",
    start: int = 0,
    opening: int = 0,
) -> Figure:
    """The steps with their next tokens; a click on another one fires the trigger "alternative" with {step, id}.

    Going to another step fires the trigger "step" with {step}, counted from 0.

    reads: how rows were put to tokens, as in `alignment_figure`; about: sentence and direction, for the caption;
    scale, span: as in `alignment_figure`; start: the step that opens; opening: another number opens it again.
    """
    largest = 0.0 if steps.weights is None else float(steps.weights.max(initial=0.0))
    top = 1.0 if span == "one" else largest
    top_words = SPANS["one"] if span == "one" else f"{top:.3g}, the largest weight of all steps"
    caption = _caption(steps, reads, about, scale_words(scale, top_words))
    title, stem = "Word by word", stem_of("steps", (about, steps.label))
    header: dict[str, Any] = {
        "figure": {"name": "steps", "title": title, "caption": caption, "stem": stem},
        "scale": scale,
        "span": "one",
        "max": top,
        "label": steps.label,
        "about": steps.about,
        "remark": "weights of the step after, which is fed with the current token" if reads == "input" else "",
        "source": [bounded(visible(word)) for word in steps.source],
        "tokens": [bounded(visible(token)) for token in steps.tokens],
        "next": [
            [[int(e.id), bounded(visible(e.label)), float(e.probability)] for e in step] for step in steps.alternatives
        ],
        "chosen": [chosen_place(steps, step) for step in range(len(steps.tokens))],
        "probabilities": [float(probability) for probability in steps.chosen_probability],
        "forced": steps.forced,
        "own": _own(steps),
        "start": start,
        "opening": opening,
    }
    arrays = {} if steps.weights is None else {"weights": steps.weights.astype(np.float32)}
    return Figure(
        name="steps",
        component="steps",
        title=title,
        how_to="Step through the output with the buttons, the slider or the arrow keys. The source is coloured by the "
        "attention weight at this step; on the right are the likeliest next tokens. In Headlight the model writes on "
        "from another one when you click it.",
        payload=pack(header, arrays),
        caption=caption,
        contents="The CSV table and the NumPy archive hold the weights of every step and its likeliest next tokens. "
        f"{READING}",
        stem=stem,
        csv=lambda: _table(steps),
        npz=lambda: _archive(steps, caption),
    )


def chosen_place(steps: Steps, step: int) -> int:
    """Which of a step's alternatives came, -1 for none of them."""
    found = steps.alternatives[step]
    if steps.ids:
        return next((place for place, each in enumerate(found) if each.id == steps.ids[step]), -1)
    same = [place for place, each in enumerate(found) if each.label == steps.tokens[step]]
    own = steps.chosen_probability[step]
    return min(same, key=lambda place: abs(found[place].probability - own), default=-1)


def _caption(steps: Steps, reads: str, about: str, scaled: str) -> str:
    count = len(steps.tokens)
    has_weights = steps.weights is not None
    return joined(
        [
            run_words(steps.label, steps.about if has_weights else "no attention, so the source has no colours"),
            about,
            f"{count} {'token' if count == 1 else 'tokens'} of output over {len(steps.source)} words of the source",
            READS[reads] if has_weights else "",
            "tokens of a source word summed" if has_weights else "",
            scaled if has_weights else "",
            "" if steps.weights is None else sums_words([steps.weights]),
            "next tokens: the likeliest at the place of the current token, by softmax over the whole vocabulary, "
            "bars by square root",
            _forced_words(steps),
        ]
    )


def _own(steps: Steps) -> list[int]:
    """Places of the tokens that the user fixed."""
    return list(range(steps.forced)) if steps.own is None else sorted(at for at in steps.own if at < steps.forced)


def _forced_words(steps: Steps) -> str:
    own = len(_own(steps))
    if not own:
        return ""
    if own == len(steps.tokens):
        return "fixed by the user"
    if own == steps.forced:
        return f"the first {own} fixed by the user"
    return f"{own} of the first {steps.forced} fixed by the user, the others kept before a choice"


def _table(steps: Steps) -> bytes:
    """One line a source word of each step, and one a next token of each step."""
    rows: list[dict[str, Any]] = []
    for step, token in enumerate(steps.tokens):
        common = {
            "step": step,
            "token": guarded(token),
            "fixed": step in _own(steps),
            "token_probability": steps.chosen_probability[step],
        }
        for place, word in enumerate(steps.source if steps.weights is not None else ()):
            weight = None if steps.weights is None else np.float32(steps.weights[step, place])
            rows.append({**common, "of": "source word", "place": place, "label": guarded(word), "weight": weight})
        for place, each in enumerate(steps.alternatives[step]):
            own = {"of": "next token", "place": place, "label": guarded(each.label), "id": str(each.id)}
            rows.append({**common, **own, "probability": each.probability})
    names = (
        "step", "token", "fixed", "token_probability", "of", "place", "label", "id", "weight", "probability",
    )  # fmt: skip
    return csv_bytes({name: [row.get(name) for row in rows] for name in names})


def _archive(steps: Steps, caption: str) -> bytes:
    most = max(map(len, steps.alternatives), default=0)
    ids = np.full((len(steps.tokens), most), -1, np.int64)
    probabilities = np.full(ids.shape, np.nan, np.float64)
    for step, found in enumerate(steps.alternatives):
        ids[step, : len(found)] = [each.id for each in found]
        probabilities[step, : len(found)] = [each.probability for each in found]
    weights = {} if steps.weights is None else {"weights": steps.weights.astype(np.float32)}
    arrays = {
        **weights,
        "source": label_array(steps.source),
        "tokens": label_array(steps.tokens),
        "token_probabilities": np.array(steps.chosen_probability, np.float64),
        "fixed": np.isin(np.arange(len(steps.tokens)), _own(steps)),
        "next_ids": ids,
        "next_probabilities": probabilities,
        "next_labels": label_array([each.label for found in steps.alternatives for each in found]),
    }
    return npz_bytes(arrays, caption)
