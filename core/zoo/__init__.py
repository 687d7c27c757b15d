"""In-house architectures, written out. Importing this package registers them with transformers' Auto classes.

ARCHITECTURES   each model class by its name, as a checkpoint's config.json has it
"""

from core.zoo import pooling, recurrent, tagging, transformer
from core.zoo.registry import registered

ARCHITECTURES = registered([transformer, recurrent, pooling, tagging])

__all__ = ["ARCHITECTURES"]
