"""Membership attack: a test that distinguishes fits with and without a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._system import parallel
from synthlab._typing import ColumnNames, FrameLike, RngLike
from synthlab.exceptions import InputError
from synthlab.risk.membership._membership_attack_result import MembershipAttackResult, judge, warn_of_few
from synthlab.risk.membership._shadow_fits import Attack, another, compared, furthest_out, without

FEWEST_FITS = 20
MOST_FITS = 1_000_000
MOST_JOBS = 100_000


def membership_attack(
    confidential: FrameLike,
    synthesizer: Any,
    *,
    targets: object = None,
    adjacency: Literal["replace", "add-remove"] = "replace",
    replacement: pd.DataFrame | None = None,
    fits: int = 200,
    m: int = 1,
    sees: Literal["release", "parameters"] = "release",
    score: Callable[[Any, pd.Series], float] | None = None,
    variables: ColumnNames | None = None,
    delta: float = 0.0,
    false_positives: float = 0.01,
    level: float = 0.95,
    rng: RngLike = None,
    n_jobs: int | None = None,
    progress: bool = False,
    **sampler: Any,
) -> MembershipAttackResult:
    r"""Test whether repeated fits with and without a record can be distinguished.

    A synthesizer can be any object whose ``fit(frame, rng=...)`` returns an object with ``generate(m, rng=...)``. The intruder
    knows the record, all other records, and the synthesizer with its options, and tests whether the record was in the data.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected, including the targets.
    synthesizer : synthesizer
        The synthesizer to fit.
    targets : array of row positions or boolean mask, optional
        The records to test. Default: the record with the largest mean distance to its five closest records, see Notes.
    adjacency : {"replace", "add-remove"}
        Data without the record: the record is replaced ("replace", default) or removed ("add-remove"). If it is removed, a
        release with as many records as the data reveals that one record is missing.
    replacement : pandas.DataFrame of one row, optional
        The record that replaces the target. Default: a copy of another record of the data, chosen at random among the
        records that differ from the target.
    fits : int from 20 to 1,000,000
        Number of fits with all records, and number of fits without each target; default 200. The first half is used to
        choose statistic, threshold and event; the second half is used to estimate the error rates.
    m : int >= 1
        Number of datasets per fit, or of posterior draws with ``sees="parameters"``. Default 1.
    sees : {"release", "parameters"}
        What the intruder sees of a fit. Default "release".
    score : callable, optional
        Function ``score(release, record)``, or ``score(fitted, record)`` with ``sees="parameters"``, that returns a finite
        number; the record is a Series. The default for a release is the best of three statistics: the number of copies of
        the record, the distance to the closest released record, and the mean distance (Gower's). The default for
        parameters is the log density of the record.
    variables : sequence of str, optional
        The compared variables. Default: the synthesized variables of the release if they are known, otherwise all variables.
    delta : float in [0, 1)
        The delta of the bounds of epsilon; default 0.
    false_positives : float in (0, 1)
        The false positive rate at which the true positive rate is reported; default 0.01.
    level : float in (0, 1)
        Confidence of the intervals, and simultaneous confidence of all lower bounds of epsilon. Default 0.95.
    rng : int, Generator or None
        Seed or generator, with one stream per fit.
    n_jobs : int, optional
        Number of parallel fits; -1 means all cores. Default: the setting of joblib, or all cores.
    progress : bool, default False
        Whether to show a progress bar.
    **sampler
        Options of ``synthesizer.fit``.

    Returns
    -------
    MembershipAttackResult

    Raises
    ------
    InputError
        If a record cannot be removed, the synthesizer cannot be fitted or has no density for the score, a variable has no
        distance, or an argument is out of its range.

    Warns
    -----
    UndefinedStatisticWarning
        If there are too few test fits to observe a false positive rate of `false_positives`.

    Notes
    -----
    The rates are estimated in the second half of the fits. With Clopper-Pearson limits, Bonferroni-adjusted for the number of
    targets,

    .. math:: \epsilon \ge \log \frac{TPR_{low} - \delta}{FPR_{high}},

    or the analogous bound with the two hypotheses exchanged. The bound holds for this file and increases with `fits`: with N
    test fits it is at most about log(N / 4), even for a synthesizer that returns the confidential data.

    The epsilon of "replace" is up to twice the epsilon of "add-remove"; compare a claimed epsilon with the bound of its own
    adjacency. In partial synthesis, the unchanged variables show who is in the file; they are compared only if `variables`
    contains them. Usually, but not always, the most unusual record is the easiest to detect (Meeus et al. 2023).

    References
    ----------
    Stadler, T., Oprisanu, B. and Troncoso, C. (2022). Synthetic data: anonymisation groundhog day. USENIX Security 31.
    Meeus, M., Guepin, F., Cretu, A.-M. and de Montjoye, Y.-A. (2023). Achilles' heels: vulnerable record identification in
    synthetic data publishing. ESORICS 2023.
    Carlini, N., Chien, S., Nasr, M., Song, S., Terzis, A. and Tramer, F. (2022). Membership inference attacks from first principles.
    IEEE Symposium on Security and Privacy (for the true positive rate at a small false one).
    Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2.
    Statistics in Medicine 25, 559-573.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"ill": ["yes"] + ["no"] * 30}, index=["Ann", *range(30)])
    >>> options = {"fits": 40, "false_positives": 0.1, "rng": 1, "n_jobs": 1}
    >>> attack = sl.membership_attack(people, sl.Resample(["ill"]), **options)  # draws records with replacement
    >>> attack.worst, attack.auc.round(2).tolist(), round(attack.epsilon, 2)
    ('Ann', [0.9], 1.21)
    """
    frame = _checks.check_frame(confidential, "confidential")
    if isinstance(synthesizer, type) or not callable(getattr(synthesizer, "fit", None)):
        raise InputError(
            f"synthesizer={_checks.shown(synthesizer)}: must be a synthesizer, an object with a fit method"
        )
    number = _checks.check_count(fits, "fits", minimum=FEWEST_FITS, maximum=MOST_FITS)
    _checks.check_count(m, "m")
    _checks.check_choice(sees, "sees", ("release", "parameters"))
    if score is not None:
        _checks.check_callable(score, "score", "a function of a release (or fit) and a record")
    _checks.check_choice(progress, "progress", (True, False))
    if n_jobs is not None and not (type(n_jobs) is int and n_jobs == -1):  # -1: all cores
        _checks.check_count(n_jobs, "n_jobs", maximum=MOST_JOBS)
    _checks.check_choice(adjacency, "adjacency", ("replace", "add-remove"))
    inside = {"low": 0.0, "high": 1.0, "open_low": True, "open_high": True}
    loose = _checks.check_number(delta, "delta", low=0.0, high=1.0, open_high=True)
    rate = _checks.check_number(false_positives, "false_positives", **inside)  # type: ignore[arg-type]
    level = _checks.check_number(level, "level", **inside)  # type: ignore[arg-type]
    names = compared(frame, variables)
    if replacement is not None and adjacency == "add-remove":
        raise InputError("replacement: does not apply to adjacency='add-remove'; omit it, or use adjacency='replace'")
    given = None if replacement is None else _one_record(replacement, frame)
    if given is None and len(frame) < 2:
        raise InputError(
            "confidential: has only 1 record, but at least 2 are required; add records, or pass `replacement`"
        )
    if targets is None:
        every = compared(frame, names if names is not None else list(frame.columns)) or ()
        rows = furthest_out(frame, every)
    else:
        rows = _checks.check_targets(targets, len(frame))

    attack = Attack(synthesizer, frame, rows, m, sees, score, names, sampler)
    chooser, *sources = _rng.spawn(rng, rows.size + 2)
    worlds = [(frame, rows, True)]
    for place, row in enumerate(rows):
        other = another(frame, int(row), chooser) if given is None and adjacency == "replace" else given
        worlds.append((without(frame, int(row), other), rows[[place]], False))
    jobs = [(*world, stream) for world, source in zip(worlds, sources, strict=True) for stream in source.spawn(number)]
    found = parallel.parallel_map(
        attack.scores, jobs, prefer="processes", n_jobs=n_jobs, what="fits", unit="fit", progress=progress, probe=True
    )
    with_all, *each_out = (np.stack(found[k : k + number]) for k in range(0, len(found), number))
    half = number // 2
    limits = {"level": level, "joint": 1.0 - (1.0 - level) / rows.size, "delta": loose, "false_positives": rate}
    verdicts = [
        judge(
            (with_all[:half, place], out[:half, 0]),
            (with_all[half : 2 * half, place], out[half : 2 * half, 0]),
            attack.statistics,
            **limits,
        )
        for place, out in enumerate(each_out)
    ]
    warn_of_few(half, rate)
    columns = {name: [one[name] for one in verdicts] for name in verdicts[0]}
    statistic = tuple(columns.pop("statistic"))
    return MembershipAttackResult(
        targets=_checks.read_only(rows),
        labels=tuple(frame.index[rows]),
        statistic=statistic,
        **{name: _checks.read_only(np.array(values, dtype=np.float64)) for name, values in columns.items()},
        false_positives=rate,
        sees=sees,
        adjacency=adjacency,
        delta=loose,
        level=level,
        m=m,
    )


def _one_record(replacement: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the validated replacement, with the columns in the order of the data."""
    other = _checks.check_frame(replacement, "replacement")
    if len(other) != 1 or set(other.columns) != set(frame.columns):
        raise InputError(
            f"replacement: must be one row with the columns of confidential, got {_checks.described(other)}"
        )
    other = other[list(frame.columns)]
    odd = [name for name in frame.columns if other[name].dtype != frame[name].dtype]
    if odd:  # a different dtype would reveal the replacement
        raise InputError(
            f"replacement: must have the dtypes of confidential, but {_checks.named(odd)} has another; use "
            "replacement.astype(confidential.dtypes), or change the values of a row of confidential"
        )
    return other
