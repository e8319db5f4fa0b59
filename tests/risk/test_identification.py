"""identification_risk: a table worked by hand, a brute-force definition, the edges."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import (
    DtypeMismatchError,
    InputError,
    KnownVariableChangedWarning,
    MissingValueError,
    NoBetterThanBaselineWarning,
    NoUniqueMatchWarning,
    RowAlignmentError,
    SynthlabWarning,
)


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame({"region": list("NNNSSS"), "income": [10.0, 20.0, 40.0, 15.0, 30.0, 30.0]})


def quiet(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.identification_risk(*args, sl.Intruder(**kwargs))


def plain_loop(confidential, synthetic, known, synthesized, radius, kind, boundary, norm):
    """The definition, record by record."""
    count, own = [], []
    for i in range(len(confidential)):
        matches = []
        for h in range(len(synthetic)):
            same = all(confidential[c].iloc[i] == synthetic[c].iloc[h] for c in known + synthesized if c not in radius)
            distance = []
            for column, r in radius.items():
                y, z = confidential[column].iloc[i], synthetic[column].iloc[h]
                d = r * abs(y) if kind == "relative" else r
                if norm == "box":
                    same &= (y - d <= z <= y + d) if boundary == "closed" else (y - d < z < y + d)
                elif d == 0:
                    same &= z == y and boundary == "closed"
                else:
                    distance.append(((z - y) / d) ** 2)
            if norm == "euclidean":
                same &= sum(distance) <= 1 if boundary == "closed" else sum(distance) < 1
            if same:
                matches.append(h)
        count.append(len(matches))
        own.append(i in matches)
    return np.array(count), np.array(own)


def test_six_rows_by_hand(people):
    synthetic = people.assign(income=[11.0, 33.0, 41.0, 30.0, 16.0, 31.0])
    with pytest.warns(NoBetterThanBaselineWarning, match=r"finds 2.00 of 6 targets"):
        risk = sl.identification_risk(
            people, synthetic, sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})
        )
    assert risk.match_count[:, 0].tolist() == [1, 0, 2, 1, 2, 2]
    assert risk.contains_true[:, 0].tolist() == [True, False, True, False, False, True]
    assert risk.unique_true[:, 0].tolist() == [True, False, False, False, False, False]
    assert risk.unique_false[:, 0].tolist() == [False, False, False, True, False, False]
    assert risk.record_match_risk[:, 0].tolist() == [1, 0, 0.5, 0, 0, 0.5]
    assert risk.expected_match_risk[0] == 2
    assert risk.true_match_rate[0] == 1 / 6
    assert risk.false_match_rate[0] == 1 / 2
    assert risk.n_unique[0] == 2
    assert risk.random_guess == 1
    assert risk.known_only[0] == pytest.approx(2)
    assert risk.baseline.match_count[:, 0].tolist() == [1, 1, 1, 1, 2, 2]
    assert risk.baseline.expected_match_risk[0] == 5


values = st.sampled_from([-20.0, -10.0, -9.0, 0.0, 9.0, 10.0, 11.0, 12.1, 20.0, 22.0])


# 12.1 - 11 is below 0.1 * 11, and 11 + 0.1 * 11 is not above 12.1: at the edge of a ball its extent and its radius disagree.
@example(
    rows=[(1, -20.0, -20.0, -9.0, 12.1), (1, -9.0, 11.0, -20.0, -20.0)],
    k=2, r=0.1, kind="relative", boundary="open", norm="euclidean",
)  # fmt: skip
@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 1), values, values, values, values), min_size=1, max_size=14),
    k=st.integers(0, 2),
    r=st.sampled_from([0.0, 0.1, 0.2, 1.0]),
    kind=st.sampled_from(["relative", "absolute"]),
    boundary=st.sampled_from(["closed", "open"]),
    norm=st.sampled_from(["box", "euclidean"]),
)
def test_equals_the_plain_loop(rows, k, r, kind, boundary, norm):
    g, x, y, xs, ys = zip(*rows, strict=True)
    confidential = pd.DataFrame({"g": g, "x": x, "y": y})
    synthetic = pd.DataFrame({"g": g, "x": xs, "y": ys})
    radius = dict.fromkeys(["x", "y"][:k], r)
    risk = quiet(
        confidential,
        synthetic,
        known=["g"],
        synthesized=["x", "y"],
        radius=radius,
        radius_kind=kind,
        boundary=boundary,
        norm=norm,
    )
    effective = norm if k > 1 else "box"
    count, own = plain_loop(confidential, synthetic, ["g"], ["x", "y"], radius, kind, boundary, effective)
    assert risk.match_count[:, 0].tolist() == count.tolist()
    assert risk.contains_true[:, 0].tolist() == own.tolist()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_bounds_and_order_of_rows(seed):
    rng = np.random.default_rng(seed)
    n = 40
    confidential = pd.DataFrame({"g": rng.integers(0, 3, n), "y": rng.gamma(2, 10, n)})
    synthetic = confidential.assign(y=rng.gamma(2, 10, n))
    arguments = {"known": ["g"], "synthesized": ["y"], "radius": {"y": 0.3}}
    risk = quiet(confidential, synthetic, **arguments)
    assert 0 <= risk.expected_match_risk[0] <= n
    assert risk.unique_true.sum() + risk.unique_false.sum() == risk.n_unique.sum()
    order = rng.permutation(n)
    again = quiet(
        confidential.iloc[order].reset_index(drop=True), synthetic.iloc[order].reset_index(drop=True), **arguments
    )
    assert again.match_count[:, 0].tolist() == risk.match_count[order, 0].tolist()
    wider = quiet(confidential, synthetic, **{**arguments, "radius": {"y": 0.5}})
    assert (wider.match_count >= risk.match_count).all()


def test_a_known_variable_may_have_a_radius(people):
    frame = people.assign(age=[30, 31, 50, 40, 44, 60])
    risk = quiet(frame, frame, known=["region", "age"], synthesized=["income"], radius={"age": 0.1, "income": 1.0})
    assert risk.match_count[:, 0].tolist() == [2, 2, 1, 2, 2, 1]


def test_irc_keeps_the_sign_and_the_ends():
    frame = pd.DataFrame({"y": [-10.0, 0.0, 10.0, 11.0, 9.5]})
    irc = quiet(frame, frame, known=[], synthesized=["y"], radius={"y": 0.1}, convention="irc")
    assert irc.match_count[:, 0].tolist() == [0, 0, 2, 2, 2]
    closed = quiet(frame, frame, known=[], synthesized=["y"], radius={"y": 0.1})
    assert closed.match_count[:, 0].tolist() == [1, 1, 3, 2, 2]


def test_irc_computes_the_ends_as_y_plus_r_y():
    """1.1 * y and y + 0.1 * y differ in the last bit for many y; the interval must use the latter."""
    y = np.arange(1.0, 1001.0)
    assert (y + 0.1 * y != 1.1 * y).sum() == 528
    confidential = pd.DataFrame({"y": y})
    at_end = pd.DataFrame({"y": y + 0.1 * y})
    own = quiet(confidential, at_end, known=[], synthesized=["y"], radius={"y": 0.1}, convention="irc").contains_true
    assert not own.any()
    inside = pd.DataFrame({"y": np.nextafter(y + 0.1 * y, 0)})
    own = quiet(confidential, inside, known=[], synthesized=["y"], radius={"y": 0.1}, convention="irc").contains_true
    assert own.all()


def test_several_datasets_are_averaged_not_pooled(people):
    first = people.assign(income=[11.0, 33.0, 41.0, 30.0, 16.0, 31.0])
    risk = quiet(people, [first, people], known=["region"], synthesized=["income"], radius={"income": 0.2})
    assert risk.match_count.shape == (6, 2)
    assert risk.expected_match_risk.tolist() == [2, 5]
    assert risk.summary().loc["expected match risk", "mean"] == 3.5
    assert risk.summary().loc["expected match risk", "se"] == pytest.approx(1.5)
    assert list(risk.to_frame().index) == [1, 2]
    assert len(risk.records_to_frame()) == 12


def test_targets(people):
    arguments = {"known": ["region"], "synthesized": ["income"], "radius": {"income": 0.2}}
    every = quiet(people, people, **arguments)
    some = quiet(people, people, **arguments, targets=[4, 0])
    assert some.match_count[:, 0].tolist() == every.match_count[[4, 0], 0].tolist()
    assert some.true_match_rate[0] == 1 / 2
    assert some.random_guess == pytest.approx(2 / 6)
    mask = quiet(people, people, **arguments, targets=np.array([True, False, False, False, True, False]))
    assert mask.targets.tolist() == [0, 4]
    assert some.most_exposed(1)["record"].tolist() == [0]


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([6], r"lie in \[0, 5\]"),
        ([0, 0], "twice"),
        ([True, False], "has 2 values, there are 6"),
        ([False] * 6, "selects no record"),
    ],
)
def test_bad_targets(people, targets, message):
    with pytest.raises(InputError, match=message):
        sl.identification_risk(
            people, people, sl.Intruder(known=["region"], synthesized=["income"], radius=0.1, targets=targets)
        )


def test_no_unique_match_is_nan_with_a_warning():
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 1, 1]})
    with pytest.warns(NoUniqueMatchWarning, match="1 of 1 datasets"):
        risk = sl.identification_risk(frame, frame, sl.Intruder(known=["b"], synthesized=["a"]))
    assert np.isnan(risk.false_match_rate[0])
    assert "-" in str(risk)


def test_everybody_unique():
    frame = pd.DataFrame({"a": range(8), "b": [1] * 8})
    risk = sl.identification_risk(frame, frame, sl.Intruder(known=["b"], synthesized=["a"]))
    assert risk.expected_match_risk[0] == 8
    assert risk.true_match_rate[0] == 1
    assert risk.false_match_rate[0] == 0


def test_missing_values():
    confidential = pd.DataFrame({"g": ["a", "a", None, "b"], "y": [1.0, np.nan, 1.0, 1.0]})
    arguments = {"known": ["g"], "synthesized": ["y"], "radius": {"y": 0.1}}
    with pytest.raises(MissingValueError, match="confidential: column 'g' has 1 missing"):
        sl.identification_risk(confidential, confidential, sl.Intruder(**arguments))
    category = quiet(confidential, confidential, **arguments, missing="category")
    assert category.match_count[:, 0].tolist() == [1, 1, 1, 1]
    never = quiet(confidential, confidential, **arguments, missing="never")
    assert never.match_count[:, 0].tolist() == [1, 0, 0, 1]
    assert never.contains_true[:, 0].tolist() == [True, False, False, True]
    with pytest.raises(MissingValueError, match="synthetic dataset 1: column 'y'"):
        sl.identification_risk(
            confidential.fillna({"g": "a", "y": 1.0}), confidential.assign(g="a"), sl.Intruder(**arguments)
        )


def test_missing_as_category_with_two_measurements():
    nan = np.nan
    frame = pd.DataFrame({"x": [1.0, 1.0, nan, nan, 5.0], "y": [2.0, nan, 2.0, nan, 2.0]})
    other = frame.iloc[[0, 1, 2, 3, 0]].reset_index(drop=True)
    risk = quiet(frame, other, known=[], synthesized=["x", "y"], radius={"x": 0.1, "y": 0.1}, missing="category")
    assert risk.match_count[:, 0].tolist() == [2, 1, 1, 1, 0]
    assert risk.contains_true[:, 0].tolist() == [True, True, True, True, False]


def test_categories_unseen_in_one_frame():
    confidential = pd.DataFrame({"g": pd.Categorical(["a", "b", "c"]), "z": [1, 1, 1]})
    synthetic = pd.DataFrame({"g": pd.Categorical(["b", "b", "d"], categories=["d", "b"]), "z": [1, 1, 1]})
    risk = quiet(confidential, synthetic, known=["z"], synthesized=["g"])
    assert risk.match_count[:, 0].tolist() == [0, 2, 0]
    text = quiet(confidential, synthetic.astype({"g": str}), known=["z"], synthesized=["g"])
    assert text.match_count.tolist() == risk.match_count.tolist()


@pytest.mark.parametrize("name", ["my income", "it's", 'say "hi"', "`tick`", "__import__('os').system('x')", "a:b ~ c"])
def test_column_names_are_data(people, name):
    frame = people.rename(columns={"income": name})
    risk = quiet(frame, frame, known=["region"], synthesized=[name], radius={name: 0.2})
    assert risk.expected_match_risk[0] == 5


def test_known_variable_that_changed(people):
    with pytest.warns(KnownVariableChangedWarning, match=r"'region' differs .* in 1 of 6 rows"):
        sl.identification_risk(
            people,
            people.assign(region=list("NNSSSS")),
            sl.Intruder(known=["region"], synthesized=["income"], radius=0.2),
        )


def test_known_variables_find_nobody_whose_own_record_was_changed():
    true = pd.DataFrame({"k": list("aabb"), "y": list("xyzw")})
    # Targets 1 and 4 keep their k and share it with one other; the own records of 2 and 3 have the other k.
    some = true.assign(k=list("abab"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        risk = sl.identification_risk(true, some, sl.Intruder(known=["k"], synthesized=["y"]))
    assert risk.known_only.tolist() == [1.0]
    assert risk.baseline.known_only.tolist() == [2.0]
    # Two targets are found, which is more than one: only the change is warned of.
    assert risk.expected_match_risk.tolist() == [2.0]
    assert {w.category for w in said} == {KnownVariableChangedWarning}
    all_changed = quiet(true, [true.assign(k=list("bbaa")), true], known=["k"], synthesized=["y"])
    assert all_changed.known_only.tolist() == [0.0, 2.0]


def test_what_is_known_within_a_radius_is_left_out_of_known_only():
    true = pd.DataFrame({"k": list("aabb"), "age": [20.0, 30.0, 40.0, 50.0], "y": list("xyzw")})
    risk = quiet(true, true, known=["k", "age"], synthesized=["y"], radius={"age": 0.1})
    assert risk.known_only.tolist() == [2.0]
    missing = true.assign(k=["a", None, "b", "b"])
    lost = quiet(missing, missing, known=["k"], synthesized=["y"], missing="never")
    assert lost.known_only.tolist() == [2.0]  # 1 + 0 + 1/2 + 1/2
    assert quiet(missing, missing, known=[], synthesized=["y"], missing="never").known_only.tolist() == [1.0]


class TestBadInput:
    def run(self, confidential, synthetic=None, **changes):
        arguments = {"known": ["region"], "synthesized": ["income"], "radius": {"income": 0.2}, **changes}
        return sl.identification_risk(
            confidential, confidential if synthetic is None else synthetic, sl.Intruder(**arguments)
        )

    def test_row_counts(self, people):
        with pytest.raises(RowAlignmentError, match="has 5 rows, confidential has 6"):
            self.run(people, people.iloc[:5])

    def test_permuted_index(self, people):
        with pytest.raises(RowAlignmentError, match="same labels in another order"):
            self.run(people, people.iloc[[1, 0, 2, 3, 4, 5]])

    def test_other_labels(self, people):
        with pytest.raises(RowAlignmentError, match="different labels"):
            self.run(people, people.set_axis(list("abcdef")))

    @pytest.mark.parametrize("which", ["confidential", "synthetic"])
    def test_duplicated_index(self, people, which):
        twice = people.set_axis([0, 0, 1, 2, 3, 4])
        with pytest.raises(RowAlignmentError, match="index has duplicates"):
            self.run(*(twice, people) if which == "confidential" else (people, twice))

    def test_absent_column(self, people):
        with pytest.raises(InputError, match="known: 'county' not in confidential"):
            self.run(people, known=["county"])
        with pytest.raises(InputError, match="'income' not in synthetic dataset 1"):
            self.run(people, people[["region"]])

    def test_dtype_mismatch(self, people):
        frame = people.assign(code=1)
        with pytest.raises(DtypeMismatchError, match="'code' holds number values .* and text"):
            self.run(frame, frame.astype({"code": str}), known=["code"])

    def test_radius_of_a_category(self, people):
        with pytest.raises(InputError, match="'region' is .*, not numeric"):
            self.run(people, radius={"region": 0.1, "income": 0.1})

    def test_continuous_without_radius(self):
        frame = pd.DataFrame({"region": [1] * 20, "income": np.linspace(0, 1, 20)})
        with pytest.raises(InputError, match="20 distinct numbers and no radius: exact equality"):
            self.run(frame, radius=None)
        assert quiet(frame, frame, known=["region"], synthesized=["income"], radius={"income": 0}).n_unique[0] == 20

    def test_infinite(self, people):
        with pytest.raises(InputError, match="synthetic dataset 1: column 'income' has 1 infinite"):
            self.run(people, people.assign(income=[1, 2, 3, 4, 5, np.inf]))

    def test_empty_frame_and_no_dataset(self, people):
        with pytest.raises(InputError, match="confidential: has 0 rows"):
            self.run(people.iloc[:0])
        with pytest.raises(InputError, match="m = 0 datasets"):
            self.run(people, [])


def test_results_are_read_only(people):
    risk = quiet(people, people, known=["region"], synthesized=["income"], radius=0.2)
    for name in ("match_count", "contains_true", "record_match_risk", "expected_match_risk"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(risk, name)[0] = 0
    assert "<table" in risk._repr_html_()


def test_a_bare_radius_is_for_what_looks_continuous():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"code": rng.integers(1, 5, 200), "income": rng.normal(size=200), "region": 1})
    risk = quiet(frame, frame, known=["region"], synthesized=["code", "income"], radius=0.1)
    assert risk.intruder.radius == {"income": 0.1}


@pytest.mark.parametrize("options", [{}, {"convention": "irc", "boundary": "open"}, {"radius_kind": "absolute"}])
@pytest.mark.parametrize("radius", [0.5, 5.0, 1.7e308])
def test_a_ball_beyond_the_largest_number_is_a_ball(options, radius):
    y = pd.DataFrame({"y": [1.7e308, 1e308, 1.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        result = sl.identification_risk(
            y, [y], sl.Intruder(**options, known=[], synthesized=["y"], radius={"y": radius})
        )
    assert result.contains_true.all()
    # 0.5 and 5 in absolute terms reach no other number of this size.
    assert result.match_count[0, 0] >= (1 if options == {"radius_kind": "absolute"} and radius < 10 else 2)
