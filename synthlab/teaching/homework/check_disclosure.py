"""Property of a release of one secret variable: disclosure and kept statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab.exceptions import SynthlabError
from synthlab.release import as_release
from synthlab.teaching.homework.check_recoding import recoding_problem
from synthlab.teaching.homework.class_seeds import class_sample


def guarded_secret(answer: Any, settings: Mapping[str, Any]) -> str | tuple[float, str] | None:
    """Check a release of one secret variable for disclosure and for kept statistics.

    All variables are numbers or numeric codes. A release without disclosure that misses exactly one of the required
    statistics earns half of the points.

    Settings: ``dataset``, ``n`` and ``class`` of the sample; ``m``, ``synthesized``; ``secret``, with ``within``, how near
    in relative terms is as good as equal; ``alone_in``, the variables by which a person who is alone is found (none:
    everybody is); ``most_right``, the share of those found about whom an intruder may be right who believes the median
    of the m values, which is the majority of answers of two kinds; ``keeps``, a list of mappings with ``statistic``
    ("mean", "median" or "rank correlation"), ``of``, ``by`` (groups of at least ``fewest`` records, or the other
    variable) and ``most_error`` (relative for a median).

    A release from which the synthesized variables can be learned, or with two equal datasets, earns nothing (`recoding_problem`).
    """
    truth = _numbers(class_sample(settings["dataset"], settings["n"], settings["class"]))
    try:
        release = as_release(answer)
    except SynthlabError as error:
        return f"it is not a release: {error}"
    if release.m != settings["m"]:
        return f"it has {release.m} dataset{'s' if release.m > 1 else ''}, but {settings['m']} are required."
    if release.n != len(truth) or list(release[0].columns) != list(truth.columns):
        return (
            f"every dataset must have the {len(truth):,} rows and the columns of the confidential data, in their order."
        )
    made = [_numbers(one).set_axis(truth.index) for one in release]
    for number, one in enumerate(made, start=1):
        if problem := _columns_problem(truth, one, settings["synthesized"]):
            return f"dataset {number} {problem}"
    radius = {settings["secret"]: settings["within"]} if settings["within"] else None
    unprotected = _given_away(truth, made, settings) or recoding_problem(
        truth, made, settings["synthesized"], radius=radius, alone_in=settings["alone_in"]
    )
    if unprotected:
        return unprotected
    lost = _not_kept(truth, made, settings["keeps"])
    return (0.5 if len(lost) == 1 else 0.0, lost[0]) if lost else None


def _numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return all columns as floats; other values become missing."""
    columns = {name: pd.to_numeric(frame[name].astype(object), errors="coerce").astype(float) for name in frame}
    return pd.DataFrame(columns)


def _columns_problem(truth: pd.DataFrame, one: pd.DataFrame, synthesized: Sequence[str]) -> str | None:
    changed = [name for name in truth if name not in synthesized and not one[name].equals(truth[name])]
    if changed:
        return f"changes {changed[0]!r}, which must not be synthesized."
    odd = [name for name in synthesized if not np.isfinite(one[name]).all()]
    if odd:
        return f"contains values of {odd[0]!r} that are missing or not numeric."
    same = [name for name in synthesized if one[name].equals(truth[name])]
    return f"releases {same[0]!r} unchanged; it must be synthesized." if same else None


def _given_away(truth: pd.DataFrame, made: Sequence[pd.DataFrame], settings: Mapping[str, Any]) -> str | None:
    """Return the problem of the worst record, or of the average, among records found."""
    secret, alone_in = settings["secret"], settings["alone_in"]
    found = (~truth.duplicated(alone_in, keep=False)).to_numpy() if alone_in else np.full(len(truth), True)
    own = truth[secret].to_numpy()[found]
    values = np.array([one[secret] for one in made])[:, found]
    near = settings["within"] * abs(own)
    always = int((abs(values - own) <= near).all(axis=0).sum())
    if always:
        return (
            f"of the {own.size:,} people whose row is found, {always:,} have their true {secret!r} in every dataset. "
            "Whose answers determine the synthetic value of such a person?"
        )
    believed, one_for_all = np.median(values, axis=0), np.median(truth[secret])
    right, baseline = (float((abs(guess - own) <= near).mean()) for guess in (believed, one_for_all))
    if right > settings["most_right"]:
        return (
            f"an intruder who uses the median of the {len(made)} values is right about {secret!r} of {right:.0%} of the people "
            f"whose row is found; at most {settings['most_right']:.0%} is allowed, and the best single guess reaches "
            f"{baseline:.0%}. Whose answers determine the synthetic value of such a person?"
        )
    return None


def _not_kept(truth: pd.DataFrame, made: Sequence[pd.DataFrame], keeps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the statistics that the datasets do not keep on average."""
    lost = []
    for keep in keeps:
        told = _statistic(truth, keep)
        mean = pd.concat([_statistic(one, keep) for one in made], axis=1).mean(axis=1, skipna=False)
        pair = keep["statistic"] == "rank correlation"
        if not pair:
            told = told[truth[keep["by"]].value_counts().reindex(told.index) >= keep.get("fewest", 1)]
        off = (mean.reindex(told.index) - told).abs() / (told.abs() if keep["statistic"] == "median" else 1.0)
        error = float(off.fillna(np.inf).max())
        if error > keep["most_error"]:
            lost.append(
                f"the {keep['statistic']} of {keep['of']!r} {'with' if pair else 'by'} {keep['by']!r} is off by {error:.2f}, but "
                f"at most {keep['most_error']:g} is allowed. Does your model draw one of these variables given the other?"
            )
    return lost


def _statistic(frame: pd.DataFrame, keep: Mapping[str, Any]) -> pd.Series:
    if keep["statistic"] == "rank correlation":
        return pd.Series([frame[keep["of"]].corr(frame[keep["by"]], method="spearman")])
    result: pd.Series = frame.groupby(keep["by"])[keep["of"]].agg(keep["statistic"])
    return result
