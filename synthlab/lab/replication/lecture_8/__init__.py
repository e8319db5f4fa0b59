"""The published risks of Hu's lecture 8."""

from synthlab.lab.replication.lecture_8.in_r import lecture_8_in_r
from synthlab.lab.replication.lecture_8.study import STUDY, Lecture8Result, compute, page, recorded, run, summary

__all__ = ["STUDY", "Lecture8Result", "compute", "lecture_8_in_r", "page", "recorded", "run", "summary"]
