"""What can be said about attention heads in numbers, and a survey of all heads of a trace at once."""

from core.heads.measures import Measures, measure
from core.heads.roles import ROLES, Role, RoleScores, role_scores
from core.heads.survey import Survey, survey

__all__ = ["ROLES", "Measures", "Role", "RoleScores", "Survey", "measure", "role_scores", "survey"]
