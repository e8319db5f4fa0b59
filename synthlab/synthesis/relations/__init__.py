"""Relations between columns: their text, their detection and their computation."""

from __future__ import annotations

from synthlab.synthesis.relations.conditions import Condition, RelationCondition, condition_of, conditions_of_column
from synthlab.synthesis.relations.detection import Found, detect
from synthlab.synthesis.relations.enforcement import Computation, Preserved, choose, declared_relations
from synthlab.synthesis.relations.nesting import nominal_sources
from synthlab.synthesis.relations.relation import PRESERVED, Relation, share_of
from synthlab.synthesis.relations.values import Values

__all__ = [
    "PRESERVED",
    "Computation",
    "Condition",
    "Found",
    "Preserved",
    "Relation",
    "RelationCondition",
    "Values",
    "choose",
    "condition_of",
    "conditions_of_column",
    "declared_relations",
    "detect",
    "nominal_sources",
    "share_of",
]
