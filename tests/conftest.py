"""Shared fixtures: where the real survey data are, and where the recorded R answers are."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

# How long an example takes depends on what else the machine does.
# With CI=1 examples are the same in every run.
hypothesis.settings.register_profile("any machine", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("any machine")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def reference() -> Path:
    return ROOT / "data" / "reference"


@pytest.fixture(scope="session")
def real_data() -> Path:
    folder = os.environ.get("SYNTHLAB_DATA_DIR")
    if not folder or not Path(folder).is_dir():
        pytest.skip("the real survey data are not here: SYNTHLAB_DATA_DIR names no folder")
    return Path(folder)


@pytest.fixture
def fixed_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a command draw the same release in every run; its 128 random bits are otherwise fresh."""
    monkeypatch.setattr("secrets.randbelow", lambda n: 0x6A09E667BB67AE853C6EF372A54FF53A % n)  # SHA-256
    monkeypatch.setattr("secrets.token_hex", lambda n: "5a" * n)
