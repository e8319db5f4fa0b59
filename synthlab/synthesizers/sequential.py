"""Sequential synthesis of several variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from synthlab import _checks, _rng
from synthlab._typing import FrameLike, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._fitted_sequential import FittedSequential, hands_over
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._missing import CodesLike, Keep, check_missing, keeping, without_codes
from synthlab.synthesizers._totals import FittedTotal, place_of_total
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, Synthesizer, check_fit, fit_under_design
from synthlab.synthesizers.constraints import (
    Constraint,
    SumOf,
    ZeroUnless,
    check_constraints,
    fitted_constraints,
)
from synthlab.synthesizers.dpmpm import DPMPM


@dataclass(frozen=True)
class Sequential(Unfitted):
    """Synthesizer of several variables, one after the other.

    Each model is fitted to the confidential data. At generation, a predictor that an earlier model synthesized has its
    synthetic value. The joint distribution of the synthesized variables is therefore the product of the conditional
    distributions. To synthesize every variable, use `Resample`, `DirichletMultinomial` or `DPMPM` for the first
    variables.

    Constraints hold in every generated record. `ZeroUnless` is built into the model of its variable, if that model
    synthesizes no other variable: the model is fitted to the records in which the condition holds, and the other
    records are set to 0. Constraints that refer only to variables of one `DPMPM` are built into that model. The total
    of a `SumOf` is computed from its parts, and must not have a model. The other constraints are satisfied by
    rejection: if a record breaks one, all its synthesized variables are drawn again with the same parameters. After
    `max_tries` rounds, a `FitError` reports how many records still break which constraint.

    Parameters
    ----------
    models : sequence of Synthesizer
        The models in the order of synthesis; no variable can occur twice.
    constraints : sequence of Constraint, default ()
        `Bounds`, `AllowedCombinations`, `ZeroUnless`, `SumOf`, or any object with ``holds(frame)``. The confidential
        data must satisfy them.
    max_tries : int, default 200
        Maximum number of rounds in which records are drawn again.

    Raises
    ------
    InputError
        If `models` is not a list of at least one synthesizer, `constraints` is not a list of constraints, or
        `max_tries` is not a whole number >= 1.

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
        design: SurveyDesign | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedSequential:
        """Fit every model to the confidential data.

        The models can raise further errors and issue warnings.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with the variables of every model.
        weights : array_like of shape (n,), optional
            Record weights >= 0, passed to every model. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            Treatment of missing values by the models. "keep": missing values are modeled. "raise": they are an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing, such as ``{"income": [-8, -9]}``. They apply to every model and
            to the constraints, which missing values do not break.
        rng : int, Generator or None
            Seed or generator, with one stream per model; the same seed gives the same draws.
        **sampler
            Options passed to the `fit` of every model.

        Returns
        -------
        FittedSequential
            The fitted models in ``parts``, in the order of `models`.

        Raises
        ------
        InputError
            If a model raises it, a variable is synthesized twice, or the confidential data break a constraint.
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
                within = [c for c in constraints if hands_over(c, model, codes)]
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


def _rule_of(model: Synthesizer, constraints: Sequence[Constraint]) -> ZeroUnless | None:
    """Return the `ZeroUnless` constraint of the response of a regression, if any."""
    formula = getattr(model, "formula", None)
    if formula is None:
        return None
    from synthlab._formulas.formula import response_of

    rules = [c for c in constraints if isinstance(c, ZeroUnless)]
    for rule in rules:
        try:
            response_of(formula, [rule.column])
        except InputError:
            continue
        return rule
    return None


__all__ = ["FittedSequential", "Sequential"]
