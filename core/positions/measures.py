"""What can be read off a scheme's objects: similarity, effect by distance, wavelengths, path and spectrum."""

from core.positions.effects import effect, pairs, similarity
from core.positions.paths import Path, Spectrum, path, spectrum
from core.positions.products import cosines, dot_products
from core.positions.waves import angles, unseen, unturned, wavelengths, window

__all__ = [
    "Path",
    "Spectrum",
    "angles",
    "cosines",
    "dot_products",
    "effect",
    "pairs",
    "path",
    "similarity",
    "spectrum",
    "unseen",
    "unturned",
    "wavelengths",
    "window",
]
