"""Make the simulated stand-in for the 1987 Survey of Youth in Custody.

    python data/make_youths.py

Nobody's record is in it. It has the columns and codes of the survey, 2,621 youths in 50 facilities of 16 strata, and
shares of our choosing near the published ones. Each facility has a race and an ethnic mix of its own, a mean age, and,
if it is one of the mixed ones, a share of girls: what makes some youths the only ones of their race and ethnicity in
their facility. Everything else depends on age and on a score (how long the record of the youth is), which differ
from facility to facility as well, so that facility and race can be predicted a little from the rest.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sampling import dirichlet, lean, normal, pick, pick_by, write

SEED = 19871231
N = 2_621

# stratum: {facility: youths}; strata 6 to 16 are one facility each, which represents itself. "rest": what is left of N
FACILITIES: dict[int, dict[int, int]] = {
    1: {11: 6, 12: 8, 22: 40, 23: 45, 24: 8, 25: 12, 26: 7, 32: 18, 34: 5, 35: 12, 44: 22},
    2: {9: 20, 10: 18, 15: 28, 31: 5, 33: 15, 36: 45, 45: 28},
    3: {27: 50, 37: 45, 38: 55, 43: 45, 46: 32, 47: 50, 51: 50},
    4: {13: 140, 16: 55, 18: 70, 29: 60, 40: 95, 50: 50, 52: 70},
    5: {17: 105, 19: 85, 39: 80, 41: 75, 42: 60, 48: 65, 49: 0},
    **{6: {30: 45}, 7: {20: 8}, 8: {5: 65}, 9: {8: 80}, 10: {6: 65}, 11: {1: 85}},
    **{12: {21: 50}, 13: {4: 95}, 14: {2: 75}, 15: {3: 105}, 16: {7: 150}},
}
SIZE_UNKNOWN = (7, 12, 25, 26)  # coded 999 in facsize
# survey weight of a youth by stratum, and how much facilities differ in it (a factor)
WEIGHT = {1: 18, 2: 22, 3: 13, 4: 6, 5: 6, 6: 7, 7: 11, 8: 8, 9: 8, 10: 8, 11: 8, 12: 11, 13: 8, 14: 11, 15: 8, 16: 12}
WEIGHT_SPREAD = 0.4

RACE = np.array([51.0, 43.0, 1.0, 2.7, 2.3])  # per cent; facilities are spread around it
RACE_CONCENTRATION = 9.0
HISPANIC_SHARE, HISPANIC_CONCENTRATION = 0.19, 3.5
HISPANIC_BY_RACE = {1: 0.4, 2: -0.9, 3: -0.3, 4: 0.0, 5: 2.6}  # lean towards Hispanic
GIRLS = {
    9: 1.0,
    2: 0.4,
    15: 0.15,
    20: 0.3,
    21: 0.05,
    29: 0.1,
    43: 0.25,
    46: 0.1,
    47: 0.3,
    48: 0.2,
    49: 0.15,
    51: 0.25,
    52: 0.15,
}
AGE_MEAN, AGE_BETWEEN, AGE_WITHIN = 16.0, 0.8, 1.25
OLDER = {7: 20.0, 8: 19.7, 3: 19.5, 2: 18.7, 6: 18.3}  # facilities for young adults

LIVED_WITH = {True: (44, 4, 38, 8, 2.5, 0.2, 1.4, 0.2, 1.7), False: (52, 6, 26, 10, 2.7, 0.2, 1.5, 0.2, 1.4)}
CRIME = (44.6, 42.5, 6.5, 4.8, 1.6)
# share of yes, and how it leans with the score
YES = {"everviol": (0.62, 0.35), "prviol": (0.36, 0.45), "prprop": (0.69, 0.6), "prdrug": (0.26, 0.5)}
YES |= {"prpub": (0.18, 0.4), "prjuv": (0.35, 0.15), "everdrug": (0.83, 0.45)}
MISSING = {"race": 3, "ethnicty": 8, "livewith": 4, "famtime": 33, "crimtype": 12, "numarr": 54, "probtn": 32}
MISSING |= {"corrinst": 38, "evertime": 18, "agefirst": 38, "usewepn": 13, "alcuse": 6, "everdrug": 6}
COLUMNS = [
    "stratum",
    "psu",
    "facility",
    "facsize",
    "finalwt",
    "randgrp",
    "age",
    "race",
    "ethnicty",
    "educ",
    "gender",
    "livewith",
    "famtime",
    "crimtype",
    "everviol",
    "numarr",
    "probtn",
    "corrinst",
    "evertime",
    "prviol",
    "prprop",
    "prdrug",
    "prpub",
    "prjuv",
    "agefirst",
    "usewepn",
    "alcuse",
    "everdrug",
]


def make_facilities(rng: np.random.Generator) -> pd.DataFrame:
    """Draw what is particular to each facility, one row a facility."""
    rows = [(s, f, size) for s, group in FACILITIES.items() for f, size in group.items()]
    table = pd.DataFrame(rows, columns=["stratum", "facility", "youths"])
    table.loc[table["youths"] == 0, "youths"] = N - table["youths"].sum()
    n = len(table)
    table["race"] = [dirichlet(rng.random(5), RACE_CONCENTRATION * RACE / 100) for _ in range(n)]
    table["hispanic"] = [
        dirichlet(rng.random(2), HISPANIC_CONCENTRATION * np.array([HISPANIC_SHARE, 1 - HISPANIC_SHARE]))[0]
        for _ in range(n)
    ]
    table["age"] = AGE_MEAN + AGE_BETWEEN * normal(rng.random(n))
    table["age"] = table["facility"].map(OLDER).fillna(table["age"])
    table["score"] = 0.4 * normal(rng.random(n))
    factor = np.exp(WEIGHT_SPREAD * normal(rng.random(n)) * (table["stratum"] <= 3))
    table["weight"] = np.clip(np.round(table["stratum"].map(WEIGHT) * factor), 5, 50)
    table["facsize"] = np.round(table["youths"] * (1 + table["weight"] / 8 * rng.random(n)) + 5)
    table.loc[table["facility"].isin(SIZE_UNKNOWN), "facsize"] = 999
    return table


def make_youths(rng: np.random.Generator) -> pd.DataFrame:
    """Draw the youths of every facility."""
    places = make_facilities(rng)
    at = np.repeat(np.arange(len(places)), places["youths"])
    one = {c: places[c].to_numpy()[at] for c in places.columns}
    frame = pd.DataFrame({c: one[c] for c in ("stratum", "facility", "facsize")})
    frame["psu"] = np.where(one["stratum"] <= 5, one["facility"], np.arange(1, N + 1))
    frame["finalwt"] = np.minimum(one["weight"] + (rng.random(N) < 0.2), 50)
    frame["randgrp"] = pick(rng.random(N), np.ones(7))
    age = np.clip(np.round(one["age"] + AGE_WITHIN * normal(rng.random(N))), 11, 24).astype(np.int64)
    frame["age"] = age
    frame["race"] = pick_by(rng.random(N), at.tolist(), dict(enumerate(places["race"])))
    hispanic = np.clip(one["hispanic"], 1e-6, 1 - 1e-6)
    shift = frame["race"].map(HISPANIC_BY_RACE).to_numpy()
    frame["ethnicty"] = np.where(lean(rng.random(N), -shift) < hispanic, 1, 2)
    girls = frame["facility"].map(GIRLS).fillna(0.0).to_numpy()
    frame["gender"] = np.where(rng.random(N) < girls, 2, 1)
    score = one["score"] + 0.1 * (age - 16.5) + 0.9 * normal(rng.random(N)) - 0.2 * (frame["gender"] == 2)
    return add_answers(frame, age, score.to_numpy(), rng)


def add_answers(frame: pd.DataFrame, age: np.ndarray, score: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Draw the answers, which depend on age, race and the score."""
    school = np.round(9.3 + 0.55 * (age - 16.5) + 1.2 * normal(rng.random(N)) - 0.3 * score)
    degree = pick(rng.random(N), (98.7, 0.5, 0.8))
    frame["educ"] = np.select([degree == 2, degree == 3], [13, 14], np.clip(school, 0, 12)).astype(np.int64)
    white = (frame["race"] == 1).tolist()
    frame["livewith"] = pick_by(rng.random(N), white, LIVED_WITH)
    frame["famtime"] = 1 + (lean(rng.random(N), 0.25 * score) < 0.49)
    frame["crimtype"] = pick(lean(rng.random(N), -0.1 * (age - 16.5)), CRIME)
    for name, (share, slope) in YES.items():
        frame[name] = (lean(rng.random(N), slope * score) > 1 - share).astype(np.int64)
    frame["numarr"] = np.clip(np.round(np.exp(1.7 + 0.55 * score + 0.75 * normal(rng.random(N)))), 1, 96)
    frame["probtn"] = np.clip(np.round(np.exp(0.2 + 0.25 * score + 0.8 * normal(rng.random(N))) - 0.4), 0, 75)
    frame["corrinst"] = np.clip(np.round(np.exp(0.1 + 0.55 * score + 1.0 * normal(rng.random(N))) - 0.6), 0, 60)
    frame["evertime"] = 1 + (lean(rng.random(N), 0.5 * score) < 0.385)
    frame["agefirst"] = np.clip(np.round(13.0 - 0.9 * score + 2.1 * normal(rng.random(N))), 4, np.minimum(age, 20))
    weapon = lean(rng.random(N), 0.9 * (frame["crimtype"] == 1).to_numpy() + 0.1 * score)
    frame["usewepn"] = 1 + (weapon < 0.85)
    frame["alcuse"] = pick(lean(rng.random(N), -0.4 * score), (76.5, 6.6, 16.9))
    for name, count in MISSING.items():
        lost = np.argsort(rng.random(N))[:count]
        frame[name] = frame[name].astype("Int64")
        frame.loc[lost, name] = pd.NA
    return frame[COLUMNS].astype("Int64")


def main() -> None:
    """Write the file."""
    write({"youths_simulated.csv": make_youths(np.random.default_rng(SEED))}, "Make the stand-in for the youths.")


if __name__ == "__main__":
    main()
