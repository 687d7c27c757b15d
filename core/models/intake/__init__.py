"""What arrives from a browser, until it is a folder: bounds, safe names, a place of its own, archives unpacked.

`Intake` is the folder of one upload, `limits` what it may hold; `unpack` puts a zip or tar into one; `sweep`, called
when the server starts, deletes what a killed server has left.
"""

from core.models.intake.archives import is_archive, unpack
from core.models.intake.limits import Limits, in_words, limits
from core.models.intake.names import safe_name, safe_path
from core.models.intake.place import Intake, intake_root, sweep

__all__ = [
    "Intake",
    "Limits",
    "in_words",
    "intake_root",
    "is_archive",
    "limits",
    "safe_name",
    "safe_path",
    "sweep",
    "unpack",
]
