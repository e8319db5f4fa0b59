"""The numbers on the slides of lectures 4 to 12 of Hu's course."""

from replications.hu_course.study import STUDY, HuCourseResult, recorded, run, summary

__all__ = ["STUDY", "HuCourseResult", "recorded", "run", "summary"]
