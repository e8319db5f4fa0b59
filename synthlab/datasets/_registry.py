"""Every dataset, declared once: variables, roles, versions, files, SHA-256, source, licence.

A new dataset is one `Entry` here (and its file in ``data/``, with the script that makes it).
"""

from __future__ import annotations

from synthlab.datasets import _made, _own
from synthlab.datasets._entry import (
    Conversion,
    DataFile,
    Entry,
    Upstream,
    Variable,
    Version,
    codes,
    levels,
    named,
    number,
    whole,
    with_missing,
)
from synthlab.datasets.esc import ESC_LEVELS

PUBLIC_DOMAIN = "work of the U.S. government, in the public domain"
OURS = "BSD-3-Clause, as synthlab"

COURSE = "Jingchen Hu's course Data Confidentiality, github.com/monika76five/Data-Confidentiality"
COURSE_REPOSITORY = "monika76five/Data-Confidentiality"
COURSE_COMMIT = "e11127ee5cad8bf98901d339b7195410c9aab1fb"


def _course(path: str, row_names_in: str | None = None) -> Upstream:
    """Name a file of the course; with its SHA-256 where it has a column of row names that the file here has not."""
    convert: Conversion = "as_is" if row_names_in is None else "drop_row_names"
    return Upstream(COURSE_REPOSITORY, COURSE_COMMIT, path, sha256=row_names_in, convert=convert)


SLIDES = "Jingchen Hu's course Statistical Data Privacy, github.com/monika76five/StatisticalDataPrivacy"


def _slides(file: str) -> Upstream:
    """Name a file of lecture 8 of the course Statistical Data Privacy, fall 2021."""
    return Upstream(
        "monika76five/StatisticalDataPrivacy",
        "5d615c8b57c180385f6a4ff616e1ee836ae0bace",
        f"lectures/Lecture 8 Methods for risk evaluation part 1/{file}",
    )


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
        "occupation_husb": levels("occupation of the husband, codes as of occupation", 6),
        "affairs": number("measure of the time spent in extramarital affairs; 0 for two women in three"),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=6_366,
            source="R. Fair (1978), A Theory of Extramarital Affairs, Journal of Political Economy 86; from statsmodels (fair)",
            licence="included in statsmodels with permission of the author",
            make=_made.affairs,
            sha256="7fbd283cca27fda1e839ff24a96990312e3d9311b6cda73bbd1e13b104a520f5",
        ),
    ),
)

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
            make=_made.anes96,
            sha256="6e2ec0e222334c6910f4ec03ce953b1a979c87513147c98bab972575ac58446b",
        ),
    ),
)

ACS = Entry(
    name="acs",
    title="American Community Survey 2012, a sample of 10,000 people, nine categorical variables",
    known=("SEX", "RACE", "MAR"),
    sensitive=("LANX", "WAOB", "DIS", "HICOV"),
    synthesized=("LANX", "WAOB", "DIS", "HICOV"),
    variables={
        "SEX": levels("1 male, 2 female", 2),
        "RACE": levels("1 White, 2 Black, 3 American Indian, 4 other, 5 two or more races, 6 Asian", 6),
        "MAR": levels("1 married, 2 widowed, 3 divorced, 4 separated, 5 never married", 5),
        "LANX": levels("1 speaks another language than English, 2 only English", 2),
        "WAOB": levels(
            "born in: 1 US state, 2 Puerto Rico, US islands, Oceania or at sea, 3 Latin America, 4 Asia, 5 Europe, "
            "6 Africa, 7 Northern America",
            7,
        ),
        "DIS": levels("1 has a disability, 2 none", 2),
        "HICOV": levels("1 has health insurance, 2 none", 2),
        "MIG": levels("a year ago: 1 in the same house, 2 outside the US and Puerto Rico, 3 in another house there", 3),
        "SCH": levels("in the last 3 months: 1 no school, 2 public school or college, 3 private or home school", 3),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=10_000,
            source=f"U.S. Census Bureau, American Community Survey 2012, public use microdata; sample of {COURSE}",
            licence=f"survey: {PUBLIC_DOMAIN}; the course states no licence, so the files are fetched, not shipped",
            files=(
                DataFile(
                    "acs_confidential.csv",
                    "4dee1ccfe1d9f732b2061c178cac919df887c92b16fd5e6141583218f2a0d131",
                    upstream=_course("datasets/ACSdata_org.csv"),
                ),
                DataFile(
                    "acs_synthetic_lecture.csv",
                    "93d86a0f4b1c1df0103860c729e337f83ff27c3c44d1d47b8634ddcc28819744",
                    "lecture",
                    upstream=_course("datasets/ACSdata_syn.csv"),
                ),
                DataFile(
                    "acs_synthetic_2.csv",
                    "bf04dd22e14565737f3f1799e66b49f810c5e84fe1d4cba0649da5fb03bfb170",
                    "2",
                    upstream=_course(
                        "datasets/ACSdata_syn2.csv",
                        row_names_in="e9ad6d3182911de77347930812b18f1ed269fe7894094c69c9021f7a1844279b",
                    ),
                ),
                DataFile(
                    "acs_synthetic_3.csv",
                    "1ab5cff0a9ece0ffb935453c4f2778a3b622055a1b4ad07aace282797c9eca15",
                    "3",
                    upstream=_course(
                        "datasets/ACSdata_syn3.csv",
                        row_names_in="204a2bd84fc4c41e56c32e25b9c99eb57f545e73592a8f1a0abead74fc28e8c8",
                    ),
                ),
            ),
            notes='The synthetic versions are those of the course (DPMPM); "lecture" is the one of lecture 8.',
        ),
        Version(
            name="simulated",
            kind="simulated",
            rows=10_000,
            source="data/make_acs.py, seed 20120701",
            licence=OURS,
            packaged=True,
            files=(
                DataFile("acs_simulated.csv", "4229080d0c097a91da314ffd1a5539ee67c379166c13ec551e0966397d3add76"),
                DataFile(
                    "acs_simulated_synthetic_lecture.csv",
                    "4c2e35511819d75f52222a8c9639108aa2224e177074e5c195044fa2f1971326",
                    "lecture",
                ),
                DataFile(
                    "acs_simulated_synthetic_2.csv",
                    "e2838bdaa34c06b1a39308821266f713e2014b5f39e5b99e8c068535aa82812a",
                    "2",
                ),
                DataFile(
                    "acs_simulated_synthetic_3.csv",
                    "02ca3f53d92cf1a6ddbb4da39a1f04349b1da6dcb3fbcf541ad211f2d0bd16c2",
                    "3",
                ),
            ),
            notes="A stand-in: shares as in the real sample, rounded; its numbers are near those of the lecture, not equal.",
        ),
        Version(
            name="slides",
            kind="real",
            rows=10_000,
            source=f"the same sample, with the synthetic data on the slides of lecture 8 of {SLIDES}",
            licence=f"survey: {PUBLIC_DOMAIN}; the course states no licence, so the files are fetched, not shipped",
            synthesized=("DIS", "HICOV"),
            files=(
                DataFile(
                    "acs_confidential.csv",
                    "4dee1ccfe1d9f732b2061c178cac919df887c92b16fd5e6141583218f2a0d131",
                    upstream=_course("datasets/ACSdata_org.csv"),
                ),
                DataFile(
                    "acs_slides_synthetic.csv",
                    "acb60e6a6ebef71409a756d17d9e50ae2f75944537527ca952b90bdaef054f29",
                    "slides",
                    upstream=_slides("ACSdata_syn.csv"),
                    more_columns=True,
                ),
            ),
            notes="DIS and HICOV synthesized with a DPMPM (NPBayesImputeCat).",
        ),
    ),
)

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
                DataFile(
                    "ce_hornby_synthetic_1.csv", "ccae5e06f8f6c872e3e4dbcd3721aabcf99e4bdffd378c584dfb3e515e048308", "1"
                ),
                DataFile(
                    "ce_hornby_synthetic_2.csv", "46226aa35a6073444d20a9f62d7e4c0fd8fe837303ef279f3ce77ac4160ea586", "2"
                ),
                DataFile(
                    "ce_hornby_synthetic_3.csv", "2f7495a92776cc7dcb34edf50f9740d5186fee7e614fdd263dc6c95d625e567f", "3"
                ),
            ),
            notes="The synthetic versions hot-deck income and expenditure within tenure, with 15 percent log noise, and "
            "redraw a fifth of tenure and urban; they were made for this project and are not published.",
        ),
        Version(
            name="simulated",
            kind="simulated",
            rows=5_571,
            source="data/make_ce.py, seed 20170331",
            licence=OURS,
            packaged=True,
            files=(
                DataFile("ce_simulated.csv", "a8e18aa9c667ea62706dc997927a0fdbd828ab112ef1db93bb57995c126ac5d1"),
                DataFile(
                    "ce_simulated_synthetic_1.csv",
                    "a1a2b46a179204664b40f9ace1d61e1412809b01b0e258a5ae188e68b06676db",
                    "1",
                ),
                DataFile(
                    "ce_simulated_synthetic_2.csv",
                    "fe3075270145f3d110a70aaa54384a0118ef3428eb643923583cdbe93a9b6619",
                    "2",
                ),
                DataFile(
                    "ce_simulated_synthetic_3.csv",
                    "d3f0402ae5fdee2b39ca21e68b4c46175e9165f3f40fa80c339fede8893f6d8c",
                    "3",
                ),
            ),
            notes="A stand-in: shares, percentiles and associations as in the real sample, rounded. The synthetic versions "
            "are made as those of the real sample.",
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
                    upstream=_course("Lectures/Lecture3-Bayesian-Synthesis-Models-1/CEdata.csv"),
                ),
            ),
        ),
        Version(
            name="simulated",
            kind="simulated",
            rows=994,
            source="data/make_ce.py, seed 20170331",
            licence=OURS,
            packaged=True,
            files=(
                DataFile(
                    "ce_lecture_simulated.csv", "d3dbc78efb5a87469498d36e2e1e7a7f4043bb3fb3a338c7d36fd7f791f6123c"
                ),
            ),
            notes="A stand-in: shares and percentiles as in the real sample, rounded.",
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
                    upstream=_slides("CEdata.csv"),
                    more_columns=True,
                ),
                DataFile(
                    "ce_slides_synthetic.csv",
                    "b78471f508f8b12504b896844c63e1f6f1e5d545f7a4255da2c39ca20284a6bd",
                    "slides",
                    upstream=_slides("CEdata_syn_SLR.csv"),
                    more_columns=True,
                ),
            ),
            notes="Expenditure synthesized by a linear regression of its logarithm on that of Income.",
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
        "earner": levels("the reference person is: 1 an earner, 2 none", 2),
        "income": number("family income before taxes, dollars; zeros and losses occur"),
    },
    versions=(
        Version(
            name="simulated",
            kind="simulated",
            rows=6_208,
            source="data/make_ce2017.py, seed 6208; J. Hu, T. D. Savitsky & M. R. Williams, Risk-Efficient Bayesian Data "
            "Synthesis for Privacy Protection, tables 1, 3 and 4",
            licence=OURS,
            packaged=True,
            files=(DataFile("ce2017.csv", "886095b756867cd275e4b93941b902af43c5353c297cd8c2657067b75979be8b"),),
            notes="The sample of the paper is not public. This one meets what the paper publishes of it (categories, "
            "patterns, mean, median, quantiles and range of income, the coefficient of earner); all else is judgement.",
        ),
        Version(
            name="pumd",
            kind="real",
            rows=_own.CE_ROWS,
            source="U.S. Bureau of Labor Statistics, Consumer Expenditure Surveys, interview survey, public-use microdata, "
            "first quarter of 2017",
            licence=PUBLIC_DOMAIN,
            files=(DataFile("fmli171x.csv", ""),),
            recode=_own.consumer_units,
            title="Consumer Expenditure Survey, first quarter of 2017, public-use microdata, 6,208 consumer units",
            bring="fmli171x.csv of intrvw17.zip, public-use microdata of 2017, www.bls.gov/cex/pumd_data.htm",
            notes="The public file has no type of urban area and no status in the statistical area; its incomes are topcoded.",
        ),
    ),
)

NB_MIXTURE_SOURCE = "simulation study of J. Hu, T. D. Savitsky & M. R. Williams, Risk-Efficient Bayesian Data Synthesis for Privacy Protection"

NB_MIXTURE = Entry(
    name="nb_mixture",
    title="Counts from 0.7 NB(mu 100, phi 20) + 0.3 NB(mu 100, phi 5)",
    known=(),
    sensitive=("outcome",),
    variables={"outcome": Variable(text="a count", dtype="int64")},
    versions=(
        Version(
            name="paper",
            kind="simulated",
            rows=1_000,
            source=f"{NB_MIXTURE_SOURCE}; its own values, R's set.seed(123) and MASS::rnegbin",
            licence=OURS,
            packaged=True,
            files=(
                DataFile("nb_mixture_paper.csv", "5d398d1e41359dc3d53582fc89ad8a00891f98d5f53ea8f3aff78698fcf1a579"),
            ),
            notes="Mean 100.70 and median 97.93 over bootstrap samples in table 6 of the paper.",
        ),
        Version(
            name="simulated",
            kind="simulated",
            rows=1_000,
            source=f"drawn anew as in the {NB_MIXTURE_SOURCE}",
            licence=OURS,
            make=_made.nb_mixture,
            seeded=True,
            notes="Give rng for a sample that can be drawn again, n for its size.",
        ),
    ),
)

ESC = Entry(
    name="esc",
    title="Simulated table of school pupils with the cell sizes of the substitute of the English School Census",
    known=("GEOGRAPHY", "ETHNICITY", "SEX", "AGE", "LANGUAGE"),
    sensitive=("count",),
    unit="occupied cells",
    variables={
        "GEOGRAPHY": named("local authority of the pupil, 326 of them, by number", ESC_LEVELS["GEOGRAPHY"]),
        "ETHNICITY": named("ethnicity, 20 levels", ESC_LEVELS["ETHNICITY"]),
        "SEX": named("sex, 4 levels", ESC_LEVELS["SEX"]),
        "AGE": codes("age in years", *range(19)),
        "LANGUAGE": named("first language, 7 levels", ESC_LEVELS["LANGUAGE"]),
        "count": whole("number of pupils in the cell; a cell that is not in the frame is empty"),
    },
    versions=(
        Version(
            name="simulated",
            kind="simulated",
            rows=333_660,
            source="synthlab/datasets/esc.py, seed 20220711; J. Jackson, R. Mitra, B. Francis & I. Dove, The appeal of the "
            "gamma family distribution to protect the confidentiality of contingency tables, tables 1 and 2",
            licence=OURS,
            make=_made.esc_table,
            sha256="09b63b082455dbf79d1f55329eb8746bfd28a0ddae4cfd6513db5cef82c7badb",
            notes="One row an occupied cell of 326 x 20 x 4 x 19 x 7 = 3,468,640; synthlab.counts.Table.from_frame(frame, "
            'count="count") puts the empty cells back. The numbers of cells of size 0, 1, ..., 10 and above are the '
            "published ones, exactly; which cells they are, the counts above 10, and the names of the levels were chosen here.",
        ),
        Version(
            name="archive",
            kind="real",
            rows=333_660,
            source="S. Blanchard, J. E. Jackson, R. Mitra, B. J. Francis & I. Dove (2022), A constructed English School Census "
            "substitute, Lancaster University",
            licence="as the archive says",
            files=(DataFile("esc_rep.csv", ""),),
            recode=_own.school_census,
            title="Table of school pupils, the substitute of the English School Census",
            bring="the substitute of the English School Census of Blanchard et al. (2022), Lancaster University, as esc_rep.csv "
            "with columns GEOGRAPHY, ETHNICITY, SEX, AGE, LANGUAGE, one row a pupil, or one row a cell and its COUNT",
            notes="Tables 1 and 2 of the paper are its checksum.",
        ),
    ),
)

YES_NO = "1 yes, 2 no"
EARLIER = "1 arrested before for {}, 0 not"

YOUTHS = Entry(
    name="youths",
    title="Survey of Youth in Custody 1987, 2,621 youths in 50 facilities",
    known=("ethnicty",),
    sensitive=("facility", "race"),
    variables={
        "stratum": levels("sampling stratum; 6 to 16 are one facility each, which represents itself", 16),
        "psu": whole("primary sampling unit: the facility in strata 1 to 5, else the number of the youth"),
        "facility": codes("facility", *(f for f in range(1, 53) if f not in (14, 28))),
        "facsize": whole("youths in the facility who could be asked; 999 not known"),
        "finalwt": whole("survey weight: how many youths in custody this one stands for"),
        "randgrp": levels("random group, for variance estimation", 7),
        "age": whole("age in years"),
        "race": with_missing(
            levels("1 White, 2 Black, 3 Asian or Pacific Islander, 4 American Indian or Alaska native, 5 other", 5)
        ),
        "ethnicty": with_missing(levels("1 Hispanic, 2 not", 2)),
        "educ": whole("highest grade before custody, 0 to 12; 13 GED, 14 other"),
        "gender": levels("1 male, 2 female", 2),
        "livewith": with_missing(
            levels(
                "grew up mostly with: 1 mother, 2 father, 3 both, 4 grandparents, 5 other relatives, 6 friends, 7 foster "
                "home, 8 agency or institution, 9 someone else",
                9,
            )
        ),
        "famtime": with_missing(levels(f"someone of the family has been in jail or prison: {YES_NO}", 2)),
        "crimtype": with_missing(
            levels("most serious current offence: 1 violent, 2 property, 3 drug, 4 public order, 5 juvenile status", 5)
        ),
        "everviol": codes("ever on probation or committed for violence: 1 yes, 0 no", 0, 1),
        "numarr": with_missing(number("times arrested")),
        "probtn": with_missing(number("times on probation")),
        "corrinst": with_missing(number("earlier commitments to an institution")),
        "evertime": with_missing(levels(f"served time before: {YES_NO}", 2)),
        "prviol": codes(EARLIER.format("a violent offence"), 0, 1),
        "prprop": codes(EARLIER.format("a property offence"), 0, 1),
        "prdrug": codes(EARLIER.format("a drug offence"), 0, 1),
        "prpub": codes(EARLIER.format("a public-order offence"), 0, 1),
        "prjuv": codes(EARLIER.format("a juvenile-status offence"), 0, 1),
        "agefirst": with_missing(number("age at first arrest, years")),
        "usewepn": with_missing(levels(f"used a weapon in the incident: {YES_NO}", 2)),
        "alcuse": with_missing(levels("drank alcohol: 1 in the year before, 2 not in that year, 3 never", 3)),
        "everdrug": with_missing(codes("ever used illegal drugs: 1 yes, 0 no", 0, 1)),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=2_621,
            source="U.S. Bureau of Justice Statistics, Survey of Youth in Custody, 1987, as in S. Lohr, Sampling: Design and "
            "Analysis; data set syc of the R package SDAResources 0.1.1, written as CSV, blank where missing",
            licence=f"survey: {PUBLIC_DOMAIN}; the R package is GPL-2 or GPL-3, so the file is not shipped",
            files=(DataFile("syc.csv", "ba5824fa2f556f34d64891c055d1cabb2e52ec13550ed906b7b6478ae965d029"),),
            notes="265 answers of 199 youths are missing.",
        ),
        Version(
            name="simulated",
            kind="simulated",
            rows=2_621,
            source="data/make_youths.py, seed 19871231",
            licence=OURS,
            packaged=True,
            files=(
                DataFile("youths_simulated.csv", "56aad0f01c37f1e871fa2d4f7107d38d52aa844baace73fd122b4ea881482c6e"),
            ),
            notes="A stand-in: strata, facilities and shares near those of the survey, and as many answers missing; who is "
            "alone of race and ethnicity in a facility differs.",
        ),
    ),
)

REGISTRY: dict[str, Entry] = {
    entry.name: entry for entry in (AFFAIRS, ANES96, ACS, CE, CE_LECTURE, CE2017, NB_MIXTURE, ESC, YOUTHS)
}
