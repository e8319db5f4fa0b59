"""The population behind a sample: how many people match a record, from survey weights alone or from log-linear models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import count
from synthlab._formulas.log_linear import Model
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, IntArray
from synthlab._warnings import warn
from synthlab.design import SurveyDesign, read_design
from synthlab.exceptions import InputError, MissingValueError, SmallWeightsWarning, UndefinedStatisticWarning
from synthlab.risk.population._population_fit import Others, fit_cells, groups_of

CLOSE = 1e-9  # relative: sums of weights nearer than this to a number of people are that number


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PopulationCountsResult(Result):
    """People of the population who match each record of a sample, and the sample uniques that are alone there too.

    Attributes
    ----------
    variables : list of str
        The variables that people are matched on.
    sample : numpy.ndarray of int, shape (n,)
        n_t: people of the sample with the values of the record, its own included.
    population : numpy.ndarray of float, shape (n,)
        N_t: expected people of the population with these values, at least n_t; the `population` of an `Intruder`.
    alone : numpy.ndarray of float, shape (n,)
        Probability that there are no people with these values outside the sample; for a sample unique, that it is unique in
        the population.
    match : numpy.ndarray of float, shape (n,)
        Expected value of 1/N_t: the chance that the record matched to one of these people is that person's.
    size : float
        People in the population: the sum of the weights.
    method : str
        What the numbers rest on, in words.
    overdispersion : float
        Variance of the gamma factor of a cell's expected count; 0 for none, and with weights alone.
    gap, gap_std_error : float
        How far the number of population uniques seems too large because of the model, and the standard error that this has
        where the model is right: see `specification`. NaN with weights alone, and with overdispersion, which allows for it.
    """

    _table: ClassVar[str] = "summary"

    variables: list[str]
    sample: IntArray
    population: FloatArray
    alone: FloatArray
    match: FloatArray
    size: float
    method: str
    overdispersion: float
    gap: float
    gap_std_error: float

    @property
    def unique(self) -> IntArray:
        """Positions of the sample uniques: the records whose values no other record has."""
        return np.flatnonzero(self.sample == 1)

    @property
    def population_uniques(self) -> float:
        """Expected sample uniques that are unique in the population too, the sum of Pr(N = 1 | n = 1)."""
        return float(self.alone[self.unique].sum())

    @property
    def correct_matches(self) -> float:
        """Expected correct matches of the sample uniques, the sum of E(1/N | n = 1)."""
        return float(self.match[self.unique].sum())

    @property
    def specification(self) -> float:
        """`gap` in standard errors: above 2 the number of population uniques is overestimated, below -2 underestimated."""
        return self.gap / self.gap_std_error if self.gap_std_error > 0 else float("nan")

    @property
    def title(self) -> str:
        """The number of uniques in the sample and in the population, in a sentence."""
        return (
            f"{self.unique.size:,} of {self.sample.size:,} records are unique in {', '.join(self.variables)}; "
            f"{count(self.population_uniques)} of them are expected to be unique among the {count(self.size)} people of the "
            f"population, and {count(self.correct_matches)} to be matched correctly ({self.method})"
        )

    def summary(self) -> pd.DataFrame:
        """Return the measures of the file in one row."""
        columns = {
            "records": self.sample.size,
            "sample_uniques": self.unique.size,
            "population_uniques": self.population_uniques,
            "correct_matches": self.correct_matches,
            "population": self.size,
            "overdispersion": self.overdispersion,
            "specification": self.specification,
        }
        return pd.DataFrame(columns, index=pd.Index([self.method], name="method"))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a record: n_t, N_t, Pr(N_t = n_t) and E(1/N_t)."""
        return pd.DataFrame(
            {"sample": self.sample, "population": self.population, "alone": self.alone, "match": self.match}
        )


def population_counts(
    confidential: FrameLike,
    variables: ColumnNames,
    design: SurveyDesign,
    *,
    model: Model | None = None,
    overdispersed: bool = False,
    missing: Literal["raise", "category"] = "raise",
) -> PopulationCountsResult:
    r"""Estimate how many people of the population match each record of a survey, and the risk of its sample uniques.

    A cell is a combination of values of the variables, with :math:`n_k` people in the sample, :math:`N_k` in the population
    and the share :math:`\pi_k = n_k / \sum w` sampled, w the weights of its records. Without a model each person of a cell is
    in the sample with chance :math:`\pi_k` and nothing else is known of :math:`N_k` (Benedetti and Franconi 1998):

    .. math:: E(N | n) = \sum w, \qquad Pr(N = 1 | n = 1) = \pi, \qquad
        E(1/N | n = 1) = \frac{\pi}{1 - \pi} \log\frac{1}{\pi}.

    With a log-linear model of the expected population counts :math:`\lambda_k` (Skinner and Holmes 1998; Elamir and Skinner
    2006), the people outside the sample are Poisson with mean :math:`h = \lambda (1 - \pi)`, so that

    .. math:: E(N | n) = n + h, \qquad Pr(N = 1 | n = 1) = e^{-h}, \qquad E(1/N | n = 1) = (1 - e^{-h}) / h.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The sample as collected.
    variables : sequence of str
        What people are matched on, compared by value: the known variables, and the synthesized ones whose true value the
        intruder knows.
    design : SurveyDesign
        The survey design, with `weights` that say how many people a record stands for.
    model : str or list of lists of str, optional
        A hierarchical log-linear model, as `fit_log_linear` has it: a formula such as ``"(region + age + sex)**2"``, the
        margins to be fitted, or "equal" for the same expected count in every cell. None: the weights alone.
    overdispersed : bool
        Whether expected counts vary around the model by a gamma factor with mean 1, its variance the likeliest given the
        fitted counts; with ``model="equal"`` that is the negative binomial of Bethlehem, Keller and Pannekoek (1990).
    missing : {"raise", "category"}
        Whether a missing value is an error or a value of its own.

    Returns
    -------
    PopulationCountsResult
        Its `population` is that of an `Intruder` who knows these variables.

    Raises
    ------
    InputError
        A design without weights, weights that add up to the number of records and differ (normalised weights), a model that is
        not hierarchical, or a table with more than 4 million cells.
    MissingValueError
        Missing values with ``missing="raise"``, or of the weights.

    Warns
    -----
    SmallWeightsWarning
        The weights of a cell add up to fewer people than are in the sample: these are all taken to be sampled.
    ConvergenceWarning
        The model has no fit, mostly since margins of a sparse table are empty; what follows from it is NaN.
    UndefinedStatisticWarning
        The check of the model is undefined, since everybody is in the sample or the model fits any table.

    Notes
    -----
    The model is fitted to the sums of weights, by pseudo maximum likelihood, which is maximum likelihood where the weights
    are equal. With the gamma factor, of variance a, the people outside the sample are negative binomial, of shape
    :math:`n + 1/a` and mean :math:`(1 + a n) h / (1 + a \pi \lambda)`.

    `specification` asks, as the criteria of Skinner and Shlomo (2008) do, whether the number of population uniques is biased
    because of the model: too large a number comes of a model that is too simple, too small a one mostly of too large a
    model. It is the second-order expansion of that bias, of a model without the gamma factor, standard normal where it is
    right. Without a model N_t of a sample unique is its weight, an estimate from one person.

    Numbers of a model are expectations under it. That a sample unique is no population unique is no protection where the
    intruder knows that the person is in the sample.

    References
    ----------
    Benedetti, R. and Franconi, L. (1998). Statistical and technological solutions for controlled data dissemination.
    Pre-proceedings of New Techniques and Technologies for Statistics 1, 225-232.

    Bethlehem, J. G., Keller, W. J. and Pannekoek, J. (1990). Disclosure control of microdata. Journal of the American
    Statistical Association 85, 38-45.

    Elamir, E. and Skinner, C. J. (2006). Record level measures of disclosure risk for survey microdata. Journal of Official
    Statistics 22, 525-539.

    Skinner, C. J. and Holmes, D. J. (1998). Estimating the re-identification risk per record in microdata. Journal of Official
    Statistics 14, 361-372.

    Skinner, C. J. and Shlomo, N. (2008). Assessing identification risk in survey microdata using log-linear models. Journal of
    the American Statistical Association 103, 989-1001.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"region": list("NNNSSE"), "sex": list("ffmfff"), "weight": [10, 20, 10, 20, 20, 5]})
    >>> found = sl.population_counts(survey, ["region", "sex"], sl.SurveyDesign(weights="weight"))
    >>> found.population.tolist()
    [30.0, 30.0, 10.0, 40.0, 40.0, 5.0]
    >>> round(found.population_uniques, 3)
    0.3
    >>> someone = sl.Intruder(known=["region"], synthesized=["sex"], in_file=False, population=found.population)
    """
    frame = _checks.check_frame(confidential, "confidential")
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_choice(overdispersed, "overdispersed", (True, False))
    _checks.check_choice(missing, "missing", ("raise", "category"))
    if overdispersed and model is None:
        raise InputError("overdispersed=True: is about the expected counts of a model; give one, such as model='equal'")
    weights = people_per_record(frame, design)
    codes = _codes(frame, names, missing)
    cell, sizes = groups_of(codes)
    counts = sizes.astype(np.float64)
    sums = _at_least(np.bincount(cell, weights).astype(np.float64), counts)
    method, overdispersion, gap = "from the survey weights", 0.0, (np.nan, np.nan)
    others = Others.by_weights(counts, sums)
    if model is not None:
        equal = isinstance(model, str) and model == "equal"
        fit = fit_cells(codes, counts, sums, None if equal else model, overdispersed)
        others = Others.by_model(counts, sums, fit.expected, fit.overdispersion)
        overdispersion, gap = fit.overdispersion, (fit.gap, fit.gap_std_error)
        family = "negative binomial" if overdispersed else "Poisson"
        method = f"{family} model: {fit.model}"
        if fit.gap_std_error == 0:
            warn(
                "the check of the model is undefined: everybody is in the sample; reported as NaN",
                UndefinedStatisticWarning,
                stacklevel=2,
            )
    people = counts + others.mean
    return PopulationCountsResult(
        variables=names,
        sample=_checks.read_only(sizes[cell]),
        population=_checks.read_only(people[cell]),
        alone=_checks.read_only(others.probability_of_none()[cell]),
        match=_checks.read_only(others.expected_inverse()[cell]),
        size=float(weights.sum()),
        method=method,
        overdispersion=overdispersion,
        gap=gap[0],
        gap_std_error=gap[1],
    )


def people_per_record(frame: pd.DataFrame, design: SurveyDesign) -> FloatArray:
    """Return how many people each record stands for; raises for weights that do not say so."""
    weights = read_design(design, frame).weights
    if design.weights is None:
        raise InputError("design: has no weights, which say how many people a record stands for")
    reason = no_people(weights)
    if reason:
        raise InputError(f"design: its {reason}; multiply them by its size over their sum")
    return weights


def no_people(weights: FloatArray) -> str | None:
    """Return why weights do not count people, or None; those of a census are all 1."""
    total, n = float(weights.sum()), weights.size
    if total > n * (1 + CLOSE) or (total > n * (1 - CLOSE) and np.ptp(weights) < CLOSE):
        return None
    return f"weights add up to no more than the {n:,} records, as normalised weights do, and not to the population"


def _codes(frame: pd.DataFrame, names: list[str], missing: str) -> pd.DataFrame:
    """Return the levels of each variable as numbers from 0, a missing value the last of them."""
    codes: dict[str, IntArray] = {}
    for name in names:
        mask = _checks.missing_mask(frame[name])
        if mask.any() and missing == "raise":
            raise MissingValueError(
                f'variables: column {name!r} has {int(mask.sum()):,} missing values; missing="category" counts them as a value '
                "of their own"
            )
        found = pd.factorize(frame[name])[0]
        codes[name] = np.where(mask, found.max(initial=-1) + 1, found)
    return pd.DataFrame(codes)


def _at_least(sums: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the sums of weights, no smaller than the numbers of records."""
    short = sums < counts * (1 - CLOSE)
    if short.any():
        warn(
            f"the weights of {int(short.sum()):,} of {short.size:,} kinds of people add up to fewer people than are in the file; "
            "all of these are taken to be in the sample",
            SmallWeightsWarning,
            stacklevel=3,
        )
    return np.maximum(sums, counts)


__all__ = ["PopulationCountsResult", "no_people", "people_per_record", "population_counts"]
