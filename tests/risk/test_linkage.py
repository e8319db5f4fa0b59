"""linkage_risk: links by hand, EM against the truth, random ties, and the edges."""

from __future__ import annotations

import gc
import random
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import (
    ConvergenceWarning,
    ExtraUnavailableError,
    InputError,
    MissingValueError,
    NoBetterThanBaselineWarning,
    RowAlignmentError,
    UndefinedStatisticWarning,
)
from synthlab.intruder import Intruder
from synthlab.risk import LinkageResult, linkage_risk
from synthlab.risk.linkage import _splink
from synthlab.risk.linkage._assignment import assign
from synthlab.risk.linkage._splink import Pairs
from synthlab.risk.linkage.linkage_risk import _random_link
from tests.asking import ask
from tests.loops import every

pytest.importorskip("splink", reason="the extra linkage is not installed")
ODD = 'job "title"; drop table'


def pairs_of(matrices: dict[int, np.ndarray], left: np.ndarray, right: np.ndarray) -> Pairs:
    rows, columns, weights = [], [], []
    for block, matrix in matrices.items():
        for i, row in enumerate(np.flatnonzero(left == block)):
            for j, column in enumerate(np.flatnonzero(right == block)):
                rows.append(row)
                columns.append(column)
                weights.append(float(matrix[i, j]))
    weight = np.array(weights)
    return Pairs(np.array(rows), np.array(columns), weight, 1 / (1 + 2.0**-weight))


def test_the_sum_of_weights_decides_and_not_the_best_pair():
    left, right = np.array([0, 0, 1, 2]), np.array([0, 0, 1, 3])
    matrices = {0: np.array([[5.0, 4.0], [4.0, 0.0]]), 1: np.array([[-3.0]])}
    linked, probability = assign(left, right, pairs_of(matrices, left, right), np.random.default_rng(1))
    # 4 + 4 beats 5 + 0; the one pair of block 1 is linked, block 2 has nobody to link to.
    assert linked.tolist() == [1, 0, 2, -1]
    np.testing.assert_allclose(probability, [16 / 17, 16 / 17, 1 / 9, np.nan])


def test_more_records_than_released_ones():
    left, right = np.array([0, 0, 0]), np.array([0, 0])
    matrices = {0: np.array([[1.0, 9.0], [2.0, 3.0], [8.0, 1.0]])}
    linked, _ = assign(left, right, pairs_of(matrices, left, right), np.random.default_rng(1))
    assert linked.tolist() == [1, -1, 0]


def test_records_that_cannot_be_told_apart_are_linked_at_random():
    blocks = np.zeros(5, dtype=np.int64)
    pairs = pairs_of({0: np.ones((5, 5))}, blocks, blocks)
    rng = np.random.default_rng(2)
    own = np.mean([assign(blocks, blocks, pairs, rng)[0] == np.arange(5) for _ in range(2000)])
    assert own == pytest.approx(1 / 5, abs=0.02)


def test_baseline_by_hand():
    before, after = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])
    # Block 0 has three people and two released records, block 1 two and three; the third left its block.
    np.testing.assert_allclose(_random_link(before, after), [1 / 3, 1 / 3, 0, 1 / 3, 1 / 3])


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 400
    frame = pd.DataFrame({"region": rng.integers(0, 10, n), "income": rng.lognormal(3, 1, n)})
    frame[ODD] = rng.choice(list("abcde"), n)
    frame["gap"] = np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n))
    return frame


@pytest.fixture(scope="module")
def links(survey) -> LinkageResult:
    rng = np.random.default_rng(2)
    released = survey.assign(
        income=survey["income"] * np.exp(rng.normal(0, 0.1, len(survey))),
        **{ODD: np.where(rng.random(len(survey)) < 0.8, survey[ODD], rng.choice(list("abcde"), len(survey)))},
    )
    compared = ["income", ODD, "gap"]
    radius = {"income": [0.1, 0.3], "gap": 1.0}
    return linkage_risk(
        survey,
        released,
        Intruder(known=["region"], synthesized=compared, radius=radius, missing="never"),
        rng=1,
        progress=False,
    )


def test_em_finds_the_probabilities(links):
    table = links.agreement.set_index(["variable", "level"])
    # exp(N(0, 0.1)) lies within 0.9 and 1.1 with probability 0.684; a job is kept or met by chance with 0.84.
    assert table.loc[("income", "within 0.1"), "m"] == pytest.approx(0.684, abs=0.08)
    assert table.loc[(ODD, "equal"), "m"] == pytest.approx(0.84, abs=0.12)
    assert table.loc[(ODD, "equal"), "u"] == pytest.approx(0.2, abs=0.03)
    assert table.loc[("gap", "within 1"), "m"] > 0.95
    ratio = table.loc[(ODD, "equal")]
    assert ratio["weight"] == pytest.approx(np.log2(ratio["m"] / ratio["u"]))


def test_links_beat_their_baseline_and_are_one_to_one(links, survey):
    assert links.baseline == pytest.approx(10 / 400)
    assert links.attack > 0.4
    low, high = links.interval
    assert links.baseline < low < links.attack < high
    assert sorted(links.linked[:, 0]) == list(range(400))
    assert (survey["region"].to_numpy()[links.linked[:, 0]] == survey["region"].to_numpy()).all()
    np.testing.assert_array_equal(links.correct[:, 0], links.linked[:, 0] == np.arange(400))


def test_thresholds(links):
    with pytest.warns(UndefinedStatisticWarning, match="thresholds: no link reaches 1 of 3; their shares are 0/0"):
        table = links.by_threshold([0.0, 0.5, 1.0])
    claimed = links.probability[:, 0] >= 0.5
    assert table.loc[0.0, "links"] == 400
    assert table.loc[0.0, "share_true"] == pytest.approx(links.attack)
    assert table.loc[0.5, "links"] == claimed.sum()
    assert table.loc[0.5, "true_links"] == (claimed & links.correct[:, 0]).sum()
    assert table.loc[0.5, "share_true"] == pytest.approx(links.correct[claimed, 0].mean())
    assert table.loc[0.5, "found"] == pytest.approx((claimed & links.correct[:, 0]).mean())
    assert table.loc[0.5, "low"] < table.loc[0.5, "share_true"] < table.loc[0.5, "high"]
    assert np.isnan(table.loc[1.0, "share_true"])
    assert table.loc[1.0, "links"] == 0
    with pytest.raises(InputError, match="thresholds=2"):
        links.by_threshold([2])
    assert "One-to-one linkage of 400 records" in str(links)


def test_the_same_seed_gives_the_same_links_and_no_signal_warns(survey):
    nothing = survey.assign(income=1.0)
    someone = Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    results = []
    for _ in range(2):
        with pytest.warns(NoBetterThanBaselineWarning, match="one-to-one linkage is right with probability"):
            results.append(linkage_risk(survey.iloc[:100], nothing.iloc[:100], someone, rng=8))
    np.testing.assert_array_equal(results[0].linked, results[1].linked)


def test_with_the_truth_the_probabilities_are_those_of_the_pairs(survey):
    income = survey["income"] * np.where(np.arange(400) % 4 == 0, 2.0, 1.05)
    someone = Intruder(known=["region"], synthesized=["income"], radius={"income": [0.1, 0.5]})
    links = linkage_risk(survey, survey.assign(income=income), someone, estimate="truth", rng=3)
    # Three quarters lie within 10%, one quarter at twice the value.
    assert links.agreement["m"].fillna(0).tolist() == pytest.approx([0.75, 0, 0.25])
    assert links.attack > 0.3


def test_the_random_numbers_of_the_standard_library_are_left_alone(survey):
    state = random.getstate()
    someone = Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    linkage_risk(survey, survey, someone, rng=1, progress=False)
    assert random.getstate() == state


def test_without_the_library(survey, monkeypatch):
    monkeypatch.setitem(sys.modules, "splink", None)
    with pytest.raises(ExtraUnavailableError, match=r"pip install .*'splink"):
        linkage_risk(survey, survey, Intruder(known=["region"], synthesized=[ODD]), progress=False)


@every(
    ("change", "error", "match"),
    [
        ({"norm": "euclidean"}, InputError, "norm='euclidean': linkage_risk takes 'box'"),
        ({"radius": {"income": [-0.1, 0.1]}}, InputError, "radius"),
        ({"radius": None}, InputError, "no radius"),
        ({"known": ["gap"]}, MissingValueError, "'gap' has"),
        ({"synthesized": ["gap"], "radius": {"gap": 1}}, MissingValueError, "'gap' has"),
        ({"thresholds": [1.5]}, InputError, r"thresholds: must be finite numbers in \[0, 1\]; 1 of 1 entries"),
        ({"estimate": "guess"}, InputError, "estimate='guess'"),
    ],
)
def test_errors(survey, change, error, match):
    arguments = {"known": ["region"], "synthesized": ["income"], "radius": {"income": 0.1}, **change}
    with pytest.raises(error, match=match):
        ask(linkage_risk, survey, survey, **arguments)


def test_more_errors(survey, monkeypatch):
    someone = Intruder(known=[], synthesized=[ODD])
    with pytest.raises(RowAlignmentError, match="has 10 rows"):
        linkage_risk(survey, survey.iloc[:10], someone)
    with pytest.raises(
        InputError,
        match="known: no confidential record has the same values of .'region'. as a record of synthetic dataset 1",
    ):
        linkage_risk(survey, survey.assign(region=99), Intruder(known=["region"], synthesized=[ODD]))
    monkeypatch.setattr("synthlab.risk.linkage._linkage_input.MAX_PAIRS", 1000)
    with pytest.raises(InputError, match="leave 160,000 pairs within blocks"):
        linkage_risk(survey, survey, someone)


def test_nothing_of_the_library_outlives_a_call(survey):
    someone = Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    gc.disable()  # what dies, dies by the function itself
    try:
        linkage_risk(survey, survey, someone, rng=1)
        left = [type(thing).__name__ for thing in gc.get_objects()]
    finally:
        gc.enable()
    assert not {"DuckDBAPI", "Linker"} & set(left)


def test_the_title_names_the_blocks(links):
    assert f"blocked on {', '.join(links.blocking)}, compared on" in links.title


def own_em(levels: list[np.ndarray], prior: float, m: list[np.ndarray], steps: int) -> tuple:
    """EM over all pairs, one number per pair and variable; -1 is a missing value. Return m, u, match probabilities."""
    there = [level >= 0 for level in levels]
    u = [np.bincount(one[use], minlength=p.size) / use.sum() for one, use, p in zip(levels, there, m, strict=True)]
    for step in range(steps + 1):
        match, other = np.full(levels[0].size, prior), np.full(levels[0].size, 1 - prior)
        for one, use, pm, pu in zip(levels, there, m, u, strict=True):
            match *= np.where(use, pm[one], 1)
            other *= np.where(use, pu[one], 1)
        share = match / (match + other)
        if step == steps:
            return np.concatenate(m), np.concatenate(u), share
        for j, (one, use) in enumerate(zip(levels, there, strict=True)):
            m[j], u[j] = (np.bincount(one[use], w[use], minlength=m[j].size) / w[use].sum() for w in (share, 1 - share))


@pytest.mark.parametrize("seed", [3, 5])
def test_em_runs_until_the_likelihood_is_at_its_maximum(seed):
    rng = np.random.default_rng(seed)
    n = 100
    people = pd.DataFrame({"r": rng.choice(list("NESW"), n), "x": rng.normal(50, 10, n).round(1)})
    people["c"], people["d"] = rng.choice(list("abcde"), n), rng.choice(list("pqr"), n)
    released = people.assign(
        x=(people["x"] * rng.uniform(0.93, 1.07, n)).round(1),
        c=np.where(rng.random(n) < 0.7, people["c"], rng.choice(list("abcde"), n)),
        d=pd.Series(np.where(rng.random(n) < 0.8, people["d"], "p")).where(rng.random(n) < 0.9),
    )
    someone = Intruder(known=["r"], synthesized=["x", "c", "d"], radius={"x": [0.03, 0.1]}, missing="never")
    links = linkage_risk(people, released, someone, rng=1)
    i, j = np.nonzero(people["r"].to_numpy()[:, None] == released["r"].to_numpy())
    own, other = people.iloc[i].reset_index(drop=True), released.iloc[j].reset_index(drop=True)
    distance = (other["x"] - own["x"]).abs()
    x = np.where(distance <= 0.03 * own["x"], 0, np.where(distance <= 0.1 * own["x"], 1, 2))
    equal = [np.where(other[c].isna(), -1, own[c] != other[c]).astype(int) for c in ("c", "d")]
    start = [np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.4]), np.array([0.7, 0.3])]
    m, u, share = own_em([x, *equal], n / i.size, start, 3_000)
    np.testing.assert_allclose(links.agreement["m"], m, atol=2e-4)
    np.testing.assert_allclose(links.agreement["u"], u, atol=2e-4)
    linked = links.linked[i, 0] == j
    np.testing.assert_allclose(links.probability[i[linked], 0], share[linked], atol=2e-4)


def test_em_that_has_not_converged_warns(survey, monkeypatch):
    monkeypatch.setattr(_splink, "ITERATIONS", 3)
    someone = Intruder(known=["region"], synthesized=[ODD], radius=None)
    released = survey.assign(**{ODD: np.where(np.arange(400) % 4 == 0, "a", survey[ODD])})
    with pytest.warns(ConvergenceWarning, match="3 iterations") as caught:
        linkage_risk(survey, released, someone, rng=1)
    assert {Path(w.filename).name for w in caught if w.category is ConvergenceWarning} == {Path(__file__).name}
