"""What a model's attention is made of and what it rests on.

`compare_orders`   one text in two orders, with positions and without
`terms_of`         what DeBERTa's scores are the sum of
"""

from core.mechanics.order import OrderComparison, compare_orders
from core.mechanics.terms import terms_of

__all__ = ["OrderComparison", "compare_orders", "terms_of"]
