"""The errata of the five documents: the printed statement fails and the corrected one holds."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

import synthlab.counts as slc
from replications.dp.settings import PUBLISHED
from replications.paper_tables import read_numbers


def test_every_entry_of_the_page_has_a_test(root):
    page = (root / "course" / "pages" / "errata_of_the_documents.md").read_text(encoding="utf-8")
    files = [root / "tests" / folder / "test_errata.py" for folder in ("replications", "crosscheck")]
    tests = set(re.findall(r"^def (test_\w+)", "\n".join(f.read_text(encoding="utf-8") for f in files), re.MULTILINE))
    named = re.findall(r"`(test_\w+)` \|$", page, re.MULTILINE)
    assert len(named) == len(set(named)) == 10
    assert set(named) <= tests


def test_gamma_function():
    mu, sigma, nu, y = 6.0, 0.8, 0.5, 4
    one = sigma * mu ** (nu / 2 - 1)
    shape = one**-2

    def density(w):
        return stats.gamma.pdf(w, shape, scale=mu / shape)

    integral = integrate.quad(density, 0, y + 0.5)[0]
    assert slc.GAF(mu, sigma, nu).cdf(y) == pytest.approx(integral, rel=1e-10)
    assert special.gammainc(one**2, (y + 0.5) * one**-2 / mu) != pytest.approx(integral, rel=0.01)


@pytest.mark.parametrize(("mu", "sigma"), [(10.0, 2.0), (50.0, 0.5)])
def test_underdispersion(mu, sigma):
    limit = 1 - 2 * np.log(sigma) / np.log(mu)
    for nu, below in ((limit - 0.1, True), (limit + 0.1, False), (limit - 0.9, True)):
        assert (slc.GAF(mu, sigma, nu).nominal_var < mu) == below
    assert limit - 0.9 > -2 * np.log(sigma) / np.log(mu)  # underdispersed, but not by the printed limit


def test_grand_total():
    table = slc.Table.from_counts(np.full((20, 20), 30), {"a": range(20), "b": range(20)})
    family = slc.GAF(sigma=1.0, nu=0.5)
    spread = np.sqrt(400 * 30**0.5)
    for d in (0.2 * spread, spread):
        found = slc.total_within(table, family, d, pseudocount=0).probability
        inside = 2 * np.arange(-int(np.ceil(d)) + 1, int(np.ceil(d))).size / 2  # whole numbers nearer than d
        assert found == pytest.approx(2 * stats.norm.cdf(inside / 2 / spread) - 1, abs=0.005)
        assert 2 * stats.norm.cdf(d / spread) > 1


def test_saturated_model():
    counts = np.array([[3, 40], [7, 12]])
    table = slc.Table.from_counts(counts, {"a": range(2), "b": range(2)})
    made = slc.synthesize_table(table, slc.Poisson(), m=400, pseudocount=0, rng=1)
    mean = np.mean([one.to_frame(zeros=True)["count"].to_numpy().reshape(counts.shape) for one in made.tables], axis=0)
    np.testing.assert_allclose(mean, counts, atol=5 * np.sqrt(40 / 400))


def test_ratio_of_bounds(root):
    printed = PUBLISHED[0.5, 0.0] / PUBLISHED[0.7, 0.0]
    assert printed == pytest.approx(0.603, abs=5e-4)
    ours = pd.read_csv(root / "course" / "replications" / "dp" / "table_2.csv").set_index(["scale", "shift"])
    for study in ("income, fitted", "income, fitted, shift first", "counts", "counts, shift first"):
        ratio = ours.loc[(0.5, 0.0), study] / ours.loc[(0.7, 0.0), study]
        assert ratio == pytest.approx(5 / 7, abs=0.02)


def test_largest_risk(root):
    texts = read_numbers("risk_weighted").values()
    printed = [float(one["printed"]) for one in texts if one["case"] == "D" and one["where"] in ("Table 2", "Table 3")]
    assert max(printed) == 0.9944
    assert round(1 - 1 / 179, 4) == 0.9944
    ratios = pd.read_csv(root / "course" / "replications" / "real_incomes" / "ratios.csv")
    largest = ratios[(ratios["of"] == "D") & (ratios["measure"] == "IR, max")].drop(columns=["measure", "of"])
    assert (largest.to_numpy(dtype=float) > 0.996).all()


def test_equation_index(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "course" / "site"))
    import equations

    table = equations.index()
    assert set(equations.tagged()) <= set(zip(table["document"], table["equation"], strict=True))
    counts = table["document"].value_counts().to_dict()
    assert counts == {
        "Hu, lecture 8": 5, "Reiter & Mitra": 8, "Hu, Savitsky & Williams": 11, "Savitsky, Williams & Hu": 15,
        "Jackson, Mitra, Francis & Dove": 9,
    }  # fmt: skip
    missing = table["functions"].str.startswith("not implemented: ")
    assert (table.loc[missing, "functions"].str.len() > 30).all()
    assert (table.loc[~missing, "tests"] != "").all()
    assert missing.sum() == 5
