"""Synthesizers: specifications that are fitted to confidential data and generate releases."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "FiniteMixture": "finite_mixture",
    "FittedFiniteMixture": "finite_mixture",
    "Fitted": "base",
    "Synthesizer": "base",
    "LogisticRegression": "logistic_regression",
    "NormalRegression": "normal_regression",
    "CART": "cart",
    "DPMPM": "dpmpm",
    "DirichletMultinomial": "dirichlet_multinomial",
    "MultinomialRegression": "multinomial_regression",
    "NegativeBinomial": "negative_binomial",
    "PoissonRegression": "poisson_regression",
    "PlugInNormal": "_plug_in_normal",
    "Resample": "resample",
    "Sequential": "sequential",
    "Topcoding": "topcoding",
    "Bounds": "constraints",
    "AllowedCombinations": "constraints",
    "ZeroUnless": "constraints",
    "TwoPart": "two_part",
    "autocorrelation": "chains",
    "diagnose_chains": "chains",
    "plug_in_normal": "_plug_in_normal",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'synthlab.synthesizers' has no attribute {name!r}")
    value = getattr(import_module(f"synthlab.synthesizers.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
