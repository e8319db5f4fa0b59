"""Rules for full synthesis: chosen by the provenance, refused where none applies, and with the right coverage."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._warnings import quiet
from synthlab.exceptions import (
    FewDegreesOfFreedomWarning,
    FitError,
    InputError,
    UndefinedIntervalWarning,
    UndefinedStatisticWarning,
)
from tests.benchmarks import coverage
from tests.loops import every

FRAME = coverage.survey(np.random.default_rng(1), 60)
LEVELS = FRAME.assign(g=np.resize(list("abc"), 60))[["g", "x", "y"]]
DRAWS = {"draws": 6, "chains": 1}
BOTH = coverage.BOTH
SHARES = sl.DirichletMultinomial(["g"])
MIXED = sl.Sequential([SHARES, sl.CART(["x", "y"], predictors=["g"])])
TOTAL = sl.Sequential([sl.CART(["x", "y"])], [sl.SumOf("z", ["x", "y"])])

MODELS = {
    "trees": (sl.CART(["x", "y"]), FRAME, {}, "full", "fixed"),
    "trees with bootstrap": (sl.CART(["x", "y"], bootstrap=True), FRAME, {}, "full", "drawn"),
    "weighted trees": (sl.CART(["x", "y"]), FRAME, {"weights": np.linspace(0.5, 1, 60)}, "full", "mixed"),
    "resample": (sl.Resample(["x", "y"]), FRAME, {}, "full", "fixed"),
    "regressions": (BOTH, FRAME, DRAWS, "full", "drawn"),
    "weighted regressions": (BOTH, FRAME, DRAWS | {"weights": np.linspace(0.5, 1, 60)}, "full", "mixed"),
    "shares, then trees": (MIXED, LEVELS, DRAWS, "full", "mixed"),
    "trees and a total": (TOTAL, FRAME.assign(z=FRAME["x"] + FRAME["y"]), {}, "full", "fixed"),
    "a constant": (sl.CART(["x", "y"]), FRAME.assign(wave=3), {}, "full", "fixed"),
    "y given x": (sl.CART(["y"], ["x"]), FRAME, {}, "partial", "fixed"),
    "regression of y on x": (coverage.NORMAL, FRAME, DRAWS, "partial", "drawn"),
    "topcoding": (sl.Topcoding("x", top=1.0), FRAME[["x"]], {}, "partial", "fixed"),
    "tail": (sl.TopcodeImputation("x", top=0.5, method="hot deck"), FRAME[["x"]], {}, "partial", "drawn"),
}


def measures(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the mean of x and its standard error, which is NaN for one record."""
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = frame["x"].std() / len(frame) ** 0.5
    return {"mean": (float(frame["x"].mean()), float(spread))}


@every("name", list(MODELS))
def test_the_provenance_states_what_determines_the_rule(name, tmp_path) -> None:
    model, frame, options, synthesis, parameters = MODELS[name]
    fitted = model.fit(frame, rng=1, **options)
    loaded = sl.load_fit(fitted.save(tmp_path / f"{name}.zip"))
    assert loaded.parameter_status == parameters
    if not fitted.needs_records:
        small = sl.load_fit(fitted.save(tmp_path / f"{name} small.zip", data=False))
        assert small.parameter_status == parameters
    saved = loaded.generate(2, rng=1).shuffled().save(tmp_path / name, allow_short_seed=True)
    for made in (fitted.generate(2, rng=1), sl.Release.load(saved)):
        stated = [made.provenance[key] for key in ("synthesis", "parameters", "records")]
        assert stated == [synthesis, parameters, 60]
        found = sl.analysis_utility(frame, made, analysis=measures)
        assert (found.stated_by, found.combined.synthesis) == ("provenance", synthesis)
        assert found.combined.parameters == (parameters if synthesis == "full" else None)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ReleasedUnchangedWarning")
def test_synthesize_states_how_parameters_were_drawn_and_the_rule_follows() -> None:
    for options, synthesis, parameters in (
        ({}, "full", "fixed"),
        ({"n": 90}, "full", "fixed"),
        ({"models": {"x": sl.CART(["x"], bootstrap=True)}}, "full", "mixed"),
        ({"keep": ["x"]}, "partial", "fixed"),
    ):
        release = sl.synthesize(FRAME, m=2, rng=1, **options)
        stated = [release.provenance[key] for key in ("synthesis", "parameters", "records")]
        assert stated == [synthesis, parameters, options.get("n", 60)]
        found = sl.analysis_utility(FRAME, release, formula="y ~ x")
        assert found.combined.synthesis == synthesis
    for wrong in ({"synthesis": "full"}, {"parameters": "drawn"}):
        with pytest.raises(InputError, match=r"^(synthesis|parameters)"):
            sl.analysis_utility(FRAME, release, formula="y ~ x", **wrong)
    tripled = sl.CART(["x", "y"]).fit(FRAME).generate(2, rng=1, n=180)
    with pytest.raises(InputError, match="parameters"):
        sl.analysis_utility(FRAME, tripled, formula="y ~ x", parameters="drawn")
    with pytest.raises(InputError, match="synthesis"):
        sl.analysis_utility(FRAME, tripled, formula="y ~ x", synthesis="partial")


def test_rows_chosen_by_the_user_have_no_rule() -> None:
    fitted = sl.CART(["x", "y"]).fit(FRAME)
    release = fitted.generate(3, rng=1, given=FRAME[["x"]])
    for synthesis in (None, "partial", "full"):
        with pytest.raises(InputError, match='given=.*synthesis="none"'):
            sl.analysis_utility(FRAME, release, formula="y ~ x", synthesis=synthesis)
    with pytest.warns(UndefinedIntervalWarning, match="no combining rule"):
        found = sl.analysis_utility(FRAME, release, formula="y ~ x", synthesis="none")
    assert np.isnan(found.combined.total_variance).all()
    assert np.isnan(found.combined.interval).all()
    assert np.isnan(found.interval_overlap).all()
    np.testing.assert_allclose(found.combined.q_bar, found.estimates.mean(axis=0))
    assert np.isfinite(found.dataset_overlap).all()
    with pytest.raises(InputError, match="parameters"):
        sl.analysis_utility(FRAME, release, formula="y ~ x", synthesis="none", parameters="fixed")


def test_one_dataset_has_an_interval_by_the_rules_that_do_not_need_the_variance_between() -> None:
    one = [FRAME.sample(60, replace=True, random_state=1, ignore_index=True)]

    def interval(**options):
        found = sl.analysis_utility(FRAME, one, formula="y ~ x", **options)
        assert np.isfinite(found.dataset_overlap).all()
        return found.combined

    for parameters, factor in (("fixed", 2.0), ("drawn", 3.0)):
        found = interval(synthesis="full", parameters=parameters)
        np.testing.assert_allclose(found.total_variance, factor * found.within)
        assert np.isfinite(found.interval).all()
    for options in ({"synthesis": "full", "parameters": "mixed"}, {"synthesis": "partial"}, {}):
        with pytest.warns(UndefinedIntervalWarning, match="m = 1"):
            assert np.isnan(interval(**options).interval).all()


@pytest.mark.parametrize("parameters", ["fixed", "drawn", "mixed"])
def test_datasets_of_one_record_have_estimates_and_no_interval(parameters) -> None:
    frames = [FRAME.iloc[[i]] for i in range(3)]
    options = {"synthesis": "full", "parameters": parameters}
    with (
        pytest.warns(UndefinedStatisticWarning, match="standard error is 0 or NaN"),
        pytest.warns(UndefinedIntervalWarning, match="a variance within a dataset is NaN"),
    ):
        found = sl.analysis_utility(FRAME, frames, analysis=measures, **options)
    assert found.combined.q_bar == pytest.approx(FRAME["x"].iloc[:3].mean())
    assert np.isnan(found.combined.interval).all()
    with pytest.raises(FitError, match="synthetic dataset 1"):
        sl.analysis_utility(FRAME, frames, formula="y ~ x", **options)


def test_files_without_provenance() -> None:
    same = sl.analysis_utility(FRAME, [FRAME, FRAME[::-1]], analysis=measures)
    assert (same.combined.synthesis, same.stated_by) == ("partial", "default")
    stated = json.loads(json.dumps(same.to_dict()))
    assert stated["stated_by"] == "default"
    assert len(stated["assumptions"]) > len(same.combined.to_dict()["assumptions"])
    longer = [pd.concat([FRAME, FRAME])] * 2
    for options in ({}, {"synthesis": "partial"}, {"synthesis": "full"}):
        with pytest.raises(InputError, match='synthesis="full".*parameters="fixed"'):
            sl.analysis_utility(FRAME, longer, analysis=measures, **options)
    for parameters in ("fixed", "drawn", "mixed"):
        found = sl.analysis_utility(FRAME, longer, analysis=measures, synthesis="full", parameters=parameters)
        assert np.isfinite(found.combined.interval).all()
    for wrong in ({"parameters": "fixed"}, {"synthesis": "partial", "parameters": "fixed"}):
        with pytest.raises(InputError, match="^parameters: applies only"):
            sl.analysis_utility(FRAME, [FRAME, FRAME], analysis=measures, **wrong)
    with pytest.raises(InputError, match="synthetic dataset 2 and dataset 1 differ in columns: 'y'"):
        sl.analysis_utility(FRAME, [FRAME, FRAME[["x"]]], analysis=measures, synthesis="full", parameters="fixed")


def test_coverage_of_the_three_rules_in_a_normal_model() -> None:
    """5,000 surveys at once: the variance of the confidential estimate is 1, that of a dataset n / n_syn."""
    rng, repetitions = np.random.default_rng(1), 5_000
    for k in (1 / 3, 1.0, 3.0):
        for m in (1, 5):
            survey = rng.normal(size=repetitions)
            noise = rng.normal(0, k**-0.5, (m, repetitions))
            drawn = rng.normal(survey, 1.0, (m, repetitions)) + noise
            for parameters, q in (("fixed", survey + noise), ("drawn", drawn), ("mixed", drawn), (None, drawn)):
                if m == 1 and parameters in ("mixed", None):
                    continue
                with quiet(FewDegreesOfFreedomWarning):
                    found = sl.combine_full(q, np.full_like(q, 1 / k), size_ratio=k, parameters=parameters)
                low, high = found.interval.T
                share = ((low <= 0) & (high >= 0)).mean()
                assert (abs(share - 0.95) < 0.015) == (parameters is not None), (k, m, parameters, share)


def test_coverage_of_the_default_trees() -> None:
    for row in coverage.simulate("trees", 25):
        assert row["rule"] == "full synthesis (fixed parameters)"
        assert min(row[quantity] for quantity in ("mean", "slope", "median")) >= 80
