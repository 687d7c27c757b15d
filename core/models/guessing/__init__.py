"""Which architecture a bare state dict is, from the names and shapes of its tensors: no config, no weights read.

guesses         the best guesses, best first
answered        a guess's config with answers to what the tensors do not tell
revised         a guess judged again with those answers
places          what each tensor of the file is called in the guessed network
stated_answers  what values beside the tensors say to a guess's open questions
why_unlike      why nothing fits a file of a known kind
"""

from core.models.guessing.answers import answered
from core.models.guessing.guess import guesses, places, revised
from core.models.guessing.results import Guess, Question
from core.models.guessing.stated import Stated, stated_answers
from core.models.guessing.unlike import why_unlike

__all__ = [
    "Guess", "Question", "Stated", "answered", "guesses", "places", "revised", "stated_answers", "why_unlike",
]  # fmt: skip
