"""R, where it is there: probed once in a subprocess, started on first use, never needed.

Nothing of R or rpy2 is loaded by importing this room. Each function that needs R raises
`RUnavailableError` with the command that mends what is missing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "RStatus": "synthlab.r.session",
    "probe": "synthlab.r.session",
    "require": "synthlab.r.session",
    "from_r": "synthlab.r.convert",
    "to_r": "synthlab.r.convert",
    "identification_risk": "synthlab.r.identification_risk_calculation",
    "gamlss_dist": "synthlab.r.gamlss_dist",
    "Reference": "synthlab.r.recorded",
    "reference": "synthlab.r.recorded",
}

__all__ = list(_NAMES)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'synthlab.r' has no attribute {name!r}")
    return getattr(import_module(_NAMES[name]), name)
