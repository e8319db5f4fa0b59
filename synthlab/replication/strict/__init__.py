"""Strict privacy by clipping, and re-weighting, beside the weighted mechanism at equal epsilon."""

from synthlab.replication.strict.study import STUDY, StrictResult, page, recorded, run, summary

__all__ = ["STUDY", "StrictResult", "page", "recorded", "run", "summary"]
