"""Combined interval of the first m synthetic datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.teaching.widgets._interactive import choice, explorer, number
from synthlab.utility import AnalysisUtilityResult, combine_partial

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure, Source


def first_datasets(answers: AnalysisUtilityResult, *, m: int) -> AnalysisUtilityResult:
    """Return the analysis of the first m synthetic datasets.

    Parameters
    ----------
    answers : AnalysisUtilityResult
        Analysis of a partially synthetic release with at least m datasets.
    m : int >= 2
        Number of datasets.

    Returns
    -------
    AnalysisUtilityResult
        Analysis combined with `combine_partial`, with intervals based on T_p.

    Raises
    ------
    InputError
        If there are fewer than m datasets, if m is below 2 (T_p requires the variance between datasets), or if the synthesis is
        not partial.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import first_datasets
    >>> from synthlab.utility import analysis_utility
    >>> def mean(frame):
    ...     return {"mean": (frame["x"].mean(), 0.5)}
    >>> frames = [pd.DataFrame({"x": [0.0, last]}) for last in (10, 9, 11, 12)]
    >>> answers = analysis_utility(frames[0], frames[1:], analysis=mean)
    >>> first_datasets(answers, m=2).combined.q_bar.tolist()
    [5.0]
    """
    _check(answers)
    m = _checks.check_count(m, "m", 2, answers.m)
    estimates, variances = answers.estimates[:m], answers.variances[:m]
    combined = combine_partial(estimates, variances, level=answers.combined.level, names=answers.names)
    return replace(
        answers, estimates=estimates, variances=variances, intervals=answers.intervals[:m], combined=combined
    )


def combined_interval_figure(
    answers: AnalysisUtilityResult, *, name: str, m: int, label: str | None = None, data: Source = None
) -> DescribedFigure:
    """Draw the combined and the confidential interval, with a description.

    Parameters
    ----------
    answers, m
        As `first_datasets`.
    name : str
        Coefficient to draw.
    label : str, optional
        Label of the coefficient; by default its name.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `first_datasets`, or if `name` is not a coefficient.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import combined_interval_figure
    >>> from synthlab.utility import analysis_utility
    >>> def mean(frame):
    ...     return {"mean": (frame["x"].mean(), 0.5)}
    >>> frames = [pd.DataFrame({"x": [0.0, last]}) for last in (10, 9, 11, 12)]
    >>> answers = analysis_utility(frames[0], frames[1:], analysis=mean)
    >>> print(combined_interval_figure(answers, name="mean", m=2).description.partition(". ")[0])
    95% intervals of mean: confidential from 4.02 to 5.98, combined over the first m = 2 datasets from 3.04 to 6.96
    """
    from synthlab.plots import style
    from synthlab.plots.intervals import plot_analysis

    result = first_datasets(answers, m=m)
    _checks.check_choice(name, "name", answers.names)
    row, words = answers.names.index(name), name if label is None else _checks.check_text(label, "label")
    combined, (low, high), (first, last) = (
        result.combined,
        result.confidential_interval[row],
        result.combined.interval[row],
    )
    overlap = float(result.interval_overlap[row])
    with style.context():
        ax = style.off_screen((8.0, 3.6))
        plot_analysis(result, ax, names=[name], labels={name: words}, data=data, xlabel="estimate and interval")
        # The scale includes the intervals of all datasets, so that it rarely changes with m.
        ends = [answers.intervals[:, row].min(), answers.intervals[:, row].max(), low, high, first, last]
        margin = 0.04 * (max(ends) - min(ends))
        ax.set_xlim(min(ends) - margin, max(ends) + margin)
        ax.set_title(style.literal(f"m = {m}: overlap J = {overlap:.2f}"), loc="right", pad=24)
    description = (
        f"{100 * combined.level:g}% intervals of {words}: confidential from {low:.3g} to {high:.3g}, combined over the first m = {m} "
        f"datasets from {first:.3g} to {last:.3g}. Their overlap is J = {overlap:.3f}. T_p = b/m + v = {combined.between[row]:.3g}/{m} + "
        f"{combined.within[row]:.3g} = {combined.total_variance[row]:.3g}, with {combined.df[row]:,.3g} degrees of freedom. Thin lines "
        f"show the intervals of the {m} datasets. The overlaps of these intervals range from "
        f"{result.dataset_overlap[:, row].min():.2f} to {result.dataset_overlap[:, row].max():.2f}."
    )
    return style.figure_with_description(ax, description)


def combined_interval_explorer(
    answers: AnalysisUtilityResult,
    *,
    labels: Mapping[str, str] | None = None,
    m: int = 5,
    data: Source = None,
) -> Any:
    """Return controls for the coefficient and m, with a figure.

    Parameters
    ----------
    answers, data
        As `combined_interval_figure`.
    labels : mapping {coefficient: text}, optional
        Coefficients to choose from, with their labels; by default all coefficients. The first is selected.
    m : int
        Initial number of datasets.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        As `combined_interval_figure`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    _check(answers)
    named = {name: name for name in answers.names} if labels is None else dict(labels)
    for name in named:
        _checks.check_choice(name, "labels", answers.names)
    m = _checks.check_count(m, "m", 2, answers.m)

    def draw(name: str, m: int) -> DescribedFigure:
        return combined_interval_figure(answers, name=name, m=m, label=named[name], data=data)

    return explorer(
        draw,
        name=choice("Coefficient", [(text, name) for name, text in named.items()]),
        m=number("Number of datasets, m", m, 2, answers.m),
    )


def _check(answers: object) -> None:
    if not isinstance(answers, AnalysisUtilityResult):
        raise InputError(f"answers: must be a result of `analysis_utility`, got {_checks.described(answers)}")
    if answers.combined.synthesis != "partial":
        raise InputError(
            f"answers: the estimates were combined with the rule for {answers.combined.synthesis} synthesis; use "
            "`analysis_utility` with the rule for partial synthesis"
        )
