"""The scores of attention over an RNN's states, one a file."""

from core.zoo.scores.additive import Additive
from core.zoo.scores.attention import Attention
from core.zoo.scores.concat import Concat
from core.zoo.scores.dot import Dot
from core.zoo.scores.general import General
from core.zoo.scores.local import Local
from core.zoo.scores.score import Memory, Score
from core.zoo.scores.sum import Sum
from core.zoo.scores.uniform import Uniform

SCORES: dict[str, type[Score]] = {
    "additive": Additive,
    "dot": Dot,
    "general": General,
    "concat": Concat,
    "sum": Sum,
    "local": Local,
    "uniform": Uniform,
}

__all__ = ["SCORES", "Additive", "Attention", "Concat", "Dot", "General", "Local", "Memory", "Score", "Sum", "Uniform"]
