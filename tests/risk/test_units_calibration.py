"""Error rates of the rules for units: leaks get STOP, honest releases do not.

`python -m tests.risk.test_units_calibration [SEEDS]` prints the table.
"""

from __future__ import annotations

import sys
from collections import Counter

import pandas as pd
import pytest

import synthlab as sl
from tests.risk.test_copied_units import renumbered, with_copies
from tests.units.survey import households, panel

OPTIONS = {"hhid": {"unit": "hhid"}, "pid": {"unit": "pid", "unit_order": "year"}}
CASES = (
    "another sample of households",
    "another sample of histories",
    "synthesized households",
    "synthesized histories",
    "copied households",
    "copied histories",
    "true household numbers",
)
ORDER = (None, "CHECK", "STOP")


def level(case: str, seed: int, size: float = 1.0) -> str | None:
    """Return the level of the rules for units in one case; files have `size` times 900 households or 600 persons."""
    homes = "household" in case
    unit, make, number = ("hhid", households, round(900 * size)) if homes else ("pid", panel, round(600 * size))
    own, other = make(number, seed), make(number, seed + 1000)
    if case.startswith("synthesized"):
        made = sl.synthesize(own, **OPTIONS[unit], m=1, rng=seed)[0]
    elif case.startswith("copied"):
        made = with_copies(own, other, round((120 if homes else 570) * size), unit)
    else:
        made = renumbered(other, unit)
    if case == "true household numbers":
        made[unit] = own[unit].unique()[made[unit] - 1]
    levels = [sl.copied_units(own, made, **OPTIONS[unit]).level]
    if not case.startswith("copied"):
        levels.append(sl.near_units(own, made, **OPTIONS[unit]).level)
    numbers = sl.identifying_values(own, made, variables=[unit], entity=own[unit]).table["level"]
    return max([*levels, *numbers], key=ORDER.index)


def rates(seeds: int, size: float = 1.0) -> pd.DataFrame:
    """Return how many releases of each case have each level."""
    found = {case: Counter(level(case, seed, size) for seed in range(seeds)) for case in CASES}
    return pd.DataFrame(
        [[one[word] for word in ORDER] for one in found.values()], index=CASES, columns=list(map(str, ORDER))
    )


def test_one_small_file_of_each_kind() -> None:
    assert [level(case, 1, 0.25) for case in CASES if "synth" not in case] == [None, None, "STOP", "STOP", "STOP"]


@pytest.mark.editions
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_error_rates_of_twenty_files() -> None:
    found = rates(20)
    leaks = found.loc[["copied households", "copied histories", "true household numbers"]]
    assert (leaks["STOP"] == 20).all()
    assert (found.loc[["another sample of households", "another sample of histories"], "None"] == 20).all()
    assert (found.loc[["synthesized households", "synthesized histories"], "STOP"] <= 1).all()


if __name__ == "__main__":
    print(rates(int(next(iter(sys.argv[1:]), "20"))).to_string())
