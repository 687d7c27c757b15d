"""Which architecture a bare state dict is, from the names and shapes of its tensors: no config, no weights read.

guesses         the best guesses, best first
answered        a guess's config with answers to what the tensors do not tell
revised         a guess judged again with those answers
places          where each tensor of the file belongs in the guessed network, and which way round
stated_answers  what values beside the tensors say to a guess's open questions
is_linear_gpt2  whether a file is GPT-2's out of nn.Linear, as nanoGPT's and minGPT's are
why_unlike      why nothing fits a file of a known kind
"""

from core.models.guessing.answers import answered
from core.models.guessing.guess import guesses, places, revised
from core.models.guessing.results import Guess, Places, Question
from core.models.guessing.stated import Stated, stated_answers
from core.models.guessing.unlike import why_unlike
from core.models.guessing.unwrapping import is_linear_gpt2

__all__ = [
    "Guess", "Places", "Question", "Stated", "answered", "guesses", "is_linear_gpt2", "places", "revised",
    "stated_answers", "why_unlike",
]  # fmt: skip
