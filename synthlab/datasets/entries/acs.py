"""American Community Survey 2012."""

from __future__ import annotations

from synthlab.datasets._entry import PUBLIC_DOMAIN, DataFile, Entry, Version, labelled, levels, stand_in
from synthlab.datasets.entries._courses import COURSE, SLIDES, of_course, of_slides

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
                    upstream=of_course("datasets/ACSdata_org.csv"),
                ),
                DataFile(
                    "acs_synthetic_lecture.csv",
                    "93d86a0f4b1c1df0103860c729e337f83ff27c3c44d1d47b8634ddcc28819744",
                    "lecture",
                    upstream=of_course("datasets/ACSdata_syn.csv"),
                ),
                DataFile(
                    "acs_synthetic_2.csv",
                    "bf04dd22e14565737f3f1799e66b49f810c5e84fe1d4cba0649da5fb03bfb170",
                    "2",
                    upstream=of_course(
                        "datasets/ACSdata_syn2.csv",
                        row_names_in="e9ad6d3182911de77347930812b18f1ed269fe7894094c69c9021f7a1844279b",
                    ),
                ),
                DataFile(
                    "acs_synthetic_3.csv",
                    "1ab5cff0a9ece0ffb935453c4f2778a3b622055a1b4ad07aace282797c9eca15",
                    "3",
                    upstream=of_course(
                        "datasets/ACSdata_syn3.csv",
                        row_names_in="204a2bd84fc4c41e56c32e25b9c99eb57f545e73592a8f1a0abead74fc28e8c8",
                    ),
                ),
            ),
            notes='The synthetic versions are from the course (DPMPM); "lecture" is the version of lecture 8.',
        ),
        stand_in(
            rows=10_000,
            source="data/make_acs.py, seed 20120701",
            files=(
                DataFile("acs_simulated.csv", "4229080d0c097a91da314ffd1a5539ee67c379166c13ec551e0966397d3add76"),
                *labelled(
                    "acs_simulated_synthetic_{}.csv",
                    {
                        "lecture": "4c2e35511819d75f52222a8c9639108aa2224e177074e5c195044fa2f1971326",
                        "2": "e2838bdaa34c06b1a39308821266f713e2014b5f39e5b99e8c068535aa82812a",
                        "3": "02ca3f53d92cf1a6ddbb4da39a1f04349b1da6dcb3fbcf541ad211f2d0bd16c2",
                    },
                ),
            ),
            notes="A stand-in with the rounded shares of the real sample; its results are close to the results of the lecture.",
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
                    upstream=of_course("datasets/ACSdata_org.csv"),
                ),
                DataFile(
                    "acs_slides_synthetic.csv",
                    "acb60e6a6ebef71409a756d17d9e50ae2f75944537527ca952b90bdaef054f29",
                    "slides",
                    upstream=of_slides("ACSdata_syn.csv"),
                    more_columns=True,
                ),
            ),
            notes="DIS and HICOV synthesized with a DPMPM (NPBayesImputeCat).",
        ),
    ),
)
