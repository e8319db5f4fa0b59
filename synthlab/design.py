"""The survey design behind a file: weights, strata, clusters and finite populations.

One noun for whatever takes a design into account: the pseudo-likelihood of a synthesizer, pseudo-populations, and
estimates with design-based standard errors.
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
    """The survey design of a file: how its records were drawn from the population.

    Each part is the name of a column of the file, or an array with one entry a record. A design without any part is a
    simple random sample of a large population.

    Parameters
    ----------
    weights : str or array_like of shape (n,), optional
        Survey weights > 0: the number of people a record stands for, or a multiple of it. None: 1 for everybody.
    strata : str or array_like of shape (n,), optional
        The stratum of the record, of any kind of value. None: one stratum.
    clusters : str or array_like of shape (n,), optional
        The primary sampling unit of the record, nested in its stratum: a cluster of one name in two strata is an error.
        None: each record is one.
    fpc : str or array_like of shape (n,), optional
        Finite population correction: the number of primary sampling units that the stratum has in the population, or,
        where no entry is above 1, the share of them in the sample; the same throughout a stratum. None: no correction, as
        if sampled with replacement.
    lonely : {"fail", "certainty", "adjust"}
        The variance of a stratum with one primary sampling unit, which cannot be estimated: "fail" raises an `InputError`,
        "certainty" counts it as 0, "adjust" takes the deviation from 0, the mean of the scores of the whole sample, for that
        from the mean of the stratum. These are the values of R's ``options(survey.lonely.psu)``. A stratum whose units are
        all in the sample, by `fpc`, has variance 0 and is no such case.

    Raises
    ------
    InputError
        A part that is neither the name of a column nor an array with one dimension; weights that are not numbers above 0;
        an fpc that is not above 0. What depends on the file is checked by the function that gets it.
    MissingValueError
        A part has missing values.

    Notes
    -----
    Variances are those of the first stage of sampling: of totals of the primary sampling units, by Taylor linearisation
    (Binder 1983), as R's ``svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, fpc = ~fpc)`` has them.

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
        """The columns named, in the order weights, strata, clusters, fpc."""
        return list(dict.fromkeys(value for name in PARTS if isinstance(value := getattr(self, name), str)))

    def describe(self) -> str:
        """Say the design in a sentence."""
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
        """Return the design of the records of a frame, checked.

        Parameters
        ----------
        frame : DataFrame or Dataset, n rows
            The file that the design is of.
        name : str
            What a message calls it.

        Returns
        -------
        Sampled
            Weights, strata and clusters as arrays of shape (n,).

        Raises
        ------
        InputError
            A column that the file lacks, an array of another length, weights or an fpc that are not numbers above 0, a
            cluster in two strata, an fpc that differs within a stratum or is smaller than the sample.
        MissingValueError
            A part has missing values.
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
                "one stratum; a cluster is nested in one: where the same name means another cluster in another stratum, join "
                "both names to one"
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
    """Return the design of the records of the confidential data; raises for what is no design."""
    if not isinstance(design, SurveyDesign):
        raise InputError(
            f"design={_checks.shown(design)}: must be a SurveyDesign, such as SurveyDesign(weights='weight')"
        )
    return design.read(frame)


def check_unsynthesized(design: SurveyDesign, synthesized: Iterable[str]) -> None:
    """Warn where a variable of the design is synthesized (Mitra and Reiter 2006)."""
    changed = [name for name in design.columns if name in set(synthesized)]
    if not changed:
        return
    weights = design.weights if isinstance(design.weights, str) else "the weights"
    told = (
        "its synthetic values belong to no record of the sample, so that sums of them estimate no total of the population"
        if changed == [design.weights]
        else f"a record is released with {weights} of the person who was drawn, and the design of another"
    )
    warn(
        f"design: {_checks.named(changed)} is a variable of the design and synthesized: {told}. Release it unchanged (it may "
        "identify), compute the weights anew from the synthetic design, or synthesize pseudo-populations, which need no design",
        DesignVariableWarning,
        stacklevel=4,
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
            f"{name}: must be the name of a column, or an array with one entry a record, got {_checks.described(value)}"
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
        raise InputError(f"{name}: has {part.size:,} entries, {where} has {len(frame):,} records")
    return part


def _positive(values: Any, name: str) -> FloatArray:
    series = values if isinstance(values, pd.Series) else None
    if series is not None:
        _check_present(series, name)
        _checks.check_numeric_column(series.to_frame(name), name, where=name, why="it holds numbers above 0")
        array = _checks.as_float(series)
    else:
        array = _checks.check_array(values, name, "numbers above 0, one a record").astype(np.float64)
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
            raise InputError(f"{name}: add up to more than the largest float; divide them by their largest")
        if not np.isfinite(array.size / array.sum()):
            raise InputError(
                f"{name}: are so small that their reciprocals are not finite; divide them by their largest"
            )
    return np.array(array, dtype=np.float64)


def _check_present(series: pd.Series, name: str) -> None:
    missing = _checks.missing_mask(series)
    if missing.any():
        raise MissingValueError(f"{name}: {_checks.first_of(missing, 'records')}, have none")


def _codes(values: Any, name: str) -> IntArray:
    """Return the number of each record's group, in the order in which they occur."""
    series = values if isinstance(values, pd.Series) else pd.Series(list(values), dtype=object)
    _check_present(series, name)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biu":
        return np.asarray(pd.factorize(series.to_numpy())[0], dtype=np.int64)
    series = series.astype(object)
    try:
        _checks.check_values(series.rename(None), name)
        return np.asarray(pd.factorize(series)[0], dtype=np.int64)
    except TypeError:
        raise InputError(f"{name}: holds values that cannot be looked up; give text or numbers") from None


def _population(stated: FloatArray | None, stratum: IntArray, sampled: IntArray) -> FloatArray:
    """Return the number of primary sampling units of each stratum in the population, infinite without an fpc."""
    if stated is None:
        return np.full(sampled.size, np.inf)
    low, high = np.full(sampled.size, np.inf), np.zeros(sampled.size)
    np.minimum.at(low, stratum, stated)
    np.maximum.at(high, stratum, stated)
    if (low < high).any():
        raise InputError(
            f"fpc: must be the same throughout a stratum; in {_checks.first_of(low < high, 'strata')}, it differs"
        )
    population = sampled / low if high.max() <= 1 else low.astype(np.float64)
    short = population < sampled
    if short.any():
        raise InputError(
            f"fpc: is smaller than the sample in {_checks.first_of(short, 'strata')}; it is the number of primary sampling units "
            "(clusters, or records without any) of the stratum in the population, not in the sample"
        )
    return np.asarray(population, dtype=np.float64)


__all__ = ["SurveyDesign"]
