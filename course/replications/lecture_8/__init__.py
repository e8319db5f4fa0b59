"""The published risks of Hu's lecture 8."""

from replications.lecture_8.r_results import lecture_8_in_r
from replications.lecture_8.study import STUDY, Lecture8Result, compute, recorded, run, summary

__all__ = ["STUDY", "Lecture8Result", "compute", "lecture_8_in_r", "recorded", "run", "summary"]
