"""Fitted nested mixture for households: datasets of whole households and the likelihood of a household."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._system import parallel
from synthlab._typing import BoolArray, FloatArray, FrameLike, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._gibbs_nested import KeptNested, Units, log_of_patterns
from synthlab.synthesizers._impossible_units import draw_sizes, draw_units, hardly_possible, share_possible
from synthlab.synthesizers._missing import Codes
from synthlab.synthesizers._nested_data import Decode, NestedLayout
from synthlab.synthesizers._posterior import nested_order
from synthlab.synthesizers._unit_fit import DrawnUnits, UnitFit, with_total
from synthlab.synthesizers._unit_layout import Layout
from synthlab.synthesizers._unit_zeros import Zeros
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.constraints import Constraint
from synthlab.units import UnitRules, UnitStructure, unit_codes
from synthlab.units.structure import ordered_members

POSSIBLE_UNITS = 2_500  # possible units from which Pr(possible) of a draw is estimated
MOST_UNITS = 2_500_000  # largest number of units drawn for this estimate


def log_density(
    units: Units, pi: FloatArray, omega: FloatArray, household: FloatArray, phi: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return the log probability of each unit under the mixture before truncation, shape (units,).

    The weights are exponents of the probabilities in the classes.
    """
    inside = log_of_patterns(
        units.patterns, units.pattern_weight if (weights != 1).any() else np.ones(len(units.patterns)), omega, phi
    )
    members = np.zeros((len(units.rows), pi.size))
    np.add.at(members, np.repeat(np.arange(len(units.rows)), np.diff(units.start)), inside[units.pattern])
    with np.errstate(divide="ignore"):
        joint = np.log(pi) + weights[:, None] * np.log(household)[units.rows].sum(axis=1) + members
    top = joint.max(axis=1)
    with np.errstate(invalid="ignore"):
        found = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
    return np.asarray(np.where(np.isneginf(top), -np.inf, found), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class PossibleShare:
    """Estimates of the probability of possible households under each draw.

    Attributes
    ----------
    estimate : ndarray of shape (draws,)
        Share of possible households among households that were drawn from the mixture.
    log_standard_error : ndarray of shape (draws,)
        Monte Carlo standard error of the logarithm of the estimate; 0 without rules.
    """

    estimate: FloatArray
    log_standard_error: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedNestedDPMPM(UnitFit):
    """A fitted `NestedDPMPM`.

    ``posterior`` holds quantities that do not depend on the numbering of the classes. ``kept`` holds the draws of the
    mixture before truncation to possible households: ``kept.pi`` (chains, draws, F), ``kept.omega`` (chains, draws, F, S),
    ``kept.household`` (chains, draws, levels, F) and ``kept.phi`` (chains, draws, levels, F * S).
    """

    structure: UnitStructure = field(repr=False)
    layout: NestedLayout = field(repr=False)
    zeros: Zeros = field(repr=False)
    kept: KeptNested = field(repr=False)
    rules: UnitRules = field(repr=False)
    constraints: tuple[Constraint, ...] = field(repr=False)
    codes: Codes = field(repr=False)
    _decode: Decode | None = field(default=None, repr=False, kw_only=True)

    @property
    def unit_columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns that identify the units."""
        return self.structure.unit

    @property
    def size_variable(self) -> str | None:  # type: ignore[override]
        """The column with the number of members."""
        return self.structure.size_variable

    @property
    def number_variable(self) -> str | None:  # type: ignore[override]
        """The column with the number of the member."""
        return self.structure.number_variable

    @property
    def wave_variable(self) -> str | None:  # type: ignore[override]
        """None, because the members are not waves."""
        return None

    @property
    def sorted_rows(self) -> IntArray:  # type: ignore[override]
        """The position of each sorted record in the confidential data."""
        return self.structure.rows

    @property
    def size(self) -> IntArray:
        """Number of members of each unit."""
        return self.structure.size

    @property
    def is_aligned(self) -> bool:
        """False, because whole units are drawn."""
        return False

    @property
    def impossible(self) -> pd.DataFrame:
        """Share of impossible households among the households of each size, one row per size.

        The columns are the posterior mean and the standard deviation between the draws.
        """
        added = self.kept.impossible.reshape(-1, len(self.layout.sizes))
        weights = np.ones(len(self.size)) if self.weights is None else self.weights
        place = np.searchsorted(self.layout.sizes, self.size)
        number = np.bincount(place, weights=weights, minlength=len(self.layout.sizes))
        share = added / np.maximum(added + number, 1e-300)
        index = pd.Index(self.layout.sizes, name="size")
        return pd.DataFrame({"mean": share.mean(axis=0), "sd": share.std(axis=0)}, index=index)

    def parameters(self, draw: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return pi (F,), omega (F, S), lambda (levels, F) and phi (levels, F * S) of one draw."""
        chain, position = divmod(draw, self.kept.alpha.shape[1])
        kept = self.kept
        return (
            kept.pi[chain, position],
            kept.omega[chain, position],
            kept.household[chain, position],
            kept.phi[chain, position],
        )

    def datasets(
        self, m: int, rng: RngLike = None, n: int | None = None, given: pd.DataFrame | None = None
    ) -> tuple[list[tuple[DrawnUnits, np.random.Generator]], Any]:
        """Return m datasets, each with a generator for its numbering, and the seed.

        Without `n` and without weights, each dataset has the numbers of households of each size of the file. Otherwise the
        sizes are drawn from the model, with the same number of records in each dataset.
        """
        m = _checks.check_count(m, "m")
        draws = posterior_of(self).n_draws
        if m > draws:
            raise InputError(f"m={m}: there are {draws} posterior draws; fit with more draws")
        (first, *streams), seed = _rng.spawn_for_release(rng, m + 1)
        order = nested_order(draws, int(first.integers(draws)))[:m]
        fixed = n is None and self.weights is None
        number = len(self.size) if n is None else _checks.check_count(n, "n")
        total = None if fixed else int(self._sizes(number, int(order[0]), first).sum())
        drawn = parallel.parallel_map(
            partial(self._dataset_of_units, number, total),
            zip(order.tolist(), streams, strict=True),
            prefer="processes",
            probe=True,
        )
        return [(one, _rng.spawn(stream, 1)[0]) for one, stream in zip(drawn, streams, strict=True)], seed

    def _sizes(self, number: int, draw: int, rng: np.random.Generator) -> IntArray:
        """Draw numbers of members from the model."""
        places = draw_sizes(number, *self.parameters(draw), *self._arrays, rng)
        if number and places.min() < 0:
            raise hardly_possible()
        return self.layout.sizes[places]

    @property
    def _arrays(self) -> tuple[IntArray, IntArray, IntArray, Zeros]:
        layout = self.layout
        return layout.modeled_sizes.astype(np.int64), layout.first, layout.first_household, self.zeros

    def _dataset_of_units(
        self, number: int, total: int | None, draw_and_rng: tuple[int, np.random.Generator]
    ) -> DrawnUnits:
        draw, rng = draw_and_rng
        if total is None:
            size = rng.permutation(self.size)
        else:
            size = with_total(self._sizes(number, draw, rng), total, lambda k: self._sizes(k, draw, rng), rng)
        layout = self.layout
        household = np.empty((number, 1 + len(layout.households)), dtype=np.int64)
        members = np.empty((int(size.sum()) - number * (layout.head is not None), len(layout.members)), dtype=np.int64)
        places = np.searchsorted(layout.sizes, size).astype(np.int64)
        if not draw_units(places, household, members, *self.parameters(draw), *self._arrays, rng):
            raise hardly_possible()
        frame, size = layout.frame_of(household, members)
        made = Layout(size)
        if self.size_variable is not None:
            like = self.confidential[self.size_variable].dtype
            frame[self.size_variable] = pd.Series(size[made.unit]).astype(like)
        plain = frame if self._decode is None else self._decode(frame)
        rows = ordered_members(plain, self.structure.order, self.structure.relation, made.unit)[0]
        frame = frame.iloc[rows].reset_index(drop=True)
        return DrawnUnits(frame, made, 0, 0)

    def _checked_given(self, given: FrameLike, n: int | None) -> pd.DataFrame:
        raise InputError("given: NestedDPMPM draws whole units, not members for given values; omit given")

    @property
    def n_observations(self) -> int:
        """Number of households."""
        return int(unit_codes(self.confidential, self.unit_columns).max(initial=-1)) + 1

    def possible_share(self) -> PossibleShare:
        """Return Monte Carlo estimates of the probability of possible households under each draw.

        Households are drawn from the mixture until 2,500 of them are possible. The estimates are the same at each call.

        Returns
        -------
        PossibleShare
        """
        draws = posterior_of(self).n_draws
        if self.zeros.member.size == 0:
            return PossibleShare(np.ones(draws), np.zeros(draws))
        estimate, error = np.empty(draws), np.empty(draws)
        for s in range(draws):
            rng = np.random.default_rng(s)
            possible, trials = share_possible(POSSIBLE_UNITS, MOST_UNITS, *self.parameters(s), *self._arrays, rng)
            if possible < 2:
                raise hardly_possible()
            estimate[s] = (possible - 1) / (trials - 1)  # unbiased if it stops at a number of possible units
            error[s] = np.sqrt(max(1.0 - estimate[s], 0.0) / possible)
        return PossibleShare(_checks.read_only(estimate), _checks.read_only(error))

    def log_likelihood(self) -> FloatArray:
        """Return the log probability of every household, given that it is possible.

        This is ``log p(x) - log Pr(possible)``, unweighted. Pr(possible) is estimated; `possible_share` gives the standard
        error, which is common to all households of a draw.

        Returns
        -------
        ndarray of shape (draws, units), float64
            Households are in the order of their first record in the file; -inf for impossible households.
        """
        return self._log_likelihood(None)

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the contribution of each household to the log pseudo posterior, shape (draws, units)."""
        return self._log_likelihood(self.weights)

    def _log_likelihood(self, weights: FloatArray | None) -> FloatArray:
        frame = self.confidential
        code = unit_codes(frame, self.unit_columns)
        rows = np.argsort(code, kind="stable")
        size = np.bincount(code).astype(np.int64)
        records = frame[list(self.layout.levels)].iloc[rows].reset_index(drop=True)
        wrong = self._impossible(frame, code, size)
        power = np.ones(len(size)) if weights is None else weights
        known = np.isin(size, self.layout.sizes) & ~wrong
        used = records[np.repeat(known, size)]
        household, members = self.layout.rows_of(used, size[known])
        own = size[known] - (self.layout.head is not None)
        unit = np.repeat(np.arange(len(own)), own)
        unseen = (household < 0).any(axis=1) | (np.bincount(unit, (members < 0).any(axis=1), len(own)) > 0)
        inside = np.flatnonzero(known)[~unseen]
        used = records[np.repeat(np.isin(np.arange(len(size)), inside), size)]
        units = self.layout.units_of(used, size[inside], np.where(power[inside] > 0, power[inside], 0.0))
        counted = inside[power[inside] > 0]
        mass = np.log(self.possible_share().estimate)
        values = np.full((len(mass), len(size)), -np.inf)
        for s in range(len(mass)):
            values[s, counted] = log_density(units, *self.parameters(s), power[counted]) - power[counted] * mass[s]
        values[:, power == 0] = 0.0
        return values

    def _impossible(self, frame: pd.DataFrame, code: IntArray, size: IntArray) -> BoolArray:
        """Return which units break a rule or a constraint."""
        plain = frame if self._decode is None else self._decode(frame)
        broken = ~self.rules.holds_in(plain, code, len(size))
        for constraint in self.constraints:
            fails = ~np.asarray(constraint.holds(plain), dtype=bool)
            broken |= np.bincount(code, fails, len(size)) > 0
        return np.asarray(broken, dtype=bool)

    def _with_draws(self, rows: IntArray) -> FittedNestedDPMPM:
        return replace(self, posterior=posterior_of(self).keep(rows), kept=self.kept.keep(rows))


__all__ = ["FittedNestedDPMPM", "PossibleShare", "log_density"]
