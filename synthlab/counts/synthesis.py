"""Synthesize contingency tables by drawing every cell from a count distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._formulas.log_linear import Model
from synthlab._result import Result
from synthlab._typing import IntArray, RngLike
from synthlab.counts._family import CountFamily
from synthlab.counts._pseudocounts import check_pseudocount, warn_of_pseudocount
from synthlab.counts._sampling import draw_from_means, draw_saturated
from synthlab.counts.fixed_margins import FixedMargins, read_margins
from synthlab.counts.log_linear import LogLinearFit, fit_log_linear
from synthlab.counts.structural_zeros import StructuralZeros, empty_cells, structural_cells
from synthlab.counts.table import Table, check_same_levels, check_table
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SynthesizedTables(Result):
    """m synthetic tables and the settings with which they were drawn.

    Publish only tables that were drawn without `rng`: anyone who guesses a seed can recover the confidential counts.
    See `synthesize_table`.

    Parameters
    ----------
    tables : sequence of Table
        The m synthetic tables, with the same cells as the confidential table.
    family : CountFamily
        Distribution of the counts, without means.
    model : str
        "saturated", or the log-linear model of the means.
    pseudocount : float
        Mean given to cells of mean zero.
    zeros_to_ones : float
        Share of the empty cells that are changed to ones.
    fixed_margins : tuple of tuples of str
        Variables of each margin that equals the confidential margin; the empty tuple is the total.
    """

    _table: ClassVar[str] = "to_frame"

    tables: tuple[Table, ...]
    family: CountFamily
    model: str
    pseudocount: float
    zeros_to_ones: float
    fixed_margins: tuple[tuple[str, ...], ...] = ()

    @property
    def title(self) -> str:
        """Description of the tables and the method."""
        how = f"{self.family.label}, {self.model} means, pseudocount {self.pseudocount:g}"
        ones = f", {self.zeros_to_ones:g} of the zeros to ones" if self.zeros_to_ones else ""
        fixed = "; ".join(" x ".join(margin) or "total" for margin in self.fixed_margins)
        fixed = f", fixed: {fixed}" if fixed else ""
        return f"{self.m} synthetic tables of {self.tables[0].n_cells:,} cells by {how}{ones}{fixed}"

    @property
    def m(self) -> int:
        """Number of synthetic tables."""
        return len(self.tables)

    def __len__(self) -> int:
        return self.m

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    def __getitem__(self, index: int) -> Table:
        return self.tables[index]

    def to_frame(self) -> pd.DataFrame:
        """Return records, occupied cells, ones and largest count, one row per dataset."""
        return pd.DataFrame(
            {
                "dataset": range(1, self.m + 1),
                "total": [t.total for t in self.tables],
                "occupied": [t.n_occupied for t in self.tables],
                "ones": [int((t.counts == 1).sum()) for t in self.tables],
                "largest": [int(t.counts.max(initial=0)) for t in self.tables],
            }
        )

    def summary(self) -> pd.DataFrame:
        """Return mean, minimum and maximum over the datasets of each column of `to_frame`."""
        return self.to_frame().drop(columns="dataset").agg(["mean", "min", "max"]).T

    def added(self) -> Table:
        """Return the sum of the m tables, cell by cell.

        The sum is m times the average table, in whole numbers. Jackson, Mitra, Francis and Dove (2022a) analyze the
        average. A log-linear model of the average has the same coefficients as a model of the sum, except that log(m)
        is subtracted from the intercept, and its standard errors are larger by the square root of m.

        Examples
        --------
        >>> import synthlab.counts as slc
        >>> table = slc.Table.from_counts([0, 4, 30], {"age": [5, 6, 7]})
        >>> synthetic = slc.synthesize_table(table, slc.Poisson(), m=100, rng=1)
        >>> (synthetic.added().dense() / synthetic.m).tolist()
        [0.0, 3.97, 29.94]
        """
        cells = np.concatenate([table.cells for table in self.tables])
        places, inverse = np.unique(cells, return_inverse=True)
        counts = np.zeros(places.size, dtype=np.int64)
        np.add.at(counts, inverse, np.concatenate([table.counts for table in self.tables]))
        return self.tables[0].with_counts(places, counts)

    def microdata(self, dataset: int = 1, rng: RngLike = None) -> pd.DataFrame:
        """Return the records of one dataset (1 to m); shuffled if `rng` is given."""
        number = _checks.check_count(dataset, "dataset", maximum=self.m)
        return self.tables[number - 1].microdata(rng)


def synthesize_table(
    table: Table,
    family: CountFamily,
    *,
    model: Model | LogLinearFit = "saturated",
    m: int = 1,
    pseudocount: float = 0.01,
    zeros_to_ones: float = 0.0,
    structural_zeros: StructuralZeros = None,
    fixed_margins: Sequence[Sequence[str]] | None = None,
    rng: RngLike = None,
    progress: bool = False,
) -> SynthesizedTables:
    """Synthesize a contingency table: draw every cell from a count distribution.

    Equations: Jackson, Mitra, Francis & Dove (4)

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        Distribution of the counts, without means: ``GAF(sigma=2, nu=-0.5)``, ``NBI(sigma=1)``, ``Poisson()``,
        ``PIG(sigma=1)``, ``LaplaceCount(epsilon=1)``.
    model : str, list of lists of str, or LogLinearFit, default "saturated"
        Model of the means. With "saturated", the mean of a cell is its count. Otherwise a log-linear model, as in
        `fit_log_linear`, or a model that is already fitted to this table.
    m : int, default 1
        Number of synthetic tables. The first 5 tables of a run with m = 20 are those of a run with m = 5.
    pseudocount : float, default 0.01
        Mean given to cells whose mean is zero, so that they can become non-zero. If it is 0, only `zeros_to_ones` can
        make these cells non-zero.
    zeros_to_ones : float, default 0
        Share in [0, 1] of the empty cells that a Bernoulli draw changes to ones, regardless of the family and of their
        means.
    structural_zeros : optional
        Impossible cells, which stay zero: a mask with the shape of the table, flat indices, or rules such as
        ``{"AGE": [0, 1], "STATUS": "married"}``. The structural zeros of a `LogLinearFit` are added to them.
    fixed_margins : sequence of sequences of str, optional
        One or two margins, each a list of variables, in which every synthetic table equals the confidential table:
        ``[[]]`` fixes the total, ``[["AGE"]]`` the number of records of each age, ``[["AGE"], ["SEX", "AREA"]]`` a
        margin of one and a margin of two variables. By default, cells are independent and all margins are random.
        **Fixed margins are published without protection**; see Notes.
    rng : int, numpy.random.Generator or None
        Seed or generator. Omit it for tables that will be published: None uses 128 random bits of the operating system.
        A short seed can be found by trial and error. It reveals the true count of every cell, even with `LaplaceCount`,
        because the noise can then be subtracted. The package does not check this when tables or their `microdata` are
        written to files.
    progress : bool, default False
        Whether to show a progress bar over the datasets.

    Returns
    -------
    SynthesizedTables
        The m tables.

    Raises
    ------
    InputError
        An argument is out of range, `family` already has means, or a structural zero is occupied. With fixed margins:
        also if `zeros_to_ones` is above 0, the family is `LaplaceCount`, a margin has all variables, there are more than
        two margins none of which contains another, or a table is too large for the sampler.

    Warns
    -----
    PseudocountWarning
        The pseudocount has almost no effect: under a GAF with nu <= 0, hardly any zero becomes non-zero. Under a
        log-linear model, this warning is given only if possible cells have fitted mean 0.

    Notes
    -----
    The method is that of Jackson, Mitra, Francis and Dove, section 3.2, equation (4): f_i^syn ~ F(mu_i, ...), where
    ``mu_i = f_i`` for the saturated model (the paper prints ``log(mu_i) = f_i``). `pseudocount` is alpha in the paper,
    and `zeros_to_ones` is the "Bernoulli mechanism".

    All empty cells of a saturated table have the same distribution. The number of cells that become non-zero is drawn
    from a binomial distribution, the cells are drawn without replacement, and their counts are drawn conditionally on
    being positive. The result has the same distribution as separate draws for each cell, but the cost depends only on
    the number of occupied cells.

    With fixed margins, the cells are drawn from the same distributions conditional on the margins (Wei and Reiter 2016
    synthesize magnitudes with fixed totals by this conditioning):

    - one margin and Poisson counts: the cells of each level of the margin are multinomial, with the confidential sum
      and probabilities proportional to the means. This draw is exact.
    - other families, or two margins: a Gibbs sampler. Each step chooses a random line of tables with the same margins
      (two cells gain t, two cells lose t; or t moves between two cells with the same margins) and draws t from its
      exact conditional distribution. These moves connect all tables with the same one or two margins (Dobra 2003). For
      each synthetic table, the chain starts anew at a random table that depends only on the margins and takes 200 steps
      per cell, so the draw is approximate.

    What this does to privacy and to tau: the fixed margins are exact, so the release has no finite epsilon
    (`count_epsilon` does not apply), and a record that is alone in a level of a fixed margin is disclosed. The cells of a
    level are no longer independent and vary less: Poisson counts with mean mu_i become binomial with variance
    ``mu_i (1 - mu_i / sum mu)``. tau3 and tau4 are larger than `expected_tau`, which assumes independent cells, and are 1
    where a level has one possible cell. Measure them with `tau`.

    References
    ----------
    Wei, L. and Reiter, J. P. (2016). Releasing synthetic magnitude microdata constrained to fixed marginal totals.
    Statistical Journal of the IAOS 32(1), 93-108.
    Dobra, A. (2003). Markov bases for decomposable graphical models. Bernoulli 9(6), 1093-1108.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([[0, 1, 3], [20, 5, 400]], {"sex": ["F", "M"], "age": [5, 6, 7]})
    >>> synthetic = slc.synthesize_table(table, slc.NBI(sigma=0.1), m=2, rng=1)
    >>> synthetic.m, synthetic[0].shape
    (2, (2, 3))
    >>> fixed = slc.synthesize_table(table, slc.Poisson(), fixed_margins=[["sex"]], rng=1)
    >>> fixed[0].marginal(["sex"]).dense().tolist()
    [4, 425]
    """
    check_table(table, "table")
    m = _checks.check_count(m, "m")
    _checks.check_choice(progress, "progress", (True, False))
    pseudocount = check_pseudocount(family, pseudocount)
    zeros_to_ones = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
    structural = structural_cells(table, structural_zeros)
    layout = None if fixed_margins is None else read_margins(table, fixed_margins)
    if layout is not None and (family.takes_zero or zeros_to_ones > 0):
        raise InputError(
            f"fixed_margins: cannot be combined with {family.label}, whose guarantee does not hold for exact margins"
            if family.takes_zero
            else "fixed_margins: cannot be combined with zeros_to_ones, which changes margins; use a pseudocount"
        )
    streams = _rng.spawn(rng, m)
    draw: Callable[[np.random.Generator], Table]
    if isinstance(model, str) and model == "saturated":
        name, what, n_zero = "saturated", "empty cells", empty_cells(table, structural)
        draw = partial(draw_saturated, table, family, pseudocount, zeros_to_ones, structural)
        if layout is not None:
            counts = table.dense().ravel()
            means = np.where(counts > 0, counts, pseudocount).astype(np.float64)
    else:
        fit, structural = _fitted(table, family, model, structural)
        means = fit.means.ravel().copy()
        zero = means <= 0
        means[zero] = pseudocount
        name, what, n_zero = fit.model, "cells of fitted mean 0", int(zero.sum()) - int(zero[structural].sum())
        draw = partial(draw_from_means, table, family, means, zeros_to_ones, structural)
    if layout is not None:
        means[structural] = 0.0
        draw = FixedMargins(table, family, means, layout).draw
    warn_of_pseudocount(family, pseudocount, n_zero, zeros_to_ones, what=what)
    tables = tuple(draw(stream) for stream in _watched(streams, progress))
    margins = () if layout is None else layout.margins
    return SynthesizedTables(tables, family, name, pseudocount, zeros_to_ones, margins)


def _fitted(
    table: Table, family: CountFamily, model: Model | LogLinearFit, structural: IntArray
) -> tuple[LogLinearFit, IntArray]:
    """Return the fitted model, and the structural zeros of the caller and of the fit."""
    if family.takes_zero:
        raise InputError(
            f'model={model!r}: the guarantee of {family.label} applies only to saturated means; use model="saturated"'
        )
    if not isinstance(model, LogLinearFit):
        return fit_log_linear(table, model, structural_zeros=structural), structural
    check_same_levels(table, model.table, "model")
    return model, np.union1d(structural, structural_cells(table, model.structural, "model.structural"))


def _watched(streams: list[np.random.Generator], progress: bool) -> Iterator[np.random.Generator]:
    if not progress:
        yield from streams
        return
    from tqdm import tqdm

    yield from tqdm(streams, desc="synthetic tables", unit="table")
