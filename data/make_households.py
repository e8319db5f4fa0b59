"""Make the simulated survey of households.

    python data/make_households.py

The survey contains 4,000 households with their members in random order. No record is real. A household has a head, perhaps a
partner, children, a parent of the head, and another person. The ages of couples are close, children are born to
a parent of 18 to 45 years with intervals of one to six years between siblings, and education and incomes of the members of a
household are related.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sampling import normal, pick, write

SEED = 20260612
HOUSEHOLDS = 4_000
REGIONS = {"north": 30, "east": 25, "south": 20, "west": 15, "islands": 10}
TENURES = ("owner", "tenant", "free")
WEIGHT = {"north": 900, "east": 800, "south": 700, "west": 500, "islands": 200}
COLUMNS = ["hhid", "region", "tenure", "hhsize", "weight", "relation", "sex", "age", "educ", "status", "income"]
ADULT, WORKING, RETIRED = 16, 18, 66


def one_of(rng: np.random.Generator, names: tuple[str, ...], shares: tuple[float, ...]) -> str:
    """Draw one name."""
    return names[int(pick(rng.random(), shares)) - 1]


def gaussian(rng: np.random.Generator, mean: float, sd: float) -> float:
    """Draw one normal number."""
    return mean + sd * float(normal(rng.random()))


def education(rng: np.random.Generator, mean: float, age: int) -> int:
    """Draw the education: 0 still in school, 1 primary, 2 secondary, 3 vocational, 4 university."""
    return 0 if age < ADULT else int(np.clip(round(gaussian(rng, mean, 0.8)), 1, 4))


def members(rng: np.random.Generator) -> list[tuple[str, str, int, int]]:
    """Draw relation, sex, age and education of the members of one household."""
    age = int(np.clip(round(gaussian(rng, 47, 16)), 19, 94))
    sex = one_of(rng, ("female", "male"), (47, 53))
    found = [("head", sex, age, education(rng, 2.5, age))]
    if rng.random() < (0.35 if age < 30 else 0.64 if age < 75 else 0.4):
        other = {"female": "male", "male": "female"}[sex]
        years = int(np.clip(round(gaussian(rng, age - 0.5, 3.5)), 18, 95))
        own = sex if rng.random() < 0.03 else other
        found.append(("partner", own, years, education(rng, 0.7 * found[0][3] + 0.75, years)))
    youngest = min(years for _, _, years, _ in found)
    birth = 18 + int(14 * rng.random() ** 1.4)
    mean = float(np.mean([educ for _, _, _, educ in found]))
    number = int(pick(rng.random(), (20, 25, 35, 14, 6) if len(found) > 1 else (60, 21, 13, 5, 1))) - 1
    years = youngest - birth
    for _ in range(number):
        if years < 0 or youngest - years > 45:
            break
        if rng.random() < (0.97 if years < 19 else 0.4 if years < 26 else 0.08):
            found.append(("child", one_of(rng, ("female", "male"), (49, 51)), years, education(rng, mean, years)))
        years -= 1 + int(6 * rng.random() ** 1.3)
    if age < 64 and rng.random() < 0.04:
        years = int(np.clip(age + 20 + 14 * rng.random(), 40, 97))
        found.append(("parent", one_of(rng, ("female", "male"), (72, 28)), years, education(rng, mean - 0.5, years)))
    if rng.random() < 0.03:
        years = ADULT + int(50 * rng.random())
        found.append(("other", one_of(rng, ("female", "male"), (50, 50)), years, education(rng, 2.4, years)))
    return found


def make_households(rng: np.random.Generator) -> pd.DataFrame:
    """Draw all households, with the members in random order."""
    rows = []
    for place in range(HOUSEHOLDS):
        region = one_of(rng, tuple(REGIONS), tuple(REGIONS.values()))
        people = members(rng)
        level = gaussian(rng, 7.2 + (0.1 if region == "north" else 0.0), 0.3)
        head = people[0]
        rich = 0.04 * (head[2] - 45) + 0.5 * head[3] + gaussian(rng, 0, 1)
        tenure = TENURES[0] if rich > 0.9 else TENURES[1] if rng.random() < 0.93 else TENURES[2]
        weight = round(WEIGHT[region] * (1 + 0.4 * (rng.random() - 0.5)) * (1.2 if len(people) == 1 else 1.0), 1)
        for one in np.argsort(rng.random(len(people)), kind="stable"):
            relation, sex, age, educ = people[one]
            retired = age >= RETIRED - 4 * rng.random()
            works = 0.45 + 0.09 * educ - (0.25 if relation == "child" and age < 25 else 0.0)
            school = age < WORKING or (age < 25 and relation == "child" and rng.random() < 0.5)
            working = not school and not retired and rng.random() < works
            status = "school" if school else "retired" if retired else "working" if working else "not working"
            if age < ADULT:
                income = 0.0
            elif working:
                income = round(float(np.exp(level + 0.16 * educ + gaussian(rng, 0, 0.35))), -1)
            elif retired:
                income = round(float(np.exp(level - 0.3 + 0.12 * educ + gaussian(rng, 0, 0.3))), -1)
            else:
                income = round(float(np.exp(level - 1.3 + gaussian(rng, 0, 0.6))), -1) if rng.random() < 0.55 else 0.0
            rows.append(
                (100_003 + 17 * place, region, tenure, len(people), weight, relation, sex, age, educ, status, income)
            )
    frame = pd.DataFrame(rows, columns=COLUMNS)
    lost = rng.random(len(frame)) < 0.04
    frame.loc[lost & (frame["age"] >= ADULT), "income"] = np.nan
    return frame


def main() -> None:
    """Write the file."""
    write({"households_simulated.csv": make_households(np.random.default_rng(SEED))}, "Make the survey of households.")


if __name__ == "__main__":
    main()
