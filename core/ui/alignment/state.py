"""Names of what the page keeps in the state of the session; the controls have them as keys."""

DIRECTION, MODELS, TEXT = "alignment_direction", "alignment_models", "alignment_text"
DECODING, BEAMS, TARGET = "alignment_decoding", "alignment_beams", "alignment_target"
GOLD, PAIR_NUMBER, LINKS, COUNTED_FROM = (
    "alignment_gold",
    "alignment_pair",
    "alignment_links",
    "alignment_counted_from",
)
# A figure card has keys that end in "_head" and the like.
LAYER, HEAD, READS, WORD_MODEL = "alignment_layer", "alignment_in_layer", "alignment_reads", "alignment_word_model"
# The step of it that is open, and the one that an address opened, see `step`.
STEP, OPENED = "alignment_step", "alignment_opened_step"
# What one model's text is made to begin with, see `going_on`.
PREFIX = "alignment_prefix"
# The latest measurement of seconds, see `measuring`.
MEASURED = "alignment_measured"
STOPPED = "alignment_stopped"
