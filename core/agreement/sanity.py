"""Sanity check by random weights (Adebayo and others 2018): does a method look at the model at all?

The trained weights of a copy are replaced by random ones, from the top down. Scores that depend on what was learnt
must fall to chance; scores that stay would look the same for any model.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from core.agreement.chance import chance_sd, critical_tau
from core.agreement.columns import Array
from core.agreement.ranks import compare
from core.agreement.sanity_stages import draw_anew, stages_of
from core.errors import HeadlightError
from core.jobs import Cancelled, Job
from core.models.estimate import fit
from core.models.model import Model
from core.saliency.explaining import estimate, scores_of
from core.saliency.question import Question

Scoring = Callable[[Question], Array]


@dataclass(frozen=True)
class Sanity:
    """How much of a method's scores is left as weights become random.

    method    its name
    stages    what was made random, in order, each besides all before it
    tau       of each stage: Kendall's tau-b with the trained model's scores, sizes where these have signs; NaN where
              there is none
    n, sd0, band   words, sd of tau under independence, smallest significant |tau| (NaN where none is)
    seed      of the random weights
    remarks   why a stage has no tau
    """

    method: str
    stages: tuple[str, ...]
    tau: tuple[float, ...]
    n: int
    sd0: float
    band: float
    seed: int
    remarks: tuple[str, ...] = ()

    @property
    def survives(self) -> bool:
        """Whether the scores of the wholly random model still agree with the trained model's, more than by chance."""
        return bool(self.tau) and self.tau[-1] >= self.band - 1e-12


@dataclass(frozen=True)
class SanityCost:
    """Bytes of the copy, and seconds, about."""

    nbytes: int
    seconds: float


def sanity_cost(question: Question, method: str) -> SanityCost:
    """What the check will take: one copy of the weights, and the method once for each stage and once before."""
    runs = len(stages_of(question.model.network)) + 1
    return SanityCost(_copied_nbytes(question.model), runs * estimate(question, [method]))


def sanity(question: Question, method: str, job: Job | None = None, seed: int = 0) -> Sanity:
    """The check of one method on one text. The shared model is copied and stays as it is.

    What the trained model was asked stays the question: the same target and, of an encoder-decoder, the same answer.
    Raises HeadlightError where the method cannot explain this or there is no room for the copy.
    """
    return sanity_of(question, lambda asked: scores_of(asked, method, job).comparable(), method, job, seed)


def sanity_of(question: Question, score: Scoring, method: str = "", job: Job | None = None, seed: int = 0) -> Sanity:
    """The check of any function that scores the words of a question; see `sanity`."""
    fit(f"A copy of {question.model.name}", _copied_nbytes(question.model), _device(question))
    trained = score(question)
    twin = _twin(question.model)
    stages = stages_of(twin.network)
    generator = torch.Generator().manual_seed(seed)
    taus, remarks = [], []
    for number, stage in enumerate(stages):
        if job is not None:
            job.advance(number, len(stages), f"random {stage.title}")
        draw_anew(twin.network, stage, generator)
        tau, reason = _tau(trained, question, twin, score)
        taus.append(tau)
        remarks += [f"{stage.title}: {reason}"] if reason else []
    n = len(trained)
    titles = tuple(stage.title for stage in stages)
    return Sanity(method, titles, tuple(taus), n, chance_sd(n), critical_tau(n), seed, tuple(remarks))


def _tau(trained: Array, question: Question, twin: Model, score: Scoring) -> tuple[float, str]:
    """Tau, and why there is none."""
    try:
        found = compare(trained, score(_asked(question, twin)))
    except Cancelled:
        raise
    except HeadlightError as error:
        return math.nan, str(error)
    return found.tau, found.reason


def _asked(question: Question, model: Model) -> Question:
    """The same question to another model."""
    asked = replace(question, model=model)
    ids, mask = asked.input_ids(), asked.attention_mask()
    value, probability = (float(read(ids, mask)[0]) for read in (asked.score_ids, asked.probability_ids))
    return replace(asked, value=value, probability=probability)


def _copied_nbytes(model: Model) -> int:
    network = model.network
    return sum(tensor.numel() * tensor.element_size() for tensor in (*network.parameters(), *network.buffers()))


def _twin(model: Model) -> Model:
    """The same model over weights of its own, which may be changed."""
    twin = copy.copy(model)
    twin.network = copy.deepcopy(model.network)
    return twin


def _device(question: Question) -> str:
    """Raises HeadlightError where the weights lie on several devices, which a copy would not know of."""
    model = question.model
    if model.device == "auto" or getattr(model.network, "hf_device_map", None):
        raise HeadlightError(f"{model.name} is spread over devices and cannot be copied: load it on one device.")
    return model.device
