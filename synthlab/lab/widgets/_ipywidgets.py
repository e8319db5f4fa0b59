"""ipywidgets, which only the widgets themselves need: their static twins do without."""

from __future__ import annotations

from typing import Any

from synthlab.exceptions import ExtraUnavailableError


def load_ipywidgets() -> Any:
    """Return the library, or raise saying how to get it."""
    try:
        import ipywidgets
    except ImportError:
        raise ExtraUnavailableError(
            "ipywidgets is not installed; install it with: python -m pip install ipywidgets"
        ) from None
    return ipywidgets
