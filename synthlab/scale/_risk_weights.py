"""Risk weights of records in files larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, PathOrStr
from synthlab.intruder import Intruder, check_intruder
from synthlab.scale._engine import Tally, working
from synthlab.scale._records import Counted, ask, counted
from synthlab.weights import _risk_weights as _in_memory
from synthlab.weights._scale_and_shift import scale_and_shift


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RiskWeightsResult(Result):
    """Record weights of a file; the weights are in Parquet files.

    Attributes
    ----------
    mean, smallest : float
        Mean and minimum of the weights.
    zeros : int
        Number of records with weight 0.
    alone : int
        Number of records that are alone in their pattern.
    n : int
        Number of records.
    intruder : Intruder
        Intruder that the weights protect against.
    order, scale, shift, singletons
        Arguments of the call.
    output : pathlib.Path
        Folder of Parquet files with one row per record: its id, `pattern_size` and `weight`.
    """

    mean: float
    smallest: float
    zeros: int
    alone: int
    n: int
    intruder: Intruder
    order: int
    scale: float
    shift: float
    singletons: str
    output: Path

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            "records": float(self.n),
            "mean weight": self.mean,
            "smallest weight": self.smallest,
            "records of weight 0": float(self.zeros),
            "records alone in their pattern": float(self.alone),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Kind of weights, number of records, and description of the intruder."""
        kind = {1: "marginal", 2: "pairwise"}.get(self.order, f"order {self.order}")
        return f"Risk weights ({kind}) of {self.n:,} records\n{self.intruder.describe()}"


def risk_weights(
    confidential: Any,
    intruder: Intruder,
    *,
    id: str,
    output: PathOrStr,
    order: int = 1,
    scale: float = 1.0,
    shift: float = 0.0,
    singletons: Literal["formula", "certain"] = "formula",
    partition_rows: int | None = None,
) -> RiskWeightsResult:
    """Compute the risk weights (alpha) of records in a file larger than memory.

    The weight of a record depends on how many records of its pattern are close to it. The weights equal those of
    `synthlab.risk_weights` for the records in the order of their ids.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data.
    intruder : Intruder
        As in `synthlab.risk_weights`.
    id : str
        Column of record ids, each of which must occur exactly once.
    output : path
        New folder for Parquet files with the weights.
    order, scale, shift, singletons
        As in `synthlab.risk_weights`.
    partition_rows : int, optional
        Maximum number of records per partition; by default limited by the memory.

    Returns
    -------
    RiskWeightsResult

    Raises
    ------
    InputError, MissingValueError
        As in `synthlab.risk_weights` and `synthlab.scale.identification_risk`. Also if `order` is above 1 and a pattern is
        too large for a worker, because the weights then require the whole pattern at once.

    Warns
    -----
    SingletonPatternWarning, SmallPatternWarning
        As in `synthlab.risk_weights`.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"person": range(4), "region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    >>> weights = sl.scale.risk_weights(f"{folder}/people.parquet", someone, id="person", output=f"{folder}/weights")
    >>> pd.read_parquet(weights.output)["weight"].tolist()
    [0.75, 0.75, 0.75, 0.25]
    """
    order = _checks.check_count(order, "order")
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    scale = _checks.check_number(scale, "scale", low=0.0)
    shift = _checks.check_number(shift, "shift")
    check_intruder(intruder, "risk_weights", ("boundary", "missing"))
    finish = partial(_finish, order=order, scale=scale, shift=shift, certain=singletons == "certain")
    options = (
        "risk_weights",
        confidential,
        None,
        output,
        partition_rows,
        intruder,
        id,
        order,
        scale,
        shift,
        singletons,
    )
    with working(*options) as (work, everything):
        question = ask(work, everything, intruder, id, False)
        told = counted(work, everything, question, finish, f"order={order}" if order > 1 else "")
        told = [one for one in told if one["records"]]
        # Raises if all weights are 0, because the largest weight becomes the largest rescaled weight.
        scale_and_shift([max(one["largest"] for one in told)], scale=scale, shift=shift)
        n = everything[0].rows
    total, zeros, alone, exposed, small = (
        sum(one[name] for one in told) for name in ("sum", "zeros", "alone", "exposed", "small")
    )
    _in_memory.warn_of(exposed, small, n, order, intruder)
    return RiskWeightsResult(
        mean=total / n,
        smallest=min(one["smallest"] for one in told),
        zeros=zeros,
        alone=alone,
        n=n,
        intruder=question.intruder,
        order=order,
        scale=scale,
        shift=shift,
        singletons=singletons,
        output=_checks.check_path(output, "output"),
    )


def _finish(counts: Counted, order: int, scale: float, shift: float, certain: bool) -> tuple[pd.DataFrame, Tally]:
    exposed, size = _exposed(counts, order)
    alone = size == 1
    if certain:
        exposed[alone] = 1.0
    alpha = 1.0 - exposed
    weights = np.clip(scale * alpha + shift, 0.0, 1.0)
    tally = {
        "sum": float(weights.sum()),
        "smallest": float(weights.min()),
        "largest": float(alpha.max()),
        "zeros": int((weights == 0).sum()),
        "alone": int(alone.sum()),
        "exposed": int((alone & (exposed == 0.0)).sum()),
        "small": int(((size > 1) & (size <= order)).sum()),
    }
    return pd.DataFrame({"pattern_size": size, "weight": weights}), tally


def _exposed(counts: Counted, order: int) -> tuple[FloatArray, Any]:
    size = counts.size[:, 0]
    if counts.whole:
        return _in_memory._expected_risk(counts.prepared.balls(), order, False)
    share = np.clip((size - counts.count[:, 0]) / np.maximum(size, 1), 0.0, 1.0)
    return np.where(counts.can_match, share, 0.0), size
