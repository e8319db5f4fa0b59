"""Propensity-score mean squared error (pMSE) of a release.

Stack the confidential and synthetic records, predict which records are synthetic, and average the squared
deviations of the predictions from the share of synthetic records (Woo et al. 2009; Snoke et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._system.parallel import one_thread, parallel_map
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameLike, FrameOrFrames, RngLike
from synthlab._warnings import warn
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError, SeparationWarning, UndefinedStatisticWarning
from synthlab.utility._classifiers import LogisticClassifier, make_classifier
from synthlab.utility._design import Stacked, stack
from synthlab.utility._frames import NO_PLACE, check_usable, prepare
from synthlab.utility._pmse_null import mean_square, paired, permuted, spread, unchanged_parameters
from synthlab.utility._propensity_result import PmseResult, words_for_redundant, words_for_terms
from synthlab.utility._survey_weights import DesignOfSynthetic, both_weights, designs


@explains_arguments
def pmse(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    model: str = "logistic",
    order: int = 1,
    null: str | None = None,
    null_parameters: str = "changed",
    permutations: int = 50,
    min_leaf: int = 20,
    missing: str = "raise",
    rng: RngLike = None,
    design: SurveyDesign | None = None,
    synthetic_design: DesignOfSynthetic = "same",
) -> PmseResult:
    """Measure how well a classifier distinguishes synthetic from confidential records.

    There are N = n_c + n_s stacked records, c = n_s / N, and p_i is the predicted probability that record i is
    synthetic. Then ``pMSE = mean over i of (p_i - c)**2`` (Snoke et al. 2018, equation 1).

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets. Rows need not be aligned, and the number of rows can differ.
    variables : sequence of str, optional
        Variables to compare; by default all variables of the confidential data. Each number, date or time span (in
        days) is one column.
    categorical : sequence of str
        Variables that are stored as numbers, dates or objects but are categories. Text, bools and pandas categories
        are always categories.
    model : {"logistic", "cart"}
        Logistic regression without a penalty, or a classification tree (Gini).
    order : int
        Logistic regression: largest number of variables multiplied in one term. 1 gives main effects, 2 adds all
        two-way interactions.
    null : {"analytic", "permutation", "pairs"}, optional
        Source of the null distribution, see Notes. By default, "analytic" for the logistic regression, and
        "permutation" for the tree and under a survey design.
    null_parameters : {"changed", "all"}
        Parameters counted by the analytic null: those that involve a variable changed by the release, or always k - 1.
    permutations : int
        Number of permutations per dataset.
    min_leaf : int
        Tree: smallest number of records in a leaf.
    missing : {"raise", "category"}
        Treatment of missing values: "raise" raises an error, and "category" makes them a separate category (numeric
        variables get a missingness indicator). "never" is not supported.
    rng : int or numpy.random.Generator, optional
        Seed or generator for the permutation null and the tree.
    design : SurveyDesign, optional
        Survey design of the confidential data. The classifier and the mean then use the weights, normalized to the
        number of records of each dataset, and pMSE measures how well the populations can be distinguished. Only the
        permutation null is available. By default, all records have equal weight.
    synthetic_design : {"same"}, SurveyDesign or None
        Survey design of the synthetic data. "same" reads `design` from the columns of the synthetic data. None is a
        simple random sample, which is correct for pseudo-populations.

    Returns
    -------
    PmseResult
        Values per dataset; `summary` averages over the m datasets.

    Raises
    ------
    InputError
        A variable is absent or infinite; an option is unknown; there are as many parameters as records; the analytic
        null is requested for a tree, or the null from pairs for a single dataset; a column of objects holds numbers
        (which could be measurements or categories); a category has more than 100 levels and fewer than ten stacked
        records per level; or the design exceeds 2 GiB.
    MissingValueError
        A variable has missing values and ``missing="raise"``.

    Warns
    -----
    SeparationWarning
        The logistic regression separates some records perfectly, often because a category occurs in only one dataset.
        pMSE is then its well-defined limit as the coefficients grow without bound. The coefficients are undefined, and
        the analytic null is only a rough guide.
    UndefinedStatisticWarning
        The null is constant, so that the ratio or the standardized pMSE is 0/0 and therefore NaN.

    Notes
    -----
    All three nulls are for a correct synthesizer with fixed parameters: the synthetic values are drawn from the
    distribution fitted to the confidential data, which are held fixed. A correct synthesizer that draws its parameters
    anew for each dataset, as Bayesian synthesizers do, has a ratio of about 2 if n_s = n_c. Both reference values, 1
    and 2, hold if the terms of the classifier are those that the synthesizer fitted. A classifier with further terms
    (such as the cube of a variable whose mean and variance were fitted) gives a different ratio even for a correct
    model.

    - analytic: ``pMSE * N / (c (1-c)**2)`` is chi-squared with k - 1 degrees of freedom, where k is the number of
      parameters including the constant. The mean is therefore ``(k-1)(1-c)**2 c / N`` and the standard deviation
      ``sqrt(2(k-1)) (1-c)**2 c / N``. Variables that are released unchanged contribute nothing to pMSE;
      ``null_parameters="changed"`` subtracts their k_0 - 1 parameters.
    - permutation: the labels are shuffled. Both datasets then vary, which makes pMSE too large by the factor 1/(1-c);
      the values are multiplied by 1 - c. If a variable is released unchanged, record i and its synthetic counterpart
      swap labels at random, so that this variable stays balanced.
    - pairs: pMSE of each pair of synthetic datasets, multiplied by ``8 (c (1-c))**2`` for the same reason
      (1/2 when n_c = n_s).

    The R equivalent is ``fitted(glm(label ~ ., family = binomial))``. Differences from ``utility.gen`` of the R package
    synthpop 1.9-3:

    - ``maxorder`` is the order of interaction: 0 for ``order=1``, and 1 for ``order=2``.
    - S_pMSE is the ratio with ``null_parameters="all"``.
    - The resampled nulls agree for c = 1/2 (synthpop always halves them).
    - The fits of synthpop are accurate to five to seven digits.
    - If a number is missing only in the release, synthpop leaves the record out of the fit but still counts it.
    - Trees are fitted by rpart. A split must reduce misclassification (cp), so pMSE can be 0, and a node smaller than
      three times the smallest leaf is not split. Here only the leaf size is bounded.

    pMSE of ``utility.tab`` is that of a logistic regression with all products.

    References
    ----------
    Snoke, J., Raab, G. M., Nowok, B., Dibben, C. and Slavkovic, A. (2018). General and specific utility
    measures for synthetic data. Journal of the Royal Statistical Society A 181(3), 663-688.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.utility import pmse
    >>> draw = np.random.default_rng(1)
    >>> confidential = pd.DataFrame({"income": draw.normal(50, 10, 500)})
    >>> good = pd.DataFrame({"income": draw.normal(50, 10, 500)})
    >>> poor = pd.DataFrame({"income": draw.normal(55, 10, 500)})
    >>> print(pmse(confidential, [good, poor]).to_frame()[["pmse", "ratio"]].round(4))
               pmse    ratio
    dataset
    1        0.0001    0.7048
    2        0.0157  125.4608
    """
    _checks.check_choice(model, "model", ("logistic", "cart"))
    _checks.check_meaning(missing, "pmse", {"never": NO_PLACE})
    _checks.check_choice(null_parameters, "null_parameters", ("changed", "all"))
    null = _checks.check_choice(null, "null", (None, "analytic", "permutation", "pairs"))
    if design is not None and null in ("analytic", "pairs"):
        raise InputError(f"null={null!r}: requires equal weights; under a design use null='permutation'")
    null = null or ("analytic" if model == "logistic" and design is None else "permutation")
    confidential, release, names = prepare(confidential, synthetic, variables, categorical)
    _checks.check_count(order, "order", 1, len(names))
    _checks.check_count(permutations, "permutations", 2)
    _checks.check_count(min_leaf, "min_leaf", 1)
    if model == "cart" and null == "analytic":
        raise InputError("null='analytic': a tree has no analytic null; use null='permutation' or null='pairs'")
    if model == "cart" and order != 1:
        raise InputError(f"order={order}: products of variables are for model='logistic'; a tree finds them itself")
    if null == "pairs" and release.m < 2:
        raise InputError("null='pairs': needs m >= 2 synthetic datasets; use null='permutation'")
    check_usable(confidential, release, names, 'use missing="category" to treat missing as a separate level', missing)

    surveys = designs(confidential, release, design, synthetic_design)
    tree = model == "cart"
    build = partial(stack, variables=names, categorical=list(categorical), order=1 if tree else order, every_level=tree)
    streams = _rng.spawn(rng, release.m)
    c = release.n / (len(confidential) + release.n)
    shuffles = permutations if null == "permutation" else 0
    measure = partial(_one_dataset, confidential, build, model, min_leaf, null_parameters, shuffles, c)
    weights = [both_weights(surveys, number) for number in range(1, release.m + 1)]
    found = parallel_map(measure, zip(release, streams, weights, strict=True), prefer="processes", probe=True)
    mse, n_parameters, null_df, separated, redundant, resampled, advanced = zip(*found, strict=True)
    values = np.array(resampled) if shuffles else None
    if null == "pairs":
        with one_thread():
            values = np.array([paired(release, build, model, min_leaf, advanced[0], c)] * release.m)
    if values is None:
        scale = (1 - c) ** 2 * c / (len(confidential) + release.n)
        degrees = np.array(null_df)
        null_mean, null_sd = degrees * scale, np.sqrt(2 * degrees) * scale
    else:
        null_mean, null_sd = values.mean(axis=1), spread(values)
    _warn(np.array(separated), null_mean, null_sd)
    terms, left_out = words_for_terms(names, order, model)
    return PmseResult(
        pmse=_checks.read_only(np.array(mse)),
        null_mean=_checks.read_only(null_mean),
        null_sd=_checks.read_only(null_sd),
        n_parameters=_checks.read_only(np.array(n_parameters)),
        null_df=_checks.read_only(np.array(null_df)),
        separated=_checks.read_only(np.array(separated)),
        null_values=None if values is None else _checks.read_only(values),
        variables=tuple(names),
        model=model,
        order=order,
        terms=terms,
        left_out=(*left_out, *words_for_redundant(redundant)),
        null=null,
        share_synthetic=c,
    )


def _one_dataset(
    confidential: pd.DataFrame,
    build: Callable[..., Stacked],
    model: str,
    min_leaf: int,
    null_parameters: str,
    shuffles: int,
    c: float,
    dataset: tuple[pd.DataFrame, np.random.Generator, FloatArray | None],
) -> tuple[float, int, int, bool, dict[tuple[str, ...], tuple[int, int]], FloatArray | None, np.random.Generator]:
    """Return pMSE, parameters, df, separation, redundancy, permutation null, and the advanced stream."""
    frame, stream, weights = dataset
    stacked = build(confidential, frame)
    classifier = make_classifier(stacked, model, min_leaf, _rng.integer_seed(stream), weights)
    probability = classifier.predict(stacked.label)
    parameters, df, separated, redundant = 0, 0, False, {}
    if isinstance(classifier, LogisticClassifier):
        parameters = classifier.basis.shape[1]
        df = parameters - unchanged_parameters(stacked, classifier.design, null_parameters)
        redundant = _redundant(stacked, classifier)
        separated = classifier.separates(stacked.label, probability)
    null = permuted(stacked, classifier, shuffles, stream) if shuffles else None
    return mean_square(probability, c, weights), parameters, df, separated, redundant, null, stream


def _redundant(stacked: Stacked, classifier: LogisticClassifier) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return the numbers of redundant columns and of all columns, for each term with redundant columns."""
    widths = np.bincount(stacked.term)
    lost = np.bincount(stacked.term[classifier.design.dropped], minlength=widths.size)
    return {stacked.terms[t]: (int(lost[t]), int(widths[t])) for t in np.flatnonzero(lost)}


def _warn(separated: BoolArray, null_mean: FloatArray, null_sd: FloatArray) -> None:
    if separated.any():
        which = ", ".join(str(i + 1) for i in np.flatnonzero(separated))
        warn(
            f"the logistic regression separates some records perfectly in synthetic dataset {which}: its coefficients "
            "are not finite; pMSE is its limit and the analytic null is only a rough guide",
            SeparationWarning,
        )
    if not ((null_mean > 0) & (null_sd > 0)).all():
        warn(
            "the null of pMSE does not vary (no variable was changed, the tree never split, or there is only one pair of "
            "datasets): the ratio or the standardized pMSE is undefined and NaN",
            UndefinedStatisticWarning,
        )
