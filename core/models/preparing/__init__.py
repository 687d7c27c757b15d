"""From what an upload holds, and what its owner chose, to a folder that `core.load` opens.

`prepare` fills such a folder, all or nothing; `prepared_file` does so for a single file in a notebook. Pickles and GGUF
are read in boxes, programs stay behind.
"""

from core.models.preparing.choices import Choices
from core.models.preparing.prepare import prepare
from core.models.preparing.single import prepared_file

__all__ = ["Choices", "prepare", "prepared_file"]
