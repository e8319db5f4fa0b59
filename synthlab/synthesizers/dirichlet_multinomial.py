"""Dirichlet-multinomial model of categorical variables, sampled exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._levels import Levels, draw_codes
from synthlab.synthesizers._missing import CodesLike, Keep, check_missing, keeping
from synthlab.synthesizers._pooling import SHARE
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design, posterior_of

MAX_DRAWN = 20_000_000
_SMALLEST_TOTAL = 1e-280


@dataclass(frozen=True)
class DirichletMultinomial(Unfitted):
    """Synthesizer of categorical variables from their contingency table.

    Within each combination g of the `given` variables the cells c of the cross-classification of
    `variables` have probabilities ``theta_g ~ Dirichlet(pseudocount, ..., pseudocount)``; with weighted
    counts n_gc the posterior is ``Dirichlet(n_gc + pseudocount)``, drawn exactly.

    Parameters
    ----------
    variables : sequence of str
        Variables to synthesize jointly. The cells are all combinations of the levels that occur.
    given : sequence of str, default ()
        Variables that are left unchanged; each combination of their values has its own table.
    pseudocount : float, default 1.0
        Number added to the count of every cell.

    Raises
    ------
    InputError
        If `variables` or `given` is not a list of distinct column names, or `pseudocount` is not above 0.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"sex": ["f", "m", "f", "m"] * 50, "smokes": ["no", "no", "no", "yes"] * 50})
    >>> fitted = sl.DirichletMultinomial(["smokes"], given=["sex"], pseudocount=0.5).fit(survey, rng=1)
    >>> fitted.posterior["theta"].shape
    (2000, 2, 2)
    """

    variables: Sequence[str]
    given: Sequence[str] = ()
    pseudocount: float = 1.0

    def __post_init__(self) -> None:
        variables, given = (_checks.check_names(getattr(self, name), name) for name in ("variables", "given"))
        pseudocount = _checks.check_number(self.pseudocount, "pseudocount", low=0.0, open_low=True)
        set_fields(self, variables=variables, given=given, pseudocount=pseudocount)

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: SurveyDesign | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedDirichletMultinomial:
        """Draw the cell probabilities.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with all variables of the synthesizer.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each record counts as many times as its weight. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing is a level of each variable with missing values. "raise": missing values are an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing. They are levels in any case, and an error with
            ``missing="raise"``.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            The options of `NormalRegression.fit`; only ``chains`` and ``draws`` have an effect.

        Returns
        -------
        FittedDirichletMultinomial
            ``posterior["theta"]`` of shape (draws, combinations of `given`, cells), chains x draws draws.

        Raises
        ------
        InputError
            If a variable is absent or named twice, or the table has too many cells.
        MissingValueError
            If a variable has missing values, with ``missing="raise"``.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        names = _checks.check_columns(
            frame, [*self.variables, *self.given], "variables and given", where="confidential"
        )
        _checks.check_columns(frame, self.variables, "variables", where="confidential")
        check_missing(frame, missing, missing_codes, names)
        levels = tuple(Levels.of(frame, name, keep=True) for name in names)
        table, outside = levels[: len(self.variables)], levels[len(self.variables) :]
        shape = (prod(map(len, outside)), prod(map(len, table)))
        draws = options.chains * options.draws
        if shape[0] * shape[1] * draws > MAX_DRAWN:
            raise InputError(
                f"variables: the table has {shape[0] * shape[1]:,} cells, too many to draw {draws:,} times; "
                "name fewer variables, or use DPMPM"
            )
        group, cell = joint_codes(outside, frame), joint_codes(table, frame)
        w = np.ones(len(frame)) if weights_ is None else weights_
        flat = np.bincount(group * shape[1] + cell, weights=w, minlength=shape[0] * shape[1])
        counts: FloatArray = np.asarray(flat, dtype=np.float64).reshape(shape)
        theta = _draw_shares(counts + self.pseudocount, (options.chains, options.draws), _rng.as_generator(rng))
        posterior = Posterior({"theta": theta}, method="exact")
        return FittedDirichletMultinomial(self, frame, weights_, tuple(self.variables), posterior, table, outside)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedDirichletMultinomial(Fitted):
    """A fitted `DirichletMultinomial`.

    ``posterior["theta"]`` has shape (draws, combinations of `given`, cells).
    """

    scales: ClassVar[Mapping[str, str]] = {"theta": SHARE}

    table: tuple[Levels, ...] = field(repr=False)
    outside: tuple[Levels, ...] = field(repr=False)

    @property
    def needs_records(self) -> bool:
        """Always False: the parameters suffice."""
        return False

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values under one posterior draw.

        The shape is (n, g).
        """
        places = np.column_stack([level.positions(values) for level in self.table])
        cell = np.ravel_multi_index(tuple(np.maximum(places, 0).T), tuple(map(len, self.table)))
        theta = posterior_of(self)["theta"][draw]
        return np.where((places >= 0).all(axis=1), theta[joint_codes(self.outside, frame)][:, cell], 0.0)

    def _keeps(self, column: str) -> bool:
        return any(level.lost for level in self.table if level.column == column)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame` from one posterior draw."""
        theta = posterior_of(self)["theta"][draw]
        cells = draw_codes(theta, rng) if len(frame) == 0 else _draw_cells(theta, joint_codes(self.outside, frame), rng)
        codes = np.unravel_index(cells, tuple(map(len, self.table)))
        return {t.column: t.series(c, frame.index) for t, c in zip(self.table, codes, strict=True)}

    def log_likelihood(self) -> FloatArray:
        """Return log theta of the cell of every record, unweighted, shape (draws, n).

        -inf at a level that is not in the data of the fit.
        """
        group, codes = (
            joint_codes(self.outside, self.confidential),
            [t.positions(self.confidential) for t in self.table],
        )
        cell = np.ravel_multi_index(codes, tuple(map(len, self.table)), mode="clip")
        with np.errstate(divide="ignore"):  # a record of weight 0 can have probability 0
            result = np.log(posterior_of(self)["theta"][:, group, cell])
        result[:, np.min(codes, axis=0) < 0] = -np.inf
        return result


def joint_codes(levels: Sequence[Levels], frame: pd.DataFrame) -> IntArray:
    """Return the cell number of each record; 0 if there are no variables."""
    if not levels:
        return np.zeros(len(frame), dtype=np.int64)
    codes = [level.codes(frame) for level in levels]
    return np.ravel_multi_index(codes, tuple(map(len, levels))).astype(np.int64)


def _draw_shares(parameters: FloatArray, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Draw `size` times from the Dirichlet distribution of each row of `parameters`.

    The shares are gamma variables divided by their total. If the total is too small or too large for a float, the
    shares are drawn again on the log scale, by ``log g = log G(a + 1) + log U / a``. Shares are independent of the
    total, so this is exact.
    """
    gammas = rng.standard_gamma(parameters, (*size, *parameters.shape))
    with np.errstate(over="ignore"):
        total = gammas.sum(axis=-1, keepdims=True)
    lost = (total[..., 0] < _SMALLEST_TOTAL) | np.isinf(total[..., 0])
    if not lost.any():
        return np.asarray(gammas / total, dtype=np.float64)
    a = np.maximum(np.broadcast_to(parameters, gammas.shape)[lost], 1e-300)
    logs = np.log(rng.standard_gamma(a + 1.0)) - rng.standard_exponential(a.shape) / a
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    theta = np.divide(gammas, total, out=np.zeros_like(gammas), where=~lost[..., None])
    theta[lost] = shares / shares.sum(axis=-1, keepdims=True)
    return np.asarray(theta, dtype=np.float64)


def _draw_cells(theta: FloatArray, group: IntArray, rng: np.random.Generator) -> IntArray:
    cumulative = np.cumsum(theta, axis=1)
    uniforms = rng.random(group.size)
    cells = np.empty(group.size, dtype=np.int64)
    for g in np.unique(group):
        here = group == g
        cells[here] = np.searchsorted(cumulative[g], uniforms[here] * cumulative[g, -1], side="right")
    return np.asarray(np.minimum(cells, theta.shape[1] - 1), dtype=np.int64)


__all__ = ["DirichletMultinomial", "FittedDirichletMultinomial"]
