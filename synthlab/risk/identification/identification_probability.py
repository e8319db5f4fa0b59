"""Identification probability (IR): the share of a record's pattern outside its ball.

Hu, Savitsky and Williams (2022), section 2. The risk weights are computed from IR. IR is not the match risk T / c of
`identification_risk`: it is the share of the pattern OUTSIDE the ball around the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import SingletonPatternWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.match_inputs import prepare


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationProbabilityResult(Result):
    """Identification probabilities of n records in m datasets.

    Attributes
    ----------
    per_dataset : numpy.ndarray of float, shape (n, m)
        IR_i(l), in [0, 1].
    record : numpy.ndarray of float, shape (n,)
        IR_i, the mean over the datasets.
    confidential : numpy.ndarray of float, shape (n,)
        IR_i^c, the identification probability if the confidential data are released: the baseline.
    pattern_size : numpy.ndarray of int, shape (n, m)
        :math:`|M_p|`: the number of records with the known values of record i, including record i.
    contains_true : numpy.ndarray of bool, shape (n, m)
        T_i(l): whether the synthetic value of record i lies in the ball around its true value.
    singleton : numpy.ndarray of bool, shape (n,)
        Whether the record is the only record of its pattern in the confidential data.
    intruder : Intruder
        The intruder, which defines how records are compared.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
    """

    _figure: ClassVar[str] = "risk.plot_identification_probability"

    per_dataset: FloatArray
    confidential: FloatArray
    pattern_size: IntArray
    contains_true: BoolArray
    singleton: BoolArray
    intruder: Intruder
    data_kind: str | None = None

    @property
    def title(self) -> str:
        """Number of records and datasets, and description of the intruder."""
        head = f"Identification probability (IR) of {len(self.confidential):,} records, m = {self.m}"
        return f"{head}\n{self.intruder.describe()}"

    @property
    def record(self) -> FloatArray:
        """IR_i, the mean over the m datasets, shape (n,)."""
        return _checks.read_only(self.per_dataset.mean(axis=1))

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.per_dataset.shape[1])

    def to_frame(self) -> pd.DataFrame:
        """Return the distribution of IR over the records, one row per dataset 1..m."""
        index = pd.RangeIndex(1, self.m + 1, name="dataset")
        return pd.DataFrame([_describe(column) for column in self.per_dataset.T], index=index)

    def summary(self) -> pd.DataFrame:
        """Return the distribution of IR over the records: confidential, and mean over datasets."""
        return pd.DataFrame({"confidential": _describe(self.confidential), "synthetic": _describe(self.record)}).T


@explains_arguments
def identification_probability(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    singletons: Literal["formula", "certain"] = "formula",
) -> IdentificationProbabilityResult:
    r"""Compute the identification probability (IR) of each record.

    Equations: Hu, Savitsky & Williams (1)

    Let :math:`M_{p,i}` be the records that have i's values of the known variables, and
    :math:`B(y_i, r)` the ball around i's true values of the synthesized variables. In dataset l

    .. math:: IR_i^{(l)} = T_i^{(l)} \, \frac{\#\{h \in M_{p,i} : y_h^{*(l)} \notin B(y_i, r)\}}{|M_{p,i}|},
       \qquad T_i^{(l)} = 1\{y_i^{*(l)} \in B(y_i, r)\},

    and :math:`IR_i` is the mean over the m datasets. A record with many records nearby has a low IR; an isolated record has a
    high IR.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets of n rows. Pass `confidential` itself for the risk of releasing it unchanged.
    intruder : Intruder
        The intruder. The known variables, compared by value, define the patterns; without known variables, all n records form
        one pattern. The synthesized variables define the ball: values within the radius, or equal values for a variable
        without a radius. The options `boundary`, `missing` and `norm` ("box" or "euclidean") apply.
    singletons : {"formula", "certain"}
        IR of a record that is the only record of its pattern. "formula" (default) gives 0, the lowest risk, although the known
        variables identify the record. "certain" gives 1.

    Returns
    -------
    IdentificationProbabilityResult

    Raises
    ------
    InputError, RowAlignmentError, DtypeMismatchError, MissingValueError
        As in `identification_risk`. In addition, a radius for a known variable raises `InputError`.

    Warns
    -----
    SingletonPatternWarning
        If a record is the only one of its pattern and ``singletons="formula"``.

    Notes
    -----
    In :math:`IR_i^c`, T = 1 for every ball. An open ball of half-width 0 is empty and does not contain its own center; such a
    record has the highest baseline, so that its marginal weight in `risk_weights` is ``1 - alpha``. In a dataset, T is 1 only
    if the released value is in the ball. If the confidential data are passed as `synthetic`, such a record has IR = 0.

    `Intruder` defines the meanings of a missing value. With ``missing="category"``, records with the same missing known
    variables form a pattern, and the ball around a missing synthesized value contains only missing values. With
    ``missing="never"`` the pattern of a record with a missing known value and the ball around a missing synthesized value are
    empty. Such a record does not match itself, so that T = 0 and its IR is 0 in the confidential data too. A record with
    complete known values and a missing synthesized value still counts in its pattern, outside every ball.

    Cost: as in `identification_risk`, O(n log n) per dataset with one or two continuous variables. The R code of the authors
    divides by n (their study has one pattern); the paper and this function divide by :math:`|M_p|`.

    References
    ----------
    Hu, J., Savitsky, T. D. and Williams, M. R. (2022). Risk-efficient Bayesian data synthesis for
    privacy protection. Journal of Survey Statistics and Methodology 10(5), section 2.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    >>> ir = sl.identification_probability(people, people, someone)
    >>> ir.record.tolist()
    [0.25, 0.25, 0.25, 0.75]
    """
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    check_intruder(intruder, "identification_probability", ("boundary", "missing"))
    prepared = prepare(confidential, synthetic, intruder, continuous_known=False)
    sizes, _ = prepared.match_known()
    own_size, size = sizes[:, :1], sizes[:, 1:]
    (own_inside, _), (inside, contains) = prepared.match()
    singleton = own_size[:, 0] == 1
    if singletons == "formula":
        warn_of_singletons(int(singleton.sum()), len(singleton), prepared.intruder)
    certain = singleton if singletons == "certain" else np.zeros_like(singleton)
    return IdentificationProbabilityResult(
        per_dataset=_checks.read_only(_share_outside(inside, contains, size, certain)),
        confidential=_checks.read_only(
            _share_outside(own_inside, prepared.can_match()[:, None], own_size, certain)[:, 0]
        ),
        pattern_size=_checks.read_only(size),
        contains_true=_checks.read_only(contains),
        singleton=_checks.read_only(singleton),
        intruder=prepared.intruder,
        data_kind=_checks.data_kind(prepared.confidential),
    )


def warn_of_singletons(alone: int, n: int, intruder: Intruder) -> None:
    """Warn if the formula gives IR = 0 to records that are alone in their pattern."""
    if alone:
        warn(
            f"{alone:,} of {n:,} records are alone in their pattern of {', '.join(intruder.known)}: the formula gives them "
            'IR = 0, the lowest risk, although they are the most exposed; use singletons="certain" to set their IR to 1',
            SingletonPatternWarning,
        )


def _share_outside(inside: IntArray, contains: BoolArray, size: IntArray, certain: BoolArray) -> FloatArray:
    """Return IR: T * (|M_p| - inside) / |M_p|, 0 for an empty pattern, 1 if certain."""
    share: FloatArray = np.divide(size - inside, size, out=np.zeros(size.shape), where=size > 0)
    share *= contains
    share[certain] = 1.0
    return share


def _describe(values: FloatArray) -> pd.Series:
    quantiles = np.quantile(values, [0.25, 0.5, 0.75, 0.9])
    labels = ["mean", "25 %", "median", "75 %", "90 %", "max"]
    return pd.Series([float(values.mean()), *quantiles.tolist(), float(values.max())], index=labels)
