"""From a candidate and what a user chose to a folder that `load` opens: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.jobs import Job
from core.models.checking_files import header_of
from core.models.finding import Candidate
from core.models.finding.noted import labels_beside
from core.models.intake import Intake
from core.models.opening.prepared import LONGEST_ASSUMED, MOST_ASSUMED, MOST_NOTES, taken_in
from core.models.preparing.adapters import put_adapter
from core.models.preparing.choices import Choices
from core.models.preparing.filling import Filling, filling
from core.models.preparing.ggufs import put_gguf
from core.models.preparing.known_files import PREPARED
from core.models.preparing.models import put_model, put_tokenizer
from core.models.quoting import shown


def prepare(candidate: Candidate, choices: Choices, into: Intake, job: Job | None = None) -> Path:
    """Fill `into.folder`, which is empty, with what `load` opens, and return it.

    Weights come to lie there as safetensors under the names that the architecture has; those that are so already are
    linked. prepared.json says which way the model came ("safetensors", "pickle", "gguf" or "adapter") and what the
    load report has to say of it.
    job: told what is under way; its `Cancelled` also ends what runs in a box.
    Raises HeadlightError, one sentence, for what is missing in the choices, for files that are damaged or hostile, and
    beyond the bounds of `into`; nothing is left in the folder then.
    """
    if job is not None:
        job.advance(0, 1, f"preparing {shown(choices.name or candidate.name)}")
    with filling(into, job) as filled:
        way = "adapter"
        if candidate.kind == "adapter":
            put_adapter(candidate, choices, filled)
        elif candidate.kind == "gguf":
            way = "gguf"
            put_gguf(candidate.weights, filled, tokenizer=choices.tokenizer is None)
            if choices.tokenizer is not None:
                put_tokenizer(candidate, choices, filled)
        else:
            way = put_model(candidate, _with_labels(candidate, choices, filled), filled)
            filled.notes.extend(_of_zeros(candidate, filled.folder))
        filled.assumed.extend(choices.assumed)
        taken = taken_in(candidate.root) if choices.config is None else choices.taken
        filled.write_json(PREPARED, _told(way, filled, taken))
        if job is not None:
            job.advance(1, 1, "prepared")
    return into.folder


def _with_labels(candidate: Candidate, choices: Choices, into: Filling) -> Choices:
    """The same choices, with the names that the file gives its labels, where what was chosen counts as many."""
    config, first = choices.config, candidate.weights[0]
    if config is None or "id2label" in config or first.suffix.lower() == ".safetensors":
        return choices
    labels = labels_beside(first)
    if not labels or len(labels) != config.get("num_labels"):
        return choices
    into.notes.append("Its labels are called what the file says beside its tensors.")
    named = {"id2label": dict(enumerate(labels)), "label2id": {name: number for number, name in enumerate(labels)}}
    return replace(choices, config={key: value for key, value in config.items() if key != "num_labels"} | named)


def _of_zeros(candidate: Candidate, folder: Path) -> Iterator[str]:
    """How many tensors are the files' own, where zeros were added to them."""
    own, made = len(candidate.tensors), sum(len(header_of(path).tensors) for path in folder.glob("*.safetensors"))
    if made > own:
        held = "1 tensor" if own == 1 else f"{own:,} tensors"
        yield f"The zeros are counted among what was loaded: the files themselves hold {held}."


def _told(way: str, filled: Filling, taken: Mapping[str, Any]) -> dict[str, Any]:
    """What prepared.json says; what was guessed and taken only where something was."""
    said = {"way": way, "notes": [*dict.fromkeys(filled.notes)][:MOST_NOTES]}
    guessed = [words[:LONGEST_ASSUMED] for words in dict.fromkeys(filled.assumed)][:MOST_ASSUMED]
    return said | ({"assumed": guessed} if guessed else {}) | ({"taken": dict(taken)} if taken else {})
