"""Several variables, one after the other, each from its model given those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._sampled import Sampled
from synthlab._typing import BoolArray, FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import Design
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._missing import Codes, CodesLike, Keep, check_missing, keeping, without_codes
from synthlab.synthesizers._posterior import Diagnostics
from synthlab.synthesizers._totals import FittedTotal, place_of_total
from synthlab.synthesizers.base import Fitted, Synthesizer, check_fit, fit_under_design
from synthlab.synthesizers.constraints import (
    Constraint,
    SumOf,
    ZeroUnless,
    check_constraints,
    columns_of,
    fitted_constraints,
    is_about,
)
from synthlab.synthesizers.dpmpm import DPMPM


@dataclass(frozen=True)
class Sequential:
    """Synthesizer of several variables in order.

    Each model is fitted to the confidential data. At generation a predictor that was synthesized by an
    earlier model has its synthetic value, so the joint distribution of the synthesized variables is
    the product of the conditional ones. With the first variables from `Resample`,
    `DirichletMultinomial` or `DPMPM`, and the others following, every variable can be synthesized.

    Constraints hold in every generated record. `ZeroUnless` is built into the model of its variable (if
    a model of its own makes that variable): fitted where the condition holds, 0 elsewhere. Those about variables of
    one `DPMPM` alone are built into it: it is fitted, and draws, given that a record is possible. The total of a `SumOf` is
    computed from its parts, and no model may make it. The others
    are kept by rejection: all synthesized variables of a record that breaks one are drawn again, with
    the same parameters, so the record is a draw given that the constraints hold. After `max_tries`
    rounds a `FitError` says how many records still break which constraint.

    Parameters
    ----------
    models : sequence of Synthesizer
        In the order of synthesis; no variable twice.
    constraints : sequence of Constraint, default ()
        `Bounds`, `AllowedCombinations`, `ZeroUnless`, `SumOf`, or any object with ``holds(frame)``. The confidential data
        must satisfy them.
    max_tries : int, default 200
        Rounds of drawing again.

    Raises
    ------
    InputError
        If `models` is no list of at least one synthesizer, `constraints` no list of constraints, or `max_tries` no whole
        number >= 1.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs")
    >>> model = sl.Sequential(
    ...     [sl.NormalRegression("yrs_married ~ age"), sl.TwoPart("affairs ~ yrs_married + rate_marriage")],
    ...     constraints=[sl.Bounds("yrs_married", 0.5, 23.0)],
    ... )
    >>> release = model.fit(survey.frame, rng=1).generate(m=2, rng=2)
    >>> release.synthesized, float(release[0]["yrs_married"].min()) >= 0.5
    (('yrs_married', 'affairs'), True)
    """

    models: Sequence[Synthesizer]
    constraints: Sequence[Constraint] = ()
    max_tries: int = 200

    def __post_init__(self) -> None:
        models, constraints = self.models, self.constraints
        if isinstance(models, str) or not isinstance(models, Sequence) or not models:
            raise InputError("models: must be a list of at least one synthesizer, in the order of synthesis")
        for model in models:
            if not isinstance(model, Synthesizer) or isinstance(model, type):
                raise InputError(f"models: {_checks.described(model)} is not a synthesizer")
        constraints = check_constraints(constraints)
        max_tries = _checks.check_count(self.max_tries, "max_tries")
        set_fields(self, models=tuple(models), constraints=constraints, max_tries=max_tries)

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: Design | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedSequential:
        """Fit every model to the confidential data; errors and warnings are those of the models.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables of every model.
        weights : array_like of shape (n,), optional
            Record weights >= 0, given to every model. None: 1 for everybody.
        design : Design, optional
            The survey design of the records: its weights, normalised to n, multiply the log-likelihood too; see
            `fit_under_design`. None: the model of the sample.
        missing : {"keep", "raise"}
            As the models take it: "keep" makes missingness a part of the data, "raise" an error.
        missing_codes : mapping of str to sequence of numbers, optional
            For columns of numbers, values that mean missing, such as ``{"income": [-8, -9]}``; for every model, and for the
            constraints, which a value that is missing does not break.
        rng : int, Generator or None
            One stream a model; the same seed gives the same draws.
        **sampler
            Options given to the `fit` of every model.

        Returns
        -------
        FittedSequential
            The fitted models in ``parts``, in the order of `models`.

        Raises
        ------
        InputError
            As the models, and if a variable is synthesized twice, or the confidential data break a constraint.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        frame, weights_ = check_fit(confidential, weights)
        codes = check_missing(frame, missing, missing_codes, ())
        options: dict[str, Any] = {"missing": missing, "missing_codes": missing_codes}
        given = {name: value for name, value in options.items() if value not in ("keep", None)}
        constraints = fitted_constraints(self.constraints, without_codes(frame, codes))
        parts: list[Fitted] = []
        built_in: list[ZeroUnless | None] = []
        done: list[str] = []
        for model, stream in zip(self.models, _rng.spawn(rng, len(self.models)), strict=True):
            if isinstance(model, DPMPM):
                within = [c for c in constraints if _hands_over(c, model, codes)]
                model = replace(model, constraints=(*model.constraints, *within))
            rule = _rule_of(model, constraints)
            rows = slice(None) if rule is None else rule.applies(frame)
            part: Any = model.fit(
                frame.loc[rows] if rule is not None else frame,
                weights=None if weights_ is None else weights_[rows],
                rng=stream,
                **given,
                **sampler,
            )
            twice = [v for v in part.synthesized if v in done]
            if twice:
                raise InputError(f"models: {twice[0]!r} is synthesized twice")
            done.extend(part.synthesized)
            parts.append(part)
            built_in.append(rule)
        for total in (c for c in constraints if isinstance(c, SumOf)):
            place = place_of_total(total, frame, parts, done, codes or {})
            if place is not None:
                parts.insert(place, FittedTotal(total, frame, None, (total.total,), None, codes or {}))
                built_in.insert(place, None)
        done = [v for part in parts for v in part.synthesized]
        for position, rule in enumerate(built_in):
            later = [v for part in parts[position + 1 :] for v in part.synthesized]
            if rule is not None and rule.other in later:
                raise InputError(
                    f"models: {rule.other!r} must be synthesized before {rule.column!r}, as {rule!r} depends on it"
                )
        rules = (tuple(built_in), constraints, codes or {})
        return FittedSequential(self, frame, weights_, tuple(done), None, tuple(parts), *rules)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedSequential(Fitted):
    """A fitted `Sequential`; `parts` are the fitted models in order."""

    parts: tuple[Fitted, ...] = field(repr=False)
    built_in: tuple[ZeroUnless | None, ...] = field(repr=False)
    constraints: tuple[Constraint, ...] = field(repr=False)
    codes: Codes = field(repr=False, default_factory=dict)

    @property
    def n_draws(self) -> int | None:
        """The smallest number of posterior draws of the parts."""
        numbers = [part.n_draws for part in self.parts if part.n_draws is not None]
        return min(numbers) if numbers else None

    @property
    def records_independent(self) -> bool:
        """Return whether every part can draw a record without the others."""
        return all(part.records_independent for part in self.parts)

    @property
    def has_probabilities(self) -> bool:
        """Return whether every part has them, and no constraint is kept by rejection or by its variable's model."""
        kept = all(self._within_a_part(c) for c in self.constraints)
        return kept and all(part.has_probabilities for part in self.parts)

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the product of the parts' probabilities, each given the values before it, shape (n, g)."""
        if not self.has_probabilities:
            return Fitted.probability_of(self, frame, values, draw)
        result = np.ones((len(frame), len(values)))
        before: list[str] = []
        for part in self.parts:
            groups = [np.arange(len(values))]
            if before:
                number = values.groupby(before, observed=True, sort=False, dropna=False).ngroup().to_numpy()
                groups = [np.flatnonzero(number == g) for g in range(number.max(initial=-1) + 1)]
            for rows in groups:
                if not result[:, rows].any():  # values of before that the model does not know
                    continue
                asked, current = values.iloc[rows], frame.copy()
                for column in before:
                    current[column] = asked[column].iloc[[0] * len(frame)].array
                result[:, rows] *= part.probability_of(current, asked, draw)
            before += part.synthesized
        return result

    def _keeps(self, column: str) -> bool:
        return any(part._keeps(column) for part in self.parts if column in part.synthesized)

    def pooled(self, others: Sequence[Any] = (), *, draws: int | None = None, rng: RngLike = None) -> FittedSequential:
        """Combine part by part with the fits of the same models to the other synthetic datasets."""
        streams = _rng.spawn(rng, len(self.parts))
        parts = [
            part.pooled([other.parts[position] for other in others], draws=draws, rng=stream)
            for position, (part, stream) in enumerate(zip(self.parts, streams, strict=True))
        ]
        return replace(self, parts=tuple(parts))

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values of every variable for the records of `frame`, the constraints kept."""
        values = self._draw_once(frame, draw, rng)
        broken = self._broken(frame, values)
        for _ in range(self.specification.max_tries):
            rows = np.flatnonzero(broken)
            if rows.size == 0:
                return values
            again = self._draw_once(frame.iloc[rows] if self.records_independent else frame, draw, rng)
            for column, new in again.items():
                # Every draw of a column has the same dtype but for integers too wide for it.
                current = (
                    values[column].astype(new.dtype) if new.dtype != values[column].dtype else values[column].copy()
                )
                current.iloc[rows] = new.array if self.records_independent else new.array[rows]
                values[column] = current
            broken = self._broken(frame, values)
        rest = int(broken.sum())
        if rest == 0:
            return values
        complete = frame.assign(**{}).copy()
        for column, series in values.items():
            complete[column] = series
        complete = without_codes(complete, self.codes)
        guilty = [repr(c) for c in self.constraints if not c.holds(complete).all()]
        raise FitError(
            f"{rest} of {len(frame)} records still break {', '.join(guilty)} after {self.specification.max_tries} tries: "
            "the models hardly ever satisfy it; use models that do (bounds=, or the deciding variable as a predictor)"
        )

    def _draw_once(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        current = frame.copy()
        result: dict[str, pd.Series] = {}
        for part, rule in zip(self.parts, self.built_in, strict=True):
            if rule is None:
                new = part.draw(current, draw, rng)
            else:
                new = _draw_where(part, rule.applies(current), current, draw, rng)
            for column, values in new.items():
                current[column] = values
                result[column] = values
        return result

    def _broken(self, frame: pd.DataFrame, values: dict[str, pd.Series]) -> BoolArray:
        if not self.constraints:
            return np.zeros(len(frame), dtype=bool)
        complete = frame.copy()
        for column, series in values.items():
            complete[column] = series
        complete = without_codes(complete, self.codes)
        kept = [np.asarray(c.holds(complete), dtype=bool) for c in self.constraints]
        return ~np.asarray(np.logical_and.reduce(kept), dtype=bool)

    def log_likelihood(self) -> FloatArray:
        """Return the sum of the parts' log-likelihoods, unweighted, shape (draws, n).

        Constraints kept by rejection are not part of it.
        """
        return self._sum_of_parts([part.log_likelihood() for part in self.parts])

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the sum of what each record adds to the log pseudo posteriors of the parts, shape (draws, n)."""
        return self._sum_of_parts([part.pseudo_log_likelihood() for part in self.parts])

    def _within_a_part(self, constraint: Constraint) -> bool:
        """Return whether a `DPMPM` draws possible records alone, and no other part touches them."""
        for part in self.parts:
            if isinstance(part.specification, DPMPM) and _hands_over(constraint, part.specification, self.codes):
                others = [v for other in self.parts if other is not part for v in other.synthesized]
                return not set(columns_of(constraint) or ()) & set(others)
        return False

    def _sum_of_parts(self, parts: list[FloatArray]) -> FloatArray:
        total: Any = 0.0
        for one, rule in zip((part[: self.n_draws] for part in parts), self.built_in, strict=True):
            if rule is not None:
                full = np.zeros((one.shape[0], len(self.confidential)))
                full[:, rule.applies(self.confidential)] = one
                one = full
            total = total + one
        return np.asarray(total, dtype=np.float64)

    def with_data(self, frame: pd.DataFrame) -> FittedSequential:
        """Return the same draws with the records of another frame in place of the confidential ones, unweighted."""
        rows = [slice(None) if rule is None else rule.applies(frame) for rule in self.built_in]
        parts = tuple(part.with_data(frame.loc[r]) for part, r in zip(self.parts, rows, strict=True))
        return replace(self, confidential=frame, weights=None, parts=parts)

    def _log_mass(self) -> FloatArray | float:
        rejected = [repr(c) for c in self.constraints if c not in self.built_in and not self._within_a_part(c)]
        if rejected:
            raise InputError(
                f"constraints: {', '.join(rejected)} is kept by rejection, so what is drawn has no known density"
            )
        shapes = ((p.n_draws or 1, len(p.confidential)) for p in self.parts)
        return self._sum_of_parts([np.broadcast_to(p._log_mass(), s) for p, s in zip(self.parts, shapes, strict=True)])

    @property
    def has_coefficients(self) -> bool:
        """Return whether some part has coefficients."""
        return any(part.has_coefficients for part in self.parts)

    def _adjusted(self, sampled: Sampled, rows: IntArray) -> FittedSequential:
        if not self.has_coefficients:
            return Fitted._adjusted(self, sampled, rows)
        moved = [
            part._adjusted(sampled, rows if rule is None else rows[rule.applies(self.confidential)])
            if part.has_coefficients
            else part
            for part, rule in zip(self.parts, self.built_in, strict=True)
        ]
        return replace(self, parts=tuple(moved))

    def _with_draws(self, rows: IntArray) -> FittedSequential:
        return replace(self, parts=tuple(p if p.n_draws is None else p.keep_draws(rows) for p in self.parts))

    def summary(self) -> pd.DataFrame:
        """Posterior summaries of the parts, under one another."""
        return pd.concat({", ".join(part.synthesized): part.summary() for part in self.parts})

    def _diagnose(self) -> Diagnostics:
        return Diagnostics.combine({", ".join(part.synthesized): part._diagnose() for part in self.parts})


def _hands_over(constraint: Constraint, model: DPMPM, codes: Codes | None) -> bool:
    """Return whether the model keeps a constraint itself; to it a missing code is a level like any other."""
    return is_about(constraint, model.variables) and not set(columns_of(constraint) or ()) & set(codes or {})


def _rule_of(model: Synthesizer, constraints: Sequence[Constraint]) -> ZeroUnless | None:
    """Return the `ZeroUnless` of the one variable a regression makes, if there is one."""
    formula = getattr(model, "formula", None)
    if formula is None:
        return None
    from synthlab._formula import response_of

    rules = [c for c in constraints if isinstance(c, ZeroUnless)]
    for rule in rules:
        try:
            response_of(formula, [rule.column])
        except InputError:
            continue
        return rule
    return None


def _draw_where(
    part: Fitted, where: BoolArray, frame: pd.DataFrame, draw: int, rng: np.random.Generator
) -> dict[str, pd.Series]:
    """Draw for the records in which a condition holds, and set the others to 0."""
    drawn = part.draw(frame.loc[where], draw, rng)
    result = {}
    for column, values in drawn.items():
        full = pd.Series(0, index=pd.RangeIndex(len(frame)), name=column).astype(values.dtype)
        full.iloc[np.flatnonzero(where)] = values.array
        result[column] = full.set_axis(frame.index)
    return result


__all__ = ["FittedSequential", "Sequential"]
