"""Datasets from files that users supply, and pins of their digests.

These files cannot be downloaded automatically, so their SHA-256 is not known in advance. The digest of the first file
that passes the checks is pinned in the user's cache. A file with another digest is rejected later.
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
# Variables of FMLI for table 1 of Hu, Savitsky & Williams, with the codes of the dataset by the codes of the first quarter of
# 2017. Sources of the codes: BLS, CE interview survey, public-use microdata, dictionary of FMLI; also the documentation of the
# data set CE of the R package rpms (REGION, BLS_URBN, FAM_SIZE) and of CEdata of IdentificationRiskCalculation (EDUC_REF,
# MARITAL1).
CE_CODES: Mapping[str, tuple[str, Mapping[int, int]]] = {
    "gender": ("SEX_REF", {1: 1, 2: 2}),
    "education": ("EDUC_REF", {0: 1, 10: 2, 11: 3, 12: 4, 13: 5, 14: 6, 15: 7, 16: 8}),
    "region": ("REGION", {1: 1, 2: 2, 3: 3, 4: 4}),
    "urban": ("BLS_URBN", {1: 1, 2: 2}),
    "marital": ("MARITAL1", {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}),
    # Earners: 1 to 4 the reference person, alone or with others; 5 to 7 only others; 8 none
    "earner": ("EARNCOMP", {1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 2}),
}
CE_AGES = (25, 35, 50, 65)  # lowest ages of the second to the fifth category
LARGEST_FAMILY = 11  # the last of the eleven categories of table 1, eleven or more
CE_QUARTER = (2017, (1, 2, 3))
ORDERED = ("age", "education", "family_size")

ESC_VARIABLES = {"GEOGRAPHY": 326, "ETHNICITY": 20, "SEX": 4, "AGE": 19, "LANGUAGE": 7}


def consumer_units(raw: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the sample of Hu, Savitsky & Williams from ``fmli171x.csv``.

    The public file lacks the type of the urban area and the status in the core-based statistical area, so nine of the
    eleven variables of their table 1 remain. Its incomes (FINCBTXM, imputed and reported, before taxes) are topcoded;
    the incomes of the authors are not.
    """
    raw = raw.rename(columns=str.upper)
    used = [source for source, _ in CE_CODES.values()] + ["AGE_REF", "FAM_SIZE", "FINCBTXM", "QINTRVYR", "QINTRVMO"]
    _check_columns(raw, used, where)
    numbers = {name: _number(raw[name], name, where) for name in used}
    year, months = CE_QUARTER
    _check_codes(numbers["QINTRVYR"], [year], "QINTRVYR", where)
    _check_codes(numbers["QINTRVMO"], months, "QINTRVMO", where)
    if len(raw) != CE_ROWS:
        raise DtypeMismatchError(f"{where}: has {len(raw):,} rows, but the sample of the paper has {CE_ROWS:,}")
    found = {}
    for name, (source, codes) in CE_CODES.items():
        _check_codes(numbers[source], list(codes), source, where)
        found[name] = numbers[source].map(codes)
    for name in ("AGE_REF", "FAM_SIZE"):
        odd = (numbers[name] < 1) | (numbers[name] != numbers[name].round())
        if odd.any():
            raise DtypeMismatchError(
                f"{where}: column {name!r} must contain integers >= 1: {_checks.first_of(odd, 'rows')}, are not"
            )
    found["age"] = pd.Series(np.searchsorted(CE_AGES, numbers["AGE_REF"], side="right") + 1)
    found["family_size"] = numbers["FAM_SIZE"].clip(upper=LARGEST_FAMILY)
    order = ("gender", "age", "education", "region", "urban", "marital", "family_size", "earner")
    frame = pd.DataFrame({name: _levels(found[name], name in ORDERED) for name in order})
    return frame.assign(income=numbers["FINCBTXM"].to_numpy(np.float64))


def school_census(raw: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the occupied cells of the substitute of the English School Census.

    The file has the five variables of table 1 of Jackson et al. and either one row per pupil, or one row per cell with
    its ``count``. It is accepted if it has the categories of table 1 and the cell sizes of table 2.
    """
    from synthlab.datasets.esc import CELLS_ABOVE, CELLS_BY_SIZE

    raw = raw.rename(columns=str.upper)
    _check_columns(raw, list(ESC_VARIABLES), where)
    keys = list(ESC_VARIABLES)
    for name, n in ESC_VARIABLES.items():
        if raw[name].isna().any():
            raise DtypeMismatchError(f"{where}: column {name!r} has missing values; it must have {n} categories")
        if raw[name].nunique() != n:
            raise DtypeMismatchError(
                f"{where}: column {name!r} has {raw[name].nunique():,} categories, but table 1 of the paper has {n}"
            )
    columns = {name: raw[name].astype("category") for name in keys}
    if "COUNT" in raw:
        count = _number(raw["COUNT"], "COUNT", where)
        odd = (count < 0) | (count != count.round())
        if odd.any():
            raise DtypeMismatchError(
                f"{where}: column 'COUNT' must contain integers >= 0: {_checks.first_of(odd, 'rows')}, are not"
            )
        if (twice := raw.duplicated(keys)).any():
            raise DtypeMismatchError(
                f"{where}: each cell must have only one row; {_checks.first_of(twice, 'rows')}, are duplicates"
            )
        frame = pd.DataFrame(columns).assign(count=count.astype("int64"))
    else:
        frame = pd.DataFrame(columns).groupby(keys, observed=True).size().rename("count").reset_index()
    frame = frame[frame["count"] > 0].reset_index(drop=True)
    sizes = np.bincount(np.minimum(frame["count"], 11), minlength=12)
    wrong = [str(size) for size, n in enumerate(CELLS_BY_SIZE) if size and sizes[size] != n]
    wrong += ["above 10"] * int(sizes[11] != CELLS_ABOVE)
    if wrong:
        raise DtypeMismatchError(
            f"{where}: the numbers of cells of size {', '.join(wrong)} differ from table 2 of the paper"
        )
    return frame


def check_pin(path: Path, digest: str, folder: Path) -> None:
    """Raise an error if a file differs from the file that was read first."""
    pinned = _pins(folder).get(path.name, digest)
    if pinned != digest:
        raise ChecksumError(
            f"{path}: is not the file that was read first (SHA-256 {digest}, then {pinned}); restore that file, or remove "
            f"its line from {folder / PINS}"
        )


def pin(name: str, digest: str, folder: Path) -> None:
    """Record the SHA-256 of a file that passed the checks."""
    pins = _pins(folder)
    if name not in pins:
        atomic_write.write_text(folder / PINS, json.dumps({**pins, name: digest}, indent=2) + "\n")


def _pins(folder: Path) -> dict[str, str]:
    path = folder / PINS
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _check_columns(raw: pd.DataFrame, needed: Sequence[str], where: str) -> None:
    if absent := [name for name in needed if name not in raw]:
        raise DtypeMismatchError(f"{where}: has no column {', '.join(absent)}; required are {', '.join(needed)}")


def _number(values: pd.Series, name: str, where: str) -> pd.Series:
    found = pd.to_numeric(values, errors="coerce").astype(np.float64)
    odd = ~np.isfinite(found)
    if odd.any():
        raise DtypeMismatchError(
            f"{where}: column {name!r} must contain numbers; {_checks.first_of(odd, 'rows')}, are not"
        )
    return found


def _check_codes(values: pd.Series, allowed: Sequence[int], name: str, where: str) -> None:
    odd = ~values.isin(allowed)
    if odd.any():
        raise DtypeMismatchError(
            f"{where}: column {name!r} must contain only {', '.join(map(str, allowed))}: {_checks.first_of(odd, 'rows')}, do not"
        )


def _levels(values: pd.Series, ordered: bool) -> pd.Series:
    """Return codes as categories, without levels that do not occur."""
    whole = values.astype("int64")
    return whole.astype(pd.CategoricalDtype(pd.Index(sorted(whole.unique()), dtype="int64"), ordered=ordered))
