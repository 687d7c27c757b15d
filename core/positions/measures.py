"""What can be read off a scheme's objects: similarity, effect by distance, wavelengths, path and spectrum."""

from core.positions.cuts import cut, positions_held
from core.positions.effects import effect, effect_by_head, pairs, similarity
from core.positions.paths import Path, Spectrum, path, spectrum
from core.positions.products import cosines, dot_products
from core.positions.waves import angles, unseen, unturned, wavelengths, window

__all__ = [
    "Path",
    "Spectrum",
    "angles",
    "cosines",
    "cut",
    "dot_products",
    "effect",
    "effect_by_head",
    "pairs",
    "path",
    "positions_held",
    "similarity",
    "spectrum",
    "unseen",
    "unturned",
    "wavelengths",
    "window",
]
