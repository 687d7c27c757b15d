"""Models: the catalogue, downloads, loading with a report, devices, the pool that shares them, and `Model` itself.

`catalogue()` costs nothing to ask and asks nobody; `download` is the only function that uses the network. Everything
that needs torch is imported when a model is opened.
"""

from core.models.catalogue import Entry, Listing, catalogue
from core.models.fetching import download

__all__ = ["Entry", "Listing", "catalogue", "download"]
