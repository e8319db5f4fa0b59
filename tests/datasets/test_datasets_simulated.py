"""What the simulated data have to be like."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import datasets
from synthlab.exceptions import InputError

# ce2017: all the paper publishes (its tables 1, 3 and 4)


@pytest.fixture(scope="module")
def ce2017():
    return datasets.load("ce2017").frame


@pytest.fixture(scope="module")
def income(ce2017):
    return ce2017["income"].to_numpy()


def test_ce2017_has_the_variables_of_table_1(ce2017):
    levels = {"gender": 2, "age": 5, "education": 8, "region": 4, "urban": 2, "marital": 5, "urban_type": 3}
    levels |= {"cbsa": 3, "family_size": 11, "earner": 2}
    assert ce2017.shape == (6208, 11)
    assert {c: ce2017[c].nunique() for c in ce2017.columns[:-1]} == levels


def test_ce2017_is_small(root):
    assert (root / "data" / "ce2017.csv").stat().st_size < 1_000_000


def test_ce2017_meets_the_published_numbers(income):
    assert income.mean() == pytest.approx(72_075.60, rel=0.002)
    assert np.median(income) == pytest.approx(50_225.15, rel=0.002)
    assert np.quantile(income, 0.9) == pytest.approx(153_916.30, rel=0.002)
    assert np.quantile(income, 0.975) == pytest.approx(270_000, rel=0.005)
    assert income.min() == pytest.approx(-7_000, rel=0.05)
    assert income.max() == pytest.approx(1_800_000, rel=0.02)
    assert (income > 1_000_000).sum() == 3
    assert np.sort(income)[-10] > 100_000
    assert 3 <= (income < 0).sum() <= 20


def test_ce2017_has_intervals_as_wide_as_published(income):
    rng = np.random.default_rng(5)
    samples = rng.choice(income, (1000, income.size))
    widths = np.ptp(np.quantile([samples.mean(1), np.median(samples, 1)], [0.025, 0.975], axis=1), axis=0)
    assert widths[0] == pytest.approx(74_037.96 - 70_068.61, rel=0.12)
    assert widths[1] == pytest.approx(52_000.00 - 48_995.01, rel=0.15)
    width = np.ptp(np.quantile(np.quantile(samples, 0.9, axis=1), [0.025, 0.975]))
    assert width == pytest.approx(159_603.80 - 147_582.40, rel=0.15)


def test_ce2017_earner_coefficient(ce2017):
    from statsmodels.formula.api import ols

    fit = ols("income ~ C(region) + C(urban) + C(earner)", ce2017.astype("int64")).fit()
    assert fit.params["C(earner)[T.2]"] == pytest.approx(-45_826.20, rel=0.01)
    low, high = fit.conf_int().loc["C(earner)[T.2]"]
    assert high - low == pytest.approx(49_816.29 - 41_836.11, rel=0.05)


def test_ce2017_patterns(ce2017):
    sizes = ce2017.groupby(["gender", "age", "region"], observed=False).size()
    assert len(sizes) == 40
    assert sizes.min() > 1


def test_ce2017_predictors_are_not_collinear(ce2017):
    design = pd.get_dummies(ce2017.drop(columns="income"), drop_first=True, dtype=float).assign(constant=1.0)
    assert design.shape[1] == 36
    assert np.linalg.matrix_rank(design.to_numpy()) == 36


# stand-ins: near the samples, never them


@pytest.fixture(scope="module")
def acs():
    return datasets.load("acs", version="simulated")


@pytest.fixture(scope="module")
def ce():
    return datasets.load("ce", version="simulated")


def test_acs_match_risk_is_near_the_lecture(acs):
    # The confidential data against themselves: the expected match risk is the number of cells; the lecture has
    # 173 cells, 30 of them with one person.
    cells = acs.frame.groupby(["SEX", "RACE", "MAR", "DIS", "HICOV"], observed=True).size()
    assert len(cells) == pytest.approx(173, rel=0.1)
    assert (cells == 1).sum() == pytest.approx(30, abs=10)


def test_acs_synthetic_versions_differ_and_keep_associations(acs):
    for one, other in itertools.combinations(acs.synthetic, 2):
        assert not one.equals(other)
    for frame in acs.synthetic:
        assert total_variation(frame, acs.frame, ["LANX", "WAOB"]) < 0.02
        assert total_variation(frame, acs.frame, ["MAR", "HICOV"]) < 0.02
        assert 0.2 < (frame["DIS"] != acs.frame["DIS"]).mean() < 0.35


def test_ce_has_zeros_and_losses(ce):
    income = ce.frame["Income"]
    assert (income <= 0).mean() == pytest.approx(449 / 5571, abs=0.01)
    assert (income < 0).sum() == 4
    assert (ce.frame["Expenditure"] == 0).sum() == 1
    for frame in ce.synthetic:
        assert (frame["Income"] <= 0).mean() == pytest.approx((income <= 0).mean(), abs=0.015)
        # A hot deck: the income of most is another's, its distribution stays.
        assert (frame["Income"] != income).mean() > 0.9
        assert stats.ks_2samp(frame["Income"], income).statistic < 0.03


def total_variation(one, other, columns):
    shares = [f.groupby(columns, observed=True).size() / len(f) for f in (one, other)]
    return float(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)


@pytest.mark.real
def test_acs_stand_in_is_near_the_sample(acs, real_data, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(real_data))
    real = datasets.load("acs").frame
    cells = real.groupby(["SEX", "RACE", "MAR", "DIS", "HICOV"], observed=True).size()
    assert (len(cells), (cells == 1).sum()) == (173, 30)
    for column in real:
        assert total_variation(real, acs.frame, [column]) < 0.01
    for pair in itertools.combinations(real.columns, 2):
        assert total_variation(real, acs.frame, list(pair)) < 0.03


@pytest.mark.real
@pytest.mark.parametrize("name", ["ce", "ce_lecture"])
def test_ce_stand_ins_are_near_the_samples_and_share_no_record(name, real_data, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(real_data))
    real, stand_in = datasets.load(name).frame, datasets.load(name, version="simulated").frame
    for column in real.select_dtypes("category"):
        assert total_variation(real, stand_in, [column]) < 0.03
    for column in ("Income", "Expenditure"):
        share = [0.25, 0.5, 0.75, 0.9, 0.95, 0.99]
        assert stand_in[column].quantile(share).tolist() == pytest.approx(
            real[column].quantile(share).tolist(), rel=0.05
        )
    plain = [f.astype("float64").corr(method="spearman").to_numpy() for f in (real, stand_in)]
    assert np.abs(plain[0] - plain[1]).max() < 0.15
    assert len(real.merge(stand_in, on=list(real.columns))) == 0
    assert not set(real["Expenditure"]) & (set(stand_in["Expenditure"]) - {0.0})


@pytest.mark.real
def test_real_ce_has_449_units_without_income(real_data, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(real_data))
    assert (datasets.load("ce").frame["Income"] <= 0).sum() == 449


# nb_mixture


def test_the_papers_own_values():
    values = datasets.load("nb_mixture").frame["outcome"].to_numpy()
    assert values[:5].tolist() == [128, 100, 73, 92, 108]
    # Row D of table 6: bootstrap mean and interval of mean and median.
    samples = np.random.default_rng(3).choice(values, (4000, values.size))
    for statistic, published in ((np.mean, (100.70, 98.68, 102.58)), (np.median, (97.93, 95.49, 101.00))):
        drawn = statistic(samples, axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert [drawn.mean(), low, high] == pytest.approx(list(published), abs=0.6)


def test_fresh_samples_follow_the_mixture():
    values = datasets.load("nb_mixture", version="simulated", rng=11, n=200_000).frame["outcome"].to_numpy()
    variance = 0.7 * (100 + 100**2 / 20) + 0.3 * (100 + 100**2 / 5)
    assert values.mean() == pytest.approx(100, abs=4 * np.sqrt(variance / values.size))
    assert values.var() == pytest.approx(variance, rel=0.03)
    grid = np.arange(values.max() + 1)
    cdf = 0.7 * stats.nbinom.cdf(grid, 20, 20 / 120) + 0.3 * stats.nbinom.cdf(grid, 5, 5 / 105)
    assert np.abs(np.searchsorted(np.sort(values), grid, side="right") / values.size - cdf).max() < 0.005


def test_fresh_samples_can_be_drawn_again():
    def draw(rng, n=None):
        return datasets.load("nb_mixture", version="simulated", rng=rng, n=n)

    first, again, other = draw(7), draw(np.random.default_rng(7)), draw(8)
    assert first.frame.equals(again.frame)
    assert first.sha256 == again.sha256 != other.sha256
    assert len(first.frame) == 1000
    assert draw(7, n=3).n == 3
    assert not draw(None).frame.equals(draw(None).frame)


@pytest.mark.parametrize(("argument", "value"), [("n", 0), ("n", 2.5), ("rng", -1), ("rng", "seed")])
def test_bad_seed_or_size(argument, value):
    with pytest.raises(InputError, match=f"^{argument}="):
        datasets.load("nb_mixture", version="simulated", **{argument: value})


@pytest.fixture(scope="module")
def youths():
    return datasets.load("youths", version="simulated").frame


def test_youths_are_in_their_facilities(youths):
    by_facility = youths.groupby("facility", observed=True)
    assert by_facility.size().size == 50
    assert (by_facility["stratum"].nunique() == 1).all()
    assert (by_facility["facsize"].nunique() == 1).all()
    own = youths["stratum"].astype(int) >= 6
    assert youths.loc[own, "psu"].is_unique
    assert (youths.loc[~own, "psu"] == youths.loc[~own, "facility"].astype(int)).all()
    unknown = youths[youths["facsize"] == 999]
    assert set(unknown["facility"]) == {7, 12, 25, 26}
    assert youths["finalwt"].between(5, 50).all()
    assert (youths["agefirst"].fillna(0) <= youths["age"]).all()


@pytest.mark.real
def test_youths_are_near_the_survey_and_share_no_record(youths, real_data, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(real_data))
    real = datasets.load("youths").frame
    assert real.isna().sum().to_dict() == youths.isna().sum().to_dict()
    for column in ("race", "ethnicty", "gender", "livewith", "famtime", "crimtype", "everviol", "evertime", "usewepn"):
        assert total_variation(real.dropna(), youths.dropna(), [column]) < 0.06, column
    for column in ("age", "numarr", "probtn", "corrinst", "agefirst"):
        assert abs(real[column].median() - youths[column].median()) <= 1
    assert youths["finalwt"].sum() == pytest.approx(real["finalwt"].sum(), rel=0.2)
    answers = list(real.columns[6:])
    assert len(real.dropna().merge(youths.dropna(), on=answers)) == 0
