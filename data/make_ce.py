"""Make the simulated stand-ins for the two Consumer Expenditure Survey samples of the course.

    python data/make_ce.py

Nobody's record is in them. Categories are drawn one given another from rounded percentages. Income and
expenditure come from a score: a rounded regression on the categories plus noise; the ranks of the scores
are then given the values of a smooth quantile function through rounded percentiles of the samples. Incomes
are heaped on round numbers, as answers are. In the larger sample about eight percent of the consumer units
have no income and four a loss; one spent nothing.

The larger one comes with three synthetic versions: income and expenditure of every unit are taken from a
unit with the same tenure, times a lognormal noise of 15 percent; a fifth of the units have tenure and urban
drawn again from their margins.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sampling import by_rank, heap, lean, log_quantile, normal, pick, pick_by, write

SEED = 20170331
N = 5_571
N_LECTURE = 994
M = 3

# Age of the reference person; 88 stands for 85 and more
AGE = {0: 15.6, 0.01: 20, 0.05: 25, 0.1: 28, 0.25: 38, 0.5: 53, 0.75: 66, 0.9: 76, 0.95: 82, 0.97: 85, 1: 95}
AGE_LIMITS = (25, 35, 50, 65, 75)
# by age group (under 25, -34, -49, -64, -74, 75 and over): married, widowed, divorced, separated, never married
MARITAL = {
    0: (16, 0, 2.5, 0.2, 81.3),
    1: (46.5, 1, 4.5, 2, 46),
    2: (63, 1.5, 14, 3.5, 18),
    3: (55.5, 6, 22.5, 3.5, 12.5),
    4: (53, 17, 22, 1.5, 6.5),
    5: (43, 40, 11.5, 1, 4.5),
}
# by age group and married or not: codes 1 (mortgage), 2 (owned outright), 4 (rented), 5 (no rent), 6 (student)
TENURE_CODES = np.array([1, 2, 4, 5, 6])
TENURE = {
    (0, False): (7.5, 6.5, 67, 4, 15),
    (0, True): (29, 5, 66, 0, 0),
    (1, False): (21, 7, 68.5, 3.5, 0.2),
    (1, True): (44, 8, 46, 2, 0),
    (2, False): (31, 11, 55.5, 2.5, 0.2),
    (2, True): (62, 10.5, 26, 1.5, 0),
    (3, False): (30, 25, 42, 3, 0),
    (3, True): (55, 31, 13.5, 0.5, 0),
    (4, False): (27.5, 40.5, 31, 1, 0),
    (4, True): (32, 57, 10.5, 0.5, 0),
    (5, False): (16.5, 55, 27, 1.5, 0),
    (5, True): (18.5, 70.5, 10, 1, 0),
}
# by age group: codes 0 (no school), 10 (to grade 8), 11 (no diploma), 12 .. 16 (master's degree or more)
EDUCATION_CODES = np.array([0, 10, 11, 12, 13, 14, 15, 16])
EDUCATION = {
    0: (0, 0.5, 4.5, 28.5, 41.5, 7, 17.2, 0.8),
    1: (0.1, 2, 7, 18, 20, 9.5, 29, 14.4),
    2: (0.4, 3, 7, 19, 19, 10.5, 25.5, 15.6),
    3: (0.5, 3, 6, 23, 21, 10.5, 22, 14),
    4: (0.2, 3.5, 5, 23.5, 22.5, 10, 20.5, 14.8),
    5: (0.6, 5.5, 10, 32.5, 15, 6, 16.4, 14),
}
# the lean of tenure towards renting, and of the home towards the country, by one more education code
TENURE_BY_YEAR, RURAL_BY_YEAR = -0.14, -0.09
URBAN = {0: (95.5, 4.5), 1: (95.5, 4.5), 2: (95, 5), 3: (92.5, 7.5), 4: (91, 9), 5: (90.5, 9.5)}

INCOME_BY_AGE = (0.0, 0.3, 0.4, 0.25, -0.05, -0.1)
INCOME_BY_MARITAL = {1: 0.0, 2: -0.65, 3: -0.6, 4: -0.45, 5: -0.55}
INCOME_BY_TENURE = {1: 0.0, 2: -0.35, 4: -0.6, 5: -0.9, 6: -1.9}
INCOME_BY_EDUCATION = {0: 0.0, 10: 0.2, 11: 0.25, 12: 0.45, 13: 0.65, 14: 0.7, 15: 1.05, 16: 1.3}
INCOME_RURAL = -0.5
INCOME_NOISE = 0.92
# share without income by tenure
NO_INCOME = {1: 7, 2: 8, 4: 8, 5: 18, 6: 33}
INCOME = {0: 50, 0.01: 750, 0.05: 3_200, 0.1: 9_500, 0.25: 24_000, 0.5: 50_000, 0.75: 98_000}
INCOME |= {0.9: 160_000, 0.95: 220_000, 0.99: 435_000, 1: 960_000}
INCOME_HEAPS = {5_000: 0.12, 1_000: 0.22, 100: 0.14}
LOSSES = (-900.0, -4_200.0, -31_000.0, -96_000.0)

EXPENDITURE_OF_INCOME = 0.38
EXPENDITURE_BY_MARITAL = {1: 0.0, 2: -0.3, 3: -0.3, 4: -0.25, 5: -0.35}
EXPENDITURE_BY_TENURE = {1: 0.0, 2: -0.1, 4: -0.2, 5: -0.6, 6: -1.0}
EXPENDITURE_BY_EDUCATION = {0: 0.0, 10: 0.0, 11: 0.0, 12: 0.05, 13: 0.2, 14: 0.25, 15: 0.3, 16: 0.4}
EXPENDITURE_NOISE = 0.62
EXPENDITURE = {0: 60, 0.01: 740, 0.05: 1_550, 0.1: 2_170, 0.25: 3_750, 0.5: 6_900, 0.75: 12_450}
EXPENDITURE |= {0.9: 20_450, 0.95: 28_500, 0.99: 54_700, 1: 145_000}

LECTURE_URBAN = (95, 5)
LECTURE_RACE = (82, 11, 0.8, 4, 0.6, 1.6)
LECTURE_BY_RACE = {1: 0.0, 2: -0.45, 3: -1.0, 4: 0.35, 5: -0.3, 6: -0.4}
LECTURE_INCOME = {0: 420, 0.01: 1_600, 0.05: 3_850, 0.1: 10_000, 0.25: 21_500, 0.5: 44_600, 0.75: 90_000}
LECTURE_INCOME |= {0.9: 143_500, 0.95: 199_000, 0.99: 370_000, 1: 620_000}
LECTURE_EXPENDITURE = {0: 150, 0.01: 800, 0.05: 1_650, 0.1: 2_100, 0.25: 3_650, 0.5: 6_700, 0.75: 11_700}
LECTURE_EXPENDITURE |= {0.9: 19_100, 0.95: 27_400, 0.99: 50_500, 1: 70_000}
LECTURE_SLOPE, LECTURE_NOISE = 0.62, 0.78


def make_confidential(rng: np.random.Generator) -> pd.DataFrame:
    """Draw the stand-in for the larger sample."""
    age = by_rank(rng.random(N), log_quantile(AGE))
    age = np.where(age >= 85, 88, np.clip(np.round(age), 16, 84)).astype(np.int64)
    group = np.searchsorted(AGE_LIMITS, age, side="right")
    marital = pick_by(rng.random(N), group.tolist(), MARITAL)
    by_couple = list(zip(group.tolist(), (marital == 1).tolist(), strict=True))
    educ = EDUCATION_CODES[pick_by(rng.random(N), group.tolist(), EDUCATION) - 1]
    schooled = np.maximum(educ, 9) - 13.5
    tenure = TENURE_CODES[pick_by(lean(rng.random(N), TENURE_BY_YEAR * schooled), by_couple, TENURE) - 1]
    urban = pick_by(lean(rng.random(N), RURAL_BY_YEAR * schooled), group.tolist(), URBAN)

    score = np.array(INCOME_BY_AGE)[group] + look_up(INCOME_BY_MARITAL, marital) + look_up(INCOME_BY_TENURE, tenure)
    score += look_up(INCOME_BY_EDUCATION, educ) + np.where(urban == 2, INCOME_RURAL, 0.0)
    score += INCOME_NOISE * normal(rng.random(N))
    income = heap(rng.random(N), by_rank(score, log_quantile(INCOME)), INCOME_HEAPS)
    order = rng.random(N)
    none = order < look_up(NO_INCOME, tenure) / 100
    income[none] = 0.0
    # The units with the largest draws of `order` are never among those without income.
    income[np.argsort(order)[-len(LOSSES) :]] = LOSSES

    score = EXPENDITURE_OF_INCOME * score + look_up(EXPENDITURE_BY_MARITAL, marital)
    score += look_up(EXPENDITURE_BY_TENURE, tenure) + look_up(EXPENDITURE_BY_EDUCATION, educ)
    score += EXPENDITURE_NOISE * normal(rng.random(N))
    expenditure = np.round(by_rank(score, log_quantile(EXPENDITURE)), 4)
    expenditure[np.argmin(score)] = 0.0
    return pd.DataFrame(
        {"Age": age, "Urban": urban, "Tenure": tenure, "Educ": educ}
        | {"Expenditure": expenditure, "Marital": marital, "Income": income}
    )


def make_synthetic(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Hot-deck income and expenditure within tenure; draw tenure and urban again for a fifth of the units."""
    n, out = len(frame), frame.copy()
    donor = np.arange(n)
    for rows in frame.groupby("Tenure").indices.values():
        donor[rows] = rows[(rng.random(rows.size) * rows.size).astype(np.int64)]
    for column, digits in (("Income", 2), ("Expenditure", 4)):
        noise = np.exp(0.15 * normal(rng.random(n)))
        out[column] = np.round(frame[column].to_numpy()[donor] * noise, digits)
    for column in ("Tenure", "Urban"):
        again = rng.random(n) < 0.2
        other = (rng.random(n) * n).astype(np.int64)
        out[column] = np.where(again, frame[column].to_numpy()[other], frame[column])
    return out


def make_lecture(rng: np.random.Generator) -> pd.DataFrame:
    """Draw the stand-in for the sample of the lectures."""
    n = N_LECTURE
    urban, race = pick(rng.random(n), LECTURE_URBAN), pick(rng.random(n), LECTURE_RACE)
    score = look_up(LECTURE_BY_RACE, race) + np.where(urban == 2, -0.3, 0.0) + normal(rng.random(n))
    income = heap(rng.random(n), by_rank(score, log_quantile(LECTURE_INCOME)), INCOME_HEAPS).astype(np.int64)
    score = LECTURE_SLOPE * score + LECTURE_NOISE * normal(rng.random(n))
    expenditure = np.round(by_rank(score, log_quantile(LECTURE_EXPENDITURE)), 4)
    return pd.DataFrame({"UrbanRural": urban, "Income": income, "Race": race, "Expenditure": expenditure})


def look_up(values: dict[int, float], keys: np.ndarray) -> np.ndarray:
    """Return the value of every key."""
    return np.array([values[key] for key in keys.tolist()], dtype=float)


def main() -> None:
    """Write the five files."""
    streams = np.random.default_rng(SEED).spawn(2 + M)
    confidential = make_confidential(streams[0])
    files = {"ce_simulated.csv": confidential, "ce_lecture_simulated.csv": make_lecture(streams[1])}
    for number, rng in enumerate(streams[2:], start=1):
        files[f"ce_simulated_synthetic_{number}.csv"] = make_synthetic(confidential, rng)
    write(files, "Make the simulated stand-ins for the CE samples.")


if __name__ == "__main__":
    main()
