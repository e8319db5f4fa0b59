"""The intruder's posterior: which record of a release is the target's, given all that was released.

Reiter and Mitra (2009): the intruder averages the matching of a target over plausible true values of what was
synthesized, guessed from the synthetic datasets or simulated from the released models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from synthlab import _checks, _rng
from synthlab._pairs import warn_if_known_changed
from synthlab._typing import ColumnNames, FrameOrFrames, Radius, RadiusKind, RngLike
from synthlab.exceptions import InputError
from synthlab.release import Release, as_aligned_release
from synthlab.risk._intruder_ball import make_ball
from synthlab.risk._intruder_problem import Problem
from synthlab.risk._intruder_result import IntruderRiskResult
from synthlab.risk.scenario import NOTHING_RELEASED, Scenario

Distance = Literal["euclidean", "mahalanobis"]


def intruder_risk(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    known: ColumnNames,
    synthesized: ColumnNames,
    scenario: Scenario = NOTHING_RELEASED,
    radius: Radius = None,
    radius_kind: RadiusKind = "absolute",
    distance: Distance = "euclidean",
    targets: Any = None,
    sampler: Mapping[str, Any] | None = None,
    rng: RngLike = None,
) -> IntruderRiskResult:
    r"""Match probabilities of an intruder who uses all that was released, and the risks that follow from them.

    For a target t the intruder computes

    .. math:: Pr(J = j | t, Z, M, R) = \int Pr(J = j | t, Z_D, Y_S) \, Pr(Y_S | t, Z, M, R) \, dY_S,

    J the record of the target (J = n + 1: not in the file), by averaging over guesses of the true values Y_S. Given
    Y_S, each of the :math:`n_t` records that agree with t has probability :math:`1 / n_t`; where there is none, each of
    those that agree on the known variables has :math:`1 / n^*_t`. If the target need not be in the file, each has
    :math:`1 / N_t`, N_t the number of such people in the population, and J = n + 1 the rest. Every record is the
    target once, with replacement; the intruder declares the record with the largest probability.

    Parameters
    ----------
    confidential : pandas.DataFrame, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets of n rows; row i is about the person in row i of `confidential`.
    known : sequence of str
        Variables the intruder knows and the release leaves unchanged; may be empty.
    synthesized : sequence of str
        Synthesized variables whose true value the intruder knows.
    scenario : Scenario, default Scenario()
        What is released about the models and the selection, what is known of the target, and the attack.
    radius : mapping {variable: number >= 0} or number, optional
        For numeric synthesized variables: a record is a plausible match within this distance of the true values. With
        "euclidean" the half-axes of an ellipsoid (equal numbers: a sphere), with "mahalanobis" the same number for all.
        A bare number is for every synthesized variable that looks continuous, or the only one that holds numbers.
    radius_kind : {"absolute", "relative"}
        Half-axes in the units of the variable, or times ``abs(true value)``; Mahalanobis distances have no unit.
    distance : {"euclidean", "mahalanobis"}
        Mahalanobis: with the covariance of these variables in the m synthetic datasets together.
    targets : array of row positions or boolean mask, optional
        The records the intruder looks for; default all.
    sampler : mapping, optional
        Options of the synthesizers' `fit` when the intruder fits released models.
    rng : int or numpy.random.Generator, optional
        For ties of the mode, simulated datasets and fits; the same seed gives the same result.

    Returns
    -------
    IntruderRiskResult

    Raises
    ------
    InputError
        Arguments that are not allowed, contradict one another or the data (a census table with fewer people than the
        file); a released model that cannot be simulated from.
    RowAlignmentError
        Row counts or indices of the frames differ.
    DtypeMismatchError
        A column holds numbers in one frame, or in a census table, and text in the other.
    MissingValueError
        A value of a used variable is missing.

    Warns
    -----
    KnownVariableChangedWarning
        A known variable differs between the two frames.

    Notes
    -----
    Symbols of the paper: A is `known` and `synthesized` together, D `known`, S `synthesized`, M ``scenario.released``, R
    ``scenario.selection``, h ``scenario.draws``, c_j ``match_count``, I_j ``contains_true``, K_j ``unique_true``.

    Two match probabilities are equal when they differ by less than a relative 1e-9; the threshold must be exceeded by
    more. N_t is never taken below n_t. Match probabilities of targets of whom the same is known are computed once and
    kept sparse; the cost of a guess is the sum over distinct targets of the records that agree on what is compared
    by value (O(n log n) when all is).

    References
    ----------
    Reiter, J. P. and Mitra, R. (2009). Estimating risks of identification disclosure in partially synthetic data.
    Journal of Privacy and Confidentiality 1(1), 99-110.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.risk import intruder_risk
    >>> true = pd.DataFrame({"sex": ["f"] * 4, "town": list("aabc")})
    >>> release = [true.assign(town=list("abbc")), true.assign(town=list("aacb"))]
    >>> risk = intruder_risk(true, release, known=["sex"], synthesized=["town"])
    >>> risk.probabilities(2).tolist()
    [0.0, 0.25, 0.25, 0.5, 0.0]
    >>> risk.perceived_match_risk(), risk.expected_match_risk, risk.true_match_risk
    (4, 1.5, 1)
    """
    if sampler is not None and not isinstance(sampler, Mapping):
        raise InputError(
            f'sampler={_checks.shown(sampler)}: must be a mapping of options of fit, for example {{"draws": 500}}'
        )
    frame, release, names, changed = _check(confidential, synthetic, known, synthesized, scenario)
    ball = make_ball(frame, release, names, changed, scenario, radius, radius_kind, distance)
    _check_values(frame, release, [*names, *changed])
    problem = Problem.of(frame, release, names, changed, scenario, ball, _checks.check_targets(targets, len(frame)))
    fits, guesses = _rng.spawn(rng, 2)
    found = problem.attack(scenario, dict(sampler or {}), fits, guesses)
    return IntruderRiskResult(
        average=found,
        declared=problem.declare(found, scenario.may_decline),
        baseline=problem.declare(problem.average([frame], scenario), scenario.may_decline),
        targets=_checks.read_only(problem.targets),
        profile=problem.matcher.profile[problem.targets],
        known_records=problem.known_pairs,
        known_profile=problem.known_profile,
        unique=problem.unique(),
        n=len(frame),
        m=release.m,
        known=tuple(names),
        synthesized=tuple(changed),
        scenario=scenario,
        data_kind=_checks.data_kind(frame),
    )


def _check(
    confidential: object, synthetic: FrameOrFrames, known: ColumnNames, synthesized: ColumnNames, scenario: object
) -> tuple[pd.DataFrame, Release, list[str], list[str]]:
    if not isinstance(scenario, Scenario):
        raise InputError(f"scenario: must be a Scenario, got {type(scenario).__name__}")
    frame = _checks.check_frame(confidential, "confidential")
    release = as_aligned_release(synthetic)
    names = _checks.check_columns(frame, known, "known", where="confidential", allow_empty=True)
    changed = _checks.check_columns(frame, synthesized, "synthesized", where="confidential")
    _checks.check_disjoint(names, changed)
    for number, other in enumerate(release, start=1):
        _checks.check_columns(other, [*names, *changed], "known and synthesized", where=f"synthetic dataset {number}")
    _checks.check_rows_aligned(frame, release.frames)
    _checks.check_same_kind(frame, release.frames, [*names, *changed])
    warn_if_known_changed(frame, release.frames, names)
    used = {*names, *changed}
    unknown = [c for c in scenario.knowledge or {} if c not in used]
    if unknown:
        raise InputError(f"knowledge: {_checks.named(unknown)} is neither in known nor in synthesized")
    return frame, release, names, changed


def _check_values(frame: pd.DataFrame, release: Release, used: list[str]) -> None:
    for where, one in [("confidential", frame), *((f"synthetic dataset {i}", f) for i, f in enumerate(release, 1))]:
        numeric = [c for c in used if pd.api.types.is_float_dtype(one[c].dtype)]
        _checks.check_finite_or_missing(one, used, where=where, numeric=numeric, missing="raise")


__all__ = ["IntruderRiskResult", "Scenario", "intruder_risk"]
