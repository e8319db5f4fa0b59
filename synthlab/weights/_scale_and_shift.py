"""Scaling and shifting of record weights, to trade off risk and utility."""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

FIRST = ("scale", "shift")


@explains_arguments
def scale_and_shift(weights: object, *, scale: float = 1.0, shift: float = 0.0, first: str = "scale") -> FloatArray:
    """Return ``clip(scale * weights + shift, 0, 1)``.

    Parameters
    ----------
    weights : array_like of shape (n,)
        Record weights alpha.
    scale : float >= 0
        c; default 1. A value below 1 reduces all weights proportionally.
    shift : float
        g; default 0. A negative value sets the weights of the most exposed records to 0. A positive value gives every record
        a positive weight.
    first : {"scale", "shift"}
        Operation that is applied first. "scale" (default) is the order in the code of Savitsky, Williams and Hu. "shift" returns
        ``clip(scale * (weights + shift), 0, 1)``, another reading of their paper.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        Weights in [0, 1].

    Raises
    ------
    InputError
        If the weights are not a vector of finite numbers, `scale` is negative, `scale` or `shift` is not finite, `first` is
        unknown, or all resulting weights are 0.

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
