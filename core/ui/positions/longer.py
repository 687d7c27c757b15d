"""A longer text for each family of models whose own examples are a few words: a mean over distances needs many."""

from __future__ import annotations

import re

from core.ui.examples import FROM_CHINESE, OF_LANGUAGE, OF_REVIEWS, TO_FRENCH, Example

SLUG, TITLE = "longer", "Many words"

LONGER = (
    Example(
        slug=SLUG,
        title=TITLE,
        text="Tom told Mary that he wanted to go to the park, but she said that it was too late and that she had to "
        "help her mother with the dinner, so he went there alone and did not come home until the sun went down.",
        models=OF_LANGUAGE,
    ),
    Example(
        slug=SLUG,
        title=TITLE,
        text="The film begins well, with a warm and funny scene between two old friends, but the story soon becomes "
        "dull, the jokes fall flat, and not even the wonderful actors can save an ending that is as long as it is sad.",
        models=OF_REVIEWS,
    ),
    Example(
        slug=SLUG,
        title=TITLE,
        text="When I was young, I used to swim in the river every morning with my friends before I went to school, and "
        "in the evening we sat in the garden of my grandmother, who told us stories until it was time to go to bed.",
        models=TO_FRENCH,
    ),
    Example(
        slug=SLUG,
        title=TITLE,
        text="昨天晚上我和朋友一起去饭店吃饭，因为下雨了，所以我们很晚才回家，今天早上我没有听到闹钟，上班的时候迟到了。",
        models=FROM_CHINESE,
    ),
)


def longer_for(model: str) -> tuple[Example, ...]:
    """The longer text of a model's family, told by the model's name; () where its examples have one."""
    name = f"-{re.sub('[^a-z0-9]+', '-', model.lower())}-"
    return tuple(each for each in LONGER if any(f"-{part}-" in name for part in each.models))
