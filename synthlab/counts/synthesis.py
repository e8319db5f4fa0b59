"""Synthetic tables: every cell drawn anew around its mean."""

from __future__ import annotations

from collections.abc import Iterator
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
from synthlab.counts.log_linear import LogLinearFit, fit_log_linear
from synthlab.counts.structural_zeros import StructuralZeros, empty_cells, structural_cells
from synthlab.counts.table import Table, check_same_levels, check_table
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SynthesizedTables(Result):
    """m synthetic tables, with how they were made.

    Whoever finds the seed by trial gets the confidential counts from these tables, so publish tables that were made
    without `rng` alone: see `synthesize_table`.

    Parameters
    ----------
    tables : sequence of Table
        The m synthetic tables, all with the cells of the confidential one.
    family : CountFamily
        The distribution that drew the counts, its means left out.
    model : str
        "saturated", or the log-linear model of the means.
    pseudocount : float
        Mean given to cells of mean zero.
    zeros_to_ones : float
        Share of the empty cells turned into ones.
    """

    _table: ClassVar[str] = "to_frame"

    tables: tuple[Table, ...]
    family: CountFamily
    model: str
    pseudocount: float
    zeros_to_ones: float

    @property
    def title(self) -> str:
        """The table synthesized and the method, in a sentence."""
        how = f"{self.family.label}, {self.model} means, pseudocount {self.pseudocount:g}"
        ones = f", {self.zeros_to_ones:g} of the zeros to ones" if self.zeros_to_ones else ""
        return f"{self.m} synthetic tables of {self.tables[0].n_cells:,} cells by {how}{ones}"

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
        """Return one row a dataset: its records, and its empty, single and occupied cells."""
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
        """Return mean, smallest and largest value over the datasets of each column of `to_frame`."""
        return self.to_frame().drop(columns="dataset").agg(["mean", "min", "max"]).T

    def added(self) -> Table:
        """Return the sum of the m tables, cell by cell: m times their average, in whole numbers.

        An analysis of the average, as in Jackson, Mitra, Francis and Dove (2022a), is one of this table: a log-linear model
        has the same coefficients but for log(m) in the intercept, and errors larger by the square root of m.

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
        """Return one row a synthetic record of one dataset (1 to m); shuffled when `rng` is given."""
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
    rng: RngLike = None,
    progress: bool = False,
) -> SynthesizedTables:
    """Synthesize a contingency table: draw every cell from a count distribution around its mean.

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        The distribution, its means left out: ``GAF(sigma=2, nu=-0.5)``, ``NBI(sigma=1)``, ``Poisson()``, ``PIG(sigma=1)``,
        ``LaplaceCount(epsilon=1)``.
    model : str, list of lists of str, or LogLinearFit, default "saturated"
        "saturated": the mean of a cell is its count. Else a log-linear model, as in `fit_log_linear`, or one that is
        fitted to this table already.
    m : int, default 1
        Number of synthetic tables. The first 5 of m = 20 equal the run with m = 5.
    pseudocount : float, default 0.01
        Mean given to the cells whose mean is zero, so that they can become non-zero. With 0 only `zeros_to_ones`
        makes anything of them.
    zeros_to_ones : float, default 0
        Share in [0, 1] of the empty cells that a Bernoulli draw turns into ones, apart from the family and
        whatever their mean.
    structural_zeros : optional
        Impossible cells, which stay zero: a mask with the shape of the table, flat indices, or rules such as
        ``{"AGE": [0, 1], "STATUS": "married"}``. Those of a `LogLinearFit` are impossible too.
    rng : int, numpy.random.Generator or None
        Source of randomness. Omit it for tables that are published: None draws from 128 bits of the operating system. A
        short seed can be found by trial, and with it the true count of every cell, also with `LaplaceCount`: the noise of
        the seed is subtracted. Nothing checks this when tables or their `microdata` are written to files.
    progress : bool, default False
        Show a progress bar over the datasets.

    Returns
    -------
    SynthesizedTables
        The m tables.

    Raises
    ------
    InputError
        If an argument is out of its range, `family` has means of its own, or a structural zero is occupied.

    Warns
    -----
    PseudocountWarning
        When the pseudocount cannot work: under a GAF with nu <= 0, next to no zero becomes a non-zero. Under a log-linear
        model only where it leaves possible cells with mean 0.

    Notes
    -----
    Jackson, Mitra, Francis and Dove, section 3.2, equation (4): f_i^syn ~ F(mu_i, ...), ``mu_i = f_i`` when saturated (the
    paper prints ``log(mu_i) = f_i``), with the paper's alpha = `pseudocount`. Their remedy for zeros, "a Bernoulli
    mechanism", is `zeros_to_ones`.

    The empty cells of a saturated table all have one distribution. How many of them become non-zero is drawn from a
    binomial, which ones without replacement, and their counts given that they are not zero: the same law as
    a draw per cell, at a cost that follows the occupied cells.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([[0, 1, 3], [20, 5, 400]], {"sex": ["F", "M"], "age": [5, 6, 7]})
    >>> synthetic = slc.synthesize_table(table, slc.NBI(sigma=0.1), m=2, rng=1)
    >>> synthetic.m, synthetic[0].shape
    (2, (2, 3))
    """
    check_table(table, "table")
    m = _checks.check_count(m, "m")
    _checks.check_choice(progress, "progress", (True, False))
    pseudocount = check_pseudocount(family, pseudocount)
    zeros_to_ones = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
    structural = structural_cells(table, structural_zeros)
    streams = _rng.spawn(rng, m)
    if isinstance(model, str) and model == "saturated":
        name, what, n_zero = "saturated", "empty cells", empty_cells(table, structural)
        draw = partial(draw_saturated, table, family, pseudocount, zeros_to_ones, structural)
    else:
        fit, structural = _fitted(table, family, model, structural)
        means = fit.means.ravel().copy()
        zero = means <= 0
        means[zero] = pseudocount
        name, what, n_zero = fit.model, "cells of fitted mean 0", int(zero.sum()) - int(zero[structural].sum())
        draw = partial(draw_from_means, table, family, means, zeros_to_ones, structural)
    warn_of_pseudocount(family, pseudocount, n_zero, zeros_to_ones, what=what, stacklevel=2)
    tables = tuple(draw(stream) for stream in _watched(streams, progress))
    return SynthesizedTables(tables, family, name, pseudocount, zeros_to_ones)


def _fitted(
    table: Table, family: CountFamily, model: Model | LogLinearFit, structural: IntArray
) -> tuple[LogLinearFit, IntArray]:
    """Return the fit of a log-linear model, and the cells that are impossible by the caller or by the fit."""
    if family.takes_zero:
        raise InputError(
            f"model={model!r}: the guarantee of {family.label} is for the counts themselves; use saturated means"
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
