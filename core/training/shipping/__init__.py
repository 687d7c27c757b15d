"""From a trained folder to a shipped model: 16-bit weights, scores measured with them, and a card that says it all.

`python -m core.training.shipping NAME --from FOLDER --data PATH` writes core/zoo/weights/NAME.
"""
