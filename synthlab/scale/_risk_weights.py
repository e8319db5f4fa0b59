"""Risk weights of the records of a file larger than memory."""

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
from synthlab.matching.match_inputs import Prepared
from synthlab.scale._count import Counted, Tally
from synthlab.scale._exact_sums import exact_sum
from synthlab.scale._run import counted, new_folder
from synthlab.weights import _risk_weights as _in_memory
from synthlab.weights._scale_and_shift import scale_and_shift


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RiskWeightsResult(Result):
    """Record weights of a file; the weights are in Parquet files.

    Attributes
    ----------
    mean, smallest : float
        Of the weights.
    zeros : int
        Records of weight 0.
    alone : int
        Records alone in their pattern.
    n : int
        Records.
    intruder : Intruder
        The intruder the weights are against.
    order, scale, shift, singletons
        As given.
    output : pathlib.Path
        The folder of Parquet files with a row a record: its id, `pattern_size` and `weight`.
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
        """Return one row a quantity."""
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
        """The weights, and the intruder they are against."""
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
    """Weight each record of a file larger than memory by how well it is covered by the records of its pattern (alpha).

    Of every record as by `synthlab.risk_weights` of the records in the order of their ids.

    Parameters
    ----------
    confidential : path or dask DataFrame
        The data as collected.
    intruder : Intruder
        As in memory.
    id : str
        The column with the id of each record, every id once.
    output : path
        A new folder for the Parquet files with the weights.
    order, scale, shift, singletons
        As in memory.
    partition_rows : int, optional
        The most records in a partition. By default as many as the memory of the workers takes.

    Returns
    -------
    RiskWeightsResult

    Raises
    ------
    InputError, MissingValueError
        As in memory, and as `identification_risk` of this room; `order` above 1 where a pattern is too large for a worker, as
        its weights then need all of the pattern at once.

    Warns
    -----
    SingletonPatternWarning, SmallPatternWarning
        As in memory.

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
    with new_folder(output) as folders:
        answer = counted(
            confidential, None, intruder, id, partition_rows, folders, finish, continuous_known=False,
            whole=f"order={order}" if order > 1 else "",
        )  # fmt: skip
        # Raises where no record is left a weight, as the largest one moves to the largest.
        scale_and_shift([max(one["largest"] for one in answer.tallies)], scale=scale, shift=shift)
    _in_memory.warn_of(answer.total("exposed"), answer.total("small"), answer.n, order, intruder)
    return RiskWeightsResult(
        mean=float(answer.total("sum") / answer.n),
        smallest=min(one["smallest"] for one in answer.tallies),
        zeros=answer.total("zeros"),
        alone=answer.total("alone"),
        n=answer.n,
        intruder=answer.question.intruder,
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
        "sum": exact_sum(weights),
        "smallest": float(weights.min()),
        "largest": float(alpha.max()),
        "zeros": int((weights == 0).sum()),
        "alone": int(alone.sum()),
        "exposed": int((alone & (exposed == 0.0)).sum()),
        "small": int(((size > 1) & (size <= order)).sum()),
    }
    return pd.DataFrame({"pattern_size": size, "weight": weights}), tally


def _exposed(counts: Counted, order: int) -> tuple[FloatArray, Any]:
    size, frame = counts.size[:, 0], counts.targets
    prepared = Prepared(counts.question.inner, frame, (), np.arange(len(frame)))
    if counts.whole:
        return _in_memory._expected_risk(prepared.balls(), order, False)
    share = np.clip((size - counts.count[:, 0]) / np.maximum(size, 1), 0.0, 1.0)
    return np.where(prepared.can_match(), share, 0.0), size
