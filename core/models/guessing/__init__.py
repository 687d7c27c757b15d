"""Which architecture a bare state dict is, from the names and shapes of its tensors: no config, no weights read.

guesses    the best guesses, best first
answered   a guess's config with answers to what the tensors do not tell
revised    a guess judged again with those answers
places     what each tensor of the file is called in the guessed network
"""

from core.models.guessing.answers import answered
from core.models.guessing.guess import guesses, places, revised
from core.models.guessing.results import Guess, Question

__all__ = ["Guess", "Question", "answered", "guesses", "places", "revised"]
