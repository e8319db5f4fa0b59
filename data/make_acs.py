"""Make the simulated stand-in for the American Community Survey sample, with three synthetic versions.

    python data/make_acs.py

Nobody's record is in it. A person is drawn variable by variable, each given a few of those before it. The
shares below are what this script knows of the survey: one- and two-way percentages of the sample that the
course uses, rounded, rare groups by judgement. They are: sex; race; marital status by sex and race; world area of birth by race; language by area of birth; disability by marital
status; school by marital status and sex; insurance by area of birth, marital status and disability;
migration by marital status.

The synthetic versions redraw language, area of birth, disability and insurance of every person from the
posterior predictive distribution of Dirichlet-multinomial models of the same shape, fitted to the
stand-in: partially synthetic data, m = 3.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sampling import dirichlet, pick, pick_by, write

SEED = 20120701
N = 10_000
LABELS = ("lecture", "2", "3")

SEX = (47, 53)
RACE = (74.3, 19.7, 1.0, 1.3, 1.5, 2.2)
# by sex and race (white, black, other): married, widowed, divorced, separated, never married
MARITAL = {
    (1, "white"): (62.5, 2.5, 9, 2.5, 23.5),
    (1, "black"): (38, 3, 11, 5, 43),
    (1, "other"): (49, 1.5, 7.5, 1.5, 40.5),
    (2, "white"): (55.5, 13, 11.5, 2.5, 17.5),
    (2, "black"): (30, 12, 17, 5, 36),
    (2, "other"): (52.5, 9.5, 7, 3, 28),
}
# by race: United States, Puerto Rico and islands, Latin America, Asia, Europe, Africa, Northern America
BORN = {
    1: (94.5, 0.3, 2.7, 0.4, 1.6, 0.2, 0.4),
    2: (96.8, 0.2, 1.2, 0.1, 0.6, 1.1, 0.05),
    3: (93.5, 0, 5.5, 0, 1, 0, 0),
    4: (37.5, 5.5, 54.5, 1.5, 0, 0, 1),
    5: (82, 2, 7, 6, 2, 1, 0),
    6: (15, 0, 0, 84, 0, 1, 0),
}
# born in the United States, by race; born elsewhere, by area: share who speak another language
LANGUAGE_AT_HOME = {1: 2.5, 2: 1.5, 3: 7, 4: 32, 5: 7.5, 6: 60}
LANGUAGE_ABROAD = {2: 83, 3: 88, 4: 83.5, 5: 31, 6: 77.5, 7: 13}
DISABILITY = {1: 14, 2: 50, 3: 26, 4: 23, 5: 14}
# by marital status (never or ever married) and sex: no school, public, private
SCHOOL = {
    ("ever", 1): (96.5, 2.7, 0.8),
    ("ever", 2): (95, 3.7, 1.3),
    ("never", 1): (74.5, 20.2, 5.3),
    ("never", 2): (64, 28, 8),
}
# by marital status: share without insurance among people without a disability born in the United States,
# and the odds ratios of a disability and of the area of birth
UNINSURED = {1: 10, 2: 7.5, 3: 22.5, 4: 32, 5: 29}
UNINSURED_DISABLED = 0.5
UNINSURED_ABROAD = {2: 1.0, 3: 9.0, 4: 2.5, 5: 0.7, 6: 3.3, 7: 0.5}
# by marital status: same house, abroad a year ago, another house
MIGRATION = {1: (90.3, 0.6, 9.1), 2: (92.5, 0.3, 7.2), 3: (86, 0.2, 13.8), 4: (72.5, 1, 26.5), 5: (73, 0.7, 26.3)}


def make_confidential(rng: np.random.Generator) -> pd.DataFrame:
    """Draw the stand-in."""
    sex = pick(rng.random(N), SEX)
    race = pick(rng.random(N), RACE)
    group = np.array(["white", "black"] + ["other"] * 4)[race - 1]
    marital = pick_by(rng.random(N), pairs(sex, group), MARITAL)
    born = pick_by(rng.random(N), race, BORN)
    language = np.where(born == 1, look_up(LANGUAGE_AT_HOME, race), look_up(LANGUAGE_ABROAD | {1: 0.0}, born))
    lanx = binary(rng.random(N), language / 100)
    dis = binary(rng.random(N), look_up(DISABILITY, marital) / 100)
    odds = (
        look_up(UNINSURED, marital) / (100 - look_up(UNINSURED, marital)) * look_up(UNINSURED_ABROAD | {1: 1.0}, born)
    )
    odds = odds * np.where(dis == 1, UNINSURED_DISABLED, 1.0)
    hicov = binary(rng.random(N), 1 / (1 + odds))
    sch = pick_by(rng.random(N), pairs(np.where(marital == 5, "never", "ever"), sex), SCHOOL)
    mig = pick_by(rng.random(N), marital, MIGRATION)
    return pd.DataFrame(
        {"SEX": sex, "RACE": race, "MAR": marital, "LANX": lanx, "WAOB": born, "DIS": dis, "HICOV": hicov}
        | {"MIG": mig, "SCH": sch}
    )


def make_synthetic(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Redraw four variables from their posterior predictive distribution."""
    out = frame.copy()
    out["WAOB"] = redraw(frame, out, "WAOB", ["RACE"], 7, rng)
    out["LANX"] = redraw(frame, out, "LANX", ["RACE", "WAOB"], 2, rng)
    out["DIS"] = redraw(frame, out, "DIS", ["SEX", "MAR"], 2, rng)
    out["HICOV"] = redraw(frame, out, "HICOV", ["MAR", "WAOB", "DIS"], 2, rng)
    return out


def redraw(
    frame: pd.DataFrame, out: pd.DataFrame, column: str, given: list[str], k: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw a variable given others, with a Dirichlet prior centred on its margin and worth ten people."""
    prior = 10 * np.bincount(frame[column], minlength=k + 1)[1:] / len(frame)
    fitted = {key: np.bincount(part, minlength=k + 1)[1:] for key, part in frame.groupby(given)[column]}
    drawn = np.zeros(len(out), dtype=np.int64)
    for key, rows in out.groupby(given).indices.items():
        counts = fitted.get(key if isinstance(key, tuple) else (key,), np.zeros(k))
        drawn[rows] = pick(rng.random(rows.size), dirichlet(rng.random(k), prior + counts))
    return drawn


def pairs(*columns: np.ndarray) -> list[tuple]:
    """Return one tuple a record."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


def look_up(values: dict[int, float], keys: np.ndarray) -> np.ndarray:
    """Return the value of every key."""
    return np.array([values[key] for key in keys.tolist()], dtype=float)


def binary(u: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return 1 with the given probability, else 2."""
    return np.where(u < share, 1, 2)


def main() -> None:
    """Write the four files."""
    streams = np.random.default_rng(SEED).spawn(1 + len(LABELS))
    confidential = make_confidential(streams[0])
    files = {"acs_simulated.csv": confidential}
    for label, rng in zip(LABELS, streams[1:], strict=True):
        files[f"acs_simulated_synthetic_{label}.csv"] = make_synthetic(confidential, rng)
    write(files, "Make the simulated stand-in for the ACS sample.")


if __name__ == "__main__":
    main()
