"""DecompX: the logit as a signed sum of the tokens' parts, carried through the whole model.

Source: Modarressi, Fayyaz and others 2023, "DecompX: Explaining Transformers Decisions by Propagating Token
Decomposition".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import HeadlightError
from core.models.answers import answer_kind
from core.saliency.method import Method, Passes, Raw

if TYPE_CHECKING:
    from core.models.model import Model
    from core.saliency.decomposition.parts import LogitParts
    from core.saliency.question import Question
    from core.saliency.runner import Runner

# float32 numbers of T² · D that are in memory at the worst moment, and what blocks of rows take besides.
COPIES, BLOCKS = 6, 1 << 28
# Beyond this the parts are not those of this model: its layers compute something else than their family's.
MOST_ERROR = {"float32": 1e-2, "bfloat16": 0.25, "float16": 0.1}


def refuse(model: Model) -> str:
    """Why the model's logits cannot be decomposed, in one sentence; "" where they can."""
    from core.saliency.decomposition.families import FAMILIES, refusal

    if sentence := refusal(model.network):
        return sentence
    if answer_kind(model.network).of_one_token:
        return f"DecompX decomposes one answer for the whole text, and {model.name} has one for each token."
    if FAMILIES[model.network.config.model_type](model.network).head is None:
        return f"{model.name} has no classifier or output layer that reads a token's state: DecompX decomposes a logit."
    return ""


def cost(question: Question) -> Passes:
    """Each layer moves the parts of every token, as many vectors as a pass of each token alone would have."""
    return Passes(1 + len(question.tokens))


def run(question: Question, runner: Runner) -> Raw:
    """The tokens' parts of the logit or margin, (T,); they sum to it, since all biases are shared among them.

    Raises HeadlightError for a scalar that is no sum of logits, too long a text, or layers unlike their family's.
    """
    from core.saliency.scalars import scalar_of

    parts = _parts(question, runner)
    foil = None if question.target.foil is None else question.target.foil.index
    # A margin and a logit are linear in the logits, so each token's part is that of its own logits.
    values = scalar_of(parts.parts, question.target.index, foil, question.scalar, question.function)
    total = float(values.sum())
    delta = abs(total - question.value) / max(abs(question.value), 1e-12)
    return Raw(
        values.cpu(),
        delta=delta,
        checks=(
            f"the parts sum to {total:.6g} and the {question.scalar} is {question.value:.6g}",
            f"the parts of each layer sum to the model's own states to {parts.error:.1e}",
        ),
    )


def _parts(question: Question, runner: Runner) -> LogitParts:
    from core.models.out_of_memory import memory_worded
    from core.saliency.decomposition.families import stack_of
    from core.saliency.decomposition.parts import logit_parts
    from core.saliency.decomposition.states import states_of
    from core.saliency.scalars import LOGITS

    if question.scalar not in LOGITS:
        raise HeadlightError("DecompX explains sums of logits: choose the margin or the logit.")
    model = question.model
    stack = stack_of(model.network)
    layers = len(stack.layers)
    with memory_worded(model.name, model.device):
        states = states_of(model, question.reading, layers)
        runner.forwards += 1
        require_room(len(states[0]), states[0].shape[1], str(states[0].device))
        parts = logit_parts(stack, states, question.trace.attention, lambda done: runner.advance(done, layers))
    if parts.error > MOST_ERROR.get(str(model.dtype).removeprefix("torch."), 0.25):
        raise HeadlightError(
            f"The layers of {model.name} do not compute what those of their family do (off by {parts.error:.0%}), so "
            "DecompX would not explain it: choose another method."
        )
    return parts


def require_room(tokens: int, width: int, device: str) -> None:
    """Raise HeadlightError where the parts of so many tokens do not fit, with the number of tokens that do."""
    from core.models.estimate import free_nbytes

    free = free_nbytes(device)
    needed = 4 * COPIES * tokens**2 * width + BLOCKS
    if free is None or needed <= free:
        return
    fitting = int((max(0, free - BLOCKS) / (4 * COPIES * width)) ** 0.5)
    raise HeadlightError(
        f"DecompX would need {needed / 1e9:,.1f} GB for {tokens:,} tokens and {free / 1e9:,.1f} GB are free: shorten "
        f"the text to about {fitting:,} tokens."
    )


METHOD = Method(
    name="decompx",
    title="DecompX",
    about="The logit as a signed sum of one part for each word, carried through every layer and the head.",
    family="decomposition",
    tier=2,
    signed=True,
    class_specific=True,
    additive=True,
    merge="sum",
    formula=r"F = \sum_k D_k,\quad x_i^{l} = \sum_k x_{i \Leftarrow k}^{l}",
    uses=frozenset({"scalar"}),
    refuse=refuse,
    cost=cost,
    run=run,
)
