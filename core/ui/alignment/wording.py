"""The words around the figures: title, facts, what each model wrote or could not, and what must be known of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.ui.alignment.examples import examples_of
from core.ui.alignment.going_on import GoingOn
from core.ui.alignment.looking import READINGS, Looking
from core.ui.alignment.models import DIRECTIONS, OTHER, labels_of, offered
from core.ui.alignment.panels import which
from core.ui.alignment.running import Outcome
from core.ui.alignment.wish import DECODINGS, Wish
from core.ui.model_report import report_warnings
from core.views import captions

NO_MODEL = "No model is chosen: choose one in the sidebar under “Models side by side”."
NONE_HERE = (
    "There is no model of this direction in this checkout: get the folder core/zoo/weights again, or train one as the "
    "README says."
)
NO_TEXT = "There is no sentence: type one{}."
HOW_TO = "Each row is a word that a model writes, each column a word that it reads. Hover a cell for its exact weight."
LED = "{label} was made to begin otherwise; what follows is its own. “Back to its own words” undoes it."
Sentence = tuple[str, str]


def title_of(wish: Wish) -> str:
    """What is shown, in a few words."""
    return "Other models" if wish.direction == OTHER else DIRECTIONS[wish.direction]


def facts_of(wish: Wish, outcomes: Sequence[Outcome], looking: Looking) -> list[Sentence]:
    """What is worth knowing at a glance, with explanations."""
    runs = [outcome.run for outcome in outcomes if outcome.run is not None]
    if not runs:
        return []
    words = len({word for word in runs[0].trace.tokens.words if word is not None})
    forced = wish.decoding == "forced" and wish.target
    decoding = f"Beam of {wish.beams}" if wish.decoding == "beam" else DECODINGS["forced" if forced else "greedy"]
    attending = [which(run, looking) for run in runs if run.attends]
    found = [
        (f"{len(runs)} {'model' if len(runs) == 1 else 'models'}", "Side by side, on one colour scale."),
        (f"{words} {'word' if words == 1 else 'words'}", "Of the sentence, signs of punctuation among them."),
        (decoding, "How each model comes to its words."),
    ]
    found += [(words, "Which attention of the Transformers is shown.") for words in dict.fromkeys(attending) if words]
    if attending:
        found.append((f"Rows: {READINGS[looking.reads].lower()}", "Which step of the decoder is a word's row."))
    return found


def notes_of(wish: Wish, outcomes: Sequence[Outcome], going_on: GoingOn | None) -> list[Sentence]:
    """What one model was led to, and why another shows nothing."""
    if not wish.models:
        return [(NO_MODEL if offered(wish.direction) else NONE_HERE, "info")]
    if not wish.text.strip():
        return [(NO_TEXT.format(", or choose an example" if examples_of(wish.direction) else ""), "info")]
    if not outcomes:
        return []
    labels = labels_of([outcome.model for outcome in outcomes])
    problems = {outcome.problem: [o.model for o in outcomes if o.problem == outcome.problem] for outcome in outcomes}
    failed = [
        (_with_names(problem, [labels[name] for name in names], len(outcomes)), "error")
        for problem, names in problems.items()
        if problem
    ]
    ran = {outcome.model for outcome in outcomes if outcome.run is not None}
    led = [(LED.format(label=labels[going_on.model]), "info")] if going_on and going_on.model in ran else []
    return [*led, *failed]


def hint_of(wish: Wish, outcomes: Sequence[Outcome]) -> str:
    """What to look for, in one sentence; "" where nothing ran."""
    if not any(outcome.run is not None for outcome in outcomes):
        return ""
    if wish.example is None:
        return HOW_TO
    is_without = any(outcome.run is not None and not outcome.run.attends for outcome in outcomes)
    return wish.example.without if is_without and wish.example.without else wish.example.hint


def reading_notes(outcomes: Iterable[Outcome]) -> list[Sentence]:
    """What was cut, replaced or unknown, and what in a load report casts doubt, each once with whom it is true of."""
    outcomes = [outcome for outcome in outcomes if outcome.run is not None]
    labels = labels_of([outcome.model for outcome in outcomes])
    whose: dict[Sentence, list[str]] = {}
    for outcome in outcomes:
        if outcome.run is None:
            continue
        found = captions.reading_notes(outcome.run.trace)
        of_text = [(each.sentence, "warning" if each.warning else "info") for each in found]
        for sentence in [*report_warnings(outcome.run.report), *of_text]:
            whose.setdefault(sentence, []).append(labels[outcome.model])
    return [(_with_names(text, names, len(outcomes)), kind) for (text, kind), names in whose.items()]


def provenance_of(outcomes: Sequence[Outcome]) -> str:
    """Where the numbers of each model come from."""
    runs = [outcome.run for outcome in outcomes if outcome.run is not None]
    return " ‖ ".join(captions.provenance_line(run.trace, "cross" if run.attends else None) for run in runs)


def _with_names(sentence: str, names: Sequence[str], count: int) -> str:
    """A sentence with those of `count` models of whom it is true, unless it is true of all."""
    return sentence if len(names) == count else f"{', '.join(names)}: {sentence}"
