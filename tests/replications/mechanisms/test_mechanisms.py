"""Mechanisms at equal epsilon: the files, the measures, what each mechanism spends, a small run that resumes, and the record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from replications.claims import Rows
from replications.mechanisms import STUDY, noise, posterior, recorded, scalar_queries, settings
from replications.mechanisms.claims import RHAT, anchor, by
from replications.mechanisms.data import CASES, MEASURES, Made, case, edges, measure, shares
from replications.mechanisms.names import (
    BY_OPENDP,
    CLIPPED,
    COPY,
    DELTA,
    GEOMETRIC,
    GUARANTEES,
    LOCAL,
    PLAIN,
    POISSON,
    POSTERIORS,
    guarantees,
)
from replications.mechanisms.settings import EPSILONS
from replications.mechanisms.study import copied, utility
from synthlab import counts as slc, dp
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.synthesizers._posterior import Posterior, diagnose
from synthlab.teaching.figures.equal_epsilon import plot_equal_epsilon

SAMPLER = {"draws": 60, "thin": 1, "tune": 300, "chains": 2}


@pytest.fixture(scope="module", params=CASES)
def one(request):
    return case(request.param, 200, np.random.default_rng(1))


def test_the_cells_hold_every_record_once(one):
    counts = one.counts(one.frame)
    assert counts.shape == (one.n_cells,)
    assert counts.sum() == len(one.frame) == 200
    if one.measured:
        inside = np.histogram(one.frame["value"], edges())[0]
        np.testing.assert_array_equal(counts, inside)
    else:
        yes = one.frame.to_numpy().astype(int) @ 2 ** np.arange(len(one.variables))[::-1]
        np.testing.assert_array_equal(counts, np.bincount(yes, minlength=one.n_cells))


def test_a_copy_has_no_error_and_another_file_has_one(one):
    found = measure(one, [copied(one)])
    applies = {"distance", "pMSE", "mean", "most frequent cell"} | (set(MEASURES) if one.measured else set())
    assert {name for name, value in found.items() if value == 0.0} == applies
    turned = Made(one.counts(one.frame)[::-1], None if not one.measured else copied(one).values * 2)
    other = measure(one, [turned])
    assert 0 < other["distance"] <= 1
    assert other["mean"] > 0


def test_measures_by_hand():
    two = case("yes or no", 4, np.random.default_rng(1))
    two.frame["affair"] = [True, False, False, False]
    found = measure(two, [Made(np.array([1.0, 1.0])), Made(np.array([0.0, 4.0]))])
    assert found["distance"] == pytest.approx((0.25 + 0.75) / 2)
    assert found["mean"] == pytest.approx(np.sqrt((0.25**2 + 0.75**2) / 2) / 0.25)
    # (3/4, 1/4) against (1/2, 1/2): leaves of 5/4 and 3/4, the shares of the second file 0.4 and 2/3
    first = 0.5 * (1.25 * 0.1**2 + 0.75 * (2 / 3 - 0.5) ** 2)
    second = 0.5 * (0.75 * 0.5**2 + 1.25 * 0.3**2)
    assert found["pMSE"] == pytest.approx((first + second) / 2)
    assert found["most frequent cell"] == 0.5
    assert shares(np.array([-3.0, 0.0])).tolist() == [0.5, 0.5]


def test_every_mechanism_says_what_it_guarantees():
    table = guarantees()
    assert table["mechanism"].is_unique
    assert (table["delta"].between(0, 1)).all()
    assert set(BY_OPENDP) | set(POSTERIORS) <= set(GUARANTEES)
    local = set(table.loc[table["guarantee"] == LOCAL, "mechanism"])
    assert local == set(POSTERIORS)


def test_settings_have_their_delta_and_no_smaller_pseudocount_has(monkeypatch):
    table = settings.tuned(2.0, largest=40).set_index("mechanism")
    assert (table["delta"] <= DELTA).all()
    prior = table.loc[POISSON, "pseudocount"]
    found = slc.count_delta(slc.Poisson(), 2.0, pseudocount=0.98 * prior, smoothing="every").delta[0]
    assert found > DELTA
    monkeypatch.setattr(settings, "DELTA", 1e-30)
    with pytest.raises(InputError, match="no setting"):
        settings.tuned(2.0, largest=5)


def test_weights_achieve_the_epsilon_that_is_wanted_and_censoring_is_strict(one):
    with quiet():
        model = posterior.Weighted(one, SAMPLER, np.random.default_rng(2))
    for name, spent, rhat, made in posterior.weighted(model, 1.0, 2, np.random.default_rng(3)):
        if name == posterior.ONE or one.name != "yes or no":
            assert spent == pytest.approx(1.0, rel=0.15)
        else:
            assert spent < 0.2, "the rarer of two answers has weight 0, whatever the scale"
        assert all(m.counts.sum() == len(one.frame) for m in made)
        assert (rhat >= 0.9) if one.measured else np.isnan(rhat), "draws of a Dirichlet are no chain"
    name, spent, clipped, rhat, made = posterior.clipped(one, 2.0, SAMPLER, 3, np.random.default_rng(4))
    assert (name, spent) == (CLIPPED, pytest.approx(2.0))
    assert 0 <= clipped <= 1
    assert 0.9 <= rhat < 2
    assert all(m.counts.sum() == len(one.frame) for m in made)


@dataclass
class Sampled:
    """A fit, of which the posterior is looked at."""

    posterior: Posterior

    def _diagnose(self):
        return diagnose(self.posterior)


def test_the_largest_rhat_is_that_of_the_worst_chain_of_any_fit():
    draws = np.random.default_rng(1).normal(size=(4, 100))
    good, bad = (
        Sampled(Posterior({"a": draws, "b": d}, method="metropolis")) for d in (draws, draws + np.arange(4)[:, None])
    )
    assert posterior.largest_rhat(good) == good._diagnose().rhat.max() < 1.1
    assert posterior.largest_rhat(good, bad) == posterior.largest_rhat(bad) > 1.3
    stuck = Sampled(Posterior({"a": np.zeros((4, 100))}, method="metropolis"))
    assert posterior.largest_rhat(good, stuck) == np.inf
    exact = Sampled(Posterior({"a": draws}, method="exact"))
    assert np.isnan(posterior.largest_rhat(exact))


@pytest.fixture(scope="module")
def found():
    return recorded()


def test_the_record_says_whether_the_chains_converged_or_that_it_does_not_know(found):
    table = found.mechanisms
    without = STUDY.assemble({"mechanisms": table.drop(columns=RHAT, errors="ignore"), "settings": found.settings})
    assert "whether they converged is not known" in without.describe()
    assert not without.claims["claim"].str.contains("have converged").any()
    if RHAT not in table:  # a record of an earlier version
        table = table.assign(**{RHAT: np.nan})
        walked = (table["mechanism"] == CLIPPED) | (table["case"] == "income") & table["mechanism"].isin(
            [PLAIN, *POSTERIORS]
        )
        table.loc[walked, RHAT] = 1.0 + np.arange(walked.sum()) / 1e4
        found = STUDY.assemble({"mechanisms": table, "settings": found.settings})
    assert "not known" not in found.describe()
    walked = table[
        (table["mechanism"] == CLIPPED) | (table["case"] == "income") & table["mechanism"].isin([PLAIN, *POSTERIORS])
    ]
    assert (walked[RHAT] >= 1.0 - 0.01).all()
    assert table.drop(walked.index)[RHAT].isna().all()
    said = found.claims.loc[found.claims["claim"].str.startswith("The chains of the clipped mechanism"), "evidence"]
    assert len(said) == len(CASES)
    worst = walked[walked["mechanism"] == CLIPPED].groupby(["case", "epsilon"])[RHAT].max()
    for one, words in zip(CASES, said, strict=True):
        assert words.endswith(", ".join(f"{value:.3f}" for value in worst[one]))


def test_with_a_clip_that_touches_nothing_the_table_is_that_of_the_file():
    one = case("table", 2000, np.random.default_rng(5))
    made = posterior.clipped(one, 90.0, {**SAMPLER, "draws": 200, "tune": 800}, 20, np.random.default_rng(6))[-1]
    mean = np.mean([shares(m.counts) for m in made], axis=0)
    np.testing.assert_allclose(mean, shares(one.counts(one.frame)), atol=0.02)


def test_terms_of_a_formula_in_its_order():
    assert posterior._terms(0).shape == (1, 0)
    assert posterior._terms(2).tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]
    assert posterior._terms(3)[-1].tolist() == [1.0] * 7


def test_pseudo_random_mechanisms_repeat_with_their_seed(one):
    table = settings.tuned(4.0, largest=20)
    runs = [dict(noise.seeded(one, 4.0, table, 2, np.random.default_rng(1))) for _ in range(2)]
    assert list(runs[0]) == list(runs[1])
    for name, made in runs[0].items():
        for first, second in zip(made, runs[1][name], strict=True):
            np.testing.assert_array_equal(first.counts, second.counts)
            if one.measured:
                np.testing.assert_array_equal(first.values, second.values)


def test_noise_by_opendp_is_small_where_epsilon_is_large(one):
    pytest.importorskip("opendp")
    for name, made in noise.by_opendp(one, 12.0, 2, np.random.default_rng(1)):
        assert measure(one, made)["distance"] < 0.05, name


def test_questions_to_opendp_are_answered_better_for_more_epsilon():
    pytest.importorskip("opendp")
    one = case("income", 200, np.random.default_rng(1))
    much, little = scalar_queries.asked(one, 500.0, 3), scalar_queries.asked(one, 0.01, 3)
    assert set(much) == set(scalar_queries.QUESTIONS)
    assert much["median"] < 0.1  # every candidate between two incomes is as good
    assert much["mean"] < 0.02
    assert much["most frequent cell"] == 0.0
    assert little["mean"] > much["mean"]


def test_what_opendp_refuses_is_charged_as_the_library_says():
    pytest.importorskip("opendp")
    from synthlab.dp._opendp import library

    opendp = library("a test")
    assert scalar_queries._quantile(opendp, 0, 100_000, 0.9, 1.0).map(1) <= 1.0
    assert scalar_queries._mode(opendp, 5, 1.0).map(1) <= 1.0
    assert dp.GeometricMechanism(1.0).scale == 1.0


@pytest.mark.full
def test_a_run_is_resumed_and_ends_in_the_same_table(tmp_path):
    size = {"repetitions": 1, "records": 60, "releases": 2, "sampler": SAMPLER}
    first = STUDY.compute(1, size, tmp_path, False)
    pieces = sorted((tmp_path / "pieces").glob("*.npz"))
    assert len(pieces) == len(CASES) + len(EPSILONS)
    (tmp_path / "pieces" / "run_1_000.npz").unlink()
    again = STUDY.compute(1, size, tmp_path, False)
    assert first["settings"].equals(again["settings"])
    seeded = [table["mechanisms"].query("mechanism not in @BY_OPENDP") for table in (first, again)]
    pd.testing.assert_frame_equal(*seeded)


def test_without_opendp_its_rows_are_left_out_and_it_is_said(found, monkeypatch):
    assert "OpenDP drew" in found.describe()
    table = found.mechanisms
    few = table[~table["mechanism"].isin(BY_OPENDP)].reset_index(drop=True)
    other = STUDY.assemble({"mechanisms": few, "settings": found.settings})
    assert "is not installed" in other.describe()
    assert 0 < len(other.claims) < len(found.claims)
    assert GEOMETRIC not in set(other.utility["mechanism"])
    monkeypatch.setattr(noise.optional_dependencies, "version", lambda name: None)
    assert not noise.has_opendp()


def test_the_record_compares_at_equal_epsilon_and_marks_what_is_not(found):
    table = found.mechanisms
    strict = table[table["mechanism"] == CLIPPED]
    np.testing.assert_allclose(strict["epsilon spent"], strict["epsilon"])
    assert (found.settings["delta"] <= DELTA).all()
    assert np.isinf(table.loc[table["mechanism"].isin([COPY, PLAIN]), "epsilon"]).all()
    copies = table.loc[table["mechanism"] == COPY, list(MEASURES)]
    assert (copies.fillna(0.0) == 0.0).to_numpy().all()
    assert table["distance"].dropna().between(0, 1).all()


def test_intervals_by_hand():
    rows = {"case": "table", "mechanism": "noise", "epsilon": 1.0, **dict.fromkeys(MEASURES, np.nan)}
    found = utility(pd.DataFrame([{**rows, "distance": v} for v in (0.1, 0.2, 0.3)])).iloc[0]
    assert found["mean"] == pytest.approx(0.2)
    assert found["high"] - found["mean"] == pytest.approx(4.302653 * 0.1 / np.sqrt(3), rel=1e-5)
    assert found["repetitions"] == 3


def test_a_mechanism_without_a_row_is_undefined_at_its_epsilons(found):
    table = Rows(found.mechanisms.query("case == 'table' and repetition == 0"), "epsilon")
    assert by(table, POISSON).shape == (len(EPSILONS),)
    assert np.isnan(by(table, "none")).all()
    assert anchor(table, COPY) == 0.0


def test_the_figure_has_a_row_a_mechanism_and_a_mark_an_epsilon(found):
    chosen = found.utility.query("case == 'table' and measure == 'distance'")
    ax = plot_equal_epsilon(chosen, found.guarantees, data="real")
    assert len(ax.get_yticks()) == chosen["mechanism"].nunique()
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == [*(f"epsilon {e:g}" for e in EPSILONS), "no epsilon"]
    with pytest.raises(InputError, match="utility"):
        plot_equal_epsilon(chosen, found.guarantees.iloc[:2])
