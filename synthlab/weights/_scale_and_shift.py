"""Move weights up or down: the two knobs by which an agency trades risk against utility."""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

FIRST = ("scale", "shift")


def scale_and_shift(weights: object, *, scale: float = 1.0, shift: float = 0.0, first: str = "scale") -> FloatArray:
    """Return ``clip(scale * weights + shift, 0, 1)``.

    Parameters
    ----------
    weights : array_like of shape (n,)
        Record weights alpha.
    scale : float >= 0
        c. Below 1: every record is trusted less, in proportion.
    shift : float
        g. Below 0: the most exposed records lose their influence altogether; above 0: no record is silenced.
    first : {"scale", "shift"}
        What is done first: "shift" returns ``clip(scale * (weights + shift), 0, 1)``, as some read Savitsky, Williams and Hu;
        the code of the authors scales first.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        In [0, 1].

    Raises
    ------
    InputError
        If the weights are not a vector of finite numbers, `scale` is negative, either is not finite, `first` is neither of
        the two, or no weight is left above 0.

    Examples
    --------
    >>> import synthlab as sl
    >>> sl.scale_and_shift([0.0, 0.5, 1.0], scale=0.8, shift=0.25).tolist()
    [0.25, 0.65, 1.0]
    >>> sl.scale_and_shift([0.0, 0.5, 1.0], scale=0.5, shift=0.25, first="shift").tolist()
    [0.125, 0.375, 0.625]
    """
    array = _checks.check_vector(weights, "weights")
    scale = _checks.check_number(scale, "scale", low=0.0)
    shift = _checks.check_number(shift, "shift")
    _checks.check_choice(first, "first", FIRST)
    moved = np.clip(scale * array + (shift if first == "scale" else scale * shift), 0.0, 1.0)
    if array.max(initial=0.0) > 0 and not moved.any():
        raise InputError(
            f"scale={scale:g}, shift={shift:g}: every weight is 0, so no record would inform the model; raise scale or shift"
        )
    return moved
