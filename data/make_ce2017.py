"""Make ce2017: simulated consumer units in the shape of the sample of Hu, Savitsky & Williams.

    python data/make_ce2017.py

The sample of the paper (Consumer Expenditure Surveys, first quarter of 2017, n = 6,208, eleven variables in
its table 1) is not public. What the paper publishes of it is met here: the numbers of categories; 40
patterns of gender x age x region, none with a single unit; mean 72,075.60, median 50,225.15 and 90% quantile
153,916.30 of family income, with the widths of their intervals; the 97.5% quantile near 270K; the range from
about -7K to about 1,800K, three units above 1,000K; the coefficient -45,826.20 of "reference person is no
earner" in the regression of income on region, urban and earner, with the width of its interval, which gives
away that about 35% are not earners. Everything else is judgement: the shares of the categories are those
common in the survey, rounded.

Income comes from a score, linear in the categories plus noise; the ranks of the scores are given the values of
a smooth quantile function. `EARNER` and the anchors in `INCOME` were chosen so that the published numbers
come out after the incomes are rounded as answers are.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sampling import by_rank, heap, log_quantile, normal, pick, pick_by, write

SEED = 62_08
N = 6_208

GENDER = (47, 53)
AGE = (6, 16, 25.5, 28, 24.5)
REGION = (18, 21.5, 35.5, 25)
# by age (under 25, -34, -49, -64, 65 and over)
EDUCATION = {
    1: (0.1, 0.7, 5, 27, 41, 8, 17, 1.2),
    2: (0.2, 1.8, 6, 19, 21, 10, 28, 14),
    3: (0.4, 2.6, 6.5, 20, 20, 11, 25, 14.5),
    4: (0.5, 3, 6.5, 24, 21, 11, 20.5, 13.5),
    5: (0.6, 4.9, 8, 28, 19.5, 8, 17, 14),
}
MARITAL = {
    1: (15, 0.3, 2, 1.2, 81.5),
    2: (46, 1, 5, 2, 46),
    3: (61, 1.5, 14.5, 3.5, 19.5),
    4: (55, 6, 22.5, 3.5, 13),
    5: (49, 26.5, 17.5, 1.5, 5.5),
}
NO_EARNER = {1: (64, 36), 2: (86, 14), 3: (85, 15), 4: (72.5, 27.5), 5: (25, 75)}
# by region: share of rural; by urban: urbanized area, urban cluster, rural area; by both: principal city, rest, none
URBAN = {1: (96, 4), 2: (91.5, 8.5), 3: (93, 7), 4: (97, 3)}
URBAN_TYPE = {1: (80, 9.5, 10.5), 2: (0.8, 9.2, 90)}
CBSA = {(1, 1): (46, 54, 0), (1, 2): (24, 51, 25), (1, 3): (5, 91, 4), (2, 1): (30, 40, 30)}
CBSA |= {(2, 2): (14, 30, 56), (2, 3): (1, 14, 85)}
# by married or not and age: one person, two, ... eleven
FAMILY_SIZE = {
    (True, 1): (0, 45, 28, 17, 7, 2, 1, 0, 0, 0, 0),
    (True, 2): (0, 29, 25, 26, 12, 5, 2, 0.7, 0.3, 0, 0),
    (True, 3): (0, 15, 20, 34, 19, 7.5, 3, 0.9, 0.3, 0.2, 0.1),
    (True, 4): (0, 48, 25, 16, 7, 2.5, 0.9, 0.3, 0.15, 0.1, 0.05),
    (True, 5): (0, 84, 10, 3.5, 1.5, 0.6, 0.2, 0.1, 0.1, 0, 0),
    (False, 1): (56, 23, 11, 6, 2.5, 1, 0.5, 0, 0, 0, 0),
    (False, 2): (47, 23, 15, 9, 3.5, 1.5, 0.6, 0.25, 0.15, 0, 0),
    (False, 3): (41, 24, 17, 10, 4.5, 2, 0.8, 0.3, 0.2, 0.1, 0.1),
    (False, 4): (63, 21, 9, 4, 1.7, 0.7, 0.3, 0.1, 0.1, 0.05, 0.05),
    (False, 5): (80, 14.5, 3.5, 1.2, 0.5, 0.2, 0.1, 0, 0, 0, 0),
}

BY_AGE = (-0.35, 0.05, 0.15, 0.1, -0.05)
BY_EDUCATION = (-0.75, -0.6, -0.5, -0.25, -0.05, 0.05, 0.4, 0.7)
BY_REGION = (0.1, 0.0, -0.05, 0.1)
BY_MARITAL = (0.3, -0.25, -0.25, -0.3, -0.2)
BY_FAMILY_SIZE = (-0.25, 0.05, 0.15, 0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.0, 0.0)
FEMALE, RURAL, OUTSIDE_CBSA = -0.1, -0.1, -0.15
EARNER = -0.64
NOISE = 0.7

LOSSES = 9
NONE = 14
LARGEST_LOSS = 6_900
LARGEST = 1_790_000
# share of all units below: income
INCOME = {0.005: 900, 0.01: 2_600, 0.025: 6_300, 0.05: 10_000, 0.1: 15_300, 0.25: 25_800, 0.5: 50_310}
INCOME |= {0.75: 88_000, 0.9: 154_000, 0.975: 270_000, 0.99: 364_000, 0.998: 630_000, 0.9995: 1_000_000}
HEAPS = {5_000: 0.04, 1_000: 0.12, 100: 0.2}


def make_predictors(rng: np.random.Generator) -> pd.DataFrame:
    """Draw the ten categorical variables."""
    gender, age, region = pick(rng.random(N), GENDER), pick(rng.random(N), AGE), pick(rng.random(N), REGION)
    education = pick_by(rng.random(N), age.tolist(), EDUCATION)
    marital = pick_by(rng.random(N), age.tolist(), MARITAL)
    earner = pick_by(rng.random(N), age.tolist(), NO_EARNER)
    urban = pick_by(rng.random(N), region.tolist(), URBAN)
    urban_type = pick_by(rng.random(N), urban.tolist(), URBAN_TYPE)
    cbsa = pick_by(rng.random(N), list(zip(urban.tolist(), urban_type.tolist(), strict=True)), CBSA)
    size = pick_by(rng.random(N), list(zip((marital == 1).tolist(), age.tolist(), strict=True)), FAMILY_SIZE)
    return pd.DataFrame(
        {"gender": gender, "age": age, "education": education, "region": region, "urban": urban}
        | {"marital": marital, "urban_type": urban_type, "cbsa": cbsa, "family_size": size, "earner": earner}
    )


def make_income(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    """Draw family income given the categories."""
    score = NOISE * normal(rng.random(N))
    for column, effects in (
        ("age", BY_AGE),
        ("education", BY_EDUCATION),
        ("region", BY_REGION),
        ("marital", BY_MARITAL),
        ("family_size", BY_FAMILY_SIZE),
        ("gender", (0.0, FEMALE)),
        ("urban", (0.0, RURAL)),
        ("cbsa", (0.0, 0.0, OUTSIDE_CBSA)),
        ("earner", (0.0, EARNER)),
    ):
        score += np.array(effects)[frame[column].to_numpy() - 1]
    order = np.argsort(rng.random(N))
    earns = frame["earner"].to_numpy() == 1
    losses = order[earns[order]][:LOSSES]
    without = order[~np.isin(order, losses)][:NONE]
    positive = np.setdiff1d(np.arange(N), np.concatenate([losses, without]))

    below = LOSSES + NONE
    anchors = {0.0: 40.0} | {(p * N - below) / (N - below): value for p, value in INCOME.items()}
    anchors[1 - 0.5 / positive.size] = LARGEST
    income = np.zeros(N)
    income[positive] = by_rank(score[positive], log_quantile(anchors))
    income[losses] = -LARGEST_LOSS * (np.arange(LOSSES, 0, -1) / LOSSES) ** 1.5
    income[positive] = heap(rng.random(positive.size), income[positive], HEAPS)
    return np.round(income).astype(np.int64)


def main() -> None:
    """Write the file."""
    predictors, incomes = np.random.default_rng(SEED).spawn(2)
    frame = make_predictors(predictors)
    frame["income"] = make_income(frame, incomes)
    write({"ce2017.csv": frame}, "Make the simulated sample ce2017.")


if __name__ == "__main__":
    main()
