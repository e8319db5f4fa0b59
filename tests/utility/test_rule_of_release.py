"""The combining rule that `analysis_utility` applies: that of the provenance of the release, also after saving."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._warnings import quiet
from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError, UndefinedIntervalWarning
from tests.loops import every

N = 80
OPTIONS = {"formula": "y ~ x", "missing": "never"}
KINDS = ("partial", "full", "nested", "pseudo-population")


def survey() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"x": draw.normal(size=N), "weight": np.repeat([4.0, 12.0], N // 2)})
    frame["y"] = 1 + frame["x"] + draw.normal(size=N)
    frame.loc[::5, "y"] = np.nan
    return frame


def nested() -> sl.Release:
    imputed = sl.Imputed(survey()[["x", "y"]], M=3, rounds=1, rng=1)
    return imputed.synthesize(sl.CART(["y"], predictors=["x"]), rng=2)


def pseudo(datasets: int = 2, *, bootstrap: bool = False) -> sl.Release:
    tree = sl.CART(["x", "y"], bootstrap=bootstrap)
    frame, design = survey().dropna(), sl.SurveyDesign(weights="weight")
    return sl.synthesize_pseudo_populations(tree, frame, design, populations=60 // datasets, datasets=datasets, rng=3)


def combined(release: object, **options: object) -> sl.utility.CombinedResult:
    return sl.analysis_utility(survey(), release, **OPTIONS, **options).combined


@pytest.fixture(scope="module", params=["nested", "pseudo-population"])
def release(request) -> tuple[str, sl.Release]:
    return request.param, {"nested": nested, "pseudo-population": pseudo}[request.param]()


def by_hand(kind: str, release: sl.Release) -> sl.utility.CombinedResult:
    nests = release.provenance["nests" if kind == "nested" else "pseudo_populations"]
    with quiet(UndefinedIntervalWarning):
        found = sl.analysis_utility(survey(), list(release), synthesis="none", **OPTIONS)
    q, v = (part.reshape(nests, -1, 2) for part in (found.estimates, found.variances))
    if kind == "nested":
        return sl.combine_nested(q, v, names=found.names)
    fraction = release.provenance["sampling_fraction"]
    assert fraction == pytest.approx(64 / survey().dropna()["weight"].sum(), abs=0.001)
    return sl.combine_pseudo_populations(q, v, names=found.names, fraction=fraction)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.full)], ids=["saved", "whole"])
def test_the_provenance_determines_the_rule_also_of_a_saved_release(release, whole, tmp_path):
    kind, made = release
    expected = by_hand(kind, made).to_frame()
    again = sl.Release.load(made.save(tmp_path / "release", allow_short_seed=True, keep_order=True))
    for one in (made, again, made.shuffled()) if whole else (again,):
        for chosen in (None, kind) if whole else (None,):
            found = combined(one, synthesis=chosen)
            assert found.synthesis == kind
            pd.testing.assert_frame_equal(found.to_frame(), expected)


def test_a_rule_that_contradicts_the_provenance_is_refused(release):
    kind, made = release
    for other in set(KINDS) - {kind}:
        with pytest.raises(InputError, match=f'^synthesis="{other}"'):
            combined(made, synthesis=other)


def test_data_frames_without_provenance_have_the_rule_that_the_caller_states(release):
    kind, made = release
    if kind == "nested":
        assert combined(list(made)).synthesis == "partial"
    else:
        for stated in ({}, {"synthesis": "partial"}):
            with pytest.raises(InputError, match="(?s)number of records|as many records"):
                combined(list(made), **stated)
    with pytest.raises(InputError, match="^parameters: must be given"):
        combined(list(made), synthesis="full")
    assert combined(list(made), synthesis="full", parameters="drawn").kind == "full synthesis (drawn parameters)"
    for kind in KINDS[2:]:
        with pytest.raises(InputError, match=f'^synthesis="{kind}"'):
            combined(list(made), synthesis=kind)


@every(
    "provenance",
    [
        {"nests": 4},
        {"nests": 1},
        {"nests": 6},
        {"nests": True},
        {"nests": "3"},
        {"pseudo_populations": 4},
        {"pseudo_populations": 1},
        {"nests": 3, "pseudo_populations": 3},
        {"nests": 3, "synthesis": "full"},
        {"synthesis": "complete"},
        {"synthesis": "full", "parameters": True},
        {"synthesis": "nested"},
    ],
)
def test_a_provenance_that_does_not_fit_the_datasets_is_refused(provenance):
    frames = [survey().dropna()] * 6
    with pytest.raises(InputError, match="^synthetic: its provenance"):
        combined(sl.Release(frames, provenance=provenance))


@pytest.mark.parametrize(("bootstrap", "parameters"), [(False, "fixed"), (True, "drawn")])
def test_one_dataset_of_each_needs_to_know_whether_parameters_are_drawn(bootstrap, parameters):
    made = pseudo(1, bootstrap=bootstrap)
    assert made.provenance["parameters"] == parameters
    found = combined(made)
    v_bar = found.within
    spread = (1 + 1 / 60) * found.between
    noise = 2 * (1 - made.provenance["sampling_fraction"]) + (2 if bootstrap else 1)
    assert (found.total_variance == pytest.approx(spread - noise * v_bar)) or found.adjusted.any()


def test_a_model_of_which_a_part_is_fixed_counts_as_fixed():
    frame, design = survey().dropna().round(0), sl.SurveyDesign(weights="weight")
    shares = sl.DirichletMultinomial(["x"])
    for model, parameters in ((shares, "drawn"), (sl.Sequential([shares, sl.CART(["y"])]), "fixed")):
        made = sl.synthesize_pseudo_populations(model, frame, design, populations=2, rng=1)
        assert made.provenance["parameters"] == parameters


@pytest.mark.parametrize(
    ("combine", "shape"),
    [(sl.combine_full, (5,)), (sl.combine_nested, (3, 2)), (sl.combine_pseudo_populations, (5, 1))],
)
def test_an_interval_with_fewer_than_one_degree_of_freedom_is_nan(combine, shape):
    """As T falls to 0, the degrees of freedom do; the warning comes below 2, and NaN in the place of any length below 1."""
    base = np.random.default_rng(3).normal(size=shape)
    seen = set()
    for scale in np.geomspace(0.05, 5, 400):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = combine(scale * base, np.ones(shape))
        df, half = found.df[0], np.diff(found.interval[0])[0] / 2
        assert [w.category for w in caught] == ([FewDegreesOfFreedomWarning] if df < 2 else [])
        assert np.isnan(half) == (df < 1)
        assert np.isnan(half) or half <= 12.8 * found.std_error[0]
        assert np.isfinite(found.std_error[0])
        seen.add((df < 1, df < 2, bool(found.adjusted[0])))
    assert {(True, True, False), (False, True, False), (False, False, False), (False, False, True)} <= seen
