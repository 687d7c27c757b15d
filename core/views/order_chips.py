"""Words that a person puts into another order: what the component "order" draws and listens to."""

from __future__ import annotations

from collections.abc import Sequence

from core.text.labels import bounded, visible


def order_payload(labels: Sequence[str], order: Sequence[int], busy: bool = False) -> dict[str, object]:
    """What the component is given. It fires the trigger "order" with a list of whole numbers as long as the labels.

    labels: the words in their original order; order: for each place the number of the word that stands there; busy:
    whether an answer to this order is still computed. Raises ValueError for an order that is none of these words.
    """
    if sorted(order) != list(range(len(labels))):
        raise ValueError(f"an order of {len(labels)} words has each of their numbers once, not {list(order)}")
    return {"labels": [bounded(visible(label)) for label in labels], "order": list(order), "busy": busy}
