"""Consumer Expenditure Surveys: three samples of consumer units."""

from __future__ import annotations

from synthlab.datasets import _user_files
from synthlab.datasets._entry import (
    PUBLIC_DOMAIN,
    DataFile,
    Entry,
    Upstream,
    Version,
    codes,
    labelled,
    levels,
    number,
    stand_in,
    whole,
)
from synthlab.datasets.entries._courses import COURSE, SLIDES, of_course, of_slides

CE_UPSTREAM = Upstream(
    repository="RyanHornby/IdentificationRiskCalculation",
    commit="9a7c72e43548d736d6ce9c1f3a3feb097bc1234a",
    path="data/CEdata.RData",
    sha256="6ed79d200d4453d04b6c031c44cdd49a986f4d266f65021ef2e14503a4ad692d",
    convert="r_data",
)

CE = Entry(
    name="ce",
    title="Consumer Expenditure Survey, a sample of 5,571 consumer units",
    known=("Age", "Educ", "Marital"),
    sensitive=("Expenditure", "Income"),
    synthesized=("Urban", "Tenure", "Expenditure", "Income"),
    variables={
        "Age": whole("age of the reference person in years (88: 85 or over)"),
        "Urban": levels("1 urban, 2 rural", 2),
        "Tenure": codes(
            "1 owned with mortgage, 2 owned outright, 4 rented, 5 without rent, 6 student housing", 1, 2, 4, 5, 6
        ),
        "Educ": codes(
            "0 never attended, 10 to grade 8, 11 no diploma, 12 high school, 13 some college, 14 associate, 15 bachelor, "
            "16 master or more",
            *(0, 10, 11, 12, 13, 14, 15, 16),
            ordered=True,
        ),
        "Expenditure": number("expenditure of the unit in the last quarter, dollars"),
        "Marital": levels("1 married, 2 widowed, 3 divorced, 4 separated, 5 never married", 5),
        "Income": number("family income before taxes in the last 12 months, dollars; zeros and losses occur"),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=5_571,
            source="U.S. Bureau of Labor Statistics, Consumer Expenditure Surveys; data set CEdata of the R package "
            "IdentificationRiskCalculation, github.com/RyanHornby/IdentificationRiskCalculation",
            licence=f"survey: {PUBLIC_DOMAIN}; the R package states no licence, so the file is fetched, not shipped",
            files=(
                DataFile(
                    "ce_hornby.csv",
                    "a44c4bd5ab4512da99bccf4a18102d92e3157fb37d205551b65e09071ec66bf0",
                    upstream=CE_UPSTREAM,
                ),
                *labelled(
                    "ce_hornby_synthetic_{}.csv",
                    {
                        "1": "ccae5e06f8f6c872e3e4dbcd3721aabcf99e4bdffd378c584dfb3e515e048308",
                        "2": "46226aa35a6073444d20a9f62d7e4c0fd8fe837303ef279f3ce77ac4160ea586",
                        "3": "2f7495a92776cc7dcb34edf50f9740d5186fee7e614fdd263dc6c95d625e567f",
                    },
                ),
            ),
            notes="The synthetic versions hot-deck income and expenditure within tenure, with 15 percent log noise, and "
            "redraw a fifth of tenure and urban; they were made for this project and are not published.",
        ),
        stand_in(
            rows=5_571,
            source="data/make_ce.py, seed 20170331",
            files=(
                DataFile("ce_simulated.csv", "a8e18aa9c667ea62706dc997927a0fdbd828ab112ef1db93bb57995c126ac5d1"),
                *labelled(
                    "ce_simulated_synthetic_{}.csv",
                    {
                        "1": "a1a2b46a179204664b40f9ace1d61e1412809b01b0e258a5ae188e68b06676db",
                        "2": "fe3075270145f3d110a70aaa54384a0118ef3428eb643923583cdbe93a9b6619",
                        "3": "d3f0402ae5fdee2b39ca21e68b4c46175e9165f3f40fa80c339fede8893f6d8c",
                    },
                ),
            ),
            notes="A stand-in with the rounded shares, percentiles and associations of the real sample. The synthetic versions "
            "are made in the same way as for the real sample.",
        ),
    ),
)

CE_LECTURE = Entry(
    name="ce_lecture",
    title="Consumer Expenditure Survey 2017, the lectures' sample of 994 consumer units",
    known=("UrbanRural", "Race"),
    sensitive=("Income", "Expenditure"),
    variables={
        "UrbanRural": levels("1 urban, 2 rural", 2),
        "Income": number("income of the unit before taxes in the past 12 months, dollars"),
        "Race": levels("1 White, 2 Black, 3 Native American, 4 Asian, 5 Pacific Islander, 6 multi-race", 6),
        "Expenditure": number("expenditure of the unit in the last quarter, dollars"),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=994,
            source=f"U.S. Bureau of Labor Statistics, Consumer Expenditure Surveys, first quarter of 2017; sample of {COURSE}",
            licence=f"survey: {PUBLIC_DOMAIN}; the course states no licence, so the file is fetched, not shipped",
            files=(
                DataFile(
                    "ce_lecture.csv",
                    "a35749d8632294f6ada90f4dd58507a6df94c198883f40a6abea49256f3679fa",
                    upstream=of_course("Lectures/Lecture3-Bayesian-Synthesis-Models-1/CEdata.csv"),
                ),
            ),
        ),
        stand_in(
            rows=994,
            source="data/make_ce.py, seed 20170331",
            files=(
                DataFile(
                    "ce_lecture_simulated.csv", "d3dbc78efb5a87469498d36e2e1e7a7f4043bb3fb3a338c7d36fd7f791f6123c"
                ),
            ),
            notes="A stand-in with the rounded shares and percentiles of the real sample.",
        ),
        Version(
            name="slides",
            kind="real",
            rows=5_133,
            source="U.S. Bureau of Labor Statistics, Consumer Expenditure Surveys; sample on the slides of lectures 4 to 8 of "
            f"{SLIDES}",
            licence=f"survey: {PUBLIC_DOMAIN}; the course states no licence, so the files are fetched, not shipped",
            synthesized=("Expenditure",),
            files=(
                DataFile(
                    "ce_slides.csv",
                    "f00b25419533c3041b39a21cdc5e2c86084e709609b2c8e7e487171758930267",
                    upstream=of_slides("CEdata.csv"),
                    more_columns=True,
                ),
                DataFile(
                    "ce_slides_synthetic.csv",
                    "b78471f508f8b12504b896844c63e1f6f1e5d545f7a4255da2c39ca20284a6bd",
                    "slides",
                    upstream=of_slides("CEdata_syn_SLR.csv"),
                    more_columns=True,
                ),
            ),
            notes="Expenditure is synthesized by a linear regression of its logarithm on the logarithm of Income.",
        ),
    ),
)

EDUCATION = (
    "1 none, 2 to grade 8, 3 no diploma, 4 high school, 5 some college, 6 associate, 7 bachelor, 8 master or more"
)

CE2017 = Entry(
    name="ce2017",
    title="Simulated consumer units in the shape of the CE sample of Hu, Savitsky & Williams, 2017 first quarter",
    known=("gender", "age", "region"),
    sensitive=("income",),
    variables={
        "gender": levels("gender of the reference person: 1 male, 2 female", 2),
        "age": levels(
            "age of the reference person: 1 under 25, 2 25-34, 3 35-49, 4 50-64, 5 65 or over", 5, ordered=True
        ),
        "education": levels(f"education of the reference person: {EDUCATION}", 8, ordered=True),
        "region": levels("1 Northeast, 2 Midwest, 3 South, 4 West", 4),
        "urban": levels("1 urban, 2 rural", 2),
        "marital": levels("1 married, 2 widowed, 3 divorced, 4 separated, 5 never married", 5),
        "urban_type": levels("1 urbanized area, 2 urban cluster, 3 rural area", 3),
        "cbsa": levels("core-based statistical area: 1 principal city, 2 elsewhere in it, 3 outside", 3),
        "family_size": levels("number of people in the unit", 11, ordered=True),
        "earner": levels("the reference person is: 1 an earner, 2 not an earner", 2),
        "income": number("family income before taxes, dollars; zeros and losses occur"),
    },
    versions=(
        stand_in(
            rows=6_208,
            source="data/make_ce2017.py, seed 6208; J. Hu, T. D. Savitsky & M. R. Williams, Risk-Efficient Bayesian Data "
            "Synthesis for Privacy Protection, tables 1, 3 and 4",
            files=(DataFile("ce2017.csv", "886095b756867cd275e4b93941b902af43c5353c297cd8c2657067b75979be8b"),),
            notes="The sample of the paper is not public. This sample agrees with the published properties (categories, "
            "patterns, mean, median, quantiles and range of income, the coefficient of earner); all other properties are assumed.",
        ),
        Version(
            name="pumd",
            kind="real",
            rows=_user_files.CE_ROWS,
            source="U.S. Bureau of Labor Statistics, Consumer Expenditure Surveys, interview survey, public-use microdata, "
            "first quarter of 2017",
            licence=PUBLIC_DOMAIN,
            files=(DataFile("fmli171x.csv", ""),),
            recode=_user_files.consumer_units,
            title="Consumer Expenditure Survey, first quarter of 2017, public-use microdata, 6,208 consumer units",
            bring="fmli171x.csv of intrvw17.zip, public-use microdata of 2017, www.bls.gov/cex/pumd_data.htm",
            notes="The public file lacks the type of urban area and the status in the statistical area; its incomes are topcoded.",
        ),
    ),
)
