"""Intruder: knowledge about a person, and the rule for when a released record matches."""

from __future__ import annotations

from synthlab.intruder.intruder import Intruder, check_intruder, resolved
from synthlab.intruder.partial_knowledge import Interval, OneOf

__all__ = ["Interval", "Intruder", "OneOf", "check_intruder", "resolved"]
