"""Attacks on membership: a copied file, releases without the data, exact answers, and claims that hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab as sl
from synthlab import dp
from synthlab._system import parallel
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.risk.membership._membership_attack_result import area_interval
from tests.loops import every

PEOPLE = pd.DataFrame({"x": [0.0, 0.4, 1.0, 0.7, 5.0], "g": list("aabba")}, index=list("vwxyz"))
FEW = {"fits": 40, "false_positives": 0.1, "n_jobs": 1}


@dataclass
class Home:
    """A synthesizer made at home: `make` of the records and a stream is the release."""

    make: Any
    data: Any = None

    def fit(self, frame, *, rng=None):
        return replace(self, data=frame)

    def generate(self, m, rng=None):
        return [self.make(self.data, stream) for stream in rng.spawn(m)]


COPY = Home(lambda frame, rng: frame)
BLIND = Home(lambda frame, rng: pd.DataFrame({"x": rng.normal(size=5), "g": "a"}))


def noisy_mean(sd):
    return Home(lambda frame, rng: pd.DataFrame({"x": [frame["x"].mean() + rng.normal(0, sd)]}))


def test_a_synthesizer_that_returns_the_file_is_told_and_the_bound_grows_with_the_fits():
    epsilons = []
    for fits in (20, 60, 180):
        found = sl.membership_attack(PEOPLE, COPY, targets=[0, 4], fits=fits, false_positives=0.1, rng=1, n_jobs=1)
        assert found.auc.tolist() == found.advantage.tolist() == found.true_positives.tolist() == [1, 1]
        assert found.fits == fits // 2
        tail = (0.05 / 2 / 2) ** (1 / found.fits)  # Bonferroni over two records, two tails
        assert found.epsilon_lower == pytest.approx([np.log(tail / (1 - tail))] * 2)
        assert 0 < found.auc_interval[0, 0] < 1 == found.auc_interval[0, 1]
        epsilons.append(found.epsilon)
    assert (np.diff(epsilons) > 1).all()


def test_a_copy_of_one_record_of_many_alike_is_told_as_well():
    many = pd.DataFrame({"ill": ["no"] * 9 + ["yes"]})
    assert sl.membership_attack(many, COPY, targets=[0], rng=1, **FEW).auc.tolist() == [1]
    alike = many[:9]  # another in the place of one of them changes nothing; nobody in it does
    assert sl.membership_attack(alike, COPY, targets=[0], rng=1, **FEW).auc.tolist() == [0.5]
    assert sl.membership_attack(alike, COPY, targets=[0], adjacency="add-remove", rng=1, **FEW).auc.tolist() == [1]


def test_how_many_records_there_are_does_not_tell_where_another_takes_the_place():
    size = Home(lambda frame, rng: pd.DataFrame({"x": np.zeros(len(frame)), "g": "a"}))
    score = {"score": lambda release, record: len(release[0])}
    assert sl.membership_attack(PEOPLE, size, rng=1, **score, **FEW).auc.tolist() == [0.5]
    assert sl.membership_attack(PEOPLE, size, adjacency="add-remove", rng=1, **score, **FEW).auc.tolist() == [1]


def test_the_other_record_is_one_of_the_file_that_differs_the_same_in_all_fits():
    seen = []
    home = Home(lambda frame, rng: seen.append(frame["x"].tolist()) or frame)
    twins = PEOPLE.assign(x=[1.0, 1.0, 1.0, 1.0, 2.0], g="a")
    sl.membership_attack(twins, home, targets=[0], rng=1, **FEW)
    assert {tuple(x) for x in seen} == {(1, 1, 1, 1, 2), (2, 1, 1, 1, 2)}


def test_a_release_without_the_data_tells_nothing():
    found = sl.membership_attack(PEOPLE, BLIND, fits=240, rng=1, n_jobs=1)
    assert found.auc_interval[0, 0] < 0.5 < found.auc_interval[0, 1]
    assert found.advantage_interval[0, 0] < 0 < found.advantage_interval[0, 1]
    assert found.epsilon < 0.2
    for phrase in ("do not reassure", "not what its values are", "sees the release", "of row 4"):
        assert phrase in found.title
    constant = sl.membership_attack(PEOPLE, BLIND, score=lambda release, record: 7, rng=1, **FEW)
    assert (constant.auc[0], constant.advantage[0], constant.epsilon, constant.statistic) == (0.5, 0, 0, ("score",))


def test_the_area_is_that_of_two_normals():
    """The mean of five with the outlier is 1.42, without 0.525; noise of sd 1: AUC = Phi(0.895 / sqrt 2)."""
    exact = stats.norm.cdf((1.42 - 0.525) / np.sqrt(2))
    found = sl.membership_attack(
        PEOPLE[["x"]],
        noisy_mean(1.0),
        fits=600,
        rng=3,
        n_jobs=1,
        adjacency="add-remove",
        score=lambda release, record: -release[0]["x"][0],
    )
    assert found.auc[0] == pytest.approx(exact, abs=0.05)
    assert found.auc_interval[0, 0] < exact < found.auc_interval[0, 1]
    best = 2 * stats.norm.cdf((1.42 - 0.525) / 2) - 1
    assert found.advantage[0] == pytest.approx(best, abs=0.1)
    assert found.advantage_interval[0, 0] < best < found.advantage_interval[0, 1]
    curve = found.roc()
    assert found.true_positives[0] == curve.loc[curve["false_positives"] <= 0.01, "true_positives"].max()


def noisy_counts(scale):
    """Counts of the two groups with Laplace noise, released as that many records of either."""

    def make(frame, rng):
        groups = frame["g"].tolist()
        counts = np.maximum(np.rint([groups.count(g) + rng.laplace(0, scale) for g in "ab"]), 0).astype(int)
        return pd.DataFrame({"g": ["a"] * (counts[0] + 1) + ["b"] * counts[1]})

    return Home(make)


@pytest.mark.parametrize(
    ("fits", "least", "scale"), [(250, 0.1, 0.2), pytest.param(800, 0.2, 0.4, marks=pytest.mark.full)]
)
def test_a_claim_that_holds_is_not_refuted_and_one_that_does_not_is(fits, least, scale):
    options = {"targets": [0], "variables": ["g"], "adjacency": "add-remove", "fits": fits, "level": 0.99, "n_jobs": 1}
    one = {"score": lambda release, record: release[0]["g"].tolist().count(record["g"])}
    honest = sl.membership_attack(PEOPLE[["g"]], noisy_counts(1.0), rng=1, **options, **one)
    assert least < honest.epsilon <= 1.0
    broken = sl.membership_attack(PEOPLE[["g"]], noisy_counts(scale), rng=1, **options, **one)
    assert broken.epsilon > 1.0
    loose = sl.membership_attack(PEOPLE[["g"]], noisy_counts(scale), rng=1, delta=0.3, **options, **one)
    assert loose.epsilon < broken.epsilon
    assert "at delta 0.3" in loose.title


def test_the_scores_of_a_private_synthesizer_are_below_its_claim():
    """The statistics of the package on a table of the package, with the prior that its promise demands."""
    levels = {"g": ["a", "b"]}
    made = Home(
        lambda frame, rng: pd.DataFrame(
            {
                "g": np.repeat(
                    ["a", "b"], dp.private_table(frame, levels=levels, n_synthetic=5, epsilon=1.0, rng=rng).counts[:, 0]
                )
            }
        )
    )
    found = sl.membership_attack(
        PEOPLE[["g"]], made, targets=[2], adjacency="add-remove", fits=200, level=0.999, rng=1, n_jobs=1
    )
    assert found.epsilon <= 1.0
    assert found.auc[0] > 0.5


@dataclass
class Drawn:
    """A normal with the mean of the data, of which the fit holds draws."""

    sd: float = 1.0
    draws: Any = None
    synthesized: tuple[str, ...] = ("x",)

    def fit(self, frame, *, rng=None):
        return replace(self, draws=frame["x"].mean() + rng.normal(0, self.sd, 8))

    def log_density(self, frame):
        return stats.norm.logpdf(frame["x"].to_numpy()[None], self.draws[:, None])


def test_of_the_parameters_one_draw_is_seen_and_its_log_density_scored():
    found = sl.membership_attack(
        PEOPLE[["x"]], Drawn(), sees="parameters", adjacency="add-remove", fits=400, rng=1, n_jobs=1
    )
    exact = stats.norm.cdf((1.42 - 0.525) / np.sqrt(2))
    assert found.statistic == ("log density",)
    assert found.auc_interval[0, 0] < exact < found.auc_interval[0, 1]
    assert "sees a draw of the parameters" in found.title
    more = sl.membership_attack(
        PEOPLE[["x"]], Drawn(), sees="parameters", adjacency="add-remove", fits=400, m=8, rng=1, n_jobs=1
    )
    assert more.auc[0] > found.auc[0] + 0.1
    with pytest.raises(InputError, match="m=9: must be at most 8"):
        sl.membership_attack(PEOPLE[["x"]], Drawn(), sees="parameters", m=9, rng=1, **FEW)
    with pytest.raises(InputError, match="a fit of Home has no log_density"):
        sl.membership_attack(PEOPLE, COPY, sees="parameters", rng=1, **FEW)
    own = sl.membership_attack(
        PEOPLE[["x"]],
        Drawn(0.01),
        sees="parameters",
        score=lambda fit, record: fit.draws[0] * record["x"],
        rng=1,
        **FEW,
    )
    assert own.auc.tolist() == [1]


def test_a_level_that_is_fitted_only_with_the_record_gives_it_away():
    people = pd.DataFrame({"ill": ["yes"] + ["no"] * 8})
    found = sl.membership_attack(
        people,
        sl.DirichletMultinomial(["ill"]),
        sees="parameters",
        fits=20,
        false_positives=0.1,
        rng=1,
        n_jobs=1,
        draws=4,
    )
    assert found.auc.tolist() == [1]


def test_another_person_in_the_place():
    seen = []

    def keep(frame, rng):
        seen.append(frame)
        return frame

    other = pd.DataFrame({"g": ["b"], "x": [0.2]})
    found = sl.membership_attack(PEOPLE, Home(keep), targets=[1], replacement=other, rng=1, **FEW)
    assert (found.adjacency, found.auc[0], found.labels) == ("replace", 1, ("w",))
    worlds = {tuple(frame["x"]) for frame in seen}
    assert worlds == {(0.0, 0.4, 1.0, 0.7, 5.0), (0.0, 0.2, 1.0, 0.7, 5.0)}
    assert all(frame.columns.tolist() == ["x", "g"] and frame.index.equals(PEOPLE.index) for frame in seen)
    left_out = sl.membership_attack(PEOPLE, Home(keep), targets=[1], adjacency="add-remove", rng=1, **FEW)
    assert left_out.adjacency == "add-remove"
    assert len(seen[-1]) == 4
    assert "w" not in seen[-1].index


def test_by_default_the_record_furthest_out_is_asked_about():
    found = sl.membership_attack(PEOPLE, COPY, rng=1, **FEW)
    assert (found.targets.tolist(), found.worst) == ([4], "z")
    assert found.to_frame().index.tolist() == ["z"]
    assert found.summary().index.tolist() == [4]
    assert "'z'" not in str(found.to_dict())


def test_of_several_records_the_one_told_best_is_named():
    only_z = Home(lambda frame, rng: pd.DataFrame({"x": [5.0 if "z" in frame.index else rng.normal()], "g": ["a"]}))
    found = sl.membership_attack(PEOPLE, only_z, targets=[0, 4, 2], adjacency="add-remove", rng=1, **FEW)
    assert found.worst == "z"
    assert found.auc[1] == 1
    assert (found.auc[[0, 2]] < 1).all()
    assert "largest AUC of 3 records: row 4" in found.title
    assert found.epsilon == found.epsilon_lower[1]


def test_only_what_is_synthesized_is_compared():
    whole = sl.membership_attack(PEOPLE, COPY, variables=["g"], rng=1, **FEW)
    assert whole.statistic == ("copies",)

    class Partial(Home):
        def generate(self, m, rng=None):
            return sl.Release([self.make(self.data, rng)], synthesized=["x"])

    partial = Partial(lambda frame, rng: frame.assign(x=rng.normal(size=len(frame))))
    assert sl.membership_attack(PEOPLE, partial, targets=[0], rng=2, **FEW).auc[0] < 0.8
    kept = sl.membership_attack(PEOPLE.assign(k=range(5)), partial, targets=[0], variables=["k"], rng=2, **FEW)
    assert kept.auc[0] == 1  # the unchanged values show who is there


def test_the_same_seed_gives_the_same_attack():
    one, same, other = (
        sl.membership_attack(PEOPLE[["x"]], noisy_mean(1.0), rng=seed, **FEW).inside for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()
    longer = sl.membership_attack(PEOPLE[["x"]], noisy_mean(1.0), rng=1, **{**FEW, "fits": 80}).inside
    assert longer.shape == (1, 40)


@pytest.mark.parametrize("sees", ["release", "parameters"])
def test_two_workers_find_the_same_as_one(monkeypatch, sees):
    """As if the fits were long enough for workers to pay; what one returns is told by its process."""
    monkeypatch.setattr(parallel, "_pays", lambda *given: True)
    here = []
    sent = parallel._send
    monkeypatch.setattr(parallel, "_send", lambda *given: here.append(len(given[2])) or sent(*given))
    options = {"sees": sees, "targets": [0, 4], "fits": 24, "false_positives": 0.1, "rng": 5}
    synthesizer = noisy_mean(1.0) if sees == "release" else Drawn()
    one, two = (sl.membership_attack(PEOPLE[["x"]], synthesizer, n_jobs=jobs, **options) for jobs in (1, 2))
    assert here == [72]
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    np.testing.assert_array_equal(one.inside, two.inside)
    np.testing.assert_array_equal(one.outside, two.outside)
    assert one.title == two.title


def test_too_few_fits_for_a_rate():
    with pytest.warns(UndefinedStatisticWarning, match="20 test fits .*rate of 0.01.*use at least 200 fits"):
        found = sl.membership_attack(PEOPLE, COPY, fits=40, rng=1, n_jobs=1)
    assert np.isnan(found.true_positives).all()


@pytest.mark.parametrize(("auc", "runs"), [(0.5, 10), (0.8, 50), (1.0, 20), (0.0, 20), (0.999, 200)])
def test_the_interval_of_an_area_is_that_of_newcombe(auc, runs):
    """Its ends are z standard errors of Hanley and McNeil (1982) away, those of the ends themselves."""
    for end, outer in zip(area_interval(auc, runs, 0.95), (0.0, 1.0), strict=True):
        if end == outer == auc:
            continue
        q1, q2 = end / (2 - end), 2 * end**2 / (1 + end)
        variance = (end * (1 - end) + (runs - 1) * (q1 - end**2) + (runs - 1) * (q2 - end**2)) / runs**2
        assert abs(end - auc) == pytest.approx(1.959964 * np.sqrt(variance), rel=1e-5)


def test_the_interval_of_an_area_covers_it():
    rng = np.random.default_rng(1)
    exact, covered = stats.norm.cdf(2 / np.sqrt(2)), 0
    for _ in range(400):
        auc = stats.mannwhitneyu(rng.normal(2, 1, 20), rng.normal(0, 1, 20)).statistic / 400
        low, high = area_interval(float(auc), 20, 0.9)
        covered += low <= exact <= high
    assert 0.86 < covered / 400 < 0.97


@every(
    ("changed", "message"),
    [
        ({"fits": 1}, "fits=1: must be an int >= 20"),
        ({"m": 0}, "m=0"),
        ({"delta": 1.0}, r"delta=1.0: must be a finite number in \[0, 1\)"),
        ({"delta": -0.1}, "delta"),
        ({"level": 1.0}, "level"),
        ({"false_positives": 0.0}, "false_positives"),
        ({"sees": "all"}, "sees='all'"),
        ({"score": 3}, "score=3: must be a function"),
        ({"score": lambda release, record: float("nan")}, "score: must return one finite number"),
        ({"score": lambda release, record: "much"}, "score: must return one finite number"),
        ({"score": lambda release, record: [1, 2]}, "score: must return one finite number"),
        ({"targets": [5]}, "targets"),
        ({"variables": ["h"]}, "variables: 'h' not in confidential"),
        ({"n_jobs": 0}, "n_jobs=0: must be an int >= 1"),
        ({"progress": "yes"}, "progress='yes'"),
        ({"adjacency": "both"}, "adjacency='both'"),
        (
            {"adjacency": "add-remove", "replacement": PEOPLE.iloc[[0]]},
            "replacement: does not apply to adjacency",
        ),
        (
            {"confidential": PEOPLE.assign(x=[1, 2, 3, 4, 5]), "replacement": PEOPLE.iloc[[1]]},
            "replacement: must have the dtypes of confidential",
        ),
        (
            {"confidential": PEOPLE.astype({"g": "category"}), "replacement": PEOPLE.iloc[[1]].assign(g="new")},
            "replacement: must have the dtypes of confidential",
        ),
        ({"replacement": PEOPLE}, "replacement: must be one row with the columns of confidential"),
        ({"replacement": PEOPLE[["x"]].iloc[[0]]}, "replacement"),
        ({"synthesizer": Home}, "must be a synthesizer, an object with a fit method"),
        ({"confidential": PEOPLE.iloc[:0]}, "confidential: has 0 rows"),
        ({"confidential": PEOPLE.iloc[:1]}, "confidential: has only 1 record"),
        ({"confidential": PEOPLE.assign(x=np.inf)}, "'x' of confidential has an infinite value"),
    ],
)
def test_bad_arguments_are_named(changed, message):
    arguments = {"confidential": PEOPLE, "synthesizer": COPY, "rng": 1, **FEW, **changed}
    with pytest.raises(InputError, match=message):
        sl.membership_attack(**arguments)


def test_a_curve_is_of_one_of_the_targets():
    found = sl.membership_attack(PEOPLE, COPY, targets=[0, 1], rng=1, **FEW)
    assert found.roc(1)["true_positives"].iloc[-1] == 1
    with pytest.raises(InputError, match="target=2"):
        found.roc(2)
