"""Posterior probabilities that a record of the release belongs to a target.

Reiter and Mitra (2009): the intruder averages match probabilities over plausible true values of the synthesized variables.
These values are taken from the synthetic datasets or simulated from the released models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder, resolved
from synthlab.intruder.bands import in_bands, knowledge_in_bands
from synthlab.intruder.intruder import NORMS
from synthlab.matching.linked_copies import are_unique, link_copies
from synthlab.matching.match_inputs import check_variables, warn_if_known_changed
from synthlab.matching.released_rows import Rows, match_rows
from synthlab.release import Release
from synthlab.release.release import as_release
from synthlab.risk.posterior._attack import Attack, Draws, Parameters, Strategy
from synthlab.risk.posterior._ball import make_ball
from synthlab.risk.posterior._problem import Problem
from synthlab.risk.posterior._result import IntruderRiskResult
from synthlab.risk.posterior.released_information import NOTHING_RELEASED, ReleasedInformation


@explains_arguments
def intruder_risk(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    scenario: ReleasedInformation = NOTHING_RELEASED,
    strategy: Strategy = "probability",
    parameters: Parameters = "fixed",
    draws: Draws = 100,
    fallback: bool = True,
    threshold: float = 0.20,
    may_decline: bool = False,
    sampler: Mapping[str, Any] | None = None,
    rows: Rows = None,
    links: ColumnNames | None = None,
    rng: RngLike = None,
) -> IntruderRiskResult:
    r"""Compute match probabilities and risks for an intruder who uses all released information.

    Equations: Hu, lecture 8 (1)

    Equations: Reiter & Mitra (1), (2), (3), (4), (5), (6), (match risks)

    For a target t the intruder computes

    .. math:: Pr(J = j | t, Z, M, R) = \int Pr(J = j | t, Z_D, Y_S) \, Pr(Y_S | t, Z, M, R) \, dY_S

    by averaging over guesses of the true values Y_S. J is the record of the target; J = n + 1 means that the target is not in
    the file. Given Y_S, each of the :math:`n_t` records that agree with t has probability :math:`1 / n_t`. If there is no such
    record, each of the :math:`n^*_t` records that agree on the known variables has probability :math:`1 / n^*_t`. If the
    target might not be in the file, each matching record has probability :math:`1 / N_t`, where N_t is the number of such
    people in the population, and J = n + 1 has the remaining probability. By default, every record is a target, and targets
    are matched independently. The intruder declares the record with the largest probability.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets of n rows, or of n' rows with `rows`; row i belongs to the person in row i of `confidential`.
    intruder : Intruder
        The intruder. Partial knowledge, bands, population counts and the Mahalanobis norm are supported; the covariance of the
        norm is computed from the m synthetic datasets together. Known variables are compared by value. Synthesized variables
        with a radius match within the closed ball of this radius.
    scenario : ReleasedInformation, default ReleasedInformation()
        The information that the agency released about the models and the selection.
    strategy : {"probability", "mode"}
        Guess of the true values with ``released="nothing"``. "probability" (default): each synthetic dataset is an equally
        likely guess. "mode": the guess of each value is the most frequent synthetic value of the record (the mean, for a
        number with a radius).
    parameters : {"fixed", "drawn"}
        Parameters for the simulation from models. "fixed" (default): the posterior mean of the coefficients (for a model
        without coefficients, the most likely draw). "drawn": a new draw for every simulated dataset.
    draws : int or "exact"
        h, the number of simulated datasets; default 100. "exact" computes the limit for infinitely many datasets. It requires
        closed-form probabilities of categories, fixed parameters, and targets who are known to be in the file.
    fallback : bool
        Treatment of a draw in which no record matches a target who is known to be in the file. True (default) spreads the
        probability over the records that agree on the known variables; False matches no record.
    threshold : float in [0, 1)
        Threshold of the perceived match risk, which the largest match probability must exceed. Default 0.20.
    may_decline : bool
        Whether the intruder declares no match if "not in the file" is more probable than every record. By default (False),
        the most probable of the n records is declared, as in the paper.
    sampler : mapping, optional
        Options of the synthesizer's `fit`, used if the intruder fits released models.
    rows : array of row positions, boolean mask of shape (n,), or str, optional
        Released records, if only n' of the n records are released, as in `identification_risk`. J = n' + 1 then means that the
        record of the target is not released. An intruder with ``in_file=True`` knows that it is: the default targets are then
        the released records. With ``in_file=False``, all n records are targets by default.
    links : sequence of str, optional
        Unsynthesized variables by which the intruder links the records of shuffled datasets, together with the known variables.
        The order of the rows is then not used, neither by the intruder nor for the measures. Default: row i of every dataset
        describes the same record.
    rng : int, Generator or None
        Seed or generator for matchings of linked datasets, ties of the mode, simulated datasets and fits.

    Returns
    -------
    IntruderRiskResult

    Raises
    ------
    InputError
        If arguments are not allowed, or contradict one another or the data (for example, a census table with fewer people
        than the file), or a released model cannot simulate.
    RowAlignmentError
        Row counts or indices of the frames differ, or `rows` does not fit the datasets.
    DtypeMismatchError
        A column holds numbers in one frame, or in a census table, and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``, or missing values of a variable with partial knowledge or in the selection.

    Warns
    -----
    KnownVariableChangedWarning
        If a known variable differs between the two frames.

    Notes
    -----
    Symbols of the paper: A is the union of `known` and `synthesized`, D `known`, S `synthesized`, M ``scenario.released``, R
    ``scenario.selection``, h `draws`, c_j ``match_count``, I_j ``contains_true``, K_j ``unique_true``.

    `Intruder` defines the meanings of a missing value. With ``missing="category"`` the Mahalanobis distance between records
    with the same variables missing is the distance in the other variables. Its covariance is the part for these variables of
    the covariance of the synthetic records without missing values. With ``missing="never"`` a target with a missing value
    agrees with no record, and a record with a missing value in a guess agrees with no target. If the known values of the
    target are complete, such a draw falls back on the records that agree on them (`fallback`); otherwise no record is matched.
    With ``strategy="mode"`` a missing value counts as a value ("category"), or is ignored unless all values are missing
    ("never"). A variable with partial knowledge must not have missing values in `confidential`. A missing synthetic value is
    in no interval and in no set.

    The agency might release only n' of the n collected records (Hu's lecture 8, "Notation and setup"; Reiter 2005). Then n_t and
    the sum of the weights count released records, Pr(J = j) refers to row j of the release, and the baseline is the
    confidential data of the released records. If the released records are a random part of the file, multiply the weights by
    n / n'. A target whose record is not released has I_i = 0; its best outcome for the agency is a large ``outside_probability``.

    Reiter and Mitra (section 2) assume that records can be linked across the datasets by their unsynthesized values. With `links`,
    a class is the set of k records that share these values. If all classes have one record, the result is that of the known
    order. Otherwise the k! matchings of the class in each dataset with the class in the first dataset are equally likely.
    ``strategy="probability"`` uses the exact mean over the matchings: a record of the first dataset gets from each other
    dataset the mean probability of its class. ``strategy="mode"`` and released models average over `draws` random matchings. The own
    record of a target is any record of its class with probability 1/k, so that I_i, K_i and their sums are means over the
    possible orders. Pr(J = j) refers to a record of the first dataset in the class of record j.

    If the selection has a `RareCombinations`, simulated datasets are drawn from the model given that the rule holds (Reiter and
    Mitra 2009, end of section 2.2), with a Markov chain of at least 25 proposals per record for each dataset after the rule is reached.
    With ``released="nothing"``, the synthetic datasets that contradict the rule are eliminated, and the others are equally likely.

    Two match probabilities are equal if they differ by less than a relative 1e-9; the threshold must be exceeded by
    more than this. N_t is at least n_t. Match probabilities are computed once for all targets about whom the intruder has the
    same knowledge, and are stored sparsely. The cost of a guess is the sum over distinct targets of the number of records that
    agree on the variables compared by value (O(n log n) if all variables are compared by value).

    References
    ----------
    Reiter, J. P. (2005). Estimating risks of identification disclosure in microdata. Journal of the American Statistical
    Association 100, 1103-1113.

    Reiter, J. P. and Mitra, R. (2009). Estimating risks of identification disclosure in partially synthetic data.
    Journal of Privacy and Confidentiality 1(1), 99-110.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> true = pd.DataFrame({"sex": ["f"] * 4, "town": list("aabc")})
    >>> release = [true.assign(town=list("abbc")), true.assign(town=list("aacb"))]
    >>> risk = sl.intruder_risk(true, release, sl.Intruder(known=["sex"], synthesized=["town"]))
    >>> risk.probabilities(2).tolist()
    [0.0, 0.25, 0.25, 0.5, 0.0]
    >>> risk.perceived_match_risk(), risk.expected_match_risk, risk.true_match_risk
    (4, 1.5, 1)
    """
    if sampler is not None and not isinstance(sampler, Mapping):
        raise InputError(
            f'sampler={_checks.shown(sampler)}: must be a mapping of options of fit, for example {{"draws": 500}}'
        )
    uses = ("missing", "targets", "knowledge", "in_file", "weights", "population", "bands")
    check_intruder(intruder, "intruder_risk", uses, norms=NORMS)
    frame = _checks.check_frame(confidential, "confidential")
    attack = Attack(
        intruder=replace(intruder, knowledge=knowledge_in_bands(intruder.knowledge, frame, intruder.bands)),
        scenario=scenario,
        strategy=strategy,
        parameters=parameters,
        draws=draws,
        fallback=fallback,
        threshold=threshold,
        may_decline=may_decline,
    )
    release, places = (
        (as_release(synthetic, like=frame), None) if links is not None else match_rows(frame, synthetic, rows)
    )
    frame = in_bands(frame, release.frames, intruder.bands)
    classes = None
    names, changed = check_variables(frame, release.frames, intruder)
    if links is not None:
        _check_links(scenario, rows)
        release, classes = link_copies(frame, release, links, names)
        _check_equal_weights(intruder, classes)
    elif places is None:
        _checks.check_rows_aligned(frame, release.frames)
    if places is None:
        places = np.arange(len(frame))
    _checks.check_same_kind(frame, release.frames, [*names, *changed])
    collected = frame if places.size == len(frame) and rows is None else frame.iloc[places].reset_index(drop=True)
    warn_if_known_changed(collected, release.frames, names)
    _check_values(frame, release, [*names, *changed], intruder.missing)
    ball = make_ball(frame, release, names, changed, intruder)
    targets = _targets(intruder, places, len(frame))
    if classes is not None and are_unique(classes):
        classes = None
    problem = Problem.of(frame, release, names, changed, attack, ball, targets, places, classes)
    fits, guesses = _rng.spawn(rng, 2)
    found = problem.attack(attack, dict(sampler or {}), fits, guesses)
    return IntruderRiskResult(
        average=found,
        declared=problem.declare(found, may_decline, classes),
        baseline=problem.declare(problem.average([collected], attack), may_decline),
        targets=_checks.read_only(problem.targets),
        own=problem.own,
        profile=_checks.read_only(problem.matcher.profile[problem.targets]),
        known_records=problem.known_pairs,
        known_profile=_checks.read_only(problem.known_profile),
        unique=problem.unique(),
        n=release.n,
        m=release.m,
        intruder=resolved(intruder, {} if ball is None else ball.radii),
        attack=attack,
        data_kind=_checks.data_kind(frame),
        classes=classes,
    )


def _check_links(scenario: ReleasedInformation, rows: Rows) -> None:
    """Raise an error for options that require a known order of the rows."""
    if rows is not None:
        raise InputError("links: not allowed with rows, which states the order of the rows; pass one of them")
    if scenario.selection is not None:
        raise InputError(
            "links: not allowed with a selection, which refers to records in a known order; omit one of them"
        )


def _check_equal_weights(intruder: Intruder, classes: IntArray) -> None:
    weights = intruder.weights
    if weights is not None and weights.size == classes.size:
        first = np.unique(classes, return_index=True)[1]
        if not np.array_equal(weights, weights[first][classes]):
            raise InputError(
                "weights: differ between records with equal values of the links; add the weight to the links"
            )


def _targets(intruder: Intruder, places: IntArray, n: int) -> IntArray:
    """Return the positions of the targets; by default of the released records, if the intruder knows that they are released."""
    if intruder.targets is None and intruder.in_file:
        return np.sort(places)
    targets = _checks.check_targets(intruder.targets, n)
    outside = int((~np.isin(targets, places)).sum())
    if outside and intruder.in_file:
        raise InputError(
            f"targets: the records of {outside:,} targets are not released, but the intruder knows that the target is in the "
            "file; set in_file=False, or omit these targets"
        )
    return targets


def _check_values(frame: pd.DataFrame, release: Release, used: list[str], missing: str) -> None:
    for where, one in [("confidential", frame), *((f"synthetic dataset {i}", f) for i, f in enumerate(release, 1))]:
        numeric = [c for c in used if pd.api.types.is_float_dtype(one[c].dtype)]
        _checks.check_finite_or_missing(one, used, where=where, numeric=numeric, missing=missing)


__all__ = ["IntruderRiskResult", "ReleasedInformation", "intruder_risk"]
