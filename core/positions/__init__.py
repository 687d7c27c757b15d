"""How a Transformer is told the order of its tokens: one file a scheme, its formulas as pure functions.

`SCHEMES` names them. Importing this package is cheap: torch is loaded when a scheme's matrix or encoding is asked for.
"""

from core.positions.schemes import SCHEMES, Scheme, scheme_named

__all__ = ["SCHEMES", "Scheme", "scheme_named"]
