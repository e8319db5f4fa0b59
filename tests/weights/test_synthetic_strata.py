"""Weights of synthetic strata: by hand, and against the population over repeated samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError, MissingValueError
from synthlab.weights import synthetic_stratum_weights

SURVEY = pd.DataFrame({"h": ["a", "a", "b", "b", "b"], "w": [8.0, 12.0, 1.0, 2.0, 3.0]})
DESIGN = sl.SurveyDesign(weights="w", strata="h")


def test_by_hand() -> None:
    # Totals: a 20, b 6.
    one, two = (SURVEY.assign(h=h) for h in (["b", "a", "a", "a", "b"], ["b", "b", "b", "b", "a"]))
    first, second = synthetic_stratum_weights(SURVEY, [one, two], DESIGN)
    np.testing.assert_allclose(first, [3, 20 / 3, 20 / 3, 20 / 3, 3])
    np.testing.assert_allclose(second, [1.5, 1.5, 1.5, 1.5, 20])
    numbers = {"a": 1, "b": 2}
    coded = [frame.assign(h=frame["h"].map(numbers).astype("category")) for frame in (SURVEY, one)]
    np.testing.assert_allclose(synthetic_stratum_weights(coded[0], coded[1], DESIGN)[0], first)


def test_totals_of_strata_are_those_of_the_population() -> None:
    # Stratum b is 9 times as large, but has as many records in the sample. The sampled y depends on the stratum.
    rng = np.random.default_rng(1)
    size, mean = {"a": 1000, "b": 9000}, {"a": 0.0, "b": 2.0}
    errors = []
    for _ in range(200):
        h = np.repeat(["a", "b"], 100)
        y = pd.Series(h).map(mean).to_numpy() + rng.normal(size=200)
        survey = pd.DataFrame({"h": h, "y": y, "w": pd.Series(h).map(size) / 100})
        # The true model of the sample: Pr(b | y).
        chance = 1 / (1 + np.exp(-(2 * y - 2)))
        synthetic = survey.assign(h=np.where(rng.random(200) < chance, "b", "a"))
        new = synthetic_stratum_weights(survey, synthetic, DESIGN)[0]
        inside = (synthetic["h"] == "a").to_numpy()
        for w in (synthetic["w"].to_numpy(), new):
            errors.append((w[inside].sum() / size["a"] - 1, np.average(y[inside], weights=w[inside]) - mean["a"]))
    bias = np.mean(np.reshape(errors, (200, 2, 2)), axis=0)
    assert bias[0, 0] > 1  # original weights: twice as many people as there are in stratum a
    assert bias[0, 1] > 0.5
    assert bias[1, 0] == pytest.approx(0, abs=1e-12)
    assert abs(bias[1, 1]) < 0.03


@pytest.mark.parametrize(
    ("design", "synthetic", "error", "match"),
    [
        (sl.SurveyDesign(strata="h"), SURVEY, InputError, "with weights"),
        (sl.SurveyDesign(weights="w", strata=SURVEY["h"]), SURVEY, InputError, "name of a column"),
        ("h", SURVEY, InputError, "SurveyDesign"),
        (DESIGN, SURVEY.assign(h="a"), InputError, "lacks 1 of"),
        (DESIGN, SURVEY.assign(h=list("abbbc")), InputError, "has 1 strata"),
        (DESIGN, SURVEY[["w"]], InputError, "synthetic dataset 1"),
        (DESIGN, SURVEY.assign(h=[1, 2, 2, 1, 1]), DtypeMismatchError, "column 'h'"),
        (DESIGN, SURVEY.assign(h=["a", None, "b", "b", "b"]), MissingValueError, "strata"),
    ],
)
def test_wrong_arguments(design, synthetic, error, match) -> None:
    with pytest.raises(error, match=match):
        synthetic_stratum_weights(SURVEY, synthetic, design)
