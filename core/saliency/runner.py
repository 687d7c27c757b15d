"""What a method runs the model through: batches that fit, passes that are counted, a job that can stop it.

Shapes: N versions of the text, T tokens, E width of an embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.jobs import Job
from core.models.out_of_memory import memory_worded
from core.saliency.batches import texts_at_once
from core.saliency.question import Question

# The switch of cuDNN is one for all threads: who needs it off holds this, so that nobody puts it back too early.
_CUDNN = RLock()


class Runner:
    """One method's way to the model; it counts what the method costs. For one method of one question, in one thread.

    forwards, backwards  passes of one text so far
    total                passes that the method expects, for the job's progress; 0 where it did not say
    seed                 of what the method draws at random
    """

    def __init__(
        self, question: Question, job: Job | None = None, title: str = "", total: int = 0, seed: int = 0
    ) -> None:
        self.question = question
        self.job = job
        self.seed = seed
        self.forwards = 0
        self.backwards = 0
        self._title = title
        self._total = total

    @property
    def batch(self) -> int:
        """Texts that go through the model at once, without a graph."""
        return self._at_once(len(self.question.tokens), False)

    @property
    def graph_batch(self) -> int:
        """Texts that go through the model at once while gradients are wanted."""
        return self._at_once(len(self.question.tokens), True)

    def forward(self, embeddings: Tensor, mask: Tensor | None = None) -> Tensor:
        """F of embeddings (N, T, E) -> (N,). With a graph if gradients are on and wanted: then all N at once.

        What calls this with a graph walks it back once, which is counted here. Raises HeadlightError where no gradient
        would come back, and for an answer that is not a number.
        """
        wants_graph = torch.is_grad_enabled() and embeddings.requires_grad
        if self.question.blind:
            raise HeadlightError(self.question.blind)
        size = len(embeddings) if wants_graph else self.batch
        parts = []
        with self._worded():
            for start in range(0, len(embeddings), size):
                part = slice(start, start + size)
                parts.append(self.question.score(embeddings[part], None if mask is None else mask[part]))
                self._count(len(parts[-1]), wants_graph)
        found = finite(torch.cat(parts), "forwards")
        if wants_graph and not found.requires_grad:
            raise HeadlightError(
                f"{self.question.model.name} passes no gradient back to its words: choose attention or occlusion."
            )
        return found

    def forward_ids(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """F of other tokens (N, T') -> (N,) on the CPU in float64, without a graph; see `Question.score_ids`."""
        return self._in_batches(self.question.score_ids, ids, mask, types)

    def probability_ids(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """The target's probability for other tokens (N, T') -> (N,) on the CPU in float64."""
        return self._in_batches(self.question.probability_ids, ids, mask, types)

    def gradient(self, embeddings: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """F (N,) of embeddings (N, T, E), and its gradient (N, T, E), each text by itself.

        Nothing is added to the gradients of the model's weights. Raises HeadlightError where there is no gradient or it
        is not finite.
        """
        values, gradients = [], []
        for start in range(0, len(embeddings), self.graph_batch):
            part = slice(start, start + self.graph_batch)
            leaf = embeddings[part].detach().requires_grad_()
            with torch.enable_grad(), without_cudnn():
                found = self.forward(leaf, None if mask is None else mask[part])
                gradients.append(self.grad(found.sum(), leaf))
            values.append(found.detach())
        return torch.cat(values), torch.cat(gradients)

    def grad(self, value: Tensor, leaf: Tensor) -> Tensor:
        """dvalue/dleaf, of leaf's shape. Raises HeadlightError where it is not finite."""
        with self._worded():
            (found,) = torch.autograd.grad(value, leaf)
        return finite(found, "backwards")

    def advance(self, done: int, total: int) -> None:
        """Tell the job how far a method is that counts its steps in its own way."""
        if self.job is not None:
            self.job.advance(min(done, total), total, self._title)

    def check(self) -> None:
        """Stop here if the job was asked to."""
        if self.job is not None:
            self.job.check()

    def _in_batches(
        self, run: Callable[[Tensor, Tensor, Tensor | None], Tensor], ids: Tensor, mask: Tensor, types: Tensor | None
    ) -> Tensor:
        size = self._at_once(ids.shape[1], False)
        parts = []
        with self._worded():
            for start in range(0, len(ids), size):
                part = slice(start, start + size)
                parts.append(run(ids[part], mask[part], None if types is None else types[part]))
                self._count(len(parts[-1]), False)
        return finite(torch.cat(parts), "forwards").double().cpu()

    def _at_once(self, tokens: int, walked_back: bool) -> int:
        return texts_at_once(self.question.model, tokens, len(self.question.reading.decoder or ()), walked_back)

    def _count(self, texts: int, walked_back: bool) -> None:
        self.forwards += texts
        self.backwards += texts if walked_back else 0
        if self._total:
            self.advance(self.forwards, max(self._total, self.forwards))
        else:
            self.check()

    @contextmanager
    def _worded(self) -> Iterator[None]:
        with memory_worded(self.question.model.name, self.question.model.device):
            yield


def finite(found: Tensor, way: str) -> Tensor:
    """The same tensor. Raises HeadlightError if anything in it is not a number."""
    if bool(torch.isfinite(found).all()):
        return found
    what = {"forwards": "The model's answer", "backwards": "The gradient"}[way]
    raise HeadlightError(f"{what} is not a number for this text: load the model in float32, or choose another method.")


@contextmanager
def without_cudnn() -> Iterator[None]:
    """cuDNN's recurrent layers give gradients in training mode only; torch's own give them always."""
    if not torch.cuda.is_available():
        yield
        return
    with _CUDNN, torch.backends.cudnn.flags(enabled=False):
        yield
