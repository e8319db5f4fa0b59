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
    "exceptions": "synthlab.exceptions",
    "Release": "synthlab.release",
    # risk
    "identification_risk": "synthlab.risk",
    "identification_probability": "synthlab.risk",
    # both together
    "evaluate": "synthlab.report",
    "compare": "synthlab.report",
    "figure_with_description": "synthlab.plots.style",
    # weights
    "risk_weights": "synthlab.weights",
    "scale_and_shift": "synthlab.weights",
    "whack_a_mole": "synthlab.weights",
    # synthesizers
    "LogisticRegression": "synthlab.synthesizers",
    "NormalRegression": "synthlab.synthesizers",
    "Sequential": "synthlab.synthesizers",
    "TwoPart": "synthlab.synthesizers",
    "synthesizers": "synthlab.synthesizers",
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
