"""What can be shown and said about attention heads in numbers.

`attention_map` gives the maps of a layer under filters and within a window, `whole_map` a long one at a glance,
`survey` all heads of a trace with their measures, `role_scores` how well each head fits a named kind of head,
`by_distance` the mean weight at each distance.
"""

from core.heads.axes import LONG, WINDOW, Axis, axis_of, is_long, window_at
from core.heads.distances import AttentionByDistance, by_distance
from core.heads.filters import EVERY_TOKEN, Filters
from core.heads.maps import AttentionMap, attention_map
from core.heads.measures import Measures, measure
from core.heads.roles import ROLES, Role, RoleScores, role_scores
from core.heads.survey import Survey, retiled, survey
from core.heads.whole import WholeMap, whole_map

__all__ = [
    "EVERY_TOKEN",
    "LONG",
    "ROLES",
    "WINDOW",
    "AttentionByDistance",
    "AttentionMap",
    "Axis",
    "Filters",
    "Measures",
    "Role",
    "RoleScores",
    "Survey",
    "WholeMap",
    "attention_map",
    "axis_of",
    "by_distance",
    "is_long",
    "measure",
    "retiled",
    "role_scores",
    "survey",
    "whole_map",
    "window_at",
]
