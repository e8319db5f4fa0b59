"""The published risks of Hu's lecture 8."""

from synthlab.lab.replication.lecture_8.in_r import lecture_8_in_r
from synthlab.lab.replication.lecture_8.study import Lecture8Result, run

__all__ = ["Lecture8Result", "lecture_8_in_r", "run"]
