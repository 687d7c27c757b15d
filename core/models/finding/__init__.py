"""What lies in an upload, told in sentences: which files there are, which models they make up, and what those lack.

Only headers and small JSON files are read; nothing is imported, run or unpacked.
"""

from core.models.finding.found import found
from core.models.finding.results import Candidate, Found, FoundFile, Missing

__all__ = ["Candidate", "Found", "FoundFile", "Missing", "found"]
