"""How a Transformer is told the order of its tokens: one file a scheme, its formulas as pure functions.

`SCHEMES` names them, `Settings` holds what their sliders say, `objects` what a scheme or a loaded model consists of,
and `measures` what can be read off that. Importing this package is cheap: torch is loaded when a scheme is computed.
"""

from core.positions.schemes import SCHEMES, TRAINABLE, Scheme, scheme_named
from core.positions.settings import Settings

__all__ = ["SCHEMES", "TRAINABLE", "Scheme", "Settings", "scheme_named"]
