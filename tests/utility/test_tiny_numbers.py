"""The scale of a number plays no part in pMSE, however small or large it is."""

from __future__ import annotations

import numpy as np
import pandas as pd

import synthlab as sl
from tests.loops import every


@every("model", ["logistic", "cart"])
@every("power", [-1000, -600, -530, -500, 500, 1000])
def test_pmse_is_the_same_in_any_unit(power: int, model: str) -> None:
    rng = np.random.default_rng(1)
    people, made = (pd.DataFrame({"x": rng.normal(5, 1, 200).round(3), "y": rng.normal(size=200)}) for _ in range(2))
    people.loc[::9, "y"] = made.loc[::7, "y"] = None
    made["x"] += 0.5
    options = {"model": model, "rng": 1, "missing": "category"}
    wanted = sl.pmse(people, made, **options)
    found = sl.pmse(np.ldexp(people, power), np.ldexp(made, power), **options)
    np.testing.assert_allclose(found.pmse, wanted.pmse, rtol=1e-9)
    assert found.left_out == wanted.left_out


def test_a_tiny_constant_is_redundant_and_named() -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"x": rng.normal(size=100), "y": 1e-200})
    found = sl.pmse(people, people.assign(x=rng.normal(size=100)), rng=1)
    assert any("y" in text and "redundant" in text for text in found.left_out)
