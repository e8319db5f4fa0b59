"""Properties of a student's weights, private mechanism and synthetic tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.exceptions import SynthlabError
from synthlab.intruder import Intruder
from synthlab.risk import expected_identification_probability
from synthlab.synthesizers import plug_in_normal
from synthlab.teaching.homework.check_recoding import recoding_problem
from synthlab.teaching.homework.class_seeds import class_sample
from synthlab.weights import risk_weights

Judgement = str | tuple[float, str] | None


def _weights(answer: Any, size: int, what: str) -> FloatArray | str:
    """Return an answer as an array of weights, or a description of the problem."""
    try:
        weights = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        return f"the answer must be an array of {size:,} weights, {what}; this is {type(answer).__name__}."
    if weights.shape != (size,):
        return f"the answer must be {size:,} weights, {what}; this has the shape {weights.shape}."
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() > 1:
        return "every weight must be a number from 0 to 1."
    return weights


def balanced_weights(answer: Any, settings: Mapping[str, Any]) -> Judgement:
    """Check that record weights protect isolated records without exposing others.

    The synthesizer is a normal distribution of the logarithm around its weighted mean in each group (`plug_in_normal`).
    The risk is the expected identification probability with an absolute radius.

    Settings: ``dataset``, ``rows``, ``class`` of the sample; ``outcome``, taken where it is at least ``lowest``; ``given``,
    taken where it is one of ``levels``; ``known``, ``radius``; ``isolated``, the share of the records with the lowest marginal weights; and the limits
    ``most_isolated`` (their mean weight over that of the others), ``least_mean`` (mean weight), ``most_rise`` (of any
    record) and ``most_mean_rise``.
    """
    frame = class_sample(settings["dataset"], settings["rows"], settings["class"])
    given = frame[settings["given"]].isin(settings["levels"])
    frame = frame[given & (frame[settings["outcome"]] >= settings["lowest"])].reset_index(drop=True)
    frame = frame.assign(**{"log": np.log(frame[settings["outcome"]])})
    n = len(frame)
    weights = _weights(answer, n, "one for each record")
    if isinstance(weights, str):
        return weights
    who = Intruder(known=settings["known"], synthesized=["log"], radius=settings["radius"], radius_kind="absolute")
    with quiet():
        order = np.argsort(risk_weights(frame, who).weights, kind="stable")
    isolated = np.isin(np.arange(n), order[: int(n * settings["isolated"])])
    others = weights[~isolated].mean()
    if weights.mean() < settings["least_mean"]:
        return (
            f"the mean weight is {weights.mean():.2f}, but at least {settings['least_mean']} is required: with small weights, "
            "the posterior is wide. Only ratios affect the fit, so you can multiply all weights by one number."
        )
    if weights[isolated].mean() > settings["most_isolated"] * others:
        return (
            f"the isolated records have {weights[isolated].mean() / others:.2f} times the weight of the others, on average, but "
            f"at most {settings['most_isolated']} times is allowed: isolated records should inform the model less."
        )
    try:
        fits = [plug_in_normal(frame, "log", given=settings["given"], weights=alpha) for alpha in (None, weights)]
    except SynthlabError as error:
        return f"no model can be fitted with these weights: {error}."
    before, after = (expected_identification_probability(frame, fit, who) for fit in fits)
    rise = after - before
    if rise.mean() > settings["most_mean_rise"]:
        return (
            f"the mean expected IR rises by {rise.mean():.4f}, but at most {settings['most_mean_rise']} is allowed. The "
            f"standard deviation of the model changes from {fits[0].sd:.3f} to {fits[1].sd:.3f}: which records did the wider model protect?"
        )
    if rise.max() > settings["most_rise"]:
        many = int((rise > settings["most_rise"]).sum())
        return 0.5, (
            f"the mean is sufficient, but the worst record is not: the expected IR of {many:,} records rises by more than "
            f"{settings['most_rise']}, by up to {rise.max():.4f}. Which other records could have less weight, so that the spread stays?"
        )
    return None


def count_mechanism(answer: Any, settings: Mapping[str, Any]) -> Judgement:
    """Check the epsilon and the accuracy of a mechanism with one weight per count.

    The model is a negative binomial distribution with mean mu and variance mu + mu**2 / phi on a declared grid with a flat
    prior. The logarithm of a probability is at most 0, so the two terms of a log ratio have the same sign, and epsilon is the
    largest absolute weighted log-likelihood over all counts and all points, not twice this value.

    Settings: ``dataset``, ``rows``, ``class``, ``variable`` of the sample; ``counts`` and the grids ``mean`` and ``shape``
    as ``[first, last, number]``, the last in equal ratios; and the limits ``most_epsilon``, ``most_error_mean`` and
    ``most_error_sd``: root mean squared distance of a draw from the unweighted posterior mean, of mean and standard
    deviation.
    """
    counts = np.arange(settings["counts"][0], settings["counts"][1] + 1)
    weights = _weights(answer, counts.size, f"one for each count from {counts[0]} to {counts[-1]}")
    if isinstance(weights, str):
        return weights
    mean, shape = (one.ravel() for one in np.meshgrid(np.linspace(*settings["mean"]), np.geomspace(*settings["shape"])))
    log = stats.nbinom.logpmf(counts, shape[:, None], (shape / (shape + mean))[:, None])
    sensitivity = weights * np.abs(log).max(axis=0)
    epsilon = float(sensitivity.max())
    if epsilon > settings["most_epsilon"] + 1e-9:
        return (
            f"epsilon is {epsilon:.2f}, but at most {settings['most_epsilon']} is allowed. This epsilon comes from the count "
            f"{counts[sensitivity.argmax()]}, even if no record has this count."
        )
    column = class_sample(settings["dataset"], settings["rows"], settings["class"])[settings["variable"]].dropna()
    frequency = np.bincount(column.astype(int), minlength=counts[-1] + 1)[counts]
    posterior = [special.softmax(log @ (frequency * alpha)) for alpha in (np.ones(counts.size), weights)]
    errors, positions = [], []
    for value in (mean, np.sqrt(mean + mean**2 / shape)):
        centre = float(posterior[0] @ value)
        errors.append(float(np.sqrt(posterior[1] @ (value - centre) ** 2)))
        positions.append(abs(float(posterior[1] @ value) - centre))
    if errors[0] > settings["most_error_mean"]:
        why = (
            "nearly all of the error is bias: large counts have much less weight than small counts, which shifts the fit."
            if positions[0] > 0.7 * errors[0]
            else "nearly all of the error is spread: with such small weights, the posterior is wide."
        )
        return (
            f"a draw of the mean is off by {errors[0]:.2f}, but at most {settings['most_error_mean']} is allowed; {why}"
        )
    if errors[1] > settings["most_error_sd"]:
        return 0.5, (
            f"the mean is accurate enough, but the standard deviation is off by {errors[1]:.2f}, and at most "
            f"{settings['most_error_sd']} is allowed: the largest counts determine the width of the distribution."
        )
    return None


def protected_tables(answer: Any, settings: Mapping[str, Any]) -> Judgement:
    """Check synthetic tables of counts for disclosure by ones and for accuracy.

    Settings: ``dataset``, ``rows``, ``class`` of the sample and the ``variables`` of the table; ``fewest`` and ``most``
    tables; the limits ``most_true`` (share of the synthetic ones that are true ones, in the mean over the tables),
    ``most_true_by_mean`` (the same where the mean count of the tables rounds to 1), ``large`` and ``most_error`` (no mean
    count of a cell of that size may be off by a larger share) and ``most_error_total``. No true one may be a 1 in all tables. Two equal
    tables, or tables from which the true counts can be learned, earn nothing (`recoding_problem`, with the cells that are not empty in
    all tables as rows).
    """
    variables = list(settings["variables"])
    sample = class_sample(settings["dataset"], settings["rows"], settings["class"])[variables].astype("category")
    levels = {name: set(sample[name].cat.categories.astype(str)) for name in variables}
    truth = sample.astype(str).groupby(variables).size()
    made = _tables(answer, levels, settings)
    if isinstance(made, str):
        return made
    everywhere = pd.concat([truth, *made], axis=1).fillna(0.0)
    true, tables = everywhere.iloc[:, 0].to_numpy(), everywhere.iloc[:, 1:].to_numpy()
    ones, mean = true == 1, tables.mean(axis=1)
    if any(np.array_equal(one, true) for one in tables.T):
        return "one of the tables is the confidential table."
    large = true >= settings["large"]
    worst = float(np.abs(mean[large] / true[large] - 1).max(initial=0))
    if worst > settings["most_error"]:
        return (
            f"a cell of {settings['large']} or more is off by {worst:.0%} in the mean of the tables, but at most "
            f"{settings['most_error']:.0%} is allowed. Does the noise of your distribution decrease as the count grows?"
        )
    off = float(np.abs(tables.sum(axis=0) / true.sum() - 1).max())
    if off > settings["most_error_total"]:
        return f"the total of a table is off by {off:.1%}, but at most {settings['most_error_total']:.0%} is allowed."
    shares = [float(ones[one == 1].mean()) if (one == 1).any() else 0.0 for one in tables.T]
    if np.mean(shares) > settings["most_true"]:
        return (
            f"of the ones in a table, {np.mean(shares):.0%} are true ones, but at most {settings['most_true']:.0%} are allowed. "
            "How much noise does a 1 get, and how many empty cells become ones?"
        )
    rounded = (mean >= 0.5) & (mean < 1.5)
    share = float(ones[rounded].mean()) if rounded.any() else 0.0
    if share > settings["most_true_by_mean"]:
        return (
            f"an intruder can average your tables: where the mean rounds to 1, {share:.0%} of the cells are true ones, but at "
            f"most {settings['most_true_by_mean']:.0%} are allowed. Each table is another measurement of the same count."
        )
    shown = tables.max(axis=1) > 0
    cells = everywhere.index[shown].to_frame(index=False)
    counts = [cells.assign(count=one[shown]) for one in (true, *tables.T)]
    if problem := recoding_problem(counts[0], counts[1:], ["count"], rows="cells"):
        return problem
    always = int((ones & (tables == 1).all(axis=1)).sum())
    if always:
        return 0.5, (
            f"the averages are sufficient, but the worst cell is not: {always} of the true ones are a 1 in "
            "every table. How probable is a 1 in one table, and in all tables?"
        )
    return None


def _tables(answer: Any, levels: dict[str, set[str]], settings: Mapping[str, Any]) -> list[pd.Series] | str:
    """Return the counts of every table by cell, or a description of the problem."""
    if not isinstance(answer, list) or not all(isinstance(one, pd.DataFrame) for one in answer):
        return "the answer must be a list of DataFrames: [table.to_frame() for table in ...]."
    if not settings["fewest"] <= len(answer) <= settings["most"]:
        count = f"{len(answer)} table{'' if len(answer) == 1 else 's'}"
        return f"it has {count}, but {settings['fewest']} to {settings['most']} are required."
    variables, made = list(levels), []
    for number, one in enumerate(answer, start=1):
        if sorted(map(str, one.columns)) != sorted([*variables, "count"]):
            return f"table {number} must have the columns {', '.join(variables)} and count."
        numbers = pd.to_numeric(one["count"], errors="coerce")
        if not (numbers >= 0).all() or (numbers % 1 != 0).any():
            return f"table {number} contains a count that is not a whole number >= 0."
        cells = one[variables].astype(str)
        odd = [name for name in variables if not cells[name].isin(levels[name]).all()]
        if odd:
            return f"table {number} contains a value of {odd[0]} that does not occur in the data."
        if cells.duplicated().any():
            return f"table {number} contains a cell twice."
        made.append(pd.Series(numbers.to_numpy(float), index=pd.MultiIndex.from_frame(cells)))
    return made
