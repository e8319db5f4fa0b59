"""Diagnostics of Markov chains from any source."""

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
    """Return R-hat and effective sample sizes of Markov chains.

    Rank-normalized split R-hat and bulk and tail effective sample size (Vehtari et al. 2021), as reported by every fit
    of this package. Parameters that never change are left out.

    Parameters
    ----------
    chains : mapping {parameter: array of float, shape (chains, draws) or (chains, draws, elements)}
        The draws; all parameters have the same number of chains and the same number of draws, at least four.
    labels : mapping {parameter: sequence of str}, optional
        Names of the elements of vector parameters.

    Returns
    -------
    Diagnostics

    Raises
    ------
    InputError
        If there is no parameter, the shapes do not match, a draw is not finite, or no parameter ever changes.

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
        raise InputError("chains: no parameter ever changes, so R-hat is undefined; pass chains that move")
    return diagnose(Posterior(arrays, _labels(labels, arrays), method="given"))


def _labels(labels: object, arrays: Mapping[str, FloatArray]) -> dict[str, tuple[str, ...]]:
    """Return the names of the elements of vector parameters, or raise if invalid."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping):
        raise InputError(f"labels: must be a mapping {{parameter: names of its elements}}, got {type(labels).__name__}")
    if any(name not in arrays or arrays[name].ndim != 3 for name in labels):
        raise InputError("labels: must name only vector parameters of chains")
    named = {name: _checks.check_names(names, f"labels[{name!r}]") for name, names in labels.items()}
    for name, names in named.items():
        if len(names) != arrays[name].shape[2]:
            raise InputError(
                f"labels[{name!r}]: has {len(names)} names, but the parameter has {arrays[name].shape[2]} elements"
            )
    return named


def autocorrelation(draws: npt.ArrayLike, lags: int = 100) -> FloatArray:
    """Return the autocorrelations of a chain at lags 0, 1, ..., `lags`.

    Parameters
    ----------
    draws : array of float, shape (draws,)
        One chain of one parameter, longer than `lags`.
    lags : int

    Returns
    -------
    numpy.ndarray of float, shape (lags + 1,)
        The usual estimate: the sum of products over the overlapping part, divided by the sum of squares of the whole
        chain.

    Raises
    ------
    InputError
        If the chain is too short, not finite, or never changes.

    Examples
    --------
    >>> from synthlab.synthesizers import autocorrelation
    >>> autocorrelation([1.0, -1.0, 1.0, -1.0], lags=2).tolist()
    [1.0, -0.75, 0.5]
    """
    lags = _checks.check_count(lags, "lags")
    chain = _checks.check_array(draws, "draws", "one row of draws")
    if chain.ndim != 1 or chain.size <= lags or not np.isfinite(chain).all():
        raise InputError(
            f"draws: must be one-dimensional with more than lags={lags} finite draws, got shape {chain.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        centred = chain - chain.mean()
        squares = float(centred @ centred)
    if not np.isfinite(squares):
        raise InputError(
            "draws: the sum of squares is too large for a float; divide draws by their largest absolute value"
        )
    if squares == 0:
        raise InputError("draws: the chain never changes, so its autocorrelation is undefined")
    return np.array([float(centred[k:] @ centred[: chain.size - k]) / squares for k in range(lags + 1)])


__all__ = ["autocorrelation", "diagnose_chains"]
