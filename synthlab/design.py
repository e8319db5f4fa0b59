"""Survey designs: weights, strata, clusters and finite population corrections.

Designs are used by the pseudo-likelihoods of synthesizers, by pseudo-populations, and by estimates with design-based
standard errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._design_covariance import LONELY, Sampled
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import DesignVariableWarning, InputError, MissingValueError

PARTS = ("weights", "strata", "clusters", "fpc")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SurveyDesign:
    """Survey design of a file: how its records were sampled from the population.

    Each part is the name of a column of the file, or an array with one entry per record. A design without parts is a
    simple random sample of a large population.

    Parameters
    ----------
    weights : str or array_like of shape (n,), optional
        Survey weights > 0: the number of people that a record represents, or a multiple of it. Default: 1 for all records.
    strata : str or array_like of shape (n,), optional
        The stratum of each record, with any type of value. Default: one stratum.
    clusters : str or array_like of shape (n,), optional
        The primary sampling unit of each record, nested in strata: the same cluster name in two strata is an error.
        Default: each record is a primary sampling unit.
    fpc : str or array_like of shape (n,), optional
        Finite population correction: the number of primary sampling units of the stratum in the population, or, if all
        entries are at most 1, the sampling fraction. It must be constant within a stratum. Default: no correction, as for
        sampling with replacement.
    lonely : {"fail", "certainty", "adjust"}
        Treatment of a stratum with a single primary sampling unit, whose variance cannot be estimated. "fail" (default)
        raises an `InputError`. "certainty" sets the variance to 0. "adjust" uses the deviation from 0, the mean of the scores
        of the whole sample, instead of the deviation from the stratum mean. These are the values of R's
        ``options(survey.lonely.psu)``. A stratum whose units are all in the sample, according to `fpc`, has variance 0 and
        does not need this treatment.

    Raises
    ------
    InputError
        If a part is neither a column name nor a one-dimensional array, or `weights` or `fpc` are not numbers above 0.
        Requirements that depend on the file are checked by the function that uses the design.
    MissingValueError
        If a part has missing values.

    Notes
    -----
    Variances are first-stage variances of totals of the primary sampling units, computed by Taylor linearization
    (Binder 1983), like the variances of R's
    ``svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, fpc = ~fpc)``.

    References
    ----------
    Binder, D. A. (1983). On the variances of asymptotically normal estimators from complex surveys. International
    Statistical Review 51(3), 279-292.

    Examples
    --------
    >>> import synthlab as sl
    >>> print(sl.SurveyDesign(weights="weight", strata="region", clusters="school"))
    Records are weighted by weight; strata: region; clusters (primary sampling units): school; no finite population correction.
    """

    weights: Any = None
    strata: Any = None
    clusters: Any = None
    fpc: Any = None
    lonely: str = "fail"

    def __post_init__(self) -> None:
        _checks.check_choice(self.lonely, "lonely", LONELY)
        for name in PARTS:
            object.__setattr__(self, name, _part(getattr(self, name), name))

    @property
    def columns(self) -> list[str]:
        """Column names of the design, in the order weights, strata, clusters, fpc."""
        return list(dict.fromkeys(value for name in PARTS if isinstance(value := getattr(self, name), str)))

    @property
    def is_named(self) -> bool:
        """True if every part is a column of the file, so that the design holds no values."""
        return all(isinstance(getattr(self, name), str | None) for name in PARTS)

    def describe(self) -> str:
        """Return a sentence that describes the design."""
        words = {name: _described(getattr(self, name)) for name in PARTS}
        if not any(words.values()):
            return "A simple random sample of a large population."
        parts = [f"Records are weighted by {words['weights']}" if words["weights"] else "Records are not weighted"]
        if words["strata"]:
            parts.append(f"strata: {words['strata']}")
        if words["clusters"]:
            parts.append(f"clusters (primary sampling units): {words['clusters']}")
        fpc = words["fpc"]
        parts.append(f"finite population correction: {fpc}" if fpc else "no finite population correction")
        return "; ".join(parts) + "."

    def read(self, frame: object, name: str = "confidential") -> Sampled:
        """Return the validated design of the records of a frame.

        Parameters
        ----------
        frame : DataFrame or Dataset, n rows
            The file to which the design applies.
        name : str
            Name of `frame` in messages; default "confidential".

        Returns
        -------
        Sampled
            Weights, strata and clusters as arrays of shape (n,).

        Raises
        ------
        InputError
            If the file lacks a column, an array has a wrong length, `weights` or `fpc` are not numbers above 0, a cluster is in
            two strata, or `fpc` differs within a stratum or is smaller than the sample.
        MissingValueError
            If a part has missing values.
        """
        checked = _checks.check_frame(frame, _checks.check_text(name, "name"))
        n = len(checked)
        values = {part: _values(getattr(self, part), part, checked, name) for part in PARTS}
        weights = np.ones(n) if values["weights"] is None else _positive(values["weights"], "weights")
        stratum = np.zeros(n, dtype=np.int64) if values["strata"] is None else _codes(values["strata"], "strata")
        cluster = np.arange(n) if values["clusters"] is None else _codes(values["clusters"], "clusters")
        units, first = np.unique(cluster, return_index=True)
        twice = np.unique(cluster[stratum != stratum[first][cluster]])
        if twice.size:
            raise InputError(
                f"clusters: {twice.size:,} of {units.size:,} clusters are in more than "
                "one stratum; if different clusters have the same name in different strata, combine the names of stratum and "
                "cluster"
            )
        sampled = np.bincount(stratum[first])
        stated = None if values["fpc"] is None else _positive(values["fpc"], "fpc")
        population = _population(stated, stratum, sampled)
        counts = stated is not None and values["clusters"] is None and bool((stated > 1).any())
        return Sampled(
            weights=_checks.read_only(weights),
            stratum=_checks.read_only(stratum),
            cluster=_checks.read_only(cluster),
            units=_checks.read_only(sampled),
            population=_checks.read_only(population),
            lonely=self.lonely,
            counted=values["weights"] is not None and counts,
        )

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        given = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}
        return f"SurveyDesign({', '.join(f'{k}={v!r}' if isinstance(v, str) else f'{k}=<{v.size} values>' for k, v in given.items())})"


def read_design(design: object, frame: object) -> Sampled:
    """Return the design of the records; raise `InputError` if it is not a `SurveyDesign`."""
    if not isinstance(design, SurveyDesign):
        raise InputError(
            f"design={_checks.shown(design)}: must be a SurveyDesign, such as SurveyDesign(weights='weight')"
        )
    return design.read(frame)


def check_unsynthesized(design: SurveyDesign, synthesized: Iterable[str]) -> None:
    """Warn if a variable of the design is synthesized (Mitra and Reiter 2006)."""
    changed = [name for name in design.columns if name in set(synthesized)]
    if not changed:
        return
    weights = design.weights if isinstance(design.weights, str) else "the weights"
    told = (
        "its synthetic values are not the weights of the records, so that weighted sums do not estimate population totals"
        if changed == [design.weights]
        else f"a record is released with {weights} of the person who was drawn, but with the synthetic design of another"
    )
    warn(
        f"design: {_checks.named(changed)} is a variable of the design and synthesized: {told}. Release it unchanged (it can "
        "identify people), recompute the weights from the synthetic design, or synthesize pseudo-populations, which need no "
        "design",
        DesignVariableWarning,
    )


def _described(part: Any) -> str:
    if part is None:
        return ""
    return part if isinstance(part, str) else f"an array of {part.size:,} values"


def _part(value: Any, name: str) -> Any:
    """Return the name of a column, or a read-only array."""
    if value is None:
        return None
    if isinstance(value, str):
        return _checks.check_name(value, name)
    items = value if isinstance(value, list | tuple | np.ndarray | pd.Series | pd.Index | pd.Categorical) else None
    if items is None or _checks.dimensions(items) != 1 or not len(items):
        raise InputError(
            f"{name}: must be the name of a column, or an array with one entry per record, got {_checks.described(value)}"
        )
    _checks.check_unmasked(items, name)
    if name in ("weights", "fpc"):
        return _checks.read_only(_positive(items, name).copy())
    _codes(items, name)
    array = np.empty(len(items), dtype=object)
    array[:] = list(items)
    return _checks.read_only(array)


def _values(part: Any, name: str, frame: pd.DataFrame, where: str) -> Any:
    if part is None:
        return None
    if isinstance(part, str):
        return frame[_checks.check_column(frame, part, name, where=where)]
    if part.size != len(frame):
        raise InputError(
            f"{name}: has {part.size:,} entries, but {where} has {len(frame):,} records; pass one per record"
        )
    return part


def _positive(values: Any, name: str) -> FloatArray:
    series = values if isinstance(values, pd.Series) else None
    if series is not None:
        _check_present(series, name)
        _checks.check_numeric_column(series.to_frame(name), name, where=name, why="it holds numbers above 0")
        array = _checks.as_float(series)
    else:
        array = _checks.check_array(values, name, "numbers above 0, one per record").astype(np.float64)
        if np.isnan(array).any():
            raise MissingValueError(f"{name}: {_checks.first_of(np.isnan(array), 'records')}, have none")
    bad = ~np.isfinite(array) | (array <= 0)
    if bad.any():
        hint = "; leave out records that are not in the sample" if name == "weights" else ""
        raise InputError(
            f"{name}: must be finite numbers above 0; {_checks.first_of(bad, 'records')}, have none such{hint}"
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(array.sum()):
            raise InputError(f"{name}: add up to more than the largest float; divide them by the largest of them")
        if not np.isfinite(array.size / array.sum()):
            raise InputError(
                f"{name}: are so small that their reciprocals are not finite; divide them by the largest of them"
            )
    return np.array(array, dtype=np.float64)


def _check_present(series: pd.Series, name: str) -> None:
    missing = _checks.missing_mask(series)
    if missing.any():
        raise MissingValueError(f"{name}: {_checks.first_of(missing, 'records')}, have none")


def _codes(values: Any, name: str) -> IntArray:
    """Return the group code of each record, in order of first appearance."""
    series = values if isinstance(values, pd.Series) else pd.Series(list(values), dtype=object)
    _check_present(series, name)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biu":
        return np.asarray(pd.factorize(series.to_numpy())[0], dtype=np.int64)
    series = series.astype(object)
    try:
        _checks.check_values(series.rename(None), name)
        return np.asarray(pd.factorize(series)[0], dtype=np.int64)
    except TypeError:
        raise InputError(f"{name}: contains values that are not hashable; use text or numbers") from None


def _population(stated: FloatArray | None, stratum: IntArray, sampled: IntArray) -> FloatArray:
    """Return the number of primary sampling units in the population of each stratum (inf without fpc)."""
    if stated is None:
        return np.full(sampled.size, np.inf)
    low, high = np.full(sampled.size, np.inf), np.zeros(sampled.size)
    np.minimum.at(low, stratum, stated)
    np.maximum.at(high, stratum, stated)
    if (low < high).any():
        raise InputError(
            f"fpc: must be constant within a stratum; in {_checks.first_of(low < high, 'strata')}, it differs"
        )
    population = sampled / low if high.max() <= 1 else low.astype(np.float64)
    short = population < sampled
    if short.any():
        raise InputError(
            f"fpc: is smaller than the sample in {_checks.first_of(short, 'strata')}; it must be the number of primary sampling "
            "units (clusters, or records if there are no clusters) of the stratum in the population, not in the sample"
        )
    return np.asarray(population, dtype=np.float64)


__all__ = ["SurveyDesign"]
