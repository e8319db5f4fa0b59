"""What a synthesizer is: a specification that is fitted, and a fit that generates releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose, nested_order


@runtime_checkable
class Synthesizer(Protocol):
    """A frozen specification of a model; nothing is estimated until `fit` returns a fitted object."""

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedSynthesizer:
        """Fit to the confidential data; record weights multiply the log-likelihood."""
        ...


@runtime_checkable
class FittedSynthesizer(Protocol):
    """A fit: it generates releases, and knows its likelihood and how well it was sampled."""

    @property
    def synthesized(self) -> tuple[str, ...]:
        """The variables this fit makes synthetic values of."""
        ...

    def generate(self, m: int, rng: RngLike = None) -> Release:
        """Generate m synthetic datasets, each from its own posterior draw."""
        ...

    def log_likelihood(self) -> FloatArray:
        """Return the unweighted log-likelihood, shape (draws, n)."""
        ...

    def diagnostics(self) -> Diagnostics:
        """Return R-hat, effective sample sizes and divergences."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(ABC):
    """What all fits share: the data they were fitted to, and how a release is made from them.

    Parameters
    ----------
    specification : Synthesizer
        What was fitted.
    confidential : pandas.DataFrame
        The n records it was fitted to.
    weights : ndarray of shape (n,) or None
        The record weights of the fit.
    synthesized : tuple of str
        The variables that get synthetic values.
    posterior : Posterior or None
        The draws; None for a method without parameters.
    """

    specification: Any
    confidential: pd.DataFrame = field(repr=False)
    weights: FloatArray | None = field(repr=False)
    synthesized: tuple[str, ...]
    posterior: Posterior | None = field(repr=False)

    @property
    def n_draws(self) -> int | None:
        """Number of posterior draws; None when any number of datasets can be made."""
        return None if self.posterior is None else self.posterior.n_draws

    @property
    def row_by_row(self) -> bool:
        """Whether a record can be drawn without the others, and without its confidential values."""
        return True

    @abstractmethod
    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values of `synthesized` for the records of `frame`, from one posterior draw.

        Parameters
        ----------
        frame : pandas.DataFrame
            Records with the predictors; these may be synthetic already.
        draw : int
            Number of the posterior draw.
        rng : numpy.random.Generator
        """

    def generate(self, m: int, rng: RngLike = None) -> Release:
        """Generate m synthetic datasets.

        Parameters
        ----------
        m : int
            Number of datasets, at most the number of posterior draws.
        rng : seed or Generator
            One stream is spawned for each dataset, and the posterior draws are taken in an order of
            which every beginning is spread over the chains: the first 5 datasets of m = 20 are the
            datasets of m = 5.

        Returns
        -------
        Release
            Each dataset has the columns, their order, the index and the attrs of the confidential
            data. Synthesized numbers of a continuous model are floats, also where the confidential
            column holds integers.

        Raises
        ------
        InputError
            If m is not a whole number >= 1, or above the number of posterior draws.
        """
        m = _checks.check_count(m, "m")
        if self.n_draws is not None and m > self.n_draws:
            raise InputError(
                f"m={m}: there are {self.n_draws} posterior draws, and each dataset needs its own; fit with more draws"
            )
        first, *streams = _rng.spawn(rng, m + 1)
        if self.n_draws is None:
            order = np.zeros(m, dtype=np.int64)
        else:
            order = nested_order(self.n_draws, int(first.integers(self.n_draws)))[:m]
        frames = [self._dataset(int(s), stream) for s, stream in zip(order, streams, strict=True)]
        return Release(frames, list(self.synthesized), self._provenance(m, rng, order))

    def _dataset(self, draw: int, rng: np.random.Generator) -> pd.DataFrame:
        frame = self.confidential.copy()
        for column, values in self.draw(self.confidential, draw, rng).items():
            frame[column] = values.array  # by position: the index may hold duplicates
        return frame

    def _provenance(self, m: int, rng: RngLike, order: IntArray) -> dict[str, Any]:
        dataset = self.confidential.attrs.get("synthlab")
        return {
            "synthesizer": repr(self.specification),
            "formula": getattr(self.specification, "formula", None),
            "m": m,
            "seed": int(rng) if isinstance(rng, int | np.integer) else None,
            "weighted": self.weights is not None,
            "posterior_draws": self.n_draws,
            "draws_used": None if self.n_draws is None else [int(s) for s in order],
            "dataset": dict(dataset) if isinstance(dataset, Mapping) else dataset,
        }

    def log_likelihood(self) -> FloatArray:
        """Return the unweighted log-likelihood of every record under every draw.

        Returns
        -------
        ndarray of shape (draws, n), float64

        Raises
        ------
        InputError
            If the method has no likelihood.
        """
        raise InputError(f"{type(self.specification).__name__} has no likelihood")

    def diagnostics(self) -> Diagnostics:
        """Return R-hat, effective sample sizes and divergences.

        Warns
        -----
        ConvergenceWarning
            If R-hat is above 1.02, an effective sample size below 100 a chain, or a transition diverged.
        """
        result = self._diagnose()
        result.warn()
        return result

    def _diagnose(self) -> Diagnostics:
        if self.posterior is None:
            return no_chains()
        return diagnose(self.posterior)

    def summary(self) -> pd.DataFrame:
        """Posterior mean, sd and 95 % interval of each parameter."""
        return pd.DataFrame() if self.posterior is None else self.posterior.summary()

    def __str__(self) -> str:
        weighted = "weighted, " if self.weights is not None else ""
        draws = "no parameters" if self.n_draws is None else f"{self.n_draws:,} posterior draws"
        return f"{self.specification!r} fitted to {len(self.confidential):,} records ({weighted}{draws})"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>" + self.summary().to_html(float_format="{:.4g}".format)


def check_fit(confidential: object, weights: object) -> tuple[pd.DataFrame, FloatArray | None]:
    """Return the frame and the weights of a fit, checked; the frame is a copy."""
    frame = _checks.check_frame(confidential, "confidential")
    checked = None if weights is None else _checks.read_only(_checks.check_weights(weights, len(frame)).copy())
    return frame.copy(), checked


def posterior_of(fitted: Fitted) -> Posterior:
    """Return the posterior of a fit that has one."""
    if fitted.posterior is None:
        raise InputError(f"{type(fitted.specification).__name__} has no posterior draws")
    return fitted.posterior


def no_chains() -> Diagnostics:
    """Return the diagnostics of a method that samples nothing."""
    nothing = _checks.read_only(np.empty(0))
    return Diagnostics((), nothing, nothing, nothing, 0, 0, 0, "none")
