"""For every test and doctest: figures are closed afterwards, and drawn without a window."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close what pyplot holds, so that one test does not count against the next."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
