"""Extramarital affairs, Redbook survey of 1974."""

from __future__ import annotations

from synthlab.datasets import _generated
from synthlab.datasets._entry import Entry, Version, levels, number, whole

OCCUPATION = (
    "1 student, 2 farming, agriculture, semi-skilled or unskilled, 3 white-collar, 4 teacher, counselor, social worker, "
    "nurse, artist, writer, technician, skilled, 5 managerial, administrative, business, 6 professional with advanced degree"
)

AFFAIRS = Entry(
    name="affairs",
    title="Extramarital affairs of 6,366 married women, Redbook survey of 1974",
    known=("age", "yrs_married", "children", "educ", "occupation"),
    sensitive=("affairs",),
    variables={
        "rate_marriage": whole("how she rates her marriage: 1 very poor, 2 poor, 3 fair, 4 good, 5 very good"),
        "age": number("age in years, midpoint of the bracket (42: 40 or over)"),
        "yrs_married": number(
            "years married, a code: 0.5 under 1, 2.5 1 to 4, 6 5 to 7, 9 8 to 10; over 10, by the age of the oldest child: "
            "13 under 12 or none, 16.5 12 to 17, 23 18 or over"
        ),
        "children": number("number of children (5.5: five or more)"),
        "religious": whole("how religious: 1 not, 2 mildly, 3 fairly, 4 strongly"),
        "educ": number(
            "years of school: 9 grade, 12 high school, 14 some college, 16 college, 17 some graduate, 20 advanced"
        ),
        "occupation": levels(f"occupation: {OCCUPATION}", 6),
        "occupation_husb": levels("occupation of the husband, with the codes of occupation", 6),
        "affairs": number("measure of the time spent in extramarital affairs; 0 for two women in three"),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=6_366,
            source="R. Fair (1978), A Theory of Extramarital Affairs, Journal of Political Economy 86; from statsmodels (fair)",
            licence="included in statsmodels with permission of the author",
            make=_generated.affairs,
            sha256="7fbd283cca27fda1e839ff24a96990312e3d9311b6cda73bbd1e13b104a520f5",
        ),
    ),
)
