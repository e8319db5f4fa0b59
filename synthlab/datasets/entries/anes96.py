"""American National Election Study 1996."""

from __future__ import annotations

from synthlab.datasets import _generated
from synthlab.datasets._entry import Entry, Version, codes, number, whole

LEFT_RIGHT = "1 extremely liberal .. 4 moderate .. 7 extremely conservative"

ANES96 = Entry(
    name="anes96",
    title="American National Election Study 1996, a subset of 944 voters",
    known=("popul", "age", "educ"),
    sensitive=("income", "vote"),
    variables={
        "popul": number("population of the place of residence, in 1,000 people"),
        "TVnews": whole("days a week with television news"),
        "selfLR": whole(f"own political leaning: {LEFT_RIGHT}"),
        "ClinLR": whole(f"leaning of Bill Clinton as seen by the respondent: {LEFT_RIGHT}"),
        "DoleLR": whole(f"leaning of Bob Dole as seen by the respondent: {LEFT_RIGHT}"),
        "PID": whole("party: 0 strong Democrat .. 3 independent .. 6 strong Republican"),
        "age": whole("age in years"),
        "educ": whole(
            "education: 1 to grade 8, 2 some high school, 3 high school, 4 some college, 5 college, 6 master, 7 PhD"
        ),
        "income": whole("household income bracket: 1 under $3,000 .. 16 $30,000-34,999 .. 24 $105,000 and over"),
        "vote": codes("expected vote: 0 Clinton, 1 Dole", 0, 1),
        "logpopul": number("log(popul + 0.1)"),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=944,
            source="The American National Election Studies, 1996; from statsmodels (anes96)",
            licence="public domain",
            make=_generated.anes96,
            sha256="6e2ec0e222334c6910f4ec03ce953b1a979c87513147c98bab972575ac58446b",
        ),
    ),
)
