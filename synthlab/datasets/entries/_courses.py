"""Files of two courses, at one commit each."""

from __future__ import annotations

from synthlab.datasets._entry import Conversion, Upstream

COURSE = "Jingchen Hu's course Data Confidentiality, github.com/monika76five/Data-Confidentiality"
COURSE_REPOSITORY = "monika76five/Data-Confidentiality"
COURSE_COMMIT = "e11127ee5cad8bf98901d339b7195410c9aab1fb"
SLIDES = "Jingchen Hu's course Statistical Data Privacy, github.com/monika76five/StatisticalDataPrivacy"


def of_course(path: str, row_names_in: str | None = None) -> Upstream:
    """Describe a file of the course.

    `row_names_in` is its SHA-256 if it has a column of row names.
    """
    convert: Conversion = "as_is" if row_names_in is None else "drop_row_names"
    return Upstream(COURSE_REPOSITORY, COURSE_COMMIT, path, sha256=row_names_in, convert=convert)


def of_slides(file: str) -> Upstream:
    """Describe a file of lecture 8 of the course Statistical Data Privacy, fall 2021."""
    return Upstream(
        "monika76five/StatisticalDataPrivacy",
        "5d615c8b57c180385f6a4ff616e1ee836ae0bace",
        f"lectures/Lecture 8 Methods for risk evaluation part 1/{file}",
    )
