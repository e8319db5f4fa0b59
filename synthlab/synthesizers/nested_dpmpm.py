"""Nested Dirichlet process mixture of products of multinomials for households with categorical variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import ColumnNames, FloatArray, FrameLike, RngLike
from synthlab._warnings import warn
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError, TruncationWarning
from synthlab.synthesizers._fitted_nested import FittedNestedDPMPM, log_density
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._gibbs_nested import KeptNested, Units, sample_nested
from synthlab.synthesizers._nested_data import (
    Decode,
    check_categorical,
    layout_of,
    used_rules,
    zeros_of,
)
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions, sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import check_fit, fit_under_design
from synthlab.synthesizers.constraints import Constraint, check_constraints, fitted_constraints
from synthlab.synthesizers.dpmpm import BINDING_SHARE
from synthlab.units import UnitRule, UnitRules, UnitStructure, unit_structure
from synthlab.units.structure import MEMBERS

DRAWS = 250  # default number of kept draws of each chain; a draw has F * S probabilities per level


@dataclass(frozen=True)
class NestedDPMPM(Unfitted):
    """Synthesizer of households by a mixture of household classes with classes of persons in each of them.

    Household i is in the household class g with probability pi_g. Within the class, its size and its household variables
    are independent, with probabilities lambda_g. Each of its members is in a person class m with probability omega_gm,
    and the member's variables are independent within the class, with probabilities phi_gm (Hu, Reiter & Wang 2018):

    ``Pr(x_i) = sum_g pi_g prod_k lambda_{g, k, x_ik} prod_j sum_m omega_gm prod_k phi_{g, m, k, x_ijk}``,

    with truncated stick-breaking weights, ``u_g ~ Beta(1, alpha)`` and ``v_gm ~ Beta(1, beta)``, ``alpha, beta ~ Gamma(a,
    b)`` (shape, rate), and flat Dirichlet priors of lambda and phi. Sampled by blocked Gibbs.

    The rules of units make some households impossible. The model is the mixture truncated to possible households,
    ``Pr(x_i) / Pr(possible)``. Each iteration adds the impossible households that the mixture would generate before the
    n-th possible one. The household size is one of the household variables. By default, one stream of households of all
    sizes is drawn, which gives the posterior distribution of this model. ``augmentation="by size"`` draws a stream for each
    size until it has as many possible households as the file, as the R package of the authors does; see the notes.

    A record weight is the exponent of the probability of the household in its classes, as in `DPMPM`. Pr(possible) has the
    sum of the weights as exponent.

    Parameters
    ----------
    unit : str or sequence of str, optional
        The columns that together identify a household. Required by `fit`; in `synthesize`, the argument `unit` is used.
    unit_order, unit_variables
        The order of the members and the household variables; see `unit_structure`.
    rules : UnitRules or {"detect", False}
        The rules that every household satisfies; see `unit_structure`.
    head : {"member", "household"}, default "member"
        "household": the variables of the head are household variables, and the other members have person classes (Akande,
        Reiter & Barrientos 2019). Far fewer households of the mixture are then impossible. Requires a rule `ExactlyOne`.
    household_classes : int, default 20
        F, the maximum number of household classes.
    member_classes : int, default 15
        S, the maximum number of person classes in each household class.
    a, b : float, default 0.25
        Shape and rate of the priors of alpha and beta.
    thin : int, default 5
        Number of iterations per kept draw.
    augmentation : {"joint", "by size"}, default "joint"
        Whether impossible households are drawn for all sizes together, or for each size separately; see Notes.
    constraints : sequence of Constraint, default ()
        Constraints on two variables of the same person, such as ``AllowedCombinations(["relation", "age"])``.
    max_members : int, default 50
        Largest number of members.

    Raises
    ------
    InputError
        If an argument is invalid.

    Notes
    -----
    Given the classes, the members of a household are independent, so associations between members come only from the
    household classes. A small file occupies few of them, and close associations of variables with many categories are then
    underestimated. In the dataset `households` with ages in groups of five years and ``head="household"``, the correlation
    of the ages of couples was .96 in the file, and about .36 in synthetic files with 400 households (3 occupied classes) and
    .57 with 1,600 households (10 occupied classes); with 400 households and single years of age it was .12 (one chain each).
    With 400 households, 40 classes gave .30 and five times as many tuning iterations .38. If such associations matter, use
    the sequential model (`synthesize` with `unit` and without `NestedDPMPM`).

    The sampler is tested against the exact posterior of two households, with impossible households and with weights. With
    ``augmentation="by size"``, the number of impossible households of a size depends on the parameters, but the class
    probabilities and the probabilities of the sizes are drawn as if it were data. This is the algorithm of the R
    package NestedCategBayesImpute. Except for one household class, it is not a sampler of a posterior distribution. Small files
    get more impossible households: with 200 households, F = 4, S = 3 and ``head="household"``, .979 instead of .962 of the
    households with three members.

    NestedCategBayesImpute 1.2.1 has two errors, which `synthlab crosscheck` corrects in R before it compares both samplers.
    ``sampleM`` draws the class of a person without regard to the variables of the person, and
    ``GetImpossibleHouseholds`` uses the probabilities of the person classes as if they were cumulative. As released, the
    package draws working children in half of the cases instead of a quarter. The package also gives prior
    probability to all codes from 1 to the largest code of a variable, and this class to the levels that occur in the file.

    References
    ----------
    Hu, J., Reiter, J. P. and Wang, Q. (2018). Dirichlet process mixture models for modeling and generating synthetic
    versions of nested categorical data. Bayesian Analysis 13(1), 183-200.

    Akande, O., Reiter, J. P. and Barrientos, A. F. (2019). Multiple imputation of missing values in household data with
    structural zeros. Survey Methodology 45(2), 271-294.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"hhid": [i // 2 for i in range(200)], "relation": ["head", "child"] * 100})
    >>> people["age"] = [30, 5, 30, 5, 30, 20, 55, 20] * 25
    >>> model = sl.NestedDPMPM("hhid", head="household", household_classes=10, member_classes=12, thin=30)
    >>> fitted = model.fit(people, rng=1, chains=2, tune=1000, draws=400)
    >>> release = fitted.generate(m=2, rng=2)
    >>> fitted.rules.holds(release[0], "hhid").all(), release[0].groupby("hhid").size().unique().tolist()
    (np.True_, [2])
    """

    unit: ColumnNames | None = None
    unit_order: ColumnNames | None = None
    unit_variables: ColumnNames | None = None
    rules: UnitRules | Literal["detect", False] = "detect"
    head: str = "member"
    household_classes: int = 20
    member_classes: int = 15
    a: float = 0.25
    b: float = 0.25
    thin: int = 5
    augmentation: str = "joint"
    constraints: Sequence[Constraint] = ()
    max_members: int = MEMBERS

    def __post_init__(self) -> None:
        unit = None if self.unit is None else _checks.check_names(self.unit, "unit", allow_empty=False)
        order = None if self.unit_order is None else _checks.check_names(self.unit_order, "unit_order")
        variables = None if self.unit_variables is None else _checks.check_names(self.unit_variables, "unit_variables")
        if not isinstance(self.rules, UnitRules):
            _checks.check_choice(self.rules, "rules", ("detect", False))
        set_fields(
            self,
            unit=unit,
            unit_order=order,
            unit_variables=variables,
            head=_checks.check_choice(self.head, "head", ("member", "household")),
            household_classes=_checks.check_count(self.household_classes, "household_classes"),
            member_classes=_checks.check_count(self.member_classes, "member_classes"),
            a=_checks.check_number(self.a, "a", low=0.0, open_low=True),
            b=_checks.check_number(self.b, "b", low=0.0, open_low=True),
            thin=_checks.check_count(self.thin, "thin"),
            augmentation=_checks.check_choice(self.augmentation, "augmentation", ("joint", "by size")),
            constraints=check_constraints(self.constraints),
            max_members=_checks.check_count(self.max_members, "max_members", 2),
        )

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: SurveyDesign | None = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedNestedDPMPM:
        """Run the Gibbs sampler.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The records of the members, in any order, without missing values. All columns except the numbers of households
            and members are synthesized.
        weights : array_like of shape (n,) or (units,), optional
            Weights >= 0 of the records, or of the households in the order of their first record. The weight of a household
            is the weight of its first member. Default: 1.
        design : SurveyDesign, optional
            The survey design of the records; see `fit_under_design`.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            ``draws`` (default 250 per chain), ``tune`` (500), ``chains`` (2) and ``progress``; see `NormalRegression.fit`.

        Returns
        -------
        FittedNestedDPMPM

        Raises
        ------
        InputError
            If a column has missing values or is continuous, the file is a panel, households of the file break a rule or a
            constraint, or the households are invalid (see `unit_structure`).
        FitError
            If hardly any household of the mixture is possible.

        Warns
        -----
        TruncationWarning
            If all classes were occupied in more than 1% of the kept draws.
        ConvergenceWarning
            If the log-likelihood has not converged.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, sampler)
        if self.unit is None:
            raise InputError("unit: required; name the columns that identify a household")
        frame = _checks.check_frame(confidential, "confidential")
        structure = unit_structure(
            frame, self.unit, self.unit_order, self.unit_variables, rules=self.rules, max_members=self.max_members
        )
        frame, weights_ = check_fit(frame, _of_records(weights, structure))
        apart = {*structure.unit, structure.number_variable, structure.size_variable}
        columns = [c for c in frame.columns if c not in apart]
        return fit_nested(self, frame, structure, columns, weights_, rng, sampler)


def fit_nested(
    spec: NestedDPMPM,
    frame: pd.DataFrame,
    structure: UnitStructure,
    columns: Sequence[str],
    weights: FloatArray | None,
    rng: RngLike,
    sampler: Any,
    constraints: Sequence[Constraint] = (),
    decode: Decode | None = None,
) -> FittedNestedDPMPM:
    """Fit the mixture to the columns of a frame in the order of the file; rules apply to decoded records."""
    options: SamplerOptions = sampler_options({"draws": DRAWS, **sampler})
    if structure.is_panel:
        raise InputError(
            "unit_order: the file is a panel, but NestedDPMPM is for the members of a household; use the sequential model "
            "(synthesize with unit and without this model)"
        )
    if not columns:
        raise InputError("confidential: has no column to synthesize besides the numbers of units and members")
    check_categorical(frame, columns)
    rules = used_rules(structure, columns)
    plain = frame if decode is None else decode(frame)
    held = fitted_constraints((*spec.constraints, *constraints), plain)
    modeled = [c for c in frame.columns if c in columns or c == structure.size_variable]
    records = frame[modeled].iloc[structure.rows].reset_index(drop=True)
    _check_possible(plain.iloc[structure.rows], structure, rules)
    layout = layout_of(records, structure, columns, rules, spec.head == "household")
    zeros = zeros_of(records, layout, rules, held, decode)
    start = np.cumsum(structure.size) - structure.size
    own = None if weights is None else weights[structure.rows][start]
    units = layout.units_of(records, structure.size, own)
    classes, by_size = (spec.household_classes, spec.member_classes), spec.augmentation == "by size"
    streams = _rng.spawn(rng, options.chains)
    kept = sample_nested(units, classes, (spec.a, spec.b), options, spec.thin, streams, zeros, by_size)
    structural = () if structure.size_variable is None else (structure.size_variable,)
    fitted = FittedNestedDPMPM(
        spec, frame, own, (*columns, *(c for c in structural if c in frame)), _posterior(kept, units), structure,
        layout, zeros, kept, UnitRules([*structure.rules]), held, {}, _decode=decode,
    )  # fmt: skip
    for name, occupied, most in (
        ("household_classes", kept.occupied, classes[0]),
        ("member_classes", kept.occupied_members, classes[1]),
    ):
        share = float((occupied == most).mean())
        if share > BINDING_SHARE and most > 1:
            warn(
                f"{name}: all {most} classes were occupied in {share:.1%} of the kept draws: the truncation binds; fit with "
                f"more {name}",
                TruncationWarning,
            )
    fitted.diagnostics()
    return fitted


def _of_records(weights: object, structure: UnitStructure) -> object:
    """Return weights of records; weights of units are repeated for their members."""
    if weights is None or np.ndim(weights) != 1 or len(structure.code) == structure.units:  # type: ignore[arg-type]
        return weights
    values = np.asarray(weights)
    return values[structure.code] if len(values) == structure.units else weights


def _check_possible(frame: pd.DataFrame, structure: UnitStructure, rules: Sequence[UnitRule]) -> None:
    """Raise if units of the file break a rule."""
    code = structure.code[structure.rows]
    for rule in rules:
        broken = int((~rule.holds_in(frame, code, structure.units)).sum())
        if broken:
            raise InputError(
                f"rules: {broken:,} of {structure.units:,} units of the file break the rule {str(rule)!r}, so they are "
                "impossible under the model; correct the file, or remove the rule"
            )


def _posterior(kept: KeptNested, units: Units) -> Posterior:
    """Return quantities that do not depend on the numbering of the classes."""
    chains, draws = kept.alpha.shape
    density = np.empty((chains, draws))
    for c in range(chains):
        for s in range(draws):
            one = (kept.pi[c, s], kept.omega[c, s], kept.household[c, s], kept.phi[c, s])
            density[c, s] = np.average(log_density(units, *one, np.ones(len(units.rows))), weights=units.weight)
    added = kept.impossible.sum(axis=2)
    share = added / (added + units.weight.sum())
    # The share of impossible units belongs to the parameters of the previous iteration.
    values = {
        "alpha": kept.alpha,
        "beta": kept.beta,
        "occupied": kept.occupied,
        "impossible": share,
        "mean_log_mixture": density,
    }
    return Posterior(values, method="gibbs", traced=("alpha", "beta", "occupied", "impossible"))


__all__ = ["FittedNestedDPMPM", "NestedDPMPM"]
