"""Choose a parameter of a count family to give a risk or a loss a required value."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.counts._family import CountFamily, check_family
from synthlab.counts._pseudocounts import check_pseudocount
from synthlab.counts.a_priori_loss import expected_loss
from synthlab.counts.a_priori_tau import expected_tau
from synthlab.counts.structural_zeros import StructuralZeros
from synthlab.counts.table import Table, check_table
from synthlab.exceptions import InputError, PseudocountWarning, UndefinedStatisticWarning

_RANGES = {"sigma": (1e-2, 1e2), "nu": (-4.0, 2.0), "epsilon": (1e-2, 1e2)}
_POINTS = 61
_METRICS = ("tau1", "tau3", "tau4")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TuneResult(Result):
    """Parameter that gives a metric a required value.

    Parameters
    ----------
    family : CountFamily
        Family with the parameter set to `value`.
    over : str
        Name of the parameter.
    value : float
        Value of the parameter. Of several solutions, it is the one with the least noise (smallest sigma or nu, largest
        epsilon).
    target : str
        Name of the metric.
    wanted, achieved : float
        Required value of the metric, and its value at the solution.
    solutions : array of float
        All solutions in the range searched.
    grid, curve : array of float
        Parameter values tried, and the metric at each of them.
    """

    _figure: ClassVar[str] = "counts.plot_tuning"
    _table: ClassVar[str] = ""

    family: CountFamily
    over: str
    value: float
    target: str
    wanted: float
    achieved: float
    solutions: FloatArray
    grid: FloatArray
    curve: FloatArray

    @property
    def title(self) -> str:
        """Description of the solution."""
        more = f" (one of {self.solutions.size} solutions)" if self.solutions.size > 1 else ""
        return f"{self.target} = {self.achieved:.6g} at {self.over} = {self.value:.6g}{more}: {self.family.label}"

    def to_frame(self) -> pd.DataFrame:
        """Return the metric at each parameter value tried."""
        return pd.DataFrame({self.over: self.grid, self.target: self.curve})

    def summary(self) -> pd.DataFrame:
        """Return the solution as one row."""
        return pd.DataFrame(
            {
                "family": [self.family.label],
                "over": [self.over],
                "value": [self.value],
                "target": [self.target],
                "wanted": [self.wanted],
                "achieved": [self.achieved],
                "solutions": [self.solutions.size],
            }
        )


def tune(
    table: Table,
    family: CountFamily,
    *,
    target: tuple[Any, ...],
    over: str = "sigma",
    between: tuple[float, float] | None = None,
    m: int = 1,
    pseudocount: float = 0.01,
    zeros_to_ones: float = 0.0,
    structural_zeros: StructuralZeros = None,
) -> TuneResult:
    """Find the parameter that gives a risk or a loss a required value.

    The metrics are expected values, so no table is drawn.

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        Distribution of the counts, without means. Its other parameters are kept.
    target : tuple
        Metric and required value. ``("tau3", 1, 0.2)`` means that 20% of the cells of size 1 keep this size; "tau1" and
        "tau4" are used in the same way. ``("loss", x)`` is the exact expected squared loss of the occupied cells.
    over : {"sigma", "nu", "epsilon"}
        Parameter to find.
    between : (float, float), optional
        Range in which to search; by default 0.01 to 100 for sigma and epsilon, and -4 to 2 for nu.
    m : int, default 1
        Number of synthetic tables that are averaged before the loss is computed.
    pseudocount, zeros_to_ones, structural_zeros : optional
        As in `synthesize_table`.

    Returns
    -------
    TuneResult
        Family with the parameter set, and the metric as a function of the parameter.

    Raises
    ------
    InputError
        `between` is not a pair of numbers, the required value is not reached in the range, or the metric does not
        depend on the parameter. For example, tau3(1) does not depend on nu, because 1 to any power is 1.

    Notes
    -----
    See Jackson, Mitra, Francis and Dove, section 3.3.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([0, 1, 10, 100], {"age": [5, 6, 7, 8]})
    >>> slc.tune(table, slc.GAF(sigma=1, nu=-0.5), target=("tau3", 1, 0.2))
    tau3(1) = 0.2 at sigma = 1.73291: GAF(sigma = 1.73291, nu = -0.5)
    """
    check_table(table, "table")
    check_family(family)
    names = [f.name for f in fields(family) if f.name in _RANGES]
    over = _checks.check_choice(over, "over", names) if names else _no_parameter(family)
    name, k, wanted = _read_target(target)
    m = _checks.check_count(m, "m")
    pseudocount = check_pseudocount(family, pseudocount)
    options: dict[str, Any] = {
        "pseudocount": pseudocount,
        "zeros_to_ones": zeros_to_ones,
        "structural_zeros": structural_zeros,
    }

    def metric(value: float) -> float:
        candidate = replace(family, **{over: value})
        with quiet(PseudocountWarning, UndefinedStatisticWarning):
            if name == "loss":
                return expected_loss(table, candidate, m=m, **options).occupied
            return float(getattr(expected_tau(table, candidate, k=k, **options), name)[0])

    grid = _grid(over, between)
    curve = np.array([metric(value) for value in grid])
    label = "loss" if name == "loss" else f"{name}({k})"
    solutions = _solve(metric, grid, curve, wanted)
    if not solutions:
        raise InputError(_explain(label, over, wanted, grid, curve, name, k))
    value = max(solutions) if over == "epsilon" else min(solutions)
    return TuneResult(
        replace(family, **{over: value}),
        over,
        value,
        label,
        wanted,
        metric(value),
        _checks.read_only(np.array(solutions)),
        _checks.read_only(grid),
        _checks.read_only(curve),
    )


def _no_parameter(family: CountFamily) -> str:
    raise InputError(f"family: {family.label} has no parameter to tune; use a family with sigma, nu or epsilon")


def _read_target(target: object) -> tuple[str, int, float]:
    if isinstance(target, tuple) and len(target) == 2 and target[0] == "loss":
        return "loss", 0, _checks.check_number(target[1], "target[1]", low=0.0, open_low=True)
    if isinstance(target, tuple) and len(target) == 3 and target[0] in _METRICS:
        k = _checks.check_count(target[1], "target[1]", minimum=0)
        return (
            target[0],
            k,
            _checks.check_number(target[2], "target[2]", low=0.0, high=1.0, open_low=True, open_high=True),
        )
    raise InputError(
        f'target={_checks.shown(target)}: must be ("tau1" | "tau3" | "tau4", size, value) or ("loss", value)'
    )


def _grid(over: str, between: tuple[float, float] | None) -> FloatArray:
    try:
        low, high = _RANGES[over] if between is None else between
    except (TypeError, ValueError):
        raise InputError(f"between={_checks.shown(between)}: must be two numbers, (low, high)") from None
    low = _checks.check_number(low, "between[0]", low=-np.inf if over == "nu" else 0.0, open_low=over != "nu")
    high = _checks.check_number(high, "between[1]", low=low, open_low=True)
    return np.linspace(low, high, _POINTS) if over == "nu" else np.geomspace(low, high, _POINTS)


def _solve(metric: Any, grid: FloatArray, curve: FloatArray, wanted: float) -> list[float]:
    gap = curve - wanted
    solutions = [float(x) for x, g in zip(grid, gap, strict=True) if g == 0]
    for i in np.flatnonzero(gap[:-1] * gap[1:] < 0):
        solutions.append(float(brentq(lambda x: metric(x) - wanted, grid[i], grid[i + 1], xtol=1e-12, rtol=1e-12)))
    return sorted(solutions) if np.ptp(curve) > 0 else []


def _explain(label: str, over: str, wanted: float, grid: FloatArray, curve: FloatArray, name: str, k: int) -> str:
    if np.isnan(curve).all():
        return f"target: {label} is undefined, because no cell has size {k}"
    if np.ptp(curve) <= 1e-12 * abs(curve[0]):
        power = "; 1 to any power nu is 1" if over == "nu" and k == 1 and name == "tau3" else ""
        return f"target: {label} is {curve[0]:.6g} for every {over}{power}; tune over a different parameter"
    return (
        f"target: {label} = {wanted:g} is out of reach; for {over} from {grid[0]:g} to {grid[-1]:g} it is between "
        f"{np.nanmin(curve):.6g} and {np.nanmax(curve):.6g}"
    )
