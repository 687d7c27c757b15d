"""What can be said about attention heads in numbers, and a survey of all heads of a trace at once."""

from core.heads.measures import Measures, measure
from core.heads.survey import Survey, survey

__all__ = ["Measures", "Survey", "measure", "survey"]
