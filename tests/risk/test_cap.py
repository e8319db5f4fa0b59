"""cap: by hand, by the definition, and at the edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import (
    DtypeMismatchError,
    InputError,
    MissingValueError,
    NoBetterThanBaselineWarning,
    UndefinedStatisticWarning,
)
from synthlab.intruder import Intruder
from synthlab.risk import cap
from tests.asking import ask
from tests.loops import every

# Keys a, b, c; the release has three of a, one of b, none of c, and a key d nobody has.
PEOPLE = pd.DataFrame({"key": list("aabbbc"), "other": list("xyxxyx"), "ill": ["yes", "no", "yes", "yes", "yes", "no"]})
RELEASED = pd.DataFrame({"key": list("aaabd"), "other": list("xxyxx"), "ill": ["yes", "yes", "no", "yes", "no"]})
SOMEONE = Intruder(known=["key"], synthesized=["ill"])
GUESS = {"known": ["key"], "synthesized": ["ill"], "target": "ill"}


def test_cap_by_hand():
    risk = cap(PEOPLE, RELEASED, SOMEONE, target="ill")
    # a: two of three say yes; b: the one record says yes; c: nobody.
    np.testing.assert_allclose(risk.scores.attack[:, 0], [2 / 3, 1 / 3, 1, 1, 1, 0])
    assert risk.attack == pytest.approx(4 / 6)
    # Four of six people are ill: (4 * 4/6 + 2 * 2/6) / 6.
    assert risk.baseline == pytest.approx(20 / 36)
    # Confidential against themselves: a scores 1/2 twice, b and c are pure.
    assert risk.confidential == pytest.approx(5 / 6)
    assert risk.absent[:, 0].tolist() == [False] * 5 + [True]
    assert risk.excess == pytest.approx(4 / 6 - 20 / 36)


@pytest.mark.parametrize(
    ("absent", "last", "attack"),
    [("zero", 0.0, 4 / 6), ("drop", None, 4 / 5), ("marginal", 2 / 5, 4.4 / 6), ("nearest", 2 / 5, 4.4 / 6)],
)
def test_absent_keys(absent, last, attack):
    risk = cap(PEOPLE, RELEASED, SOMEONE, target="ill", absent=absent)
    assert risk.attack == pytest.approx(attack)
    assert risk.counted[:, 0].tolist() == [True] * 5 + [absent != "drop"]
    if last is not None:
        # c is far from every key: the nearest are all, the margin says no in two of five.
        assert risk.scores.attack[5, 0] == pytest.approx(last)


def test_nearest_takes_the_fewest_differences():
    people = pd.DataFrame({"key": list("ac"), "other": list("xx"), "ill": ["yes", "no"]})
    risk = cap(people, RELEASED, Intruder(known=["key", "other"], synthesized=["ill"]), target="ill", absent="nearest")
    # (c, x) differs in one key from (a, x), (b, x) and (d, x): four records, one of which says no.
    np.testing.assert_allclose(risk.scores.attack[:, 0], [1.0, 0.25])


def test_dcap_leaves_absent_keys_out():
    risk = cap(PEOPLE, RELEASED, SOMEONE, target="ill", variant="dcap")
    assert risk.attack == pytest.approx(4 / 5)
    # The baseline is over the same five people: four ill, one not.
    assert risk.baseline == pytest.approx((4 * 4 / 6 + 2 / 6) / 5)
    assert "left out" in risk.title


def test_tcap_by_hand():
    people = pd.DataFrame({"key": list("aaaab"), "ill": ["yes", "yes", "yes", "no", "no"]})
    released = pd.DataFrame({"key": list("aabbbc"), "ill": ["yes", "yes", "no", "no", "yes", "no"]})
    # Only a (yes, yes) is disclosive with a key somebody has; c is disclosive and nobody has it.
    risk = cap(people, released, SOMEONE, target="ill", variant="tcap")
    assert risk.attack == pytest.approx(3 / 4)
    assert risk.baseline == pytest.approx((3 * 3 / 5 + 2 / 5) / 4)
    assert risk.counted[:, 0].tolist() == [True] * 4 + [False]
    # The key b is there, but not disclosive.
    assert not risk.absent.any()
    assert cap(people, released.iloc[:2], SOMEONE, target="ill", variant="tcap").absent[:, 0].tolist() == [
        False
    ] * 4 + [True]
    # With 2/3 the two no of b are disclosive too: per target (3 + 1) / 5, ...
    low = cap(people, released, SOMEONE, target="ill", variant="tcap", threshold=2 / 3)
    assert low.attack == pytest.approx(4 / 5)
    # ... per disclosive released record (2 records of a score 3/4 each, 2 of b score 1).
    records = cap(people, released, SOMEONE, target="ill", variant="tcap_released", threshold=2 / 3)
    assert records.attack == pytest.approx((2 * 3 / 4 + 2 * 1) / 4)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_numeric_target():
    people = pd.DataFrame({"key": list("aabb"), "income": [100.0, 200.0, -50.0, 1000.0]})
    released = pd.DataFrame({"key": list("aaab"), "income": [110.0, 90.0, 111.0, -55.0]})
    risk = cap(
        people, released, Intruder(known=["key"], synthesized=["income"], radius={"income": 0.1}), target="income"
    )
    np.testing.assert_allclose(risk.scores.attack[:, 0], [2 / 3, 0, 1, 0])
    opened = cap(
        people,
        released,
        Intruder(known=["key"], synthesized=["income"], radius=0.1, boundary="open"),
        target="income",
        absent="zero",
    )
    assert opened.attack == 0.0
    wide = cap(
        people,
        released,
        Intruder(known=["key"], synthesized=["income"], radius=95, radius_kind="absolute"),
        target="income",
    )
    np.testing.assert_allclose(wide.scores.attack[:, 0], [1, 2 / 3, 1, 0])


def test_mean_over_datasets_and_interval():
    risk = cap(PEOPLE, [RELEASED, PEOPLE.iloc[1:].reset_index(drop=True)], SOMEONE, target="ill")
    first, second = 4 / 6, 5 / 6  # in the second, a says no
    assert risk.to_frame()["attack"].tolist() == pytest.approx([first, second])
    assert risk.attack == pytest.approx((first + second) / 2)
    low, high = risk.interval
    assert 0 < low < risk.attack < high < 1
    assert risk.summary().loc["attack", ["min", "max"]].tolist() == pytest.approx([first, second])
    assert risk.summary().loc["confidential", "mean"] == pytest.approx(5 / 6)
    assert "CAP: ill guessed from key" in str(risk)
    assert "<table" in risk._repr_html_()


def test_targets():
    risk = cap(PEOPLE, RELEASED, replace(SOMEONE, targets=[2, 3]), target="ill")
    assert risk.attack == 1.0
    assert risk.baseline == pytest.approx(4 / 6)
    assert risk.interval[1] == 1.0
    assert risk.interval[0] == pytest.approx(2 / (2 + 1.959964**2), abs=1e-6)  # Wilson with two of two


@settings(max_examples=60, deadline=None)
@given(
    people=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(-4, 4)), min_size=2, max_size=12),
    released=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(-4, 4)), min_size=1, max_size=12),
    r=st.sampled_from([0.0, 0.5, 1.0]),
    boundary=st.sampled_from(["closed", "open"]),
)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_equals_the_definition(people, released, r, boundary):
    columns = ["a", "b", "t"]
    confidential = pd.DataFrame(people, columns=columns)
    synthetic = pd.DataFrame(released, columns=columns)
    risk = cap(
        confidential,
        synthetic,
        Intruder(known=["a", "b"], synthesized=["t"], radius={"t": r}, boundary=boundary),
        target="t",
    )
    for i, (a, b, t) in enumerate(people):
        group = [z for c, d, z in released if (c, d) == (a, b)]
        right = [abs(z - t) <= r * abs(t) if boundary == "closed" else abs(z - t) < r * abs(t) for z in group]
        assert risk.scores.attack[i, 0] == pytest.approx(sum(right) / len(group) if group else 0.0)


def test_missing_values():
    people = pd.DataFrame({"key": ["a", None, "a"], "income": [1.0, 5.0, np.nan]})
    with pytest.raises(MissingValueError, match="'key' has 1 missing"):
        cap(people, people, Intruder(known=["key"], synthesized=["income"], radius=0), target="income")
    same = cap(
        people, people, Intruder(known=["key"], synthesized=["income"], radius=0, missing="category"), target="income"
    )
    assert same.scores.attack[:, 0].tolist() == [0.5, 1.0, 0.5]
    with pytest.warns(NoBetterThanBaselineWarning, match="no more than"):
        never = cap(
            people, people, Intruder(known=["key"], synthesized=["income"], radius=0, missing="never"), target="income"
        )
    assert never.scores.attack[:, 0].tolist() == [0.5, 0.0, 0.0]


def test_a_missing_value_that_equals_nothing_does_not_equal_itself():
    people = pd.DataFrame({"key": ["a", "a", None, "b"], "ill": ["x", None, "y", "z"]})
    released = pd.DataFrame({"key": list("aabb"), "ill": list("xxzz")})
    never = cap(people, released, replace(SOMEONE, missing="never"), target="ill")
    assert never.scores.attack[:, 0].tolist() == [1.0, 0.0, 0.0, 1.0]
    # One in four has x, y or z; nobody has the value that the second person lacks.
    assert never.scores.baseline[:, 0].tolist() == [0.25, 0.0, 0.25, 0.25]
    # The confidential data as released: x is one of two, the third has no key, z is alone.
    assert never.confidential == pytest.approx((0.5 + 0 + 0 + 1) / 4)
    assert never.absent[:, 0].tolist() == [False, False, True, False]
    # Left out where absent keys are: (0.5 + 0 + 1) / 3.
    assert cap(
        people, released, replace(SOMEONE, missing="never"), target="ill", variant="dcap"
    ).confidential == pytest.approx(0.5)
    category = cap(people, released, replace(SOMEONE, missing="category"), target="ill")
    assert category.scores.baseline[:, 0].tolist() == [0.25] * 4
    assert category.confidential == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)


def test_a_missing_number_and_a_missing_category_are_treated_alike():
    numbers = pd.DataFrame({"key": ["a", "a", None, "b"], "income": [1.0, None, 2.0, 3.0]})
    words = numbers.assign(income=["1", None, "2", "3"])
    for missing, boundary in (("never", "closed"), ("category", "closed"), ("category", "open"), ("never", "open")):
        someone = Intruder(known=["key"], synthesized=["income"], missing=missing)
        one = cap(numbers, numbers, replace(someone, radius=0.1, boundary=boundary), target="income")
        two = cap(words, words, someone, target="income")
        for name in ("attack", "baseline", "weight"):
            assert getattr(one.scores, name).tolist() == getattr(two.scores, name).tolist()
        assert one.confidential == two.confidential == one.attack


def test_a_record_without_a_target_is_not_disclosive():
    people = pd.DataFrame({"key": list("abcd"), "ill": list("xxyy")})
    released = pd.DataFrame({"key": list("abcd"), "ill": ["x", None, None, "y"]})
    risk = cap(people, released, replace(SOMEONE, missing="never"), target="ill", variant="tcap")
    assert risk.counted[:, 0].tolist() == [True, False, False, True]
    assert risk.attack == 1.0
    records = cap(people, released, replace(SOMEONE, missing="never"), target="ill", variant="tcap_released")
    assert (records.attack, records.counted.sum()) == (1.0, 2)
    # As a category of its own it is, and always wrong.
    with pytest.warns(NoBetterThanBaselineWarning, match="TCAP of 'ill' is right with probability 0.5"):
        category = cap(people, released, replace(SOMEONE, missing="category"), target="ill", variant="tcap")
    assert category.counted.all()


def test_warnings():
    constant = PEOPLE.assign(ill="no")
    with pytest.warns(NoBetterThanBaselineWarning, match="CAP of 'ill' is right with probability 0.1667"):
        cap(
            PEOPLE.assign(key="a"),
            constant.assign(key=list("abbbbb")),
            Intruder(known=["key", "other"], synthesized=["ill"]),
            target="ill",
        )
    strangers = RELEASED.assign(key="z")
    with pytest.warns(UndefinedStatisticWarning, match="DCAP in 1 of 1 datasets"):
        risk = cap(PEOPLE, strangers, SOMEONE, target="ill", variant="dcap")
    assert np.isnan(risk.attack)
    assert np.isnan(risk.interval).all()
    with pytest.warns(UndefinedStatisticWarning, match="in 1 of 2 datasets"):
        half = cap(PEOPLE, [strangers, RELEASED], SOMEONE, target="ill", variant="dcap")
    assert half.attack == pytest.approx(4 / 5)


@every(
    ("change", "error", "match"),
    [
        ({"target": "key"}, InputError, "target='key': is a known variable"),
        ({"target": "other"}, InputError, "target='other': is not among the synthesized"),
        ({"known": []}, InputError, "must name at least one"),
        ({"known": ["wealth"]}, InputError, "known: 'wealth' not in confidential"),
        ({"target": "wealth"}, InputError, "target: 'wealth' not in confidential"),
        ({"variant": "gcap"}, InputError, "variant='gcap'"),
        ({"norm": "euclidean"}, InputError, "norm='euclidean': cap takes 'box'"),
        ({"absent": "guess"}, InputError, "absent='guess'"),
        ({"absent": "zero", "variant": "tcap"}, InputError, "excludes absent keys"),
        ({"threshold": 0}, InputError, "threshold=0"),
        ({"target": ["ill"]}, InputError, r"target=\['ill'\]: must be the name of one column, .*: target='ill'"),
        ({"level": 1}, InputError, "level=1"),
    ],
)
def test_errors(change, error, match):
    with pytest.raises(error, match=match):
        ask(cap, PEOPLE, RELEASED, **{**GUESS, **change})


def test_errors_name_the_frame():
    with pytest.raises(InputError, match="known and target: 'ill' not in synthetic dataset 1"):
        cap(PEOPLE, RELEASED.drop(columns="ill"), SOMEONE, target="ill")
    with pytest.raises(MissingValueError, match="confidential: column 'ill' has 1 missing"):
        cap(PEOPLE.assign(ill=[None, *PEOPLE["ill"][1:]]), RELEASED, SOMEONE, target="ill")
    with pytest.raises(MissingValueError, match="synthetic dataset 2: column 'key' has 1 missing"):
        cap(PEOPLE, [RELEASED, RELEASED.assign(key=["a", None, "a", "b", "d"])], SOMEONE, target="ill")
    with pytest.raises(InputError, match="radius: 'age' is a known variable"):
        cap(
            PEOPLE.assign(age=1),
            RELEASED.assign(age=1),
            Intruder(known=["age"], synthesized=["ill"], radius={"age": 1}),
            target="ill",
        )


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_when_a_value_is_right_is_said():
    assert "right when ill is equal; denominator" in cap(PEOPLE, RELEASED, SOMEONE, target="ill").title
    people = pd.DataFrame({"key": list("aab"), "income": [1.0, 2.0, 3.0]})

    def said(radius_kind, boundary):
        options = {"radius": 0.25, "radius_kind": radius_kind, "boundary": boundary}
        return cap(people, people, Intruder(**options, known=["key"], synthesized=["income"]), target="income").title

    assert "right when income is within 0.25 x |income| (closed interval); " in said("relative", "closed")
    assert "right when income is within 0.25 (open interval); " in said("absolute", "open")


def test_more_errors():
    with pytest.raises(DtypeMismatchError, match="'ill' holds text"):
        cap(PEOPLE, RELEASED.assign(ill=1), SOMEONE, target="ill")
    many = pd.DataFrame({"key": 1, "income": np.linspace(0, 1, 50)})
    with pytest.raises(InputError, match="no radius"):
        cap(many, many, Intruder(known=["key"], synthesized=["income"]), target="income")
