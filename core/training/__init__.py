"""Training in-house models: options, schedules, data, the trainer and its reports.

What a page needs before a run imports without torch: `options`, `schedules`, `samples`, `reports`, `history`. The
others (`trainer`, `batches`, `losses`, `checkpoints`) import torch and are imported where a run begins.
"""

from core.training.history import History, Record
from core.training.options import ABOUT, Options
from core.training.reports import Evaluation, Snapshot, StepReport
from core.training.samples import Sample, Supply
from core.training.schedules import SCHEDULES, Schedule, rate

__all__ = [
    "ABOUT",
    "SCHEDULES",
    "Evaluation",
    "History",
    "Options",
    "Record",
    "Sample",
    "Schedule",
    "Snapshot",
    "StepReport",
    "Supply",
    "rate",
]
