"""Measures of identification under each meaning of a missing value, against double loops over the records."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import MissingValueError, SynthlabWarning
from synthlab.risk.posterior._selection import Admissible

RULES = ("category", "never")
DAYS = pd.date_range("2020-01-01", periods=2)
DTYPES = {
    "k": (["a", "b"], ["str", "object", "category"]),
    "s": (["u", "v"], ["str", "object", "category"]),
    "w": ([False, True], ["boolean", "object", "category"]),
    "d": (list(DAYS), ["datetime64[ns]", "object"]),
    "y": ([-4, 0, 3, 4, 8], ["float64", "Int64", "Float64"]),
    "z": ([0, 1, 2, 4], ["float64", "Int64"]),
}
KNOWN, SYNTHESIZED = (["k"], ["k", "d"], []), (["s"], ["y"], ["w", "y"], ["y", "z"], ["s", "y", "z"])


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        yield


@st.composite
def problems(draw: Any, *, synthesized: Any = SYNTHESIZED, m: int = 2, **options: Any) -> tuple[Any, Any, sl.Intruder]:
    """Draw people, m releases and an intruder; every column has missing values, in one of the forms that pandas has."""
    n, rng = draw(st.integers(1, 12)), np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.1, 0.3, 0.6]))
    dtypes = {name: draw(st.sampled_from(kinds)) for name, (_, kinds) in DTYPES.items()}

    def column(name: str, old: pd.Series | None = None) -> pd.Series:
        values = [DTYPES[name][0][place] for place in rng.integers(0, len(DTYPES[name][0]), n)]
        new = [None if gone else value for value, gone in zip(values, rng.random(n) < share, strict=True)]
        if old is not None:
            new = [a if keep else b for a, b, keep in zip(old.tolist(), new, rng.random(n) < 0.5, strict=True)]
        return pd.Series([None if pd.isna(value) else value for value in new], dtype=object).astype(dtypes[name])

    people = pd.DataFrame({name: column(name) for name in DTYPES})
    known, changed = draw(st.sampled_from(KNOWN)), draw(st.sampled_from(synthesized))
    releases = [people.assign(**{name: column(name, people[name]) for name in changed}) for _ in range(m)]
    size = draw(st.sampled_from([0, 0.5, 1, 4]))
    given = {
        "radius_kind": draw(st.sampled_from(["relative", "absolute"])),
        "boundary": draw(st.sampled_from(["closed", "open"])),
        "norm": draw(st.sampled_from(["box", "euclidean"])),
        "missing": draw(st.sampled_from(RULES)),
        **options,
    }
    radius = {name: size for name in changed if name in "yz"} or None
    return people, releases, sl.Intruder(known=known, synthesized=changed, radius=radius, **given)


def equal(one: Any, other: Any, missing: str) -> bool:
    if pd.isna(one) or pd.isna(other):
        return bool(missing == "category" and pd.isna(one) and pd.isna(other))
    return bool(one == other)


def matches(target: Any, record: Any, intruder: sl.Intruder) -> bool:
    """Return whether a released record matches a target: two dictionaries of values."""
    radii = dict(intruder.radius or {})
    if not all(equal(target[c], record[c], intruder.missing) for c in intruder.used if c not in radii):
        return False
    seen = []
    for c in radii:
        if pd.isna(target[c]) or pd.isna(record[c]):
            if not equal(target[c], record[c], intruder.missing):
                return False
        else:
            seen.append(c)
    closed, ball = intruder.boundary == "closed", 0.0
    for c in seen:
        y, x = float(target[c]), float(record[c])
        half = radii[c] * abs(y) if intruder.radius_kind == "relative" else radii[c]
        if intruder.norm == "euclidean" and len(seen) > 1:
            if half == 0 and (y != x or not closed):
                return False
            ball += (abs(x - y) / half) ** 2 if half else 0.0
        elif not (y - half <= x <= y + half if closed else y - half < x < y + half):
            return False
    return ball <= 1 if closed or not seen or not ball else ball < 1


def table(people: pd.DataFrame, other: pd.DataFrame, intruder: sl.Intruder) -> np.ndarray:
    """Return whether record h of `other` matches target i, (n, n), by two loops."""
    here, there = people.to_dict("records"), other.to_dict("records")
    return np.array([[matches(a, b, intruder) for b in there] for a in here], dtype=bool)


def known_table(people: pd.DataFrame, other: pd.DataFrame, intruder: sl.Intruder) -> np.ndarray:
    here, there = people.to_dict("records"), other.to_dict("records")
    return np.array(
        [[all(equal(a[c], b[c], intruder.missing) for c in intruder.known) for b in there] for a in here], dtype=bool
    )


def can_match(people: pd.DataFrame, intruder: sl.Intruder) -> np.ndarray:
    return np.array(
        [intruder.missing == "category" or not row.isna().any() for _, row in people[intruder.used].iterrows()]
    )


@pytest.mark.parametrize("examples", [25, pytest.param(150, marks=pytest.mark.full)])
def test_match_counts_are_those_of_two_loops(examples):
    @settings(max_examples=examples)
    @given(problems())
    def compare(problem):
        people, releases, intruder = problem
        risk = sl.identification_risk(people, releases, intruder)
        for number, other in enumerate([people, *releases]):
            inside = table(people, other, intruder)
            found, column = (risk.baseline, 0) if number == 0 else (risk, number - 1)
            assert found.match_count[:, column].tolist() == inside.sum(axis=1).tolist()
            assert found.contains_true[:, column].tolist() == inside.diagonal().tolist()

    compare()


def ir(
    people: pd.DataFrame, other: pd.DataFrame, intruder: sl.Intruder, found: np.ndarray, certain: bool
) -> np.ndarray:
    pattern, inside = known_table(people, other, intruder), table(people, other, intruder)
    alone = known_table(people, people, intruder).sum(axis=1) == 1
    size = pattern.sum(axis=1)
    share = np.array([(row & ~near).sum() / max(row.sum(), 1) for row, near in zip(pattern, inside, strict=True)])
    return np.where(alone & certain, 1.0, found * share * (size > 0))


@pytest.mark.parametrize("examples", [25, pytest.param(150, marks=pytest.mark.full)])
def test_identification_probabilities_are_those_of_two_loops(examples):
    @settings(max_examples=examples)
    @given(problems(), st.sampled_from(["formula", "certain"]))
    def compare(problem, singletons):
        people, releases, intruder = problem
        result = sl.identification_probability(people, releases, intruder, singletons=singletons)
        certain = singletons == "certain"
        expected = ir(people, people, intruder, can_match(people, intruder), certain)
        np.testing.assert_array_equal(result.confidential, expected)
        for column, other in enumerate(releases):
            own = table(people, other, intruder).diagonal()
            np.testing.assert_array_equal(result.per_dataset[:, column], ir(people, other, intruder, own, certain))
            sizes = known_table(people, other, intruder).sum(axis=1)
            np.testing.assert_array_equal(result.pattern_size[:, column], sizes)

    compare()


@pytest.mark.parametrize("examples", [25, pytest.param(150, marks=pytest.mark.full)])
def test_risk_weights_are_those_of_all_groups(examples):
    @settings(max_examples=examples)
    @given(problems(m=1), st.sampled_from([1, 2, 3, 5]), st.sampled_from(["formula", "certain"]))
    def compare(problem, order, singletons):
        people, _, intruder = problem
        pattern, inside = known_table(people, people, intruder), table(people, people, intruder)
        found, expected = can_match(people, intruder), []
        for i in range(len(people)):
            members = np.flatnonzero(pattern[i])
            groups = list(combinations(members[members != i], min(order, max(members.size, 1)) - 1))
            outside = (
                [(~inside[[i, *group]][:, members]).all(axis=0).mean() for group in groups] if members.size else [0.0]
            )
            risk = float(np.mean(outside)) if found[i] else 0.0
            expected.append(1 - (1.0 if members.size == 1 and singletons == "certain" else risk))
        result = sl.risk_weights(people, intruder, order=order, singletons=singletons)
        np.testing.assert_allclose(result.weights, expected, atol=1e-12)
        assert result.pattern_size.tolist() == pattern.sum(axis=1).tolist()
        if order == 1 and singletons == "formula":
            ir_c = sl.identification_probability(people, people, intruder).confidential
            np.testing.assert_array_equal(result.weights, 1 - ir_c)

    compare()


@pytest.mark.parametrize("examples", [25, pytest.param(150, marks=pytest.mark.full)])
def test_match_probabilities_are_those_of_two_loops(examples):
    @settings(max_examples=examples)
    @given(problems(boundary="closed"), st.booleans(), st.booleans())
    def compare(problem, fallback, in_file):
        people, releases, intruder = problem
        n, options = len(people), {}
        if not in_file:
            options = {"in_file": False, "weights": np.arange(2.0, n + 2)}
            fields = ("known", "synthesized", "radius", "radius_kind", "norm", "missing")
            intruder = sl.Intruder(**{name: getattr(intruder, name) for name in fields}, **options)
        result = sl.intruder_risk(people, releases, intruder, fallback=fallback)
        expected, known = np.zeros((n, n + 1)), known_table(people, people, intruder)
        for other in releases:
            for i, row in enumerate(table(people, other, intruder)):
                if not in_file:
                    size = max(options["weights"][row].sum(), row.sum())
                    share = row / size if row.any() else row
                    expected[i] += [*share, 1 - share.sum()]
                elif row.any():
                    expected[i, :n] += row / row.sum()
                elif fallback and known[i].any():
                    expected[i, :n] += known[i] / known[i].sum()
                else:
                    expected[i, n] += 1
        found = np.array([result.probabilities(i) for i in range(n)])
        np.testing.assert_allclose(found, expected / len(releases), atol=1e-12)

    compare()


def test_a_mahalanobis_distance_is_that_of_the_variables_that_are_there():
    rng = np.random.default_rng(1)
    people = pd.DataFrame(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)), columns=list("xyz"))
    people = people.mask(rng.random(people.shape) < 0.2)
    other = people + rng.normal(size=people.shape) / 5
    covariance = other.dropna().cov().to_numpy()
    intruder = {
        "known": [],
        "synthesized": list("xyz"),
        "radius": 0.7,
        "radius_kind": "absolute",
        "norm": "mahalanobis",
    }
    for missing in RULES:
        result = sl.intruder_risk(people, other, sl.Intruder(**intruder, missing=missing), fallback=False)
        for i, t in enumerate(people.to_numpy()):
            inside = []
            for z in other.to_numpy():
                seen = np.flatnonzero(~np.isnan(t))
                same = (np.isnan(t) == np.isnan(z)).all() and (missing == "category" or seen.size == 3)
                gap = (z - t)[seen]
                inside.append(same and gap @ np.linalg.solve(covariance[np.ix_(seen, seen)], gap) <= 0.7**2)
            expected = np.array(inside) / max(sum(inside), 1)
            np.testing.assert_allclose(result.probabilities(i)[:-1], expected, atol=1e-12)


def test_a_guess_of_the_most_frequent_value_takes_a_missing_value_as_one_or_leaves_it_out():
    people = pd.DataFrame({"s": ["u", None, "u"], "y": [1.0, np.nan, 1.0]})
    values = ([None, None, "u"], [None, None, "u"], ["u", None, "v"])
    numbers = ([np.nan, np.nan, 1.0], [np.nan, np.nan, 0.0], [1.0, np.nan, 2.0])
    releases = [pd.DataFrame({"s": s, "y": y}) for s, y in zip(values, numbers, strict=True)]
    intruder = {"known": [], "synthesized": ["s", "y"], "radius": {"y": 0.0}}
    expected = {
        # The guesses are (missing, missing), (missing, missing) and (u, 1); with "never" the first is (u, 1) too.
        "category": [[0, 0, 1], [0.5, 0.5, 0], [0, 0, 1]],
        "never": [[0.5, 0, 0.5], [0, 0, 0], [0.5, 0, 0.5]],
    }
    for missing in RULES:
        someone = sl.Intruder(**intruder, missing=missing)
        result = sl.intruder_risk(people, releases, someone, strategy="mode", fallback=False, rng=1)
        found = np.array([result.probabilities(i)[:-1] for i in range(3)])
        np.testing.assert_allclose(found, expected[missing])


@pytest.mark.parametrize("missing", RULES)
def test_released_models_that_keep_missing_values_are_simulated_from(missing):
    """Simulated datasets tend to the closed limit, which has a probability for missing values too."""
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"k": rng.choice(["a", "b"], 40), "s": rng.choice(["u", "v", None], 40)})
    people.loc[:3, "k"] = None
    fitted = sl.MultinomialRegression("s ~ k").fit(people, rng=1, draws=50, tune=50, chains=2)
    release = fitted.generate(m=2, rng=2)
    someone = sl.Intruder(known=["k"], synthesized=["s"], missing=missing)
    scenario = sl.ReleasedInformation(released="everything", models=fitted)
    drawn, limit = (
        sl.intruder_risk(people, release, someone, scenario=scenario, draws=draws, rng=3) for draws in (400, "exact")
    )
    found, exact = (np.array([one.probabilities(i) for i in range(40)]) for one in (drawn, limit))
    np.testing.assert_allclose(found, exact, atol=0.05)
    lost = people["s"].isna().to_numpy() & people["k"].notna().to_numpy()
    same = (people["k"].to_numpy()[:, None] == people["k"].to_numpy()[None, :])[lost]
    assert lost.any()
    if missing == "never":  # no guess matches them: the known variables alone
        np.testing.assert_allclose(exact[lost][:, :-1], same / same.sum(axis=1, keepdims=True), atol=1e-12)


def test_partial_knowledge_is_of_values_that_are_there():
    people = pd.DataFrame({"k": ["a", "b", None], "y": [1.0, np.nan, 3.0]})
    for name, known in (("y", sl.risk.Interval(0, 9)), ("k", sl.risk.OneOf([{"a"}, {"b"}, {"a", None}]))):
        someone = sl.Intruder(
            known=["k"], synthesized=["y"], radius={"y": 1.0}, knowledge={name: known}, missing="category"
        )
        with pytest.raises(MissingValueError, match=rf"knowledge\['{name}'\] is about values that are not missing"):
            sl.intruder_risk(people, people, someone)


@pytest.mark.parametrize("missing", RULES)
def test_levels_of_agreement_are_counted_under_each_rule(missing):
    pytest.importorskip("splink", reason="splink is not installed: the extra linkage brings it")
    rng = np.random.default_rng(3)
    people = pd.DataFrame(
        {
            "k": rng.choice(["a", "b", "c", None], 80),
            "s": rng.choice(["u", "v", "w", None], 80),
            "y": rng.integers(0, 20, 80).astype(float),
        }
    )
    people["y"] = people["y"].mask(rng.random(80) < 0.3)
    other = people.assign(s=np.where(rng.random(80) < 0.7, people["s"], "u"), y=people["y"] + rng.integers(0, 4, 80))
    other.loc[rng.random(80) < 0.1, ["s", "y"]] = None
    other.loc[people["y"].isna() & (rng.random(80) < 0.2), "y"] = 5.0
    someone = sl.Intruder(
        known=["k"], synthesized=["s", "y"], radius={"y": [1, 2]}, radius_kind="absolute", missing=missing
    )
    result = sl.linkage_risk(people, other, someone, estimate="truth", rng=1)
    counted: dict[tuple[str, str], list[int]] = {}
    for own, released in zip(people.to_dict("records"), other.to_dict("records"), strict=True):
        if missing == "never" and pd.isna(own["k"]):
            continue
        for name in ("s", "y"):
            both, either = pd.isna(own[name]) and pd.isna(released[name]), pd.isna(own[name]) or pd.isna(released[name])
            if missing == "never" and either:
                continue
            if name == "s":
                level = "equal" if both or (not either and own[name] == released[name]) else "disagree"
            elif both:
                level = "within 1"
            else:
                gap = np.inf if either else abs(own[name] - released[name])
                level = "within 1" if gap <= 1 else "within 2" if gap <= 2 else "disagree"
            counted.setdefault((name, level), []).append(1)
    table_ = result.agreement.set_index(["variable", "level"])["m"]
    for name in ("s", "y"):
        total = sum(len(v) for (variable, _), v in counted.items() if variable == name)
        for level in table_[name].index:
            assert table_[name, level] == pytest.approx(len(counted.get((name, level), [])) / total), (name, level)
    gone = people["k"].isna().to_numpy()
    assert gone.any()
    assert ((result.linked[:, 0] == -1) == (gone & (missing == "never"))).all()
    assert (result.scores.baseline[gone, 0] > 0).all() == (missing == "category")
    with pytest.raises(MissingValueError, match="missing values"):
        sl.linkage_risk(people, other, sl.Intruder(known=[], synthesized=["s"]))


@pytest.mark.parametrize("missing", RULES)
def test_the_expected_probability_is_that_of_many_releases(missing):
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"k": rng.choice(["a", "b", None], 60), "y": rng.lognormal(3, 0.5, 60)})
    people["y"] = people["y"].mask(rng.random(60) < 0.3)
    fitted = sl.FiniteMixture("y ~ 1", classes=1, transform="log").fit(people, rng=1, draws=200, tune=100)
    someone = sl.Intruder(known=["k"], synthesized=["y"], radius={"y": 0.3}, missing=missing)
    exact = sl.expected_identification_probability(people, fitted, someone)
    drawn = sl.identification_probability(people, fitted.generate(m=400, rng=1), someone)
    np.testing.assert_allclose(exact, drawn.record, atol=0.1)
    assert exact.mean() == pytest.approx(drawn.record.mean(), abs=0.01)
    lost = people[["k", "y"]].isna().any(axis=1).to_numpy()
    assert (exact[lost] == 0).all() == (missing == "never")
    with pytest.raises(MissingValueError, match="'k' has"):
        sl.expected_identification_probability(
            people, fitted, sl.Intruder(known=["k"], synthesized=["y"], radius={"y": 1})
        )


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float64"])
def test_a_missing_guess_that_the_selection_excludes_is_replaced(dtype):
    rng, n = np.random.default_rng(1), 40
    people = pd.DataFrame({"s": rng.choice(list("uvw"), n), "w": rng.random(n) < 0.5, "y": rng.integers(0, 9, n)})
    people["y"] = people["y"].astype(dtype)
    gaps = {"s": "str", "w": "boolean", "y": "float64" if dtype == "float64" else "Int64"}
    frames = [people.astype(gaps).mask(rng.random((n, 3)) < 0.4) for _ in range(2)]
    frames.append(people.copy())  # of the dtypes that hold no missing value
    frames[2].loc[: n // 2, "y"] = 20
    selection = {"s": sl.risk.OneOf([{"u", "v", "w"}] * n), "y": sl.risk.Interval(0, 9)}
    admissible = Admissible.of(selection, people, ["s", "w", "y"])
    for before, after in zip(frames, admissible.repair(frames, ["s", "w", "y"], rng), strict=True):
        good = before["s"].notna() & before["y"].notna() & (before["y"] <= 9)
        assert after["s"].isin(list("uvw")).all()
        assert after["y"].between(0, 9).all()
        pd.testing.assert_frame_equal(after[good], before[good], check_dtype=False)
    with pytest.raises(MissingValueError, match=r"selection\['s'\] is about values that are not missing"):
        Admissible.of(selection, people.assign(s=None), ["s", "w", "y"])
