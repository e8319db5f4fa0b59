"""All mechanisms of lectures 12 to 14 on the same data at equal epsilon."""

from replications.mechanisms.study import STUDY, MechanismsResult, recorded, run, summary

__all__ = ["STUDY", "MechanismsResult", "recorded", "run", "summary"]
