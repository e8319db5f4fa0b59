"""Coverage of 95% intervals from synthetic data.

Each repetition draws a survey of n people from a known population, creates m synthetic datasets, and computes intervals by
several rules. The correct combining rule has its nominal coverage. Rules that omit the variance between the datasets, or treat
synthetic records as respondents, do not. The population is a normal linear regression with a closed-form posterior predictive
distribution, so all repetitions are computed together in little time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from replications import claims
from replications.claims import judge
from replications.coverage.claims import CLAIMS, LEVEL, TOLERANCE
from replications.coverage.counting import SEED, count
from replications.coverage.intervals import NAIVE
from replications.coverage.regression import DESIGNS, ESTIMANDS, N
from replications.paper_tables import read_claims
from replications.published import compare
from replications.study import Result, Study, Tables
from synthlab import _checks
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPETITIONS = 1_000
SIZES = (2, 3, 5, 10, 20, 50)
PAPER = "lecture 7, combining rules"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CoverageResult(Result):
    """Coverage of the intervals, by design, number of datasets, estimand and method.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per combination: ``design``, ``synthesis``, ``m`` (0: no synthetic data), ``estimand``,
        ``method``, ``coverage`` in [0, 1], ``mc_error`` (its Monte-Carlo standard error),
        ``median_width``, ``width_90`` and ``width_99`` (quantiles of the width of the intervals), ``unbounded`` (share of
        repetitions with fewer than 1 degree of freedom; such an interval has no bounds, so that it holds the truth and its
        width is infinite), ``adjusted`` (share of negative T_f).
    repetitions : int
        Number of repetitions behind each row.
    level : float
        Nominal level of the intervals.
    """

    table: pd.DataFrame
    repetitions: int
    level: float

    @property
    def claimed(self) -> tuple[float, float]:
        """Interval of coverage that agrees with the level: two points below to two points above."""
        return round(self.level - TOLERANCE, 10), round(self.level + TOLERANCE, 10)

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one row per design, m, estimand and method."""
        return self.table.copy()

    def headline(self) -> pd.DataFrame:
        """Return the coverage of the correct and the naive rules for each design at its intended m."""
        keep = []
        for design in DESIGNS:
            if design.headline_m is not None:
                mine = self.table["design"] == design.name
                keep.append(mine & (self.table["m"] == design.headline_m) & (self.table["method"] == design.rule))
                for method in NAIVE:
                    m = 1 if method == "one_as_real" else design.headline_m
                    keep.append(mine & (self.table["m"] == m) & (self.table["method"] == method))
        rows = pd.concat([self.table[rows] for rows in keep], ignore_index=True)
        low, high = self.claimed
        return rows.assign(as_claimed=rows["coverage"].between(low, high))

    def summary(self) -> pd.DataFrame:
        """Return coverage in per cent, one row per design and method, one column per estimand."""
        rows = self.headline()
        keys = ["design", "method", "m"]
        percent = {name: 100 * rows.loc[rows["estimand"] == name].set_index(keys)["coverage"] for name in ESTIMANDS}
        table = pd.DataFrame(percent)
        low, high = (100 * end for end in self.claimed)
        inside = table.ge(low) & table.le(high)
        words = inside.sum(axis=1).map({0: "no", 1: "one of two", 2: "yes"})
        return table.assign(**{f"in {low:g}-{high:g} %": words})

    def coverage(self, design: str, method: str, estimand: str) -> pd.Series:
        """Return coverage by number of datasets, for one design, method and estimand."""
        asked = {"design": design, "method": method, "estimand": estimand}
        chosen = [_checks.check_text(value, name) for name, value in asked.items()]
        rows = self.table[self.table[list(asked)].eq(chosen).all(axis=1)]
        if rows.empty:
            raise InputError(f"no coverage of {estimand!r} by {method!r} under design {design!r} was simulated")
        return rows.set_index("m")["coverage"]

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        error = 100 * np.sqrt(self.level * (1 - self.level) / self.repetitions)
        few = "" if self.repetitions >= REPETITIONS else f"; {REPETITIONS:,} are needed to judge to a point or two"
        return (
            f"Coverage in per cent of {100 * self.level:g} % intervals in {self.repetitions:,} repetitions, surveys of "
            f"n = {N} people; Monte-Carlo standard error of a right interval {error:.1f} points{few}."
        )

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw coverage against the number of datasets, see `plot_coverage`."""
        return plot_coverage(self, ax, **options)

    def details(self) -> str:
        """Return the coverage and the claims as text."""
        return f"{self.summary().to_string(float_format='{:.1f}'.format)}\n\n{claims.lines(self.claims)}"

    def _repr_html_(self) -> str:
        return f"<p>{self.describe()}</p>" + self.summary().to_html(float_format="{:.1f}".format)


def simulate_coverage(
    *,
    repetitions: int = REPETITIONS,
    sizes: Sequence[int] = SIZES,
    level: float = LEVEL,
    rng: RngLike = SEED,
) -> CoverageResult:
    """Draw surveys, synthesize them, and count how often each kind of interval holds the truth.

    A survey has x ~ N(0, 1) and y = 8.8 + 0.6 x + N(0, 0.7) for n = 200 people. The synthetic values
    are posterior predictive draws under the flat prior p(beta, sigma) ~ 1/sigma, new parameters for
    each dataset; in full synthesis x is drawn likewise. The methods:

    - ``confidential``: the interval from the survey itself;
    - ``combine_partial``, ``combine_full``: the combining rules;
    - ``no_between``: q_bar with the variance v_bar, the spread between datasets left out;
    - ``one_as_real``: the first synthetic dataset, analysed as if it were a survey (m = 1);
    - ``stacked_as_real``: the m datasets under one another, analysed as one survey.

    Parameters
    ----------
    repetitions : int
        Number of surveys, >= 2.
    sizes : sequence of int
        Numbers m of synthetic datasets, each >= 2; the datasets of a small m are the first of a larger one.
    level : float
        Level of the intervals, in (0, 1).
    rng : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    CoverageResult

    Raises
    ------
    InputError
        Too few repetitions or datasets, or a level outside (0, 1).

    Notes
    -----
    For m datasets of n records made from the right model, ``b`` is near 2 v_bar, so `no_between` is short
    of variance by a factor ``1 + 2/m`` and its coverage ``2 Phi(1.96 / sqrt(1 + 2/m)) - 1``.

    Examples
    --------
    >>> from replications.coverage import simulate_coverage
    >>> result = simulate_coverage(repetitions=50, sizes=[5], rng=1)
    >>> result.coverage("partial", "combine_partial", "mean of y").to_dict()
    {5: 0.94}
    """
    repetitions = _checks.check_count(repetitions, "repetitions", 2)
    sizes = _checks.check_counts(sizes, "sizes", 2)
    if not sizes:
        raise InputError("sizes=[]: name at least one number of datasets")
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    rows = count(repetitions, sizes, level, rng)
    return STUDY.assemble({"table": pd.DataFrame(rows).assign(repetitions=repetitions, level=level)})


def to_csv(result: CoverageResult) -> str:
    """Return a result as the text of a CSV file: the same bytes on every machine."""
    table = result.table.assign(repetitions=result.repetitions, level=result.level)
    return table.to_csv(index=False, lineterminator="\n", float_format="%.4g")


METHOD_WORDS = {
    "confidential": "the survey itself",
    "combine_partial": "rule for partial synthesis",
    "combine_full": "rule for full synthesis",
    "no_between": "between part left out",
    "one_as_real": "one dataset analyzed as real data",
    "stacked_as_real": "stacked datasets analyzed as real data",
}


@_decorators.figure()
def plot_coverage(
    result: CoverageResult,
    ax: Axes | None = None,
    *,
    design: str = "partial",
    estimand: str = "slope of y on x",
    methods: Sequence[str] = ("combine_partial", "no_between", "one_as_real", "stacked_as_real"),
    title: str | None = None,
) -> Axes:
    """Draw the coverage of intervals against the number of synthetic datasets.

    Parameters
    ----------
    result : CoverageResult
        Result of the simulation.
    design, estimand : str
        Design and estimand of the simulation.
    methods : sequence of str
        Methods to draw, each as a line with its name at the end.
    title : str, optional
        Title; by default the name of the design.

    Raises
    ------
    InputError
        If the design or estimand was not simulated, or `methods` is empty.

    Examples
    --------
    >>> from replications.coverage.study import plot_coverage
    >>> from replications.coverage import simulate_coverage
    >>> result = simulate_coverage(repetitions=20, sizes=[2, 5], rng=1)
    >>> plot_coverage(result, design="partial").get_ylabel()
    'intervals that contain the truth (%)'
    """
    names = _checks.check_list(methods, "methods", "a list of names of methods")
    odd = [name for name in names if not (result.table["method"] == _checks.check_text(name, "methods")).any()]
    if odd:
        raise InputError(f"methods: {_checks.named(odd)} not simulated")
    lines = {method: 100 * result.coverage(design, method, estimand) for method in names}
    if not lines:
        raise InputError("methods=[]: name at least one method")
    sizes = sorted({int(m) for line in lines.values() for m in line.index} - {0})
    ax = style.axes(ax)
    low, high = (100 * end for end in result.claimed)
    ax.axhspan(low, high, color=BASELINE, alpha=0.15, linewidth=0)
    ax.axhline(100 * result.level, color=BASELINE, linestyle=style.LINES[2], linewidth=1.4)
    last = len(sizes) - 1
    heights = _apart([float(line.iloc[-1]) for line in lines.values()], 6.5)
    for (method, line, look), height in zip(_decorators.each(lines), heights, strict=True):
        places = [sizes.index(int(m)) for m in line.index]
        if len(places) == 1:
            ax.axhline(line.iloc[0], linewidth=1.4, **_decorators.no_marker(look))
        ax.plot(places, line, **look)
        ax.text(last + 0.25, height, METHOD_WORDS.get(method, method), color=look["color"], va="center")
    ax.set_xticks(range(len(sizes)), [str(m) for m in sizes])
    ax.set(xlim=(-0.3, last + 0.15), ylim=(min(0.0, *(float(line.min()) for line in lines.values())) - 2, 102))
    return style.finish(
        ax,
        xlabel="number m of synthetic datasets",
        ylabel="intervals that contain the truth (%)",
        title=f"Coverage, {design}" if title is None else title,
    )


def _apart(values: Sequence[float], gap: float) -> FloatArray:
    """Return label heights near the values, at least `gap` apart."""
    order = np.argsort(values, kind="stable")
    heights = np.asarray(values, dtype=np.float64)[order]
    for _ in range(200):
        short = gap - np.diff(heights)
        if (short <= 1e-9).all():
            break
        for i in np.flatnonzero(short > 1e-9):
            push = (gap - (heights[i + 1] - heights[i])) / 2
            if push > 0:
                heights[i] -= push
                heights[i + 1] += push
    result = np.empty(len(heights))
    result[order] = heights
    return result


class Coverage(Study[CoverageResult]):
    """Coverage of the intervals of the combining rules, and of naive ones."""

    name, paper = "coverage", PAPER
    result, seed = CoverageResult, SEED
    full = MappingProxyType({"repetitions": REPETITIONS})
    quick = MappingProxyType({"repetitions": 200})
    raw = MappingProxyType({"table": 4})

    def compute(self, seed: int, size: Mapping[str, Any], folder: Path, progress: bool, **options: Any) -> Tables:
        """Return the coverage of every kind of interval."""
        result = simulate_coverage(**size, rng=seed)
        return {"table": result.table.assign(repetitions=result.repetitions, level=result.level)}

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the claims; they are the lecture's, which prints no numbers of others."""
        table = raw["table"]
        repetitions, level = int(table["repetitions"].iloc[0]), float(table["level"].iloc[0])
        found: dict[str, Any] = {
            "table": table.drop(columns=["repetitions", "level"]),
            "repetitions": repetitions,
            "level": level,
        }
        nothing = pd.DataFrame()
        rows = CoverageResult(claims=nothing, published=nothing, **found).headline()
        tables = [
            judge(PAPER, str(design), read_claims("coverage"), CLAIMS, [part])
            for design, part in rows.groupby("design", sort=False)
        ]
        return {**found, "claims": pd.concat(tables, ignore_index=True), "published": compare(PAPER, {}, {})}

    def assemble(self, raw: Tables, folder: Path | None = None) -> CoverageResult:
        """Return the result from its table."""
        return CoverageResult(**self.derive(raw), folder=folder)

    def file(self, name: str) -> str:
        """Return the name of the file of a table."""
        return super().file("coverage" if name == "table" else name)


STUDY = Coverage()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
