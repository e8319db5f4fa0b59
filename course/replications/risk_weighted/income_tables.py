"""The pieces of the income study as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from replications.paper_tables import read_numbers
from replications.published import central_interval
from replications.risk_weighted.incomes import ALLOCATIONS
from synthlab._typing import FloatArray
from synthlab.weights import whack_a_mole

THRESHOLD, LEVEL = 0.25, 0.5
ORDER = (
    "D", "T", "S", "M", "P", "3-way", "4-way", "M abs", "M formula", "M certain", "S log", "M log", "P log", "S raw", "M raw",
    "S nuts", "M nuts", "P nuts", "M nuts 10",
)  # fmt: skip
COMPARED = ("M", "P", "3-way", "4-way", "M abs")
Arrays = Mapping[str, Mapping[str, FloatArray]]


def repetitions(fits: Mapping[str, pd.DataFrame], released: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row per number of every case, allocation and release; what the fit alone decides has no allocation."""
    found = []
    for name in ORDER:
        if name in fits:
            found.append(fits[name].assign(case=name, allocation="", run=0))
        if name in released:
            found.append(released[name].assign(case=name))
    base = released["baseline"]
    return pd.concat([base, *found], ignore_index=True)[["case", "allocation", "run", "measure", "value"]]


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case, allocation and measure: the mean, where 95 % of the releases lie, and the published number."""
    groups = table.groupby(["case", "allocation", "measure"], sort=False)["value"]
    found = groups.agg(ours="mean", repetitions="size").reset_index()
    several = (found["repetitions"] > 1).to_numpy()[:, None]
    found[["low", "high"]] = np.where(several, central_interval(groups), np.nan)
    keys = zip(found["case"], found["measure"], strict=True)
    printed = printed_incomes()
    found["published"] = [printed.get((str(c), str(m)), np.nan) for c, m in keys]
    return found[["case", "allocation", "measure", "ours", "low", "high", "repetitions", "published"]]


def printed_incomes() -> dict[tuple[str, str], float]:
    """Return the published numbers of Tables 4 and 7 and of section 3.2.1, by case and measure."""
    texts = read_numbers("risk_weighted").items()
    return {(t["case"], t["measure"]): float(t["printed"]) for key, t in texts if key.startswith("income_")}


def rises(arrays: Arrays) -> pd.DataFrame:
    """Compare releases of every weighted synthesizer with one each of the unweighted one, by allocation.

    Noise is what lies between that release of the unweighted synthesizer and the one before; the first is compared with a
    release of its own.
    """
    rows = []
    plain = arrays["S"]
    for case in (name for name in COMPARED if name in arrays):
        for allocation in ALLOCATIONS:
            before, after = (a[f"IR {allocation}"] for a in (plain, arrays[case]))
            expected = [a.get(f"expected IR {allocation}") for a in (plain, arrays[case])]
            null = [plain[f"IR again {allocation}"], *before]
            for run in range(min(len(before), len(after))):
                one = _rises(before[run], after[run], null[run], *expected)
                rows.append({"case": case, "allocation": allocation, "run": run, **one})
    return pd.DataFrame(rows)


def _rises(
    before: FloatArray, after: FloatArray, null: FloatArray, expected: FloatArray | None, weighted: FloatArray | None
) -> dict[str, float]:
    known = expected is not None and weighted is not None
    moles = whack_a_mole(
        before, after, THRESHOLD, limit=LEVEL, null=null, expected_before=expected if known else None,
        expected_after=weighted if known else None,
    )  # fmt: skip
    rise = moles.expected_rise
    return {
        "rises": moles.n_risen,
        "by noise": moles.n_risen_by_noise,
        "beyond noise": moles.n_beyond_noise,
        "z": moles.excess_z,
        "below y = x, share": float((after < before).mean()),
        "below y = x by noise, share": float((null < before).mean()),
        "expected rises above 0.05": np.nan if rise is None else int((rise > 0.05).sum()),
        "largest expected rise": np.nan if rise is None else float(rise.max()),
        "maximum IR before": float(before.max()),
        "maximum IR after": float(after.max()),
        "above 0.5 before": int((before > LEVEL).sum()),
        "above 0.5 after": int((after > LEVEL).sum()),
        "maximum expected IR": np.nan if weighted is None else float(weighted.max()),
    }


def moles(table: pd.DataFrame) -> pd.DataFrame:
    """Return the means over the releases, and how many there are."""
    groups = table.groupby(["case", "allocation"], sort=False)
    found = groups.mean(numeric_only=True).drop(columns="run")
    return found.assign(repetitions=groups.size()).reset_index()


def records(arrays: Arrays) -> pd.DataFrame:
    """Return one row per record: income, weights, IR of the first release and expected IR by synthesizer."""
    base = arrays["baseline"]
    columns: dict[str, Any] = {
        "income": base["income"],
        "topcoded": base["topcoded"],
        "D": base["IR D"],
        "T": base["IR T"],
    }
    for case in (name for name in ("S", "M", "P", "3-way", "4-way") if name in arrays):
        found = arrays[case]
        columns |= {f"{case} {a}": found[f"IR {a}"][0] for a in ALLOCATIONS}
        columns |= {f"expected {case} {a}": found[f"expected IR {a}"] for a in ALLOCATIONS}
        if case == "S":
            columns |= {f"S again {a}": found[f"IR again {a}"] for a in ALLOCATIONS}
        else:
            columns[f"weight {case}"] = found["weight"]
    return pd.DataFrame(columns)
