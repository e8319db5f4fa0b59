"""Attribute disclosure by keys that determine a value: Dorig, DiSCO, DiS and both readings of TCAP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.release import as_release
from synthlab.risk.uniques import key_codes, radius_names


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeDisclosureResult(Result):
    """Confidential records whose value of a variable follows from what the intruder knows.

    Attributes
    ----------
    determined : numpy.ndarray of bool, shape (n,)
        Whether all confidential records with the record's known values have its value of the target.
    present : numpy.ndarray of bool, shape (n, m)
        Whether the record's known values occur in the dataset.
    claimed : numpy.ndarray of bool, shape (n, m)
        Whether they do, always with one value of the target.
    disclosed : numpy.ndarray of bool, shape (n, m)
        Whether that value is the record's own.
    synthetic_determined : numpy.ndarray of float, shape (m,)
        Share of the synthetic records whose known values have one value of the target in their dataset.
    levels : numpy.ndarray of int, shape (n,)
        Code of each record's value of the target, in the order of first appearance.
    intruder : Intruder
        Who knows what; ``intruder.known`` are the keys.
    target : str
        The variable that follows.
    """

    _table: ClassVar[str] = "to_frame"

    determined: BoolArray
    present: BoolArray
    claimed: BoolArray
    disclosed: BoolArray
    synthetic_determined: FloatArray
    levels: IntArray
    intruder: Intruder
    target: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.disclosed.shape[1])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m.

        Dorig, iS, DiS, DiSCO and DiSDiO are shares of the confidential records, Dsyn of the synthetic ones; `TCAP` is
        DiSCO / DiS, the share of the claims that are right (Taub and Elliot), `TCAP_present` DiSCO / iS, what R's synthpop
        calls TCAP; NaN where the denominator is 0. `level_share` is the share of the disclosed records that have the most
        frequent disclosed value.
        """
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
            }
        return pd.DataFrame(shares, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    def _most(self, disclosed: BoolArray) -> float:
        return float(np.bincount(self.levels[disclosed]).max() / disclosed.sum()) if disclosed.any() else np.nan

    @property
    def title(self) -> str:
        """Return the shares in a sentence."""
        on_average = " on average" if self.m > 1 else ""
        return (
            f"The release tells {self.target} rightly and for sure of {self.disclosed.mean():.1%} of {self.determined.size:,} "
            f"people{on_average} (DiSCO), to an intruder who knows {', '.join(self.intruder.known)}; the confidential data "
            f"would tell it of {self.determined.mean():.1%} (Dorig)"
        )


def attribute_disclosure(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder, *, target: str
) -> AttributeDisclosureResult:
    r"""Share of the people whose value of a variable follows from what the intruder knows, in the data and the release.

    The known values k determine the target in a file if all its records with k have one value of it. A confidential record
    is disclosed if its known values determine the target in the release, and rightly:

    .. math:: DiSCO = \frac{1}{n} \#\{i : s_{k_i t_i} = s_{k_i} > 0\},

    where :math:`s_k` and :math:`s_{kt}` count the synthetic records with known values k, and with target t besides.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    intruder : Intruder
        `known` are the keys, at least one, compared by value; `target` is among `synthesized`. With ``missing="category"``
        a missing value is a value like others.
    target : str
        The variable that is to follow, compared by value. A continuous one is refused: by value nothing would ever follow.

    Returns
    -------
    AttributeDisclosureResult

    Raises
    ------
    InputError
        If the intruder knows nothing, the target is none of the synthesized variables or looks continuous, a variable is
        not in both files, or an option of the intruder plays no part here.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Notes
    -----
    The order of the rows plays no part. Where the keys say much about the target in the population they do so in any useful
    release; a high `level_share` means that one frequent value makes up most of what is disclosed.

    R's synthpop gives percentages. It matches tables by position where the text order of ungrouped numbers is not their
    order, and is wrong there; here values are matched by value.

    References
    ----------
    Raab, G. M., Nowok, B. and Dibben, C. (2025). Practical privacy metrics for synthetic data. arXiv:2406.16826.
    Taub, J. and Elliot, M. (2019). The synthetic data challenge. UNECE/Eurostat Work Session on SDC.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNSSEE"), "ill": ["yes", "yes", "no", "no", "no", "yes"]})
    >>> released = people.assign(ill=["yes", "yes", "no", "yes", "yes", "yes"])
    >>> someone = sl.Intruder(known=["region"], synthesized=["ill"])
    >>> print(sl.attribute_disclosure(people, released, someone, target="ill").title)
    The release tells ill rightly and for sure of 50.0% of 6 people (DiSCO), to an intruder who knows region; the confidential data
    would tell it of 66.7% (Dorig)
    """
    check_intruder(intruder, "attribute_disclosure", ("missing",))
    if target not in intruder.synthesized:
        raise InputError("target: is not among the synthesized variables of the intruder, one of which is to follow")
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    own, others = key_codes(frame, release, intruder, "attribute_disclosure")
    if target in radius_names(intruder) or _checks.looks_continuous(frame[target]):
        raise InputError(
            f"target={target!r}: holds measurements, which are never equal; give groups of them as a column, such as pandas.cut makes"
        )
    cells, released = key_codes(frame, release, intruder, "attribute_disclosure", target)
    size = 1 + max(int(codes.max(initial=0)) for codes in (own, *others))
    many = 1 + max(int(codes.max(initial=0)) for codes in (cells, *released))
    present, claimed, disclosed, determined = [], [], [], []
    for keys, joint in zip(others, released, strict=True):
        key_counts, cell_counts = np.bincount(keys, minlength=size), np.bincount(joint, minlength=many)
        sure = cell_counts[joint] == key_counts[keys]
        determined.append(float(sure.mean()))
        sure_keys = np.zeros(size, dtype=bool)
        sure_keys[keys[sure]] = True
        present.append(key_counts[own] > 0)
        claimed.append(sure_keys[own])
        disclosed.append((cell_counts[cells] > 0) & sure_keys[own])
    return AttributeDisclosureResult(
        determined=_checks.read_only(
            np.bincount(cells, minlength=many)[cells] == np.bincount(own, minlength=size)[own]
        ),
        present=_checks.read_only(np.column_stack(present)),
        claimed=_checks.read_only(np.column_stack(claimed)),
        disclosed=_checks.read_only(np.column_stack(disclosed)),
        synthetic_determined=_checks.read_only(np.array(determined)),
        levels=_checks.read_only(pd.factorize(frame[target], use_na_sentinel=False)[0]),
        intruder=intruder,
        target=target,
    )
