"""The nested mixture for households in Python and in R."""

from replications.nested_households.study import STUDY, NestedHouseholdsResult, recorded, run, summary

__all__ = ["STUDY", "NestedHouseholdsResult", "recorded", "run", "summary"]
