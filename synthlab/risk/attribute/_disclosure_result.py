"""Result of `attribute_disclosure`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.intruder import Intruder
from synthlab.risk.attribute import _disclosure_checks as _of_one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeDisclosureResult(Result):
    """Confidential records whose target value is determined by the known variables.

    Attributes
    ----------
    determined : numpy.ndarray of bool, shape (n,)
        Whether all confidential records with the same known values have the same value of the target.
    present : numpy.ndarray of bool, shape (n, m)
        Whether the record's known values occur in the dataset.
    claimed : numpy.ndarray of bool, shape (n, m)
        Whether the record's known values occur in the dataset with exactly one value of the target.
    disclosed : numpy.ndarray of bool, shape (n, m)
        Whether this single value is also the record's confidential value.
    synthetic_determined : numpy.ndarray of float, shape (m,)
        Share of the synthetic records whose known values occur with exactly one value of the target in the dataset.
    levels : numpy.ndarray of int, shape (n,)
        Code of each record's value of the target, in the order of first appearance.
    cells : numpy.ndarray of int, shape (n,)
        Code of each record's combination of known values and value of the target.
    counted : numpy.ndarray of bool, shape (n,)
        Whether the record's value of the target is not harmless. A record with a harmless value is False in
        `determined`, `present`, `claimed` and `disclosed`.
    records : pandas.DataFrame, n rows
        Keys and target of the confidential data.
    intruder : Intruder
        The intruder; ``intruder.known`` are the keys.
    target : str
        The variable whose value is disclosed.
    """

    _table: ClassVar[str] = "to_frame"

    determined: BoolArray
    present: BoolArray
    claimed: BoolArray
    disclosed: BoolArray
    synthetic_determined: FloatArray
    levels: IntArray
    cells: IntArray
    counted: BoolArray
    records: pd.DataFrame
    intruder: Intruder
    target: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.disclosed.shape[1])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m.

        Dorig, iS, DiS, DiSCO and DiSDiO are shares of the confidential records; Dsyn is a share of the synthetic records.
        `TCAP` is DiSCO / DiS, the share of correct claims (Taub and Elliot). `TCAP_present` is DiSCO / iS, which R's
        synthpop calls TCAP. Both are NaN if the denominator is 0. `level_share` is the share of the disclosed records
        with the most frequent disclosed value. `max_denom` and `mean_denom` are the maximum and the mean number of
        disclosed records in a cell of keys and value; the mean is over nonempty cells (NaN if there are none).
        """
        sizes = [np.bincount(self.cells[one]) for one in self.disclosed.T]
        with np.errstate(invalid="ignore"):
            shares = {
                "Dorig": np.full(self.m, self.determined.mean()),
                "Dsyn": self.synthetic_determined,
                "iS": self.present.mean(axis=0),
                "DiS": self.claimed.mean(axis=0),
                "DiSCO": self.disclosed.mean(axis=0),
                "DiSDiO": (self.disclosed & self.determined[:, None]).mean(axis=0),
                "TCAP": self.disclosed.sum(axis=0) / self.claimed.sum(axis=0),
                "TCAP_present": self.disclosed.sum(axis=0) / self.present.sum(axis=0),
                "level_share": [self._most(one) for one in self.disclosed.T],
                "max_denom": [int(one.max(initial=0)) for one in sizes],
                "mean_denom": [one.sum() / (one > 0).sum() for one in sizes],
            }
        return pd.DataFrame(shares, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    def _most(self, disclosed: BoolArray) -> float:
        return float(np.bincount(self.levels[disclosed]).max() / disclosed.sum()) if disclosed.any() else np.nan

    def check_1way(self, more_than: int = 50, share: float = 0.9) -> pd.DataFrame:
        """Return the target value with the most disclosed records in each dataset.

        The value is flagged if the numbers of disclosed records with the value exceed both thresholds.

        Parameters
        ----------
        more_than : int
            Threshold for the number of disclosed records with the value; default 50.
        share : float in [0, 1]
            Threshold for their share of all disclosed records; default 0.9.

        Returns
        -------
        pandas.DataFrame
            One row per dataset: the value (`level`), the number and share of confidential records with the value
            (without harmless values), the number of disclosed records, the number and share of disclosed records with
            the value, and whether the value is flagged.

        Raises
        ------
        InputError
            If a threshold is out of its range.
        """
        more_than = _checks.check_count(more_than, "more_than", 0)
        share = _checks.check_number(share, "share", low=0.0, high=1.0)
        values = self.records[self.target]
        rows = [_of_one.one_way(values, self.levels, one, self.counted) for one in self.disclosed.T]
        flags = [told > more_than and told > share * total for *_, total, told, _ in rows]
        table = [(*row, flag) for row, flag in zip(rows, flags, strict=True)]
        return pd.DataFrame(table, index=pd.RangeIndex(1, self.m + 1, name="dataset"), columns=list(_of_one.ONE_WAY))

    def check_2way(self, more_than: int = 4, share: float = 0.8) -> pd.DataFrame:
        """Return pairs of a key value and a target value with many disclosed records.

        A flagged pair is usually common knowledge: if nearly all people of a region are healthy, the release reveals
        nothing new about them.

        Parameters
        ----------
        more_than : int
            Threshold of the group size: disclosed records are counted if more than this many have the same keys and
            target value; default 4.
        share : float in [0, 1]
            Threshold of the share: a pair is flagged if more than this share of the confidential records with the key
            value have the target value; default 0.8.

        Returns
        -------
        pandas.DataFrame
            One row per dataset and pair, sorted by decreasing number of disclosed records: the key, its value, the target
            value (`level`), the number of disclosed records, the number of confidential records with the pair, the number
            with the key value, the ratio of these two numbers, and whether the pair is flagged.

        Raises
        ------
        InputError
            If a threshold is out of its range.
        """
        more_than = _checks.check_count(more_than, "more_than", 0)
        share = _checks.check_number(share, "share", low=0.0, high=1.0)
        keys, values = self.records[list(self.intruder.known)], self.records[self.target]
        rows = [
            (dataset, *row, row[-3] > share * row[-2])
            for dataset, one in enumerate(self.disclosed.T, start=1)
            for row in _of_one.two_way(keys, values, self.levels, self.cells, one, more_than)
        ]
        counts = dict.fromkeys(["dataset", "disclosed", "records", "key_records"], "int64")
        table = pd.DataFrame(rows, columns=["dataset", *_of_one.TWO_WAY])
        # Set the dtypes of an empty table too, so that it can be filtered by `flagged`.
        return table.astype({**counts, "key": str, "share_of_key": "float64", "flagged": "bool"})

    @property
    def title(self) -> str:
        """Return the shares in a sentence."""
        on_average = " on average" if self.m > 1 else ""
        return (
            f"The release tells {self.target} rightly and for sure of {self.disclosed.mean():.1%} of {self.determined.size:,} "
            f"people{on_average} (DiSCO), to an intruder who knows {', '.join(self.intruder.known)}; the confidential data "
            f"would tell it of {self.determined.mean():.1%} (Dorig)"
        )
