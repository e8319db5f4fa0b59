"""Normal distribution around weighted group means, with plug-in estimates.

There is no prior and no sampling, so the effect of record weights on the fit and on the risk of every record can be
computed by hand, without Monte Carlo error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False)
class PlugInNormal:
    """Estimates of a normal distribution around group means; see `plug_in_normal`.

    Attributes
    ----------
    confidential : pandas.DataFrame
        The records of the fit.
    synthesized : tuple of one str
        The synthesized variable.
    mean : numpy.ndarray of float, shape (n,)
        Weighted mean of each record's group, in the units of the variable.
    sd : float
        Weighted standard deviation around the group means, common to all groups; above 0.
    """

    confidential: pd.DataFrame = field(repr=False)
    synthesized: tuple[str, ...]
    mean: FloatArray = field(repr=False)  # in a group of one record, the mean is a confidential value
    sd: float

    @property
    def n_draws(self) -> int:
        """Number of parameter values, which is always 1."""
        return 1

    def predictive_probability(self, draw: int, lower: FloatArray, upper: FloatArray, rows: Any) -> FloatArray:
        """Return the probability of each interval for the records in `rows`.

        Parameters
        ----------
        draw : int
            Number of the draw, always 0.
        lower, upper : array of float, shape (t,)
            Ends of the intervals.
        rows : array of int, shape (r,)
            Positions of records.

        Returns
        -------
        numpy.ndarray of float, shape (r, t)
            Probabilities in [0, 1].
        """
        from scipy.stats import norm

        _checks.check_count(draw, "draw", minimum=0, maximum=0)
        centre = self.mean[rows][:, None]
        inside: FloatArray = norm.cdf(upper, centre, self.sd) - norm.cdf(lower, centre, self.sd)
        return inside


def plug_in_normal(confidential: pd.DataFrame, variable: str, *, given: str, weights: Any = None) -> PlugInNormal:
    r"""Fit a normal distribution around weighted group means.

    .. math:: \hat\mu_i = \frac{\sum_{h: g_h = g_i} \alpha_h y_h}{\sum_{h: g_h = g_i} \alpha_h}, \qquad
              \hat\sigma^2 = \frac{\sum_i \alpha_i (y_i - \hat\mu_i)^2}{\sum_i \alpha_i},

    These are the maximum weighted likelihood estimates; the standard deviation is common to all groups.

    Parameters
    ----------
    confidential : pandas.DataFrame, n rows
    variable : str
        The numeric variable to synthesize.
    given : str
        The variable whose values define the groups.
    weights : array_like of shape (n,), optional
        Record weights alpha >= 0. Default: 1 for every record.

    Returns
    -------
    PlugInNormal
        The estimates, which `synthlab.expected_identification_probability` accepts.

    Raises
    ------
    InputError
        If all records of a group have weight 0, all records equal the mean of their group, or an argument is out of
        range.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.synthesizers import plug_in_normal
    >>> people = pd.DataFrame({"job": list("aab"), "wage": [10.0, 14.0, 30.0]})
    >>> fitted = plug_in_normal(people, "wage", given="job", weights=[1.0, 0.5, 1.0])
    >>> fitted.mean.round(3).tolist(), round(fitted.sd, 3)
    ([11.333, 11.333, 30.0], 1.461)
    >>> someone = sl.Intruder(known=[], synthesized=["wage"], radius=0.2)
    >>> sl.expected_identification_probability(people, fitted, someone).round(3).tolist()
    [0.296, 0.262, 0.667]
    """
    frame = _checks.check_frame(confidential, "confidential")
    _checks.check_column(frame, variable, "variable", where="confidential")
    _checks.check_column(frame, given, "given", where="confidential")
    _checks.check_columns(frame, [variable, given], "variable, given", where="confidential")
    values = frame[variable]
    if not pd.api.types.is_numeric_dtype(values.dtype) or not np.isfinite(values.to_numpy(dtype=np.float64)).all():
        raise InputError(f"variable={variable!r}: must hold finite numbers")
    y = values.to_numpy(dtype=np.float64)
    alpha = np.ones(y.size) if weights is None else _checks.check_weights(weights, y.size, "weights")
    groups = pd.factorize(frame[given], use_na_sentinel=False)[0]
    total = np.bincount(groups, alpha)
    if (total == 0).any():
        silent = int(np.argmax(groups == int(np.argmin(total))))
        raise InputError(
            f"weights: all records with the {given!r} of row {silent} have weight 0, so their mean is not defined; "
            "remove these records"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        mean = (np.bincount(groups, alpha * y) / total)[groups]
        sd = float(np.sqrt(np.average((y - mean) ** 2, weights=alpha)))
    if not np.isfinite(sd):
        raise InputError(
            f"variable={variable!r}: its variance overflows because its values or the weights are too large; "
            "divide them by a power of ten"
        )
    if sd == 0:
        raise InputError(
            f"variable={variable!r}: all records of weight > 0 equal the mean of their {given!r}, so the spread is 0"
        )
    return PlugInNormal(frame, (variable,), _checks.read_only(mean), sd)
