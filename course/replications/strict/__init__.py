"""Clipping, re-weighting and the weighted mechanism at equal epsilon."""

from replications.strict.study import STUDY, StrictResult, recorded, run, summary

__all__ = ["STUDY", "StrictResult", "recorded", "run", "summary"]
