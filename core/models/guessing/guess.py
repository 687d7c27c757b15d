"""The guesses about a state dict: every family proposes, and what fits most of the file comes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.models.guessing.answers import answered
from core.models.guessing.families import FAMILIES
from core.models.guessing.judging import Network, bounded, network_of
from core.models.guessing.results import Draft, Guess, Places
from core.models.guessing.tensors import Shape, Tensors, UnlikeError
from core.models.guessing.unwrapping import unwrapped

MOST_TENSORS = 200_000
# Below this the likeness is that of one layer to another, not of one network to another.
LEAST_SHARE = 0.4
# Networks are built in full to be judged: of so many layers in all drafts together.
MOST_BUILT = 1_200


def guesses(tensors: Mapping[str, Shape], most: int = 5) -> tuple[Guess, ...]:
    """The likeliest architectures of a file with tensors of these names and shapes, best first; () if none is known.

    Nothing is read but names and shapes. At most `most` guesses; equal input gives equal output.
    """
    if not 0 < len(tensors) <= MOST_TENSORS:
        return ()
    found = (_guessed(known) for known in unwrapped(tensors))
    return tuple(next((some for some in found if some), [])[:most])


def places(tensors: Mapping[str, Shape], guess: Guess) -> Places:
    """Where the tensors of the file that the guess has a place for belong in its network."""
    draft = _draft_of(guess, {})
    network = network_of(draft) if bounded(draft.sizes) else None
    if network is None:
        return Places({})
    return max((_placed(known, *network) for known in unwrapped(tensors)), key=lambda found: len(found.names))


def revised(tensors: Mapping[str, Shape], guess: Guess, answers: Mapping[str, Any]) -> Guess | None:
    """The guess with other values in its config, held against the file once more.

    None where no network can be built of them, or one that has hardly anything of the file.
    """
    draft = _draft_of(guess, answers)
    if not bounded(draft.sizes):
        return None
    judged = [again for known in unwrapped(tensors) if (again := _judged(draft, known)) is not None]
    return max(judged, key=lambda again: again.share, default=None)


def _draft_of(guess: Guess, answers: Mapping[str, Any]) -> Draft:
    config = answered(guess, answers)
    sizes = {name: value for name, value in config.items() if name not in ("model_type", "architectures")}
    questions = tuple(
        replace(question, value=config.get(question.name, question.value)) for question in guess.open_questions
    )
    return Draft(guess.model_type, guess.architecture, sizes, guess.reason, questions)


def _placed(known: Tensors, own: Network, ties: list[set[str]]) -> Places:
    fitting = {name for name, shape in known.shapes.items() if name in own and own[name][1] == shape}
    names = {known.raw[name]: own[name][0] for name in known.shapes if name in fitting}
    turned = known.turned.intersection(names)
    zeros = dict(own[name] for name in own if turned and name.endswith(known.without))
    # To untie is to need every tensor of each tie.
    together = [sorted(tie) for tie in ties] if all(tie <= fitting for tie in ties) else []
    tied = tuple((known.raw[first], known.raw[other]) for first, *others in together for other in others)
    return Places(names, turned, zeros, tied)


def _guessed(known: Tensors) -> list[Guess]:
    judged: list[tuple[Guess, int]] = []
    built = 0
    for draft in sorted(_drafts(known), key=lambda draft: -draft.sign):
        layers = _layers(draft)
        if bounded(draft.sizes) and built + layers <= MOST_BUILT:
            built += layers
            if (guess := _judged(draft, known)) is not None:
                judged.append((guess, draft.sign))
    judged.sort(key=lambda pair: (-pair[0].share, len(pair[0].missing), -pair[1]))
    return [guess for guess, _ in judged]


def _drafts(tensors: Tensors) -> Iterator[Draft]:
    for family in FAMILIES:
        try:
            yield from family(tensors)
        except UnlikeError:
            continue


def _layers(draft: Draft) -> int:
    return 1 + sum(size for name, size in draft.sizes.items() if "layer" in name and type(size) is int)


def _judged(draft: Draft, known: Tensors) -> Guess | None:
    network = network_of(draft)
    if network is None:
        return None
    own, ties = network
    fitting = {name for name, (_, shape) in own.items() if known.shapes.get(name) == shape}
    there = fitting.union(*(tie for tie in ties if tie & fitting))
    taken = {known.raw[name] for name in fitting}
    share = len(taken) / len(known.weights)
    if share < LEAST_SHARE:
        return None
    return Guess(
        model_type=draft.model_type,
        architecture=draft.architecture,
        config=draft.config,
        share=share,
        missing=tuple(
            real for name, (real, _) in own.items() if name not in there and not name.endswith(known.without)
        ),
        left=tuple(name for name in known.weights if name not in taken),
        reason=draft.reason,
        open_questions=draft.questions,
    )
