"""The replication of the gamma family paper: its pieces and its record."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab.counts as slc
from replications.gamma_family import measures as study, settings, study as gamma_family
from replications.gamma_family.claims import check_claims
from replications.gamma_family.data import known
from replications.gamma_family.overlap import coefficients, measure_overlap, summarize_overlap
from replications.gamma_family.reference import check_reference
from synthlab.datasets import load


@pytest.fixture(scope="module")
def recorded() -> gamma_family.GammaFamilyResult:
    return gamma_family.recorded()


@pytest.fixture(scope="module")
def table() -> slc.Table:
    return slc.Table.from_frame(load("esc").frame, count="count")


def test_the_published_sizes_give_the_recorded_tau():
    reference = check_reference()
    assert len(reference) == 480
    assert reference["relative_difference"].max() < 1e-9
    assert set(reference["metric"]) == {"tau1", "tau2", "tau3", "tau4"}


def test_what_is_known_of_the_simulated_table_is_that_of_the_table(table):
    assert known() == (table.total, dict(zip(table.variables, table.shape, strict=True)))


def test_the_twelve_settings_of_the_paper():
    labels = [s.label for s in settings.paper_settings()]
    assert len(labels) == 12
    assert labels[-1] == "NBI(sigma = 2)"
    assert {"GAF(sigma = 0.5, nu = 0)", "GAF(sigma = 2, nu = -0.5)"} <= set(labels)


def test_one_setting_measured_again_is_the_record(recorded, table):
    """The first setting with the first stream: the record is of this code."""
    first = settings.paper_settings()[0]
    streams = np.random.default_rng(gamma_family.SEED).spawn(len(recorded.settings) + 1)
    cells = study.choose_cells(table, streams[0])
    assert {size: table.at(np.array([cell]))[0] for size, cell in cells.items()} == {k: k for k in study.ORIGINALS}
    again = study.measure(table, first, recorded.m, streams[1], model=coefficients(table), cells=cells)
    row = recorded.settings.iloc[0]
    assert row["setting"] == first.label
    for name, value in again.row.items():
        if isinstance(value, float) and np.isfinite(value):
            assert value == pytest.approx(row[name], rel=1e-6), name
    mine = recorded.tau[recorded.tau["setting"] == first.label]
    np.testing.assert_allclose(again.tau["tau4_measured"], mine["tau4_measured"], rtol=1e-7)


def verdict_of(recorded, table, words, setting, column, value):
    """Return the verdict on a claim with another number of a setting."""
    rows = recorded.settings.copy()
    rows.loc[rows["setting"] == setting, column] = value
    found = check_claims(rows, recorded.tau, recorded.reference, table.total)
    (verdict,) = found.loc[found["claim"].str.contains(words), "verdict"]
    return verdict


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.0051, "holds"), (0.0049, "does not hold"), (0.0199, "holds"), (0.0201, "does not hold")],
)
def test_roughly_one_in_a_hundred_is_half_to_twice_of_it(recorded, table, share, verdict):
    assert verdict_of(recorded, table, "roughly 1 in 100", settings.RIVAL, "zeros_raised", share) == verdict


@pytest.mark.parametrize(("share", "verdict"), [(0.00099, "holds"), (0.00101, "does not hold")])
def test_no_ones_from_zeros_is_less_than_one_in_a_thousand(recorded, table, share, verdict):
    assert (
        verdict_of(recorded, table, "no synthetic counts of one", settings.SHOWN, "ones_from_zeros", share) == verdict
    )


@pytest.mark.parametrize(("away", "verdict"), [(0.049, "holds"), (0.051, "does not hold"), (-0.051, "does not hold")])
def test_roughly_similar_risk_is_within_a_twentieth(recorded, table, away, verdict):
    shown = recorded.settings.set_index("setting").loc[settings.SHOWN, "tau3_1_expected"]
    assert verdict_of(recorded, table, "roughly similar", settings.RIVAL, "tau3_1_expected", shown + away) == verdict


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.49, "holds"), (1.51, "does not hold"), (0.51, "holds"), (0.49, "does not hold")]
)
def test_l1_approximates_within_a_half(recorded, table, factor, verdict):
    exact = recorded.settings.set_index("setting").loc[settings.SHOWN, "loss_occupied_expected"]
    assert verdict_of(recorded, table, "of these cells", settings.SHOWN, "loss_paper", factor * exact) == verdict


def test_what_the_record_says(recorded):
    assert (recorded.m, len(recorded.settings)) == (10, 24)
    assert recorded.sizes["cells"].tolist() == [
        *(3_134_980, 119_917, 51_412, 25_952, 19_450, 13_076, 10_345, 7_947, 7_077, 5_809, 5_163),
        67_512,
    ]
    verdicts = recorded.claims.set_index("claim")["verdict"]
    for words, verdict in (
        ("roughly similar", "holds"),
        ("much closer to the original", "holds"),
        ("no synthetic counts of one", "holds"),
        ("has the higher risk", "holds"),
        ("higher utility (occupied", "holds"),
        ("known before any table", "holds"),
        ("from R and from synthlab agree", "holds"),
        ("roughly 1 in 100 zeros", "holds"),
        ("little effect on the median overlap", "does not hold"),
        ("All marginal counts are unbiased", "does not hold"),
        ("of these cells", "holds"),
        ("of the whole table", "does not hold"),
    ):
        found = [v for claim, v in verdicts.items() if words in claim]
        assert found == [verdict], words
    rows = recorded.settings.set_index("setting")
    # The pseudocount fails by its number, and the repair lowers the risk without touching tau3.
    gaf = rows.loc["GAF(sigma = 2, nu = -0.5)"]
    assert gaf["zeros_raised_expected"] == pytest.approx(2.1e-5, rel=0.02)
    repair = rows[rows["group"] == "GAF + ones"]
    assert (repair["tau4_1"] < gaf["tau4_1"] - 0.1).all()
    assert repair["tau3_1"].to_numpy() == pytest.approx([gaf["tau3_1"]] * len(repair), abs=0.003)


def test_a_priori_and_measured_agree_in_the_record(recorded):
    z = recorded.tau[["tau1_z", "tau3_z", "tau4_z"]].to_numpy().ravel()
    z = z[np.isfinite(z)]
    assert z.size > 400
    assert 0.9 < (np.abs(z) < 1.96).mean() < 0.99
    bars = recorded.bars
    close = (bars["share"] - bars["expected"]).abs()
    assert close.max() < 0.02


def test_the_model_of_figure_6_has_all_its_coefficients(table):
    model = coefficients(table)
    assert len(model) == 608
    assert np.isfinite(model[["estimate", "std_error"]]).all(axis=None)


def test_overlap_of_a_table_with_itself_is_nearly_one(table):
    model = coefficients(table)
    same = slc.SynthesizedTables((table, table), slc.Poisson(), "saturated", 0.0, 0.0)
    frame = measure_overlap(model, same)
    assert frame["overlap"].min() > 0.999
    assert summarize_overlap(frame)["overlap_undefined"] == 0


def test_how_it_prints(recorded):
    assert str(recorded).startswith("24 settings, m = 10 synthetic tables each, on a simulated table")
    assert "Of 15 statements 12 hold, 3 do not hold. Of 30 published numbers 30 input." in str(recorded)
    assert "<table" in recorded._repr_html_()
    assert recorded.summary().equals(recorded.claims)


@pytest.mark.full
def test_the_quick_run(tmp_path):
    result = gamma_family.run(quick=True, folder=tmp_path, rng=1, progress=False)
    assert (result.m, len(result.settings)) == (2, 14)
    assert result.folder == tmp_path
    assert str(result).startswith("Quick run without verdicts on 15 of 15 statements: a verdict needs")
    assert str(result).endswith(f"tables: {tmp_path}")
    assert (tmp_path / "claims.csv").is_file()
