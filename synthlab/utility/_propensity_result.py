"""Result of pMSE: one value per synthetic dataset and its null distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, IntArray

SHOWN = 5  # number of left-out terms listed in the title
_NUMBER = {2: "two", 3: "three", 4: "four", 5: "five"}
MEASURES = ("pmse", "null_mean", "null_sd", "ratio", "standardised")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PmseResult(Result):
    """Propensity-score mean squared error of each synthetic dataset, and its null.

    Attributes
    ----------
    pmse : numpy.ndarray of float, shape (m,)
        Mean squared deviation of the predicted probabilities from the share c of synthetic records, in [0, c (1 - c)].
        The upper bound is 0.25 for equal sizes; 0 means that the classifier cannot distinguish the datasets.
    null_mean, null_sd : numpy.ndarray of float, shape (m,)
        Mean and standard deviation of pMSE for a correct synthesizer with fixed parameters.
    ratio : numpy.ndarray of float, shape (m,)
        ``pmse / null_mean``. It is about 1 for a correct synthesizer with fixed parameters, and about 2 if the
        synthesizer draws its parameters anew for each dataset (of n_syn = n records). Both values require that the
        terms of the classifier are those that the synthesizer fitted.
    standardised : numpy.ndarray of float, shape (m,)
        ``(pmse - null_mean) / null_sd``; about 0 for a correct synthesizer with fixed parameters.
    n_parameters, null_df : numpy.ndarray of int, shape (m,)
        Number k of parameters that the logistic regression can estimate, and the degrees of freedom of the null, which
        are k - 1 if every variable was changed. Both are 0 for a tree.
    separated : numpy.ndarray of bool, shape (m,)
        Whether the logistic regression separates some records perfectly.
    null_values : numpy.ndarray of float, shape (m, draws), or None
        Resampled values of the null; None for the analytic null.
    variables : tuple of str
        Variables used by the classifier.
    model, null : str
        Classifier and kind of null.
    order : int
        Largest number of variables multiplied in one term of the logistic regression; 1 for main effects only.
    terms : str
        Predictors of the classifier, in words.
    left_out : tuple of str
        Predictors left out by the logistic regression: products of more than `order` variables, and columns of a term
        that are constant or a linear combination of others. "up to" means that the number differs between datasets.
    share_synthetic : float
        Share c of synthetic records among all stacked records.
    """

    _figure: ClassVar[str] = "utility.plot_propensity"
    _per_dataset: ClassVar[tuple[str, ...]] = (*MEASURES, "n_parameters", "null_df", "separated")

    pmse: FloatArray
    null_mean: FloatArray
    null_sd: FloatArray
    n_parameters: IntArray
    null_df: IntArray
    separated: BoolArray
    null_values: FloatArray | None
    variables: tuple[str, ...]
    model: str
    order: int
    terms: str
    left_out: tuple[str, ...]
    null: str
    share_synthetic: float

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.pmse.size

    @property
    def ratio(self) -> FloatArray:
        """``pmse / null_mean``, shape (m,); NaN where the null mean is 0."""
        return _divide(self.pmse, self.null_mean)

    @property
    def standardised(self) -> FloatArray:
        """``(pmse - null_mean) / null_sd``, shape (m,); NaN where the null does not vary."""
        return _divide(self.pmse - self.null_mean, self.null_sd)

    def summary(self) -> pd.DataFrame:
        """Return mean, minimum and maximum over the m datasets, one row per measure."""
        table = self.to_frame()[list(MEASURES)]
        return pd.DataFrame({"mean": table.mean(), "min": table.min(), "max": table.max()}).rename_axis("measure")

    @property
    def title(self) -> str:
        """Description of the classifier, the data and the null."""
        terms = {1: "main effects", 2: "two-way interactions"}.get(self.order, f"interactions of order {self.order}")
        model = f"a logistic regression with {terms}" if self.model == "logistic" else "a classification tree"
        what = "1 variable" if len(self.variables) == 1 else f"{len(self.variables)} variables"
        some = "; ".join(self.left_out[:SHOWN])
        more = f" and {len(self.left_out) - SHOWN} more, see left_out" if len(self.left_out) > SHOWN else ""
        left_out = f" Left out: {some}{more}." if some else ""
        return (
            f"pMSE of {model} in {what}, m = {self.m}, share of synthetic records "
            f"c = {self.share_synthetic:.4g}, {self.null} null; a ratio near 1 is what a correct synthesizer "
            f"with fixed parameters gives.{left_out}"
        )


def words_for_terms(names: Sequence[str], order: int, model: str) -> tuple[str, tuple[str, ...]]:
    """Describe the terms of a classifier and the products that it leaves out."""
    k = len(names)
    variables = f"{k} variable{'s' * (k > 1)}"
    if model != "logistic":
        return f"{variables}; a tree finds their products itself", ()
    terms = ", ".join([f"main effects of {variables}", *(_products(k, size) for size in range(2, order + 1))])
    left_out = [_products(k, order + 1)] if order < k else []
    if order + 2 == k:
        left_out.append(_products(k, k))
    elif order + 2 < k:
        left_out.append(f"products of {_NUMBER.get(order + 2, order + 2)} or more variables")
    return terms, tuple(left_out)


def _products(k: int, size: int) -> str:
    number = comb(k, size)
    return f"the {f'{number:,} products' if number > 1 else 'product'} of {_NUMBER.get(size, size)} variables"


def words_for_redundant(lost: Sequence[Mapping[tuple[str, ...], tuple[int, int]]]) -> tuple[str, ...]:
    """Describe the redundant columns of each term.

    Each element of `lost` maps the terms of one dataset to (number of dropped columns, number of columns).
    """
    found = []
    for term in dict.fromkeys(term for one in lost for term in one):
        dropped = [one.get(term, (0, 0))[0] for one in lost]
        width = max(one[term][1] for one in lost if term in one)
        upto = "up to " if len(set(dropped)) > 1 else ""
        columns = f"{upto}{max(dropped)} of {width} columns of " if width > 1 else ""
        found.append(f"{columns}{' x '.join(term)} (redundant)")
    return tuple(found)


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    return _checks.read_only(np.divide(above, below, out=np.full(above.size, np.nan), where=below > 0))
