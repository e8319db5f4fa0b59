"""What the tests of several replications share."""

from __future__ import annotations

import pytest


@pytest.fixture
def blank_pictures(monkeypatch):
    """Leave the pictures of pages empty: another test looks at the same ones."""
    monkeypatch.setattr("synthlab.plots.style.png", lambda figure: b"")
