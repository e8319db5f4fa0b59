"""Population counts of sample records, from survey weights, log-linear models or models of the sizes of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast, get_args

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._format import count
from synthlab._formulas.log_linear import Model
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, IntArray
from synthlab._warnings import warn
from synthlab.design import SurveyDesign, read_design
from synthlab.exceptions import (
    ConvergenceWarning,
    InputError,
    MissingValueError,
    SmallWeightsWarning,
    UndefinedStatisticWarning,
    UnequalWeightsWarning,
)
from synthlab.risk.population._cell_sizes import SizeFit, SizeModel, fit_sizes
from synthlab.risk.population._population_fit import Others, fit_cells, groups_of

CLOSE = 1e-9  # relative tolerance for comparing sums of weights with numbers of people


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PopulationCountsResult(Result):
    """Estimated population counts of sample records, and risk of sample uniques.

    Attributes
    ----------
    variables : list of str
        The matching variables.
    sample : numpy.ndarray of int, shape (n,)
        n_t: number of people in the sample with the values of the record, including the record.
    population : numpy.ndarray of float, shape (n,)
        N_t: expected number of people in the population with these values, at least n_t; the `population` of an `Intruder`.
    alone : numpy.ndarray of float, shape (n,)
        Probability that no person outside the sample has these values. For a sample unique, it is the probability that the
        record is unique in the population.
    match : numpy.ndarray of float, shape (n,)
        Expected value of 1/N_t: the probability that a match of the record to one of these people is correct.
    size : float
        Estimated size of the population: the sum of the weights.
    method : str
        Description of the estimation method.
    overdispersion : float
        Variance of the gamma factor of the expected counts; 0 for Poisson models and without a model.
    parameters : dict {str: float}
        Fitted parameters of a model of the sizes of cells; empty for other methods.
    gap, gap_std_error : float
        Estimated bias of the number of population uniques due to a wrong model, and its standard error if the model is
        correct; see `specification`. NaN without a log-linear model and with overdispersion.
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
    parameters: dict[str, float]

    @property
    def unique(self) -> IntArray:
        """Positions of the sample uniques, the records with a unique combination of values."""
        return np.flatnonzero(self.sample == 1)

    @property
    def population_uniques(self) -> float:
        """Expected number of population uniques in the sample: sum of Pr(N = 1 | n = 1)."""
        return float(self.alone[self.unique].sum())

    @property
    def correct_matches(self) -> float:
        """Expected number of correct matches of sample uniques: sum of E(1/N | n = 1)."""
        return float(self.match[self.unique].sum())

    @property
    def specification(self) -> float:
        """`gap` divided by its standard error.

        Above 2, the number of population uniques is overestimated; below -2, it is underestimated.
        """
        return self.gap / self.gap_std_error if self.gap_std_error > 0 else float("nan")

    @property
    def title(self) -> str:
        """Sentence that states the numbers of sample uniques and population uniques."""
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
        """Return one row per record: n_t, N_t, Pr(N_t = n_t) and E(1/N_t)."""
        return pd.DataFrame(
            {"sample": self.sample, "population": self.population, "alone": self.alone, "match": self.match}
        )


@explains_arguments
def population_counts(
    confidential: FrameLike,
    variables: ColumnNames,
    design: SurveyDesign,
    *,
    model: Model | SizeModel | None = None,
    overdispersed: bool = False,
    missing: Literal["raise", "category"] = "raise",
) -> PopulationCountsResult:
    r"""Estimate the population counts of survey records and the risk of sample uniques.

    Equations: Reiter & Mitra (N_t)

    A cell is a combination of values of the variables. It has :math:`n_k` people in the sample, :math:`N_k` people in the
    population, and the sampling fraction :math:`\pi_k = n_k / \sum w`, where w are the weights of its records. Without a
    model, each person of a cell is in the sample with probability :math:`\pi_k`, and there is no other information about
    :math:`N_k` (Benedetti and Franconi 1998):

    .. math:: E(N | n) = \sum w, \qquad Pr(N = 1 | n = 1) = \pi, \qquad
        E(1/N | n = 1) = \frac{\pi}{1 - \pi} \log\frac{1}{\pi}.

    With a log-linear model of the expected population counts :math:`\lambda_k` (Skinner and Holmes 1998; Elamir and Skinner
    2006), the people outside the sample are Poisson with mean :math:`h = \lambda (1 - \pi)`, so that

    .. math:: E(N | n) = n + h, \qquad Pr(N = 1 | n = 1) = e^{-h}, \qquad E(1/N | n = 1) = (1 - e^{-h}) / h.

    Models of the sizes of cells use only how many cells have one person, two people, and so on. In the models of Samuels (1998)
    and Pitman (1995; Hoshino 2001), the next person belongs to a cell of size n with probability
    :math:`(n - \alpha) / (j + \theta)` after j people, with :math:`\alpha = 0` in Samuels' model. The number of people of the
    cell outside the sample is then beta-binomial with :math:`a = n - \alpha` and :math:`b = n_s + \theta - a`. Here n_s is the
    size of the sample and N_s the size of the population:

    .. math:: E(N | n) = n + (N_s - n_s) \frac{n - \alpha}{n_s + \theta}, \qquad
        Pr(N = 1 | n = 1) = \prod_{j=n_s}^{N_s-1} \Bigl( 1 - \frac{1 - \alpha}{j + \theta} \Bigr).

    In the slide negative binomial model (Chen and Keller-McNulty 1998), :math:`N - 1` is negative binomial,
    :math:`Pr(N = j) = \binom{\alpha + j - 2}{j - 1} \beta^\alpha (1 - \beta)^{j - 1}`, so that no cell of the population is
    empty, and each person is in the sample with probability :math:`n_s / N_s`.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The sample as collected.
    variables : sequence of str
        The matching variables, compared by value: the known variables, and the synthesized variables whose true values the
        intruder knows.
    design : SurveyDesign
        The survey design. Its `weights` are the numbers of people that the records represent.
    model : str or list of lists of str, optional
        A hierarchical log-linear model, as in `fit_log_linear`: a formula such as ``"(region + age + sex)**2"``, a list of
        margins, or "equal" for equal expected counts in all cells. Or a model of the sizes of cells: "samuels", "pitman" or
        "slide negative binomial". Default: no model, only weights.
    overdispersed : bool
        Whether the expected counts vary around the model by a gamma factor with mean 1 (default False). Its variance is
        estimated by maximum likelihood, given the fitted counts. With ``model="equal"`` this is the negative binomial model
        of Bethlehem, Keller and Pannekoek (1990).
    missing : {"raise", "category"}
        Whether a missing value is an error (default) or a category of its own.

    Returns
    -------
    PopulationCountsResult
        Pass its `population` to an `Intruder` who knows these variables.

    Raises
    ------
    InputError
        If the design has no weights, the weights differ but do not sum to more than the number of records (such as normalized
        weights), the model is not hierarchical, the table has more than 4 million cells, `overdispersed` is given without a
        log-linear model, or the name of a model of sizes is also a variable.
    MissingValueError
        Missing values with ``missing="raise"``, or missing weights.

    Warns
    -----
    SmallWeightsWarning
        If the weights of a cell sum to fewer people than the sample contains. All people of the cell are then assumed to be in
        the sample.
    UnequalWeightsWarning
        If the weights differ and `model` is a model of the sizes of cells, which assumes a simple random sample.
    ConvergenceWarning
        If the model does not converge, usually because margins of a sparse table are empty, or if the likelihood of a model of
        sizes has no maximum because all records are unique. The estimates are NaN.
    UndefinedStatisticWarning
        If the model check is undefined, because the sample contains the whole population or the model is saturated.

    Notes
    -----
    The model is fitted to the sums of weights by pseudo maximum likelihood, which is maximum likelihood if the weights
    are equal. With a gamma factor of variance a, the number of people outside the sample is negative binomial with shape
    :math:`n + 1/a` and mean :math:`(1 + a n) h / (1 + a \pi \lambda)`.

    Like the criteria of Skinner and Shlomo (2008), `specification` tests whether the model biases the number of population
    uniques. The number is too large if the model is too simple, and usually too small if the model is too complex. The
    statistic is a second-order expansion of the bias of a model without the gamma factor. It is standard normal if the model
    is correct. Without a model, N_t of a sample unique is its weight, an estimate from one person.

    Models of the sizes of cells assume a simple random sample: only the sum of the weights is used, as the size of the population.
    If the records had unequal probabilities of selection, the estimates can be far too large or too small.
    Their parameters (`parameters`) maximize the likelihood: the probability of the frequencies of frequencies under Pitman's
    sampling formula (Ewens' formula for Samuels), and the probability of the sizes of the occupied cells under the slide negative
    binomial. Chen and Keller-McNulty estimate their parameters by moments instead.

    The estimates are expected values under the model. A sample unique that is not a population unique is not protected from
    an intruder who knows that the person is in the sample.

    References
    ----------
    Benedetti, R. and Franconi, L. (1998). Statistical and technological solutions for controlled data dissemination.
    Pre-proceedings of New Techniques and Technologies for Statistics 1, 225-232.

    Bethlehem, J. G., Keller, W. J. and Pannekoek, J. (1990). Disclosure control of microdata. Journal of the American
    Statistical Association 85, 38-45.

    Chen, G. and Keller-McNulty, S. (1998). Estimation of identification disclosure risk in microdata. Journal of Official
    Statistics 14, 79-95.

    Elamir, E. and Skinner, C. J. (2006). Record level measures of disclosure risk for survey microdata. Journal of Official
    Statistics 22, 525-539.

    Hoshino, N. (2001). Applying Pitman's sampling formula to microdata disclosure risk assessment. Journal of Official
    Statistics 17, 499-520.

    Pitman, J. (1995). Exchangeable and partially exchangeable random partitions. Probability Theory and Related Fields 102,
    145-158.

    Samuels, S. M. (1998). A Bayesian, species-sampling-inspired approach to the uniques problem in microdata disclosure risk
    assessment. Journal of Official Statistics 14, 373-383.

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

    Samuels' model gives all records in cells of the same size the same N_t:

    >>> survey["weight"] = 85 / 6
    >>> by_size = sl.population_counts(survey, ["region", "sex"], sl.SurveyDesign(weights="weight"), model="samuels")
    >>> by_size.population.round(1).tolist(), round(by_size.parameters["theta"], 2)
    ([17.7, 17.7, 8.9, 17.7, 17.7, 8.9], 4.06)
    """
    frame = _checks.check_frame(confidential, "confidential")
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_choice(overdispersed, "overdispersed", (True, False))
    _checks.check_choice(missing, "missing", ("raise", "category"))
    if overdispersed and model is None:
        raise InputError("overdispersed=True: requires a model; pass one, such as model='equal'")
    by_size = isinstance(model, str) and model in get_args(SizeModel)
    if by_size and (overdispersed or model in names):
        what = f"model={model!r}: is also a variable; rename it"
        raise InputError("overdispersed=True: requires a log-linear model" if overdispersed else what)
    weights = people_per_record(frame, design)
    codes = _codes(frame, names, missing)
    cell, sizes = groups_of(codes)
    if by_size:
        if weights.max() > weights.min() * (1 + CLOSE):
            warn(
                f"population_counts: model={model!r} assumes a simple random sample, but the survey weights are unequal, so the "
                "estimates can be far too large or too small; use the weights alone (omit model) or a log-linear model",
                UnequalWeightsWarning,
            )
        return _by_size(cast("SizeModel", model), names, cell, sizes, float(weights.sum()))
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
                "the model check is undefined because the sample contains the whole population; NaN is returned",
                UndefinedStatisticWarning,
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
        parameters={},
    )


def _by_size(
    model: SizeModel, names: list[str], cell: IntArray, sizes: IntArray, people: float
) -> PopulationCountsResult:
    """Return the result of a model of the sizes of cells."""
    distinct, place, cells = np.unique(sizes, return_inverse=True, return_counts=True)
    fit = fit_sizes(model, distinct, cells, max(people, float(sizes.sum())))
    if fit is None:
        warn(
            f"model={model!r}: its likelihood has no maximum because every record is unique, so its estimates are reported as NaN; "
            "use fewer variables, or omit `model`",
            ConvergenceWarning,
        )
        nothing = np.full(distinct.size, np.nan)
        fit = SizeFit({}, nothing, nothing, nothing)
    of = place[cell]
    shown = ", ".join(f"{name} = {value:.3g}" for name, value in fit.parameters.items())
    return PopulationCountsResult(
        variables=names,
        sample=_checks.read_only(sizes[cell]),
        population=_checks.read_only((distinct + fit.others)[of]),
        alone=_checks.read_only(fit.alone[of]),
        match=_checks.read_only(fit.match[of]),
        size=people,
        method=f"model of the sizes of cells: {model}, {shown}" if shown else f"model of the sizes of cells: {model}",
        overdispersion=0.0,
        gap=np.nan,
        gap_std_error=np.nan,
        parameters=dict(fit.parameters),
    )


def people_per_record(frame: pd.DataFrame, design: SurveyDesign) -> FloatArray:
    """Return the number of people that each record represents, from the weights."""
    weights = read_design(design, frame).weights
    if design.weights is None:
        raise InputError("design: has no weights; set `weights` to the number of people that each record represents")
    reason = no_people(weights)
    if reason:
        raise InputError(f"design: its {reason}; multiply them by the population size divided by their sum")
    return weights


def no_people(weights: FloatArray) -> str | None:
    """Return why the weights are not numbers of people, or None. In a census all are 1."""
    total, n = float(weights.sum()), weights.size
    if total > n * (1 + CLOSE) or (total > n * (1 - CLOSE) and np.ptp(weights) < CLOSE):
        return None
    return f"weights add up to no more than the {n:,} records, like normalized weights, and not to the population"


def _codes(frame: pd.DataFrame, names: list[str], missing: str) -> pd.DataFrame:
    """Return the levels of each variable coded from 0, with a missing value last."""
    codes: dict[str, IntArray] = {}
    for name in names:
        mask = _checks.missing_mask(frame[name])
        if mask.any() and missing == "raise":
            raise MissingValueError(
                f'variables: column {name!r} has {int(mask.sum()):,} missing values; use missing="category" to treat them '
                "as a category of their own"
            )
        found = pd.factorize(frame[name])[0]
        codes[name] = np.where(mask, found.max(initial=-1) + 1, found)
    return pd.DataFrame(codes)


def _at_least(sums: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the sums of weights, at least the numbers of records."""
    short = sums < counts * (1 - CLOSE)
    if short.any():
        warn(
            f"the weights of {int(short.sum()):,} of {short.size:,} cells add up to fewer people than are in the file; all people "
            "of these cells are assumed to be in the sample",
            SmallWeightsWarning,
        )
    return np.maximum(sums, counts)


__all__ = ["PopulationCountsResult", "no_people", "people_per_record", "population_counts"]
