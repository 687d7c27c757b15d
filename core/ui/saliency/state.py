"""Names of what the page keeps in the state of the session; the controls have them as keys."""

MODEL, TEXT, PAIR, ANSWER, BY = (
    "saliency_model",
    "saliency_text",
    "saliency_pair",
    "saliency_answer",
    "saliency_by",
)
# Whether somebody chose words or tokens, and which of them fits the text.
BY_CHOSEN, BY_FITTING = "saliency_by_chosen", "saliency_by_fitting"
SCALAR, BASELINE, AGGREGATION, METHODS, VIEW = (
    "saliency_scalar",
    "saliency_baseline",
    "saliency_aggregation",
    "saliency_methods",
    "saliency_view",
)
# The one number that can be explained of a model's answer, where there is no choice.
ONLY_SCALAR = "saliency_only_scalar"
# Numbers of what is asked about and of what it is held against; None for the model's own choice, and for nothing.
TARGET, FOIL = "saliency_target", "saliency_foil"
# The place of the token that is asked about, where each has an answer of its own; None for the model's own choice.
AT = "saliency_at"
# The word that is marked in all figures.
PICKED = "saliency_picked"
# Which attention and which method are put beside each other, and what the matrix shows.
AGAINST, STATISTIC = "saliency_against", "saliency_statistic"
# Methods that somebody let run although they take long, and the question whose runs somebody stopped.
ALLOWED, STOPPED = "saliency_allowed", "saliency_stopped"
# What else was worked out of a question until somebody stopped it, as keys of its result.
STOPPED_WORKS = "saliency_stopped_works"
# What was asked for on a click, such as the sanity check: names with the question that it was asked of.
CHECKED = "saliency_checked"
# The head that was clicked, as parameters of the Attention page.
LEAVES_FOR = "saliency_leaves_for"
