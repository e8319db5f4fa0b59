"""Interviews of the Consumer Expenditure Survey 2015, with weights and primary sampling units."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab.datasets._entry import (
    PUBLIC_DOMAIN,
    DataFile,
    Entry,
    Upstream,
    Version,
    codes,
    levels,
    named,
    number,
    whole,
    with_missing,
)

RPMS = Upstream(
    repository="cran/rpms", commit="78f926968152f75b01677f4c821b729efb303cc3", path="data/CE.rda"
)  # version 0.5.1
LARGE_UNITS = [
    *("S11A", "S12A", "S12B", "S23A", "S23B", "S24A", "S24B", "S35A", "S35B", "S35C", "S35D", "S35E"),
    *("S37A", "S37B", "S48A", "S48B", "S49A", "S49B", "S49C", "S49D", "S49E", "S49F", "S49G"),
    *("1102", "1103", "1109", "1110", "1111", "1207", "1208", "1210", "1211", "1312", "1313", "1316", "1318", "1319"),
    *("1320", "1419", "1420", "1422", "1423", "1424", "1429"),
]  # fmt: skip
SOURCES = {
    "month": "QINTRVMO",
    "psu": "PSU",
    "weight": "FINLWT21",
    "region": "REGION",
    "urban": "BLS_URBN",
    "tenure": "CUTENURE",
    "age": "AGE",
    "gender": "SEX",
    "education": "EDUCA",
    "marital": "MARITAL",
    "race": "MEMBRACE",
    "family_size": "FAM_SIZE",
    "earner": "EARNER",
    "income": "FINCBTAX",
    "expenditure": "TOTEXPCQ",
}  # columns of the published file
WORDS = {"gender": {"M": 1, "F": 2}, "earner": {"Y": 1, "N": 2}}


def interviews(raw: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the variables of the dataset, with codes as in ce2017."""
    del where
    found = {"unit": raw["NEWID"] // 10, "interview": raw["NEWID"] % 10}
    for name, source in SOURCES.items():
        values = raw[source]
        if name in WORDS:
            values = values.map(WORDS[name])
        found[name] = values if name == "psu" else pd.to_numeric(values)
    frame = pd.DataFrame(found)
    return frame.astype(dict.fromkeys(("weight", "income", "expenditure"), np.float64))


CE2015 = Entry(
    name="ce2015",
    title="Consumer Expenditure Survey 2015, 68,415 interviews with consumer units",
    known=("gender", "age", "region"),
    sensitive=("income", "expenditure"),
    unit="interviews",
    variables={
        "unit": whole("number of the consumer unit, which is interviewed up to four times"),
        "interview": levels("number of the interview", 5, ordered=True),
        "month": levels("month of the interview", 12, ordered=True),
        "psu": with_missing(named("primary sampling unit; missing except in the largest units", LARGE_UNITS)),
        "weight": number("survey weight: the number of consumer units that the interview represents"),
        "region": with_missing(levels("1 Northeast, 2 Midwest, 3 South, 4 West", 4)),
        "urban": levels("1 urban, 2 rural", 2),
        "tenure": codes(
            "1 owned with mortgage, 2 owned outright, 4 rented, 5 without rent, 6 student housing", 1, 2, 4, 5, 6
        ),
        "age": whole("age of the primary earner in years; 87 is the topcode"),
        "gender": levels("gender of the primary earner: 1 male, 2 female", 2),
        "education": levels(
            "education of the primary earner: 1 none, 2 to grade 8, 3 no diploma, 4 high school, 5 some college, "
            "6 associate, 7 bachelor, 8 master or more",
            8,
            ordered=True,
        ),
        "marital": levels("1 married, 2 widowed, 3 divorced, 4 separated, 5 never married", 5),
        "race": levels("1 White, 2 Black, 3 Native American, 4 Asian, 5 Pacific Islander, 6 multi-race", 6),
        "family_size": whole("number of people in the unit"),
        "earner": levels("the primary earner has earnings: 1 yes, 2 no", 2),
        "income": number("family income before taxes in the last 12 months, dollars; zeros and losses occur"),
        "expenditure": number("expenditure of the unit in the current quarter, dollars"),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=68_415,
            source="U.S. Bureau of Labor Statistics, Consumer Expenditure Surveys, interview survey, public-use microdata of "
            "2015; data set CE of the R package rpms 0.5.1 by D. Toth",
            licence=f"survey: {PUBLIC_DOMAIN}; R package: CC0",
            files=(
                DataFile("CE.rda", "87b11f2faa6c31c3b3cbb7c4827affb3379b3b918e34367ff858ba594d7c9449", upstream=RPMS),
            ),
            recode=interviews,
            notes="Incomes are topcoded by the survey. No stand-in is included.",
        ),
    ),
)
