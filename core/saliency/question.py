"""One text, one model, one number F that is explained: what every saliency method is asked.

Shapes: N versions of the text at once, T tokens, E width of an embedding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from core.capture import Trace
from core.errors import HeadlightError
from core.models.answers import OUTPUT_WORD, AnswerKind
from core.models.model import Model
from core.models.reading import Reading
from core.saliency.answers import AnswerReader, SimilarityReader, dependent
from core.saliency.baselines import baseline_embedding
from core.saliency.target import Target
from core.saliency.targets import word_rows
from core.text import Tokens
from core.zoo.pooling import PoolingForSequenceClassification


@dataclass(frozen=True, eq=False)
class Question:
    """What is explained, and how. Made by `core.saliency.ask`.

    reading      what the model reads: the text, and what an encoder-decoder says
    target       what is asked about; `targets` are the likeliest alternatives, the target's kind all of them
    scalar, baseline, aggregation, by   see `core.saliency.asking`
    groups       places of the tokens of each scored word or token; special tokens are in none
    labels       what each group shows, letter for letter
    value        F of the text as it is; probability of the target, or what stands in its place, see `AnswerReader`
    kind         what the network's head says, of which the target is one
    blind        why no gradient can be had with respect to embeddings; "" where it can
    notes        sentences for the reader
    """

    model: Model
    reading: Reading
    target: Target
    targets: tuple[Target, ...]
    scalar: str
    baseline: str
    aggregation: str
    by: str
    groups: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    reader: AnswerReader
    kind: AnswerKind
    value: float = 0.0
    probability: float = 0.0
    blind: str = ""
    notes: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """What makes probabilities of the logits: "softmax", "sigmoid", or "number" where they are none."""
        return self.kind.function

    @property
    def tokens(self) -> Tokens:
        """The tokens that are scored: the text's, an encoder-decoder's source."""
        return self.reading.tokens

    @cached_property
    def trace(self) -> Trace:
        """The run of the same reading that all attention methods read; costs one forward pass when first asked."""
        return self.model.run_reading(self.reading)

    @cached_property
    def rows_read(self) -> tuple[int, ...]:
        """Places of the tokens whose last states F depends on; () where the network does not show its states."""
        if isinstance(self.reader, SimilarityReader):
            return self.reader.rows(self.answer_ids(self.input_ids(), self.attention_mask()), self.attention_mask())
        if self.blind or not {"output_hidden_states", "kwargs"} & self.model.accepted:
            return ()
        with torch.enable_grad():
            leaf = self.embeddings().requires_grad_()
            given: dict[str, Any] = {"inputs_embeds": leaf, "output_hidden_states": True, **self._beside_embeddings(1)}
            answer = self._answer(given, self.attention_mask(), None)
            states = getattr(answer, "hidden_states", None)
            if not states:
                return ()
            value = self.reader.scalar(answer, self.attention_mask()).sum()
            (found,) = torch.autograd.grad(value, states[-1], allow_unused=True)
        return () if found is None else dependent(found[0])

    @torch.no_grad()
    def states(self, count: int) -> tuple[Tensor, ...]:
        """Hidden states of `count` copies of the text at once, of the embeddings and after each layer: (N, T, D) each.

        Raises HeadlightError where the network does not show them.
        """
        ids = self.input_ids().expand(count, -1)
        given: dict[str, Any] = {"input_ids": ids, "output_hidden_states": True}
        found = getattr(self._answer(given, torch.ones_like(ids), None), "hidden_states", None)
        if not found:
            raise HeadlightError(f"{self.model.name} does not show its hidden states: choose another method.")
        return tuple(found)

    @property
    def word_rows(self) -> tuple[int, ...]:
        """Decoder rows that produced the word that is explained; () for other targets."""
        return word_rows(self.reading)[self.target.index] if self.target.kind == OUTPUT_WORD else ()

    @property
    def scored(self) -> tuple[int, ...]:
        """Places of all tokens that belong to a group."""
        return tuple(place for group in self.groups for place in group)

    def input_ids(self) -> Tensor:
        """(1, T)."""
        return self._inputs["input_ids"]

    def attention_mask(self) -> Tensor:
        """(1, T) of ones."""
        return torch.ones_like(self.input_ids())

    def embeddings(self) -> Tensor:
        """(1, T, E): of the words alone, before positions are added."""
        with torch.no_grad():
            embedded: Tensor = self.model.network.get_input_embeddings()(self.input_ids())
        return embedded.detach()

    def baseline_embeddings(self) -> Tensor:
        """(1, T, E): each scored token replaced by the baseline; special tokens stay."""
        embedded = self.embeddings().clone()
        embedded[0, list(self.scored)] = baseline_embedding(self.model, self.baseline)
        return embedded

    def score(self, embeddings: Tensor, mask: Tensor | None = None) -> Tensor:
        """F of embeddings (N, T, E) -> (N,), differentiable; mask (N, T), 1 for what is there."""
        there = self.attention_mask().expand(len(embeddings), -1) if mask is None else mask
        given = {"inputs_embeds": embeddings, **self._beside_embeddings(len(embeddings))}
        return self.reader.scalar(self._answer(given, there, None), there)

    def score_ids(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """F of other tokens (N, T') -> (N,), without a graph; see `answer_ids`."""
        return self.reader.scalar(self.answer_ids(ids, mask, types), mask)

    def probability_ids(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """The target's probability for other tokens (N, T') -> (N,); the similarity itself where it is one."""
        return self.reader.probability(self.answer_ids(ids, mask, types), mask)

    @torch.no_grad()
    def answer_ids(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Any:
        """The network's answer to other tokens (N, T'); mask (N, T'), 1 for what is there.

        types: segment numbers (N, T'), needed where a text of another length is read by a model that takes them.
        """
        return self._answer({"input_ids": ids}, mask, types)

    def _answer(self, given: dict[str, Any], mask: Tensor, types: Tensor | None) -> Any:
        count, length = mask.shape
        own = self._inputs
        if types is None and length == len(self.tokens) and "token_type_ids" in own:
            types = own["token_type_ids"].expand(count, -1)
        others = {
            "attention_mask": mask,
            **({} if types is None or "token_type_ids" not in own else {"token_type_ids": types}),
            **({"decoder_input_ids": own["decoder_input_ids"].expand(count, -1)} if "decoder_input_ids" in own else {}),
        }
        options = {"use_cache": False, "logits_to_keep": self._logits_to_keep(mask)}
        taken = {name: value for name, value in {**others, **options}.items() if name in self.model.accepted}
        return self.model.network(**given, **taken)

    def _logits_to_keep(self, mask: Tensor) -> int:
        """1 where only the last logits are read and all texts end at the same place; 0 for all logits."""
        return 1 if self.target.kind == "next token" and bool(mask[:, -1].all()) else 0

    def _beside_embeddings(self, count: int) -> dict[str, Tensor]:
        """A guide reads the tokens themselves, which no other model takes beside embeddings."""
        if isinstance(self.model.network, PoolingForSequenceClassification):
            return {"input_ids": self.input_ids().expand(count, -1)}
        return {}

    @cached_property
    def _inputs(self) -> dict[str, Tensor]:
        return self.model.inputs(self.reading)
