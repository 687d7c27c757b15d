"""Names of what the page keeps in the state of the session; the controls have them as keys."""

VIEW, SCHEME, OTHER, SOURCE = "positions_view", "positions_scheme", "positions_other", "positions_source"
MODEL, TEXT = "positions_model", "positions_text"
# Whether somebody chose the model or the text; until then each view opens its own.
CHOSEN = "positions_chosen"
# Which of a model's facts, which layer, and which head; None for the first head of a bias, and the mean of weights.
FACT, STREAM, LAYER, HEAD = "positions_fact", "positions_stream", "positions_layer", "positions_which"
# The head of what stands beside, how many positions of a model are shown, and which dimensions are drawn as curves.
OTHER_HEAD, ROWS, DIMS = "positions_other_head", "positions_rows", "positions_dims"
# Of DeBERTa by formula.
VERSION = "positions_version"
# Which product of two positions is shown, whether entropy is a share, and the new order of the words.
KIND, SHARE, ORDER = "positions_kind", "positions_share", "positions_order"
# What somebody stopped, as keys of its results.
STOPPED = "positions_stopped"


def key_of(field: str) -> str:
    """The key of the control of a field of `Settings`."""
    return f"positions_slider-{field}"
