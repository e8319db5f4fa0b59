"""The replication of the pseudo posterior mechanism: its pieces on a toy model, and the committed results."""

from __future__ import annotations

from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from replications.dp import (
    claims,
    data,
    fits,
    measures,
    models,
    repetitions as several,
    sample_size,
    scalar_weight,
    settings,
    statements,
    study as dp,
    tables,
)
from synthlab.exceptions import InputError
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose
from tests.loops import every

SIZE = {
    "repetitions": 2,
    "samples": 1,
    "resamples": 10,
    "counts": {},
    "nuts": {},
    "gibbs": {},
    "tolerance": 0.1,
    "max_fits": 4,
    "again": True,
    "share": 16,
    "models": {"draws": 20, "tune": 20, "thin": 1, "chains": 2},
    "releases": 20,
    "runs": 1,
    "run_resamples": 10,
    "fitted": {},
    "near": 0.1,
    "few": 2,
    "nuts_fits": 2,
    "weights": [1.0, 0.2],
    "weight_runs": 1,
    "sizes": [100],
    "databases": 2,
}


def toy(name: str, frame: pd.DataFrame) -> settings.Case:
    """A study with a model whose posterior is drawn at once: a table of the deciles of the values."""
    column = frame.columns[-1]
    coarse = pd.qcut(frame[column], 10, labels=False, duplicates="drop").astype(float)
    return settings.Case(
        name=name,
        frame=pd.DataFrame({"modelled": coarse}),
        confidential=frame.assign(**{column: coarse}),
        modelled="modelled",
        column=column,
        back=np.asarray,
        synthesizer=sl.DirichletMultinomial(["modelled"], pseudocount=0.2),
        sampler={"draws": 100, "chains": 2},
        intruder=sl.Intruder(known=[], synthesized=[column], radius={column: 0.0}),
        tolerance=0.1,
        max_fits=4,
    )


@pytest.fixture
def small(monkeypatch):
    """The whole run on toy models; yields the calls of `repeat`."""
    calls = []

    def repeat(study, seed, resamples, *work):
        calls.append(study.name)
        return real(study, seed, resamples, *work)

    real = measures.repeat
    names = ("income", "income, one regression", "income, component")
    works = (settings.MIXTURE_WORK, settings.WORK, settings.COMPONENT_WORK)
    fitted = replace(
        toy(settings.FITTED, sl.datasets.load("ce2017").frame[["income"]].iloc[:150]),
        synthesizer=sl.FiniteMixture("modelled ~ 1", classes=2),
        sampler={"draws": 60, "tune": 20, "thin": 1, "chains": 2},
        max_fits=2,
        again=False,
    )
    monkeypatch.setattr(models, "CLASSES", (2,))
    for module in (several, scalar_weight):
        monkeypatch.setattr(module, "fitting_study", lambda frame, size, tried: fitted)
    monkeypatch.setattr(sample_size, "count_study", lambda frame, size: toy("counts", frame))
    monkeypatch.setattr(measures, "repeat", repeat)
    monkeypatch.setattr(dp.DP, "quick", SIZE)
    for module in (dp, several):
        monkeypatch.setattr(module, "count_study", lambda frame, size: toy("counts", frame))
        monkeypatch.setattr(
            module,
            "income_studies",
            lambda frame, size: [(toy(n, frame.iloc[:300]), w) for n, w in zip(names, works, strict=True)],
        )
    with joblib.parallel_config(n_jobs=1):  # in this process, where the toys are
        yield calls


@pytest.mark.full
def test_a_run_resumes_and_writes_tables(tmp_path, small):
    first = dp.run(quick=True, folder=tmp_path, progress=False)
    assert len(small) == 7
    written = {p.name: p.read_bytes() for p in tmp_path.glob("*.csv*")}
    (tmp_path / "pieces" / "paper_001.npz").unlink()
    (tmp_path / "pieces" / "income, one regression; EM (0.6, 0).npz").unlink()
    (tmp_path / "pieces" / "weight_000.npz").unlink()
    second = dp.run(quick=True, folder=tmp_path, progress=False)
    assert len(small) == 8
    pd.testing.assert_frame_equal(first.repetitions, second.repetitions)
    assert {p.name: p.read_bytes() for p in tmp_path.glob("*.csv*")} == written
    assert sorted(p.name for p in tmp_path.glob("*.csv*")) == [
        "claims.csv", "incomes.csv", "models.csv", "numbers.csv", "one_weight.csv", "published.csv", "repetitions.csv", "runs.csv.gz",
        "sensitivities.csv.gz", "sizes.csv", "statistics.csv.gz", "table_2.csv",
    ]  # fmt: skip
    assert str(first).startswith("Quick run without verdicts on")
    with pytest.raises(InputError, match="another seed or size"):
        dp.run(quick=True, folder=tmp_path, rng=3, progress=False)
    with pytest.raises(InputError, match="must be a whole number"):
        dp.run(quick=True, folder=tmp_path, rng=np.random.default_rng(1))


def test_every_mechanism_once():
    rng = np.random.default_rng(1)
    study = toy("counts", pd.DataFrame({"y": rng.gamma(2.0, 10.0, 400)}))
    table, arrays = measures.repeat(study, np.random.SeedSequence(1), 10)
    value = table.set_index(["mechanism", "scale", "shift", "measure"])["value"]
    bounds = [value["DP", c, g, "lipschitz_bound"] for c, g in settings.SETTINGS]
    for (c, g), bound in zip(settings.SETTINGS, bounds, strict=True):
        assert value["EM", c, g, "target"] == bound
        assert value["EM", c, g, "lipschitz_bound"] == pytest.approx(bound, rel=0.25)
        assert value["DP", c, g, "epsilon_per_draw"] == 2 * bound
        # The weight of this model raises the likelihood itself.
        assert value["DP", c, g, "largest weight x |log-likelihood|"] == pytest.approx(bound)
    assert value["Unweighted", 1.0, 0.0, "weight, mean"] == 1.0
    assert value["Unweighted", 1.0, 0.0, "lipschitz_bound"] >= max(bounds)
    assert "bound of the formula's weight" in table[table["mechanism"] == "EM"]["measure"].to_numpy()
    assert arrays["EM (1, 0)|tried"].shape[1] == 2
    assert arrays["DP (0.7, 0)|sensitivity"].max() == pytest.approx(bounds[1])
    again, _ = measures.repeat(study, np.random.SeedSequence(1), 10)
    pd.testing.assert_frame_equal(table, again)


def test_the_start_is_interpolated_on_the_logarithms():
    tried = np.array([[0.8, 8.0], [0.2, 2.0]])
    assert fits._start(tried, 4.0) == pytest.approx(0.4)
    assert fits._start(tried, 1.0) == pytest.approx(0.1)  # beyond: in proportion
    assert fits._start(tried, 16.0) == 1.0


def test_the_studies_of_income():
    frame = sl.datasets.load("ce2017").frame
    studies = data.income_studies(frame, dp.FULL)
    assert {s.name for s, _ in studies} == {"income", "income, one regression", "income, component"}
    for study, _ in studies:
        assert "income" not in study.frame.columns  # the confidential column is no part of a release
        np.testing.assert_allclose(study.back(study.frame["modelled"].to_numpy()), frame["income"], atol=1e-5)
        assert study.synthesizer.allocation == "predictive"
    weighting = {s.name: (s.synthesizer.classes, s.synthesizer.weighting) for s, _ in studies}
    assert weighting["income"] == (2, "mixture")
    assert weighting["income, one regression"][0] == 1


def test_pieces_are_sorted_by_mechanism():
    found = tables.by_mechanism({"DP (1, 0)|weight": np.ones(2), "DP (1, 0)|sensitivity": np.zeros(2)})
    assert list(found) == ["DP (1, 0)"]
    assert set(found["DP (1, 0)"]) == {"weight", "sensitivity"}


@pytest.fixture(scope="module")
def recorded():
    return dp.recorded()


def test_the_recorded_table_2(recorded):
    table = recorded.table_2
    assert table["published"].tolist() == [10.10, 8.16, 7.30, 6.09, 5.71]
    assert len(table) == 5
    bound = recorded.numbers.query("mechanism == 'DP' and measure == 'lipschitz_bound' and study == 'income'")
    ours = bound.set_index(["scale", "shift"])["value"]
    for row in table.itertuples():
        assert row.income == pytest.approx(ours[row.scale, row.shift], rel=1e-6)


def test_claims_are_looked_at_in_every_study(recorded):
    runs = dp.FULL["runs"]
    assert recorded.claims.groupby("study")["repetitions"].unique().map(list).to_dict() == {
        "counts": [12], "income": [1], "income, one regression": [runs], "income, fitted": [runs], "income, fitted, record": [runs],
    }  # fmt: skip


def with_numbers(recorded, mechanism, measure, values):
    """Return the repetitions of the counts with other values of a measure at (1, 0)."""
    found = recorded.repetitions.copy()
    chosen = (found["kind"] == "paper") & (found["mechanism"] == mechanism)
    chosen &= (found["scale"] == 1) & (found["shift"] == 0)
    found.loc[chosen, measure] = values
    return found


@pytest.mark.parametrize(
    ("times", "verdict"), [(12, "holds"), (11, "holds"), (10, "in part"), (2, "in part"), (1, "does not hold")]
)
def test_a_claim_is_judged_by_the_repetitions(recorded, times, verdict):
    changed = with_numbers(recorded, "DP", "median sensitivity", [9.0] * times + [0.0] * (12 - times))
    raw = {"repetitions": changed, "runs": recorded.runs}
    found = claims.check_claims(recorded.numbers, raw).query("study == 'counts'").set_index("claim")
    row = found.loc["At an equal bound, EMweighted has the lower sensitivity for most records"]
    assert row["verdict"] == verdict
    assert row["share"] == times / 12


BOUND, FAR, MEAN = "lipschitz_bound", "90 % quantile, distance", "mean, distance"
FIVE = list(settings.PUBLISHED)
READ = [settings.SHIFTED if s[1] else "DP" for s in FIVE]


@every(
    ("key", "numbers", "holds"),
    [
        ("unweighted_highest", {"Unweighted": 1.01, "EM": 1.0}, True),
        ("unweighted_highest", {"Unweighted": 0.99, "Countweighted 2": 1.0}, False),
        ("weights_lower", {"DP": 0.499, "Unweighted": 1.0}, True),
        ("weights_lower", {"DP": 0.501, "Unweighted": 1.0}, False),
        ("count_weights", {"Countweighted 2": 1.499}, True),
        ("count_weights", {"Countweighted 2": 1.501}, False),
        ("count_weights", {"Countweighted 2": 0.999}, False),
        ("dropped_draws", {f"DP longer {BOUND}, all draws": 1.099}, True),
        ("dropped_draws", {f"DP longer {BOUND}, all draws": 1.101}, False),
        ("scalar_formula", {"EM bound of the formula's weight": 1.049}, True),
        ("scalar_formula", {"EM bound of the formula's weight": 1.051}, False),
        ("scalar_formula", {"EM bound of the formula's weight": 0.949}, False),
        ("median_sensitivity", {"EM median sensitivity": 0.99}, True),
        ("median_sensitivity", {"EM median sensitivity": 1.01}, False),
        ("nearer_mean", {f"DP {MEAN}": 0.99}, True),
        ("nearer_mean", {f"DP {MEAN}": 1.01}, False),
        ("mean_as_well", {f"DP {MEAN}": 1.499}, True),
        ("mean_as_well", {f"DP {MEAN}": 1.501}, False),
        ("quantile_as_well", {f"DP {FAR}": 1.499}, True),
        ("quantile_as_well", {f"DP {FAR}": 1.501}, False),
        ("count_quantile", {f"Countweighted 2 {FAR}": 1.01}, True),
        ("count_quantile", {f"Countweighted 2 {FAR}": 0.99}, False),
        ("nearer_distribution", {"DP U_m": 0.99}, True),
        ("nearer_distribution", {"DP U_m": 1.01}, False),
        ("bound_halves", {("DP", *FIVE[-1]): 0.401}, True),
        ("bound_halves", {("DP", *FIVE[-1]): 0.699}, True),
        ("bound_halves", {("DP", *FIVE[-1]): 0.399}, False),
        ("bound_halves", {("DP", *FIVE[-1]): 0.701}, False),
        ("order_scaled", {("DP", *s): 1 - n / 10 for n, s in enumerate(FIVE)}, True),
        ("order_scaled", {("DP", *s): 1 - n / 10 + 0.3 * (n == 3) for n, s in enumerate(FIVE)}, False),
        ("order_shifted", {(READ[n], *s): 1 - n / 10 for n, s in enumerate(FIVE)}, True),
        ("order_shifted", {("DP", *s): 1 - n / 10 for n, s in enumerate(FIVE)}, False),
        ("quantile_every_setting", {("DP", *s): 0.9 for s in FIVE}, True),
        ("quantile_every_setting", {("DP", *s): 0.9 for s in FIVE[1:]}, False),
        ("quantile_deteriorates", {("DP", *FIVE[-1]): 1.1, ("EM", *FIVE[-1]): 1.2}, True),
        ("quantile_deteriorates", {("DP", *FIVE[-1]): 1.2, ("EM", *FIVE[-1]): 1.1}, False),
    ],
)
def test_what_a_claim_asks_for(key, numbers, holds):
    """Every number is 1 but those given, by mechanism, by mechanism and measure, or by mechanism and setting."""

    def look(mechanism, measure, setting=settings.MAIN):
        by_setting = numbers.get((mechanism, *setting), numbers.get(mechanism, 1.0))
        return numbers.get(f"{mechanism} {measure}", by_setting)

    assert statements.CLAIMS[key].test(look) is holds


def test_the_recorded_run_is_the_full_one(recorded):
    runs = recorded.repetitions.groupby("kind")["run"].nunique()
    assert runs["paper"] == dp.FULL["repetitions"] >= 10
    assert runs["sample"] == dp.FULL["samples"]
    assert len(recorded.sensitivities.query("study == 'income'")) == 6208
    # The four mechanisms at their bounds.
    rows = recorded.sensitivities.query("study == 'counts'")
    assert rows["DP"].max() == pytest.approx(rows["EM"].max(), rel=0.03)
    assert recorded.to_frame()["ours"].tolist() == recorded.table_2["income, fitted"].tolist()
    assert recorded.summary().equals(recorded.claims)
    counts = recorded.claims["verdict"].value_counts()
    assert f"{counts['holds']} hold, " in recorded._repr_html_()
    assert replace(recorded, folder=None).describe() == recorded.describe()


def test_a_stuck_chain_is_run_again_and_longer(monkeypatch):
    class Chains:
        def __init__(self, rhat):
            self.rhat = np.array([np.nan, rhat])

    def fit_once(study, mechanism, setting, plain, bound, tried, seed):
        calls.append(study.sampler["draws"])
        return fits.Fit(None, None, None, Chains(1.5 if len(calls) == 1 else 1.01))

    monkeypatch.setattr(fits, "_fit_once", fit_once)
    study = toy("counts", pd.DataFrame({"y": np.arange(100.0)}))
    for rhats in ([100, 200], [100]):
        calls = [] if len(rhats) == 2 else [0]
        fits.fit_mechanism(study, "DP", (1.0, 0.0), lambda: None, np.nan, None, np.random.SeedSequence(1))
        assert [c for c in calls if c] == rhats
    assert fits._stuck(still()), "a chain that never moved has no R-hat"


def still() -> Diagnostics:
    """Diagnostics of a chain that never moved."""
    return diagnose(Posterior({"a": np.ones((1, 30))}))


def test_a_chain_that_never_moved_has_neither_r_hat_nor_sample_size():
    study = toy("counts", pd.DataFrame({"y": np.arange(100.0)}))
    fit = fits.unweighted(study, fits.fit_plain(study, np.random.SeedSequence(1)))
    table, _ = measures.measure(
        study, replace(fit, chains=still()), "Unweighted", (1.0, 0.0), 10, np.random.SeedSequence(1)
    )
    value = table.set_index("measure")["value"]
    assert value[["R-hat, max", "ESS, min"]].isna().all()
