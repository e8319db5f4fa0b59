"""Synthetic tables: every cell drawn anew around its mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, IntArray, RngLike
from synthlab.counts._family import CountFamily
from synthlab.counts._model import Model
from synthlab.counts._zeros import check_pseudocount, warn_of_pseudocount
from synthlab.counts.cells import StructuralZeros, choose_empty, empty_cells, structural_cells
from synthlab.counts.log_linear import LogLinearFit, fit_log_linear
from synthlab.counts.table import Table, check_same_levels, check_table
from synthlab.exceptions import InputError

_CHUNK = 2**20
_TABULATED = 512


@dataclass(frozen=True, slots=True, eq=False)
class SynthesizedTables:
    """m synthetic tables, with how they were made.

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

    tables: tuple[Table, ...]
    family: CountFamily
    model: str
    pseudocount: float
    zeros_to_ones: float

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

    def microdata(self, dataset: int = 1, rng: RngLike = None) -> pd.DataFrame:
        """Return one row a synthetic record of one dataset (1 to m); shuffled when `rng` is given."""
        number = _checks.check_count(dataset, "dataset", maximum=self.m)
        return self.tables[number - 1].microdata(rng)

    def __str__(self) -> str:
        how = f"{self.family.label}, {self.model} means, pseudocount {self.pseudocount:g}"
        ones = f", {self.zeros_to_ones:g} of the zeros to ones" if self.zeros_to_ones else ""
        return f"{self.m} synthetic tables of {self.tables[0].n_cells:,} cells by {how}{ones}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>" + self.to_frame().to_html(index=False)


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
        Mean given to the cells whose mean is zero, so that they can become non-zero. With 0 they stay zero.
    zeros_to_ones : float, default 0
        Share in [0, 1] of the empty cells that a Bernoulli draw turns into ones, apart from the family.
    structural_zeros : optional
        Impossible cells, which stay zero: a mask with the shape of the table, flat indices, or rules such as
        ``{"AGE": [0, 1], "STATUS": "married"}``.
    rng : int or numpy.random.Generator, optional
        Source of randomness.
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
        When the pseudocount cannot work: under a GAF with nu <= 0, next to no zero becomes a non-zero.

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
    pseudocount = check_pseudocount(family, pseudocount)
    zeros_to_ones = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
    structural = structural_cells(table, structural_zeros)
    streams = _rng.spawn(rng, m)
    saturated = isinstance(model, str) and model == "saturated"
    warn_of_pseudocount(family, pseudocount, empty_cells(table, structural), zeros_to_ones, stacklevel=2)
    if saturated:
        name = "saturated"
        tables = [
            _draw_saturated(table, family, pseudocount, zeros_to_ones, structural, stream)
            for stream in _watched(streams, progress)
        ]
    else:
        if family.takes_zero:
            raise InputError(
                f"model={model!r}: the guarantee of {family.label} is for the counts themselves; use saturated means"
            )
        if isinstance(model, LogLinearFit):
            fit = model
            check_same_levels(table, fit.table, "model")
        else:
            fit = fit_log_linear(table, model, structural_zeros=structural)
        name = fit.model
        means = np.where(fit.means > 0, fit.means, pseudocount).ravel()
        means[structural] = 0.0
        tables = [
            _draw_from_means(table, family, means, zeros_to_ones, stream) for stream in _watched(streams, progress)
        ]
    return SynthesizedTables(tuple(tables), family, name, pseudocount, zeros_to_ones)


def _watched(streams: list[np.random.Generator], progress: bool) -> Iterator[np.random.Generator]:
    if not progress:
        yield from streams
        return
    from tqdm.auto import tqdm

    yield from tqdm(streams, desc="synthetic tables", unit="table")


def _draw_saturated(
    table: Table,
    family: CountFamily,
    pseudocount: float,
    zeros_to_ones: float,
    structural: IntArray,
    rng: np.random.Generator,
) -> Table:
    drawn = np.asarray(family.at(table.counts).rvs(rng=rng)) if table.n_occupied else table.counts
    positive = drawn > 0
    cells, counts = table.cells[positive], drawn[positive]
    at_zero = family.at(pseudocount) if pseudocount > 0 or family.takes_zero else None
    by_family = 0.0 if at_zero is None else float(at_zero.sf(0))
    share = zeros_to_ones + (1.0 - zeros_to_ones) * by_family
    number = int(rng.binomial(empty_cells(table, structural), share))
    if number:
        new_cells = choose_empty(table, structural, number, rng)
        new_counts = np.ones(number, dtype=np.int64)
        from_family = rng.random(number) * share >= zeros_to_ones
        if at_zero is not None:
            new_counts[from_family] = _positive_counts(at_zero, int(from_family.sum()), rng)
        cells, counts = np.concatenate([cells, new_cells]), np.concatenate([counts, new_counts])
        order = np.argsort(cells)
        cells, counts = cells[order], counts[order]
    return table.with_counts(cells, counts)


def _positive_counts(family: CountFamily, number: int, rng: np.random.Generator) -> IntArray:
    """Draw counts given that they are not zero, by inversion of the upper tail."""
    tail = np.asarray(family.sf(np.arange(_TABULATED)))
    target = rng.random(number) * tail[0]
    target = np.maximum(target, np.finfo(float).tiny)
    # The smallest count whose upper tail is at most the target: the tail falls, so search it from behind.
    counts = (_TABULATED - np.searchsorted(tail[::-1], target, side="right")).astype(np.int64)
    beyond = counts == _TABULATED
    if beyond.any():
        counts[beyond] = np.asarray(family.isf(target[beyond])).astype(np.int64)
    return np.maximum(counts, 1)


def _draw_from_means(
    table: Table, family: CountFamily, means: FloatArray, zeros_to_ones: float, rng: np.random.Generator
) -> Table:
    cells, counts = [], []
    for start in range(0, means.size, _CHUNK):
        part = means[start : start + _CHUNK]
        possible = np.flatnonzero(part > 0)
        drawn = np.asarray(family.at(part[possible]).rvs(rng=rng)) if possible.size else possible
        if zeros_to_ones:
            empty = table.at(start + possible) == 0
            drawn = np.where(empty & (rng.random(possible.size) < zeros_to_ones), 1, drawn)
        positive = drawn > 0
        cells.append(start + possible[positive])
        counts.append(drawn[positive])
    return table.with_counts(np.concatenate(cells), np.concatenate(counts))
