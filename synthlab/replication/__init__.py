"""Published numbers beside ours, one module a source.

Each runs on the data the source used where they are at hand, and says where it stands otherwise.
"""

from __future__ import annotations

from synthlab.replication.lecture_8 import Lecture8Result, replicate_lecture_8
from synthlab.replication.lecture_8_r import lecture_8_in_r

__all__ = ["Lecture8Result", "lecture_8_in_r", "replicate_lecture_8"]
