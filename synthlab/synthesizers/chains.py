"""Diagnostics of any Markov chains, not only of those a synthesizer ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose


def diagnose_chains(
    chains: Mapping[str, npt.ArrayLike], *, labels: Mapping[str, Sequence[str]] | None = None
) -> Diagnostics:
    """Return R-hat and effective sample sizes of chains that came from anywhere.

    Rank-normalised split R-hat and bulk and tail effective sample size (Vehtari et al. 2021), the same that every
    fit of this package reports. A parameter that never moves has none and is left out.

    Parameters
    ----------
    chains : mapping {parameter: array of float, shape (chains, draws) or (chains, draws, elements)}
        All with the same number of chains, and of draws, at least four.
    labels : mapping {parameter: sequence of str}, optional
        Names of the elements of a vector.

    Returns
    -------
    Diagnostics

    Raises
    ------
    InputError
        If there is no parameter, the shapes do not fit, a draw is not finite, or no parameter ever moves.

    References
    ----------
    Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021). Rank-normalization, folding, and
    localization: an improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16(2), 667-718.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.synthesizers import diagnose_chains
    >>> draws = np.random.default_rng(1).normal(size=(2, 1000))
    >>> diagnose_chains({"theta": draws}).ok, diagnose_chains({"theta": draws + [[0.0], [5.0]]}).ok
    (True, False)
    """
    if not isinstance(chains, Mapping) or not chains:
        raise InputError('chains: must be a mapping with at least one parameter, for example {"theta": draws}')
    arrays = {
        name: _checks.check_array(values, f"chains[{name!r}]", "an array of draws") for name, values in chains.items()
    }
    first = next(iter(arrays.values())).shape[:2]
    for name, values in arrays.items():
        if values.ndim not in (2, 3) or values.shape[1] < 4 or values.shape[:2] != first:
            raise InputError(
                f"chains[{name!r}]: must have shape (chains, draws) or (chains, draws, elements) with 4 or more draws, the "
                f"same for every parameter; got {values.shape}"
            )
        if not np.isfinite(values).all():
            raise InputError(f"chains[{name!r}]: holds draws that are not finite")
    if all(np.ptp(values, axis=(0, 1)).max() == 0 for values in arrays.values()):
        raise InputError("chains: no parameter ever moves, so there is nothing to diagnose")
    return diagnose(Posterior(arrays, _labels(labels, arrays), method="given"))


def _labels(labels: object, arrays: Mapping[str, FloatArray]) -> dict[str, tuple[str, ...]]:
    """Return the names of the elements of vectors, as many as there are elements."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping):
        raise InputError(f"labels: must be a mapping {{parameter: names of its elements}}, got {type(labels).__name__}")
    if any(name not in arrays or arrays[name].ndim != 3 for name in labels):
        raise InputError("labels: names something that is no vector in chains")
    named = {name: _checks.check_names(names, f"labels[{name!r}]") for name, names in labels.items()}
    for name, names in named.items():
        if len(names) != arrays[name].shape[2]:
            raise InputError(f"labels[{name!r}]: has {len(names)} names, there are {arrays[name].shape[2]} elements")
    return named


def autocorrelation(draws: npt.ArrayLike, lags: int = 100) -> FloatArray:
    """Return the correlations of a chain with itself 0, 1, ..., `lags` steps before.

    Parameters
    ----------
    draws : array of float, shape (draws,)
        One chain of one parameter, longer than `lags`.
    lags : int

    Returns
    -------
    numpy.ndarray of float, shape (lags + 1,)
        The usual estimate: sums of products over the overlapping part, divided by the full sum of squares.

    Raises
    ------
    InputError
        If the chain is too short, not finite, or never moves.

    Examples
    --------
    >>> from synthlab.synthesizers import autocorrelation
    >>> autocorrelation([1.0, -1.0, 1.0, -1.0], lags=2).tolist()
    [1.0, -0.75, 0.5]
    """
    lags = _checks.check_count(lags, "lags")
    chain = _checks.check_array(draws, "draws", "one row of draws")
    if chain.ndim != 1 or chain.size <= lags or not np.isfinite(chain).all():
        raise InputError(f"draws: must be one row of more than lags={lags} finite draws, got shape {chain.shape}")
    with np.errstate(over="ignore", invalid="ignore"):
        centred = chain - chain.mean()
        squares = float(centred @ centred)
    if not np.isfinite(squares):
        raise InputError("draws: the sum of their squares is beyond the largest float; divide them by their largest")
    if squares == 0:
        raise InputError("draws: the chain never moves, so it has no autocorrelation")
    return np.array([float(centred[k:] @ centred[: chain.size - k]) / squares for k in range(lags + 1)])


__all__ = ["autocorrelation", "diagnose_chains"]
