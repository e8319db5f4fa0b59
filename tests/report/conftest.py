"""A small survey with awkward column names, and a release of it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning

SCRIPT = "<script>alert(1)</script>"
INTRUDER = sl.Intruder(known=["region", SCRIPT], synthesized=["income"], radius={"income": 0.2})


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "region": rng.choice(["Oakhamshire", "Ness & Firth"], 120),
            SCRIPT: rng.integers(0, 2, 120),
            # Six digits or more each, so that a test can look for any of them on a page.
            "income": (123_456.5 * 1.05 ** np.arange(120)).round(1),
        }
    )
    frame.attrs["synthlab"] = {"kind": "simulated"}
    return frame


@pytest.fixture(scope="session")
def release(people: pd.DataFrame) -> sl.Release:
    rng = np.random.default_rng(6)
    frames = [people.assign(income=people["income"] * np.exp(rng.normal(0, 0.05, len(people)))) for _ in range(3)]
    return sl.Release(frames, ["income"], {"synthesizer": "noise <b>bold</b>", "seed": 6, "draws_used": [1, 2], "m": 3})


@pytest.fixture(scope="session")
def result(people: pd.DataFrame, release: sl.Release) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(people, release, INTRUDER)
