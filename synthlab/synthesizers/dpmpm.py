"""Dirichlet process mixture of products of multinomials, for many categorical variables at once."""

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
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design, posterior_of, weighted
from synthlab.synthesizers.constraints import Constraint, check_constraints, fitted_constraints, is_about

BINDING_SHARE = 0.01  # of the kept draws with all classes occupied, above which the truncation is said to bind


@dataclass(frozen=True)
class DPMPM:
    """Synthesizer of categorical variables through a mixture in which they are independent.

    ``Pr(x_i) = sum_k pi_k prod_j psi_{k, j, x_ij}`` with truncated stick-breaking weights,
    ``V_k ~ Beta(1, alpha)``, ``alpha ~ Gamma(a, b)`` (shape, rate) and flat Dirichlet priors of the psi_kj; sampled
    by blocked Gibbs (Ishwaran & James 2001; Si & Reiter 2013; Hu, Reiter & Wang 2014).

    Record weights raise the probability of the record in its own class,
    ``prod_i pi_{z_i} [prod_j psi_{z_i j x_ij}]^w_i``: a proper pseudo posterior, in which a record of weight 0
    is as if absent and a light record tells little about psi and about its own class. It is not the
    pseudo posterior with the mixture probability to the power w_i: a record of weight 2 is not quite
    one that occurs twice.

    Constraints make records impossible (structural zeros). The model is then the mixture given that a record is possible,
    ``p(x) / (1 - Pr(impossible))``, and its parameters are those of that truncated mixture: the records that the
    mixture puts where none can be are added in each iteration (Manrique-Vallier & Reiter 2014). Synthetic records are drawn among the
    possible ones, none is drawn and rejected. With record weights, a record divides by
    ``(1 - Pr(impossible))^w_i``.

    Against NPBayesImputeCat 0.5: the same model and priors, and the same probabilities of the cells up to the
    differences between its own chains. Its sampler never exchanges the labels of classes, so alpha and the number
    of occupied classes depend on which labels the large classes happened to get (on the ACS sample alpha is 4
    to 39 in four chains, with about 20 classes; here it is 1.1 to 1.3, with about 11). Here labels are exchanged and alpha
    is drawn with the sticks integrated out.

    Parameters
    ----------
    variables : sequence of str
        All variables of the mixture: categories, text, or numbers with at most 1,000 distinct values.
    synthesized : sequence of str, optional
        Those that get synthetic values; None for all (full synthesis).
    classes : int, default 40
        K, the truncation. `TruncationWarning` when all of them are occupied.
    membership : {"released", "record"}, default "released"
        The draw of the class of a synthetic record: given the variables that are released
        unchanged (the posterior predictive distribution; given nothing in full synthesis), or given
        the whole confidential record, as the R package NPBayesImputeCat does. The latter keeps
        synthetic records nearer to the confidential ones, which shows in utility and in risk.
    a, b : float, default 0.25
        Shape and rate of the prior of alpha; NPBayesImputeCat calls them aalpha, balpha.
    thin : int, default 5
        Iterations between two kept draws.
    constraints : sequence of Constraint, default ()
        `AllowedCombinations`, `ZeroUnless`, or another that says its ``columns``, about variables of the mixture alone.

    Raises
    ------
    InputError
        If `variables` or `synthesized` is no list of distinct column names, a constraint is about other columns, or another
        argument is none of the values allowed.

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
                raise InputError(f"constraints: {constraint!r} must be about variables of the mixture, and say which")
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
        """Run the chains: ``tune`` iterations dropped, then ``draws`` kept, one in `thin`, in each of ``chains``.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables named.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. None: 1 for everybody.
        design : SurveyDesign, optional
            The survey design of the records: its weights, normalised to n, multiply the log-likelihood too; see
            `fit_under_design`. None: the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing is a level of a variable in which values are missing. "raise": an error.
        missing_codes : mapping of str to sequence of numbers, optional
            For columns of numbers, values that mean missing; they are levels anyway, and an error with ``missing="raise"``.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            The options of `NormalRegression.fit`; of them ``draws``, ``tune`` and ``chains`` matter.

        Returns
        -------
        FittedDPMPM
            Draws of the class weights ``kept.pi`` (chains, draws, K), of the level probabilities ``kept.psi``, and of alpha.

        Raises
        ------
        InputError
            If a variable is absent or has too many levels, or the confidential data break a constraint.
        MissingValueError
            If a variable has missing values, with ``missing="raise"``.

        Warns
        -----
        TruncationWarning
            If all classes were occupied in more than 1 % of the kept draws: raise `classes`.
        ConvergenceWarning
            If the log-likelihood has not converged. The number of occupied classes and alpha move slowly
            (small classes come and go) and the probabilities of the cells hardly depend on them: they
            are traced in `diagnostics`, without a warning.
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
                stacklevel=2,
            )
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedDPMPM(Fitted):
    """A fitted `DPMPM`.

    ``posterior`` holds what does not depend on the numbering of the classes: alpha, occupied, and the
    mean log-likelihood. The class weights are ``kept.pi`` (chains, draws, K), the level probabilities ``kept.psi``
    (chains, draws, levels of all variables, K), those of the mixture before it is truncated to what is possible.
    """

    levels: tuple[Levels, ...] = field(repr=False)
    first: IntArray = field(repr=False)
    kept: Kept = field(repr=False)
    region: Region | None = field(repr=False)

    @property
    def records_independent(self) -> bool:
        """Return whether a record can be drawn without its confidential values."""
        return bool(self.specification.membership == "released")

    @property
    def has_probabilities(self) -> bool:
        """Return whether `probability_of` has a closed form."""
        return self.records_independent

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probability that a record gets given synthetic values, under one posterior draw, shape (n, g)."""
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
        """Return probabilities given that a record is possible; 0 for values impossible in a record."""
        region, (rows, share, psi) = cast(Region, self.region), given
        drawn = [j for j, v in enumerate(self.levels) if v.column in self.synthesized]
        mass = region.shares(rows, share, psi, drawn)[0].sum(axis=1)
        cells = np.empty((*found.shape, len(self.levels)), dtype=np.int64)
        for j, level in enumerate(self.levels):
            codes = level.positions(values) if j in drawn else level.codes(frame)[:, None]
            cells[..., j] = self.first[j] + np.maximum(codes, 0)
        possible = ~region.are_impossible(cells.reshape(-1, len(self.levels))).reshape(found.shape)
        return np.asarray(np.divide(found * possible, mass[:, None], out=np.zeros_like(found), where=mass[:, None] > 0))

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
        """Return synthetic values for the records of `frame`, from one posterior draw."""
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
        """Return log sum_k pi_k prod_j psi_kj of every record, given that it is possible, unweighted, shape (draws, n)."""
        return self._log_densities(np.ones(len(self.confidential)))

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return log sum_k pi_k (prod_j psi_kj)^weight of every record: the weight is that of its class's density."""
        return self._log_densities(np.ones(len(self.confidential)) if self.weights is None else self.weights)

    def _log_mass(self) -> FloatArray | float:
        """Return the log probability of the variables that are not synthesized: a draw is conditional on them."""
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
        """Return the log probability that a record with these values of the other variables is possible, shape (g,)."""
        pi, psi = self.parameters(draw)
        share = _class_shares(list(rows.T), len(rows), pi, psi)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(cast(Region, self.region).shares(list(rows.T), share, psi, drawn)[0].sum(axis=1)))

    def _with_draws(self, rows: IntArray) -> FittedDPMPM:
        return replace(self, posterior=posterior_of(self).keep(rows), kept=self.kept.keep(rows))

    def two_way(self, one: str, other: str) -> pd.DataFrame:
        """Return the posterior mean of the joint probabilities of two variables (in possible records)."""
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
    """Return the log mixture probability of each pattern, its probability in each class to the power, shape (g,)."""
    with np.errstate(divide="ignore"):
        logs = np.log(psi)
        inside = sums_of_logs(np.ascontiguousarray(rows), logs)
        joint = np.log(pi) + (inside if weights is None else weighted(inside, weights[:, None]))
    top = joint.max(axis=1)
    return np.asarray(top + np.log(np.exp(joint - top[:, None]).sum(axis=1)), dtype=np.float64)


def _draw_classes(rows: list[IntArray], n: int, pi: FloatArray, psi: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw a class a record, given the levels in `rows`; given nothing when there are none."""
    if not rows:
        return rng.choice(pi.size, size=n, p=pi / pi.sum()).astype(np.int64)
    return draw_codes(_class_shares(rows, n, pi, psi), rng)


def _class_shares(rows: list[IntArray], n: int, pi: FloatArray, psi: FloatArray) -> FloatArray:
    """Return the probability of each class for each record, given the levels in `rows`, shape (n, K)."""
    with np.errstate(divide="ignore"):
        joint = np.broadcast_to(np.log(pi) + sum(np.log(psi)[row] for row in rows), (n, pi.size))
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True), dtype=np.float64)


__all__ = ["DPMPM", "FittedDPMPM"]
