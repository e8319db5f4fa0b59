"""Dirichlet process mixture of products of multinomials for categorical variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError, TruncationWarning
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._gibbs_dpmpm import Kept, Patterns, sample_dpmpm, sums_of_logs
from synthlab.synthesizers._gibbs_structural_zeros import Boxes
from synthlab.synthesizers._levels import Levels, draw_codes
from synthlab.synthesizers._missing import CodesLike, Keep, check_missing, keeping
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._structural_zeros import Region, region_of
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design, posterior_of, weighted
from synthlab.synthesizers.constraints import Constraint, check_constraints, fitted_constraints, is_about

BINDING_SHARE = 0.01  # warn if all classes are occupied in a larger share of the kept draws


@dataclass(frozen=True)
class DPMPM(Unfitted):
    """Synthesizer of categorical variables by a mixture of independence models.

    ``Pr(x_i) = sum_k pi_k prod_j psi_{k, j, x_ij}`` with truncated stick-breaking weights,
    ``V_k ~ Beta(1, alpha)``, ``alpha ~ Gamma(a, b)`` (shape, rate) and flat Dirichlet priors of the psi_kj; sampled
    by blocked Gibbs (Ishwaran & James 2001; Si & Reiter 2013; Hu, Reiter & Wang 2014).

    A record weight is the exponent of the probability of the record in its class,
    ``prod_i pi_{z_i} [prod_j psi_{z_i j x_ij}]^w_i``: a proper pseudo posterior. A record of weight 0 has no effect,
    and a record of small weight carries little information about psi and about its class. This differs from the pseudo
    posterior in which w_i is the exponent of the mixture probability: a record of weight 2 is not equivalent to a
    record that occurs twice.

    Constraints make some records impossible (structural zeros). The model is then the mixture truncated to possible
    records, ``p(x) / (1 - Pr(impossible))``, and its parameters are those of the truncated mixture. Each iteration adds
    the records that the mixture would generate in impossible cells (Manrique-Vallier & Reiter 2014). Synthetic records
    are drawn directly from the possible cells, without rejection. With record weights, the contribution of a record is
    divided by ``(1 - Pr(impossible))^w_i``.

    The model and the priors are those of the R package NPBayesImputeCat 0.5. The cell probabilities agree with it to
    within the differences between its own chains. Its sampler never exchanges the labels of classes, so alpha and the
    number of occupied classes depend on the labels that the large classes get by chance. On the ACS sample, alpha is 4
    to 39 in four of its chains, with about 20 classes; here it is 1.1 to 1.3, with about 11 classes. This
    implementation exchanges labels, and draws alpha with the sticks integrated out.

    Parameters
    ----------
    variables : sequence of str
        All variables of the mixture: categories, text, or numbers with at most 1,000 distinct values.
    synthesized : sequence of str, optional
        Variables that get synthetic values. Default: all (full synthesis).
    classes : int, default 40
        K, the maximum number of classes; `fit` issues a `TruncationWarning` if all of them are often occupied.
    membership : {"released", "record"}, default "released"
        The information given which the class of a synthetic record is drawn. "released": the variables that are
        released unchanged (the posterior predictive distribution; no information in full synthesis). "record": the
        whole confidential record, as in the R package NPBayesImputeCat. Synthetic records are then closer to the
        confidential ones, which changes utility and risk.
    a, b : float, default 0.25
        Shape and rate of the prior of alpha; NPBayesImputeCat calls them aalpha, balpha.
    thin : int, default 5
        Number of iterations per kept draw.
    constraints : sequence of Constraint, default ()
        Constraints that refer only to variables of the mixture: `AllowedCombinations`, `ZeroUnless`, or another
        constraint with the attribute ``columns``.

    Raises
    ------
    InputError
        If `variables` or `synthesized` is not a list of distinct column names, a constraint refers to other columns, or
        another argument has a value that is not allowed.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame.head(1000)
    >>> model = sl.DPMPM(["religious", "educ", "occupation"], ["occupation"], classes=20)
    >>> fitted = model.fit(survey, rng=1, tune=1000, draws=400)
    >>> fitted.occupied.shape
    (2, 400)
    >>> seen = sl.AllowedCombinations(["religious", "occupation"])
    >>> model = sl.DPMPM(["religious", "occupation"], classes=10, constraints=[seen])
    >>> release = model.fit(survey, rng=1, tune=1000, draws=1000).generate(m=2, rng=2)
    >>> bool(seen.fitted_to(survey).holds(release[0]).all())
    True
    """

    variables: Sequence[str]
    synthesized: Sequence[str] | None = None
    classes: int = 40
    membership: str = "released"
    a: float = 0.25
    b: float = 0.25
    thin: int = 5
    constraints: Sequence[Constraint] = ()

    def __post_init__(self) -> None:
        names = _checks.check_names(self.variables, "variables", allow_empty=False)
        chosen = self.synthesized
        if chosen is not None:
            chosen = _checks.check_names(chosen, "synthesized", allow_empty=False)
        outside = [v for v in chosen or () if v not in names]
        if outside:
            raise InputError(f"synthesized: {_checks.named(outside)} not among the variables of the mixture")
        classes = _checks.check_count(self.classes, "classes", 2)
        _checks.check_choice(self.membership, "membership", ["released", "record"])
        a, b = (_checks.check_number(getattr(self, name), name, low=0.0, open_low=True) for name in ("a", "b"))
        thin = _checks.check_count(self.thin, "thin")
        constraints = check_constraints(self.constraints)
        for constraint in constraints:
            if not is_about(constraint, names):
                raise InputError(
                    f"constraints: {constraint!r} must refer only to variables of the mixture, listed in its attribute columns"
                )
        set_fields(
            self, variables=names, synthesized=chosen, classes=classes, a=a, b=b, thin=thin, constraints=constraints
        )

    def __repr__(self) -> str:
        given = [f.name for f in fields(self) if f.name != "constraints" or self.constraints]
        return f"DPMPM({', '.join(f'{name}={getattr(self, name)!r}' for name in given)})"

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
    ) -> FittedDPMPM:
        """Run the Gibbs sampler.

        Each of the ``chains`` discards ``tune`` iterations, and then keeps every `thin`-th one until it has ``draws``
        draws.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with all variables of the synthesizer.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. Default: 1 for every record.
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
            The options of `NormalRegression.fit`; only ``draws``, ``tune`` and ``chains`` have an effect.

        Returns
        -------
        FittedDPMPM
            Draws of the class weights ``kept.pi`` (chains, draws, K), of the level probabilities ``kept.psi``, and of
            alpha.

        Raises
        ------
        InputError
            If a variable is absent or has too many levels, or the confidential data break a constraint.
        MissingValueError
            If a variable has missing values, with ``missing="raise"``.

        Warns
        -----
        TruncationWarning
            If all classes were occupied in more than 1% of the kept draws; increase `classes`.
        ConvergenceWarning
            If the log-likelihood has not converged. The number of occupied classes and alpha converge slowly because
            small classes appear and disappear. The cell probabilities hardly depend on them, so `diagnostics` shows
            them but gives no warning.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        names = _checks.check_columns(frame, self.variables, "variables", where="confidential")
        check_missing(frame, missing, missing_codes, names)
        constraints = fitted_constraints(self.constraints, frame)
        levels = tuple(Levels.of(frame, name, keep=True) for name in names)
        codes = np.column_stack([level.codes(frame) for level in levels])
        first = np.concatenate([[0], np.cumsum([len(level) for level in levels])]).astype(np.int64)
        patterns = _patterns(codes + first[:-1], weights_, first)
        streams = _rng.spawn(rng, options.chains)
        region = region_of(constraints, levels, first)
        boxes = None if region is None else Boxes.of(region.impossible, first)
        kept = sample_dpmpm(patterns, self.classes, (self.a, self.b), options, self.thin, streams, boxes)
        posterior = _posterior(kept, patterns, region)
        synthesized = names if self.synthesized is None else list(self.synthesized)
        fitted = FittedDPMPM(self, frame, weights_, tuple(synthesized), posterior, levels, first, kept, region)
        share = float((kept.occupied == self.classes).mean())
        if share > BINDING_SHARE:
            warn(
                f"all {self.classes} classes were occupied in {share:.1%} of the kept draws: the truncation binds; "
                "fit with more classes",
                TruncationWarning,
            )
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedDPMPM(Fitted):
    """A fitted `DPMPM`.

    ``posterior`` holds quantities that do not depend on the numbering of the classes: alpha, occupied, and the mean
    log-likelihood. ``kept.pi`` holds the class weights (chains, draws, K). ``kept.psi`` holds the level probabilities
    (chains, draws, levels of all variables, K) of the mixture before truncation to possible records.
    """

    levels: tuple[Levels, ...] = field(repr=False)
    first: IntArray = field(repr=False)
    kept: Kept = field(repr=False)
    region: Region | None = field(repr=False)

    @property
    def records_independent(self) -> bool:
        """True if a record can be drawn without its confidential values."""
        return bool(self.specification.membership == "released")

    @property
    def has_probabilities(self) -> bool:
        """True if `probability_of` has a closed form."""
        return self.records_independent

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values under one posterior draw.

        The shape is (n, g).
        """
        if not self.has_probabilities:
            raise InputError("membership='record': the class of a record is drawn given its confidential values")
        pi, psi = self.parameters(draw)
        given = [j for j, v in enumerate(self.levels) if v.column not in self.synthesized]
        rows = [self.first[j] + self.levels[j].codes(frame) for j in given]
        share = _class_shares(rows, len(frame), pi, psi)
        inside = np.ones((pi.size, len(values)))
        for j, level in enumerate(self.levels):
            if level.column in self.synthesized:
                inside *= level.columns_of(psi[self.first[j] : self.first[j + 1]].T, values)
        found = np.asarray(share @ inside, dtype=np.float64)
        return found if self.region is None else self._truncated(found, frame, values, (rows, share, psi))

    def _truncated(self, found: FloatArray, frame: pd.DataFrame, values: pd.DataFrame, given: Any) -> FloatArray:
        """Return probabilities given that records are possible; 0 for impossible values."""
        region, (rows, share, psi) = cast(Region, self.region), given
        drawn = [j for j, v in enumerate(self.levels) if v.column in self.synthesized]
        mass = region.shares(rows, share, psi, drawn)[0].sum(axis=1)
        cells = np.empty((*found.shape, len(self.levels)), dtype=np.int64)
        for j, level in enumerate(self.levels):
            codes = level.positions(values) if j in drawn else level.codes(frame)[:, None]
            cells[..., j] = self.first[j] + np.maximum(codes, 0)
        possible = ~region.are_impossible(cells.reshape(-1, len(self.levels))).reshape(found.shape)
        return np.asarray(np.divide(found * possible, mass[:, None], out=np.zeros_like(found), where=mass[:, None] > 0))

    @property
    def needs_records(self) -> bool:
        """True if the draw of a record uses its confidential values."""
        return self.uses_own_values

    def _keeps(self, column: str) -> bool:
        return any(level.lost for level in self.levels if level.column == column)

    @property
    def occupied(self) -> FloatArray:
        """Number of occupied classes in each kept draw, shape (chains, draws)."""
        return self.kept.occupied

    def parameters(self, draw: int) -> tuple[FloatArray, FloatArray]:
        """Return pi (K,) and psi (levels, K) of one draw."""
        chain, position = divmod(draw, self.kept.alpha.shape[1])
        return self.kept.pi[chain, position], self.kept.psi[chain, position]

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame` from one posterior draw."""
        pi, psi = self.parameters(draw)
        record = not self.records_independent
        if record and len(frame) != len(self.confidential):
            raise InputError("membership='record' draws the classes of the confidential records; frame has others")
        source = self.confidential if record else frame
        given = [j for j, v in enumerate(self.levels) if record or v.column not in self.synthesized]
        rows = [self.first[j] + self.levels[j].codes(source) for j in given]
        drawn = [j for j, v in enumerate(self.levels) if v.column in self.synthesized]
        if self.region is None:
            chosen = _draw_classes(rows, len(frame), pi, psi, rng)
            codes = [draw_codes(psi[self.first[j] : self.first[j + 1]].T[chosen], rng) for j in drawn]
        else:
            share = _class_shares(rows, len(frame), pi, psi)
            if record:
                share = np.eye(pi.size)[draw_codes(share, rng)]
            rows = [row for j, row in zip(given, rows, strict=True) if j not in drawn]
            codes = self.region.draw(rows, share, psi, drawn, rng)
        result = {
            self.levels[j].column: self.levels[j].series(code, frame.index)
            for j, code in zip(drawn, codes, strict=True)
        }
        return {column: result[column] for column in self.synthesized}

    def log_likelihood(self) -> FloatArray:
        """Return the log mixture probability of every record, given that it is possible.

        This is log sum_k pi_k prod_j psi_kj, unweighted, shape (draws, n).
        """
        return self._log_densities(np.ones(len(self.confidential)))

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return log sum_k pi_k (prod_j psi_kj)^weight of every record, shape (draws, n)."""
        return self._log_densities(np.ones(len(self.confidential)) if self.weights is None else self.weights)

    def _log_mass(self) -> FloatArray | float:
        """Return the log probability of the variables on which a draw is conditional."""
        if not self.records_independent:
            raise InputError(
                "membership='record': the synthetic values depend on the record, so they have no density here"
            )
        given = [v.column for v in self.levels if v.column not in self.synthesized]
        return self._log_densities(np.ones(len(self.confidential)), given) if given else 0.0

    def _log_densities(self, weights: FloatArray, columns: Sequence[str] | None = None) -> FloatArray:
        chosen = [j for j, v in enumerate(self.levels) if columns is None or v.column in columns]
        codes = [self.levels[j].positions(self.confidential) for j in chosen]
        unseen = np.min(codes, axis=0) < 0
        codes = [self.first[j] + np.maximum(code, 0) for j, code in zip(chosen, codes, strict=True)]
        distinct, group = np.unique(np.column_stack([*codes, weights]), axis=0, return_inverse=True)
        rows, powers = distinct[:, :-1].astype(np.int64), distinct[:, -1]
        draws = range(self.kept.alpha.size)
        values = np.stack([_log_density(rows, *self.parameters(s), powers) for s in draws])
        if self.region is not None:
            values -= powers * np.array([self.region.log_mass(*self.parameters(s)) for s in draws])[:, None]
            if columns is None:
                values[:, self.region.are_impossible(rows)] = -np.inf
            else:
                drawn = [j for j in range(len(self.levels)) if j not in chosen]
                values += np.stack([self._log_possible(rows, drawn, s) for s in draws])
        values = values[:, group.reshape(-1)]
        values[:, unseen] = -np.inf
        return values

    def _log_possible(self, rows: IntArray, drawn: Sequence[int], draw: int) -> FloatArray:
        """Return the log probability that a record with these values is possible, (g,)."""
        pi, psi = self.parameters(draw)
        share = _class_shares(list(rows.T), len(rows), pi, psi)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(cast(Region, self.region).shares(list(rows.T), share, psi, drawn)[0].sum(axis=1)))

    def _with_draws(self, rows: IntArray) -> FittedDPMPM:
        return replace(self, posterior=posterior_of(self).keep(rows), kept=self.kept.keep(rows))

    def two_way(self, one: str, other: str) -> pd.DataFrame:
        """Return the posterior mean of the joint probabilities of two variables.

        With constraints, these are probabilities in possible records.
        """
        a, b = (next(j for j, v in enumerate(self.levels) if v.column == name) for name in (one, other))
        left = self.kept.psi[:, :, self.first[a] : self.first[a + 1]]
        right = self.kept.psi[:, :, self.first[b] : self.first[b + 1]]
        if self.region is None:
            table = np.einsum("csk,csik,csjk->ij", self.kept.pi, left, right, optimize=True) / self.kept.alpha.size
        else:
            table = np.mean(
                [self.region.two_way(*self.parameters(s), a, b) for s in range(self.kept.alpha.size)], axis=0
            )
        return pd.DataFrame(table, index=self.levels[a].labels, columns=self.levels[b].labels)


def _patterns(rows: IntArray, weights: FloatArray | None, first: IntArray) -> Patterns:
    w = np.ones(len(rows)) if weights is None else weights
    used = w > 0
    distinct, size = np.unique(np.column_stack([rows, w])[used], axis=0, return_counts=True)
    return Patterns(
        np.ascontiguousarray(distinct[:, :-1].astype(np.int64)), size.astype(np.int64), distinct[:, -1].copy(), first
    )


def _posterior(kept: Kept, patterns: Patterns, region: Region | None) -> Posterior:
    chains, draws = kept.alpha.shape
    density = np.empty((chains, draws))
    for c in range(chains):
        for s in range(draws):
            log_p = _log_density(patterns.rows, kept.pi[c, s], kept.psi[c, s])
            density[c, s] = np.average(log_p, weights=patterns.size * patterns.weight)
            if region is not None:
                density[c, s] -= region.log_mass(kept.pi[c, s], kept.psi[c, s])
    values = {"alpha": kept.alpha, "occupied": kept.occupied, "mean_log_likelihood": density}
    return Posterior(values, method="gibbs", traced=("alpha", "occupied"))


def _log_density(rows: IntArray, pi: FloatArray, psi: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the log mixture probability of each pattern, shape (g,).

    `weights` are exponents of the probability in each class.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(psi)
        inside = sums_of_logs(np.ascontiguousarray(rows), logs)
        joint = np.log(pi) + (inside if weights is None else weighted(inside, weights[:, None]))
    top = joint.max(axis=1)
    return np.asarray(top + np.log(np.exp(joint - top[:, None]).sum(axis=1)), dtype=np.float64)


def _draw_classes(rows: list[IntArray], n: int, pi: FloatArray, psi: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw the class of each record given the levels in `rows`, which can be empty."""
    if not rows:
        return rng.choice(pi.size, size=n, p=pi / pi.sum()).astype(np.int64)
    return draw_codes(_class_shares(rows, n, pi, psi), rng)


def _class_shares(rows: list[IntArray], n: int, pi: FloatArray, psi: FloatArray) -> FloatArray:
    """Return the class probabilities of records given the levels in `rows`, (n, K)."""
    with np.errstate(divide="ignore"):
        joint = np.broadcast_to(np.log(pi) + sum(np.log(psi)[row] for row in rows), (n, pi.size))
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True), dtype=np.float64)


__all__ = ["DPMPM", "FittedDPMPM"]
