"""Models: the catalogue, loading with a report, devices, the pool that shares them, and `Model` itself.

`catalogue()` costs nothing to ask; everything that needs torch is imported when a model is opened.
"""

from core.models.catalogue import Entry, Listing, catalogue

__all__ = ["Entry", "Listing", "catalogue"]
