"""Files that users bring themselves: how two of them become the dataset, and the pin that keeps them the same.

No machine can fetch these files, so their SHA-256 is not known beforehand: the first file that passes the checks is
pinned in the user's cache, and another one is refused afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system import atomic_write
from synthlab.exceptions import ChecksumError, DtypeMismatchError

PINS = "pinned.json"

CE_ROWS = 6_208
# The variables of FMLI that make up table 1 of Hu, Savitsky & Williams, and the codes of the first quarter of 2017 by those of
# the dataset. Codes: BLS, CE interview survey, public-use microdata, dictionary of FMLI; the same in the documentation of
# the data set CE of the R package rpms (REGION, BLS_URBN, FAM_SIZE), and of CEdata of IdentificationRiskCalculation (EDUC_REF,
# MARITAL1).
CE_CODES: Mapping[str, tuple[str, Mapping[int, int]]] = {
    "gender": ("SEX_REF", {1: 1, 2: 2}),
    "education": ("EDUC_REF", {0: 1, 10: 2, 11: 3, 12: 4, 13: 5, 14: 6, 15: 7, 16: 8}),
    "region": ("REGION", {1: 1, 2: 2, 3: 3, 4: 4}),
    "urban": ("BLS_URBN", {1: 1, 2: 2}),
    "marital": ("MARITAL1", {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}),
    # 1 to 4: the reference person, alone or with others; 5 to 7: others alone; 8: nobody
    "earner": ("EARNCOMP", {1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 2}),
}
CE_AGES = (25, 35, 50, 65)  # the first ages of the second to the fifth category
LARGEST_FAMILY = 11  # table 1 has eleven categories: eleven and more are one
CE_QUARTER = (2017, (1, 2, 3))
ORDERED = ("age", "education", "family_size")

ESC_VARIABLES = {"GEOGRAPHY": 326, "ETHNICITY": 20, "SEX": 4, "AGE": 19, "LANGUAGE": 7}


def consumer_units(raw: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the sample of Hu, Savitsky & Williams from the public file ``fmli171x.csv``.

    The public file has neither the type of the urban area nor the status in the core-based statistical area, so that nine
    of the eleven variables of their table 1 are left; its incomes (FINCBTXM, imputed and reported, before taxes) are
    topcoded, those of the authors are not.
    """
    raw = raw.rename(columns=str.upper)
    used = [source for source, _ in CE_CODES.values()] + ["AGE_REF", "FAM_SIZE", "FINCBTXM", "QINTRVYR", "QINTRVMO"]
    _check_columns(raw, used, where)
    numbers = {name: _number(raw[name], name, where) for name in used}
    year, months = CE_QUARTER
    _check_codes(numbers["QINTRVYR"], [year], "QINTRVYR", where)
    _check_codes(numbers["QINTRVMO"], months, "QINTRVMO", where)
    if len(raw) != CE_ROWS:
        raise DtypeMismatchError(f"{where}: has {len(raw):,} rows, the sample of the paper has {CE_ROWS:,}")
    found = {}
    for name, (source, codes) in CE_CODES.items():
        _check_codes(numbers[source], list(codes), source, where)
        found[name] = numbers[source].map(codes)
    for name in ("AGE_REF", "FAM_SIZE"):
        odd = (numbers[name] < 1) | (numbers[name] != numbers[name].round())
        if odd.any():
            raise DtypeMismatchError(
                f"{where}: column {name!r} must hold whole numbers >= 1: {_checks.first_of(odd, 'rows')}"
            )
    found["age"] = pd.Series(np.searchsorted(CE_AGES, numbers["AGE_REF"], side="right") + 1)
    found["family_size"] = numbers["FAM_SIZE"].clip(upper=LARGEST_FAMILY)
    order = ("gender", "age", "education", "region", "urban", "marital", "family_size", "earner")
    frame = pd.DataFrame({name: _levels(found[name], name in ORDERED) for name in order})
    return frame.assign(income=numbers["FINCBTXM"].to_numpy(np.float64))


def school_census(raw: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the occupied cells of the substitute of the English School Census.

    The file has the five variables of table 1 of Jackson et al. and either one row a pupil, or one row a cell and its
    ``count``. It is the right one if it has the categories of table 1 and the cell sizes of table 2.
    """
    from synthlab.datasets.esc import CELLS_ABOVE, CELLS_BY_SIZE

    raw = raw.rename(columns=str.upper)
    _check_columns(raw, list(ESC_VARIABLES), where)
    keys = list(ESC_VARIABLES)
    for name, n in ESC_VARIABLES.items():
        if raw[name].isna().any():
            raise DtypeMismatchError(f"{where}: column {name!r} has missing values, {n} categories are allowed")
        if raw[name].nunique() != n:
            raise DtypeMismatchError(
                f"{where}: column {name!r} has {raw[name].nunique():,} categories, table 1 of the paper has {n}"
            )
    columns = {name: raw[name].astype("category") for name in keys}
    if "COUNT" in raw:
        count = _number(raw["COUNT"], "COUNT", where)
        odd = (count < 0) | (count != count.round())
        if odd.any():
            raise DtypeMismatchError(
                f"{where}: column 'COUNT' must hold whole numbers >= 0: {_checks.first_of(odd, 'rows')}"
            )
        if (twice := raw.duplicated(keys)).any():
            raise DtypeMismatchError(f"{where}: a cell must stand in one row: {_checks.first_of(twice, 'rows')}")
        frame = pd.DataFrame(columns).assign(count=count.astype("int64"))
    else:
        frame = pd.DataFrame(columns).groupby(keys, observed=True).size().rename("count").reset_index()
    frame = frame[frame["count"] > 0].reset_index(drop=True)
    sizes = np.bincount(np.minimum(frame["count"], 11), minlength=12)
    wrong = [str(size) for size, n in enumerate(CELLS_BY_SIZE) if size and sizes[size] != n]
    wrong += ["above 10"] * int(sizes[11] != CELLS_ABOVE)
    if wrong:
        raise DtypeMismatchError(
            f"{where}: has other numbers of cells than table 2 of the paper, of size {', '.join(wrong)}"
        )
    return frame


def check_pin(path: Path, digest: str, folder: Path) -> None:
    """Refuse a file that is not the one that was read first."""
    pinned = _pins(folder).get(path.name, digest)
    if pinned != digest:
        raise ChecksumError(
            f"{path}: is not the file that was read first (SHA-256 {digest}, then {pinned}); put that one back, or remove "
            f"its line from {folder / PINS}"
        )


def pin(name: str, digest: str, folder: Path) -> None:
    """Keep the SHA-256 of a file that passed the checks."""
    pins = _pins(folder)
    if name not in pins:
        atomic_write.write_text(folder / PINS, json.dumps({**pins, name: digest}, indent=2) + "\n")


def _pins(folder: Path) -> dict[str, str]:
    path = folder / PINS
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _check_columns(raw: pd.DataFrame, needed: Sequence[str], where: str) -> None:
    if absent := [name for name in needed if name not in raw]:
        raise DtypeMismatchError(f"{where}: has no column {', '.join(absent)}; it must have {', '.join(needed)}")


def _number(values: pd.Series, name: str, where: str) -> pd.Series:
    found = pd.to_numeric(values, errors="coerce").astype(np.float64)
    odd = ~np.isfinite(found)
    if odd.any():
        raise DtypeMismatchError(f"{where}: column {name!r} must hold a number in {_checks.first_of(odd, 'rows')}")
    return found


def _check_codes(values: pd.Series, allowed: Sequence[int], name: str, where: str) -> None:
    odd = ~values.isin(allowed)
    if odd.any():
        raise DtypeMismatchError(
            f"{where}: column {name!r} must hold {', '.join(map(str, allowed))}: {_checks.first_of(odd, 'rows')} do not"
        )


def _levels(values: pd.Series, ordered: bool) -> pd.Series:
    """Return codes as categories: those that occur, as another would be an empty column of a model."""
    whole = values.astype("int64")
    return whole.astype(pd.CategoricalDtype(pd.Index(sorted(whole.unique()), dtype="int64"), ordered=ordered))
