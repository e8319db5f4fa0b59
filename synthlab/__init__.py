"""synthlab: synthetic survey data and their disclosure risk.

The public names are loaded on first use, so that ``import synthlab`` is quick and loads no
plotting, sampling or R library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "datasets": "synthlab.datasets",
    "counts": "synthlab.counts",
    "dp": "synthlab.dp",
    "exceptions": "synthlab.exceptions",
    "Release": "synthlab.release",
    "Intruder": "synthlab.intruder",
    "Interval": "synthlab.intruder",
    "OneOf": "synthlab.intruder",
    # risk
    "identification_risk": "synthlab.risk",
    "identification_probability": "synthlab.risk",
    "expected_identification_probability": "synthlab.risk",
    "intruder_risk": "synthlab.risk",
    "Scenario": "synthlab.risk",
    "attribute_risk": "synthlab.risk",
    "guess_posterior": "synthlab.risk",
    "cap": "synthlab.risk",
    "exact_copies": "synthlab.risk",
    "linkage_risk": "synthlab.risk",
    "attack_score": "synthlab.risk",
    # utility
    "pmse": "synthlab.utility",
    "ecdf_utility": "synthlab.utility",
    "cluster_utility": "synthlab.utility",
    "table_utility": "synthlab.utility",
    "analysis_utility": "synthlab.utility",
    "combine_partial": "synthlab.utility",
    "combine_full": "synthlab.utility",
    "interval_overlap": "synthlab.utility",
    "bootstrap_statistic": "synthlab.utility",
    "barycenter": "synthlab.utility",
    # both together
    "evaluate": "synthlab.report",
    "compare": "synthlab.report",
    "figure_with_description": "synthlab.plots.style",
    # weights
    "risk_weights": "synthlab.weights",
    "scale_and_shift": "synthlab.weights",
    "whack_a_mole": "synthlab.weights",
    "policy_frontier": "synthlab.weights",
    "lipschitz_weights": "synthlab.weights",
    "achieved_epsilon": "synthlab.weights",
    "exponential_mechanism_weight": "synthlab.weights",
    "PseudoPosteriorMechanism": "synthlab.weights",
    # synthesizers
    "LogisticRegression": "synthlab.synthesizers",
    "NormalRegression": "synthlab.synthesizers",
    "Sequential": "synthlab.synthesizers",
    "PoissonRegression": "synthlab.synthesizers",
    "NegativeBinomial": "synthlab.synthesizers",
    "MultinomialRegression": "synthlab.synthesizers",
    "DirichletMultinomial": "synthlab.synthesizers",
    "DPMPM": "synthlab.synthesizers",
    "CART": "synthlab.synthesizers",
    "Topcoding": "synthlab.synthesizers",
    "Resample": "synthlab.synthesizers",
    "Bounds": "synthlab.synthesizers",
    "AllowedCombinations": "synthlab.synthesizers",
    "ZeroUnless": "synthlab.synthesizers",
    "TwoPart": "synthlab.synthesizers",
    "synthesizers": "synthlab.synthesizers",
    "FiniteMixture": "synthlab.synthesizers",
}

__all__ = ["__version__", *_NAMES]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'synthlab' has no attribute {name!r}")
    module = import_module(_NAMES[name])
    value = module if module.__name__ == f"synthlab.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
