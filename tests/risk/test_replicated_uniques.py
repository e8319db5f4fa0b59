"""Replicated uniques and attribute disclosure against counts in a double loop, and at their edges."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from tests.loops import every

KEYS = ["region", "age"]
SOMEONE = sl.Intruder(known=KEYS, synthesized=["ill"], missing="category")


def rows(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    """Return keys and target of each record; None stands for a missing value."""
    return [tuple(None if pd.isna(v) else v for v in row) for row in frame[[*KEYS, "ill"]].itertuples(index=False)]


def told_rightly(people: pd.DataFrame, released: pd.DataFrame) -> list[tuple[object, ...]]:
    """Return the disclosed records."""
    other = rows(released)
    return [r for r in rows(people) if {q[2] for q in other if q[:2] == r[:2]} == {r[2]}]


def counted(people: pd.DataFrame, released: pd.DataFrame) -> dict[str, float]:
    """Return the measures, each record compared with all others."""
    own, other = rows(people), rows(released)
    alone = [r for r in own if sum(r[:2] == q[:2] for q in own) == 1]

    def values(key: tuple[object, ...], among: list[tuple[object, ...]]) -> set[object]:
        return {q[2] for q in among if q[:2] == key}

    claimed = [r for r in own if len(values(r[:2], other)) == 1]
    right = [r for r in claimed if values(r[:2], other) == {r[2]}]
    present = [r for r in own if values(r[:2], other)]
    sizes = list(Counter(right).values())
    return {
        "max_denom": max(sizes, default=0),
        "mean_denom": np.mean(sizes) if sizes else np.nan,
        "UiO": len(alone) / len(own),
        "UiS": sum(sum(q[:2] == p[:2] for p in other) == 1 for q in other) / len(other),
        "UiOiS": sum(any(r[:2] == q[:2] for q in other) for r in alone) / len(own),
        "repU": sum(sum(r[:2] == q[:2] for q in other) == 1 for r in alone) / len(own),
        "Dorig": sum(len(values(r[:2], own)) == 1 for r in own) / len(own),
        "Dsyn": sum(len(values(q[:2], other)) == 1 for q in other) / len(other),
        "iS": len(present) / len(own),
        "DiS": len(claimed) / len(own),
        "DiSCO": len(right) / len(own),
        "DiSDiO": sum(len(values(r[:2], own)) == 1 for r in right) / len(own),
        "TCAP": len(right) / len(claimed) if claimed else np.nan,
        "TCAP_present": len(right) / len(present) if present else np.nan,
    }


person = st.tuples(
    st.sampled_from(["N", "S", None]), st.sampled_from([20.0, 30.0, None]), st.sampled_from(["yes", "no", None])
)
people_of = st.lists(person, min_size=1, max_size=12).map(
    lambda rows: pd.DataFrame(rows, columns=[*KEYS, "ill"]).astype({"region": "object", "age": float, "ill": "object"})
)


@given(people_of, people_of)
def test_the_counts_are_those_of_a_double_loop(people, released):
    uniques = sl.replicated_uniques(people, released, SOMEONE).to_frame()
    told = sl.attribute_disclosure(people, released, SOMEONE, target="ill").to_frame()
    found = {**uniques.loc[1], **told.loc[1]}
    for name, value in counted(people, released).items():
        assert found[name] == pytest.approx(value, nan_ok=True), name


@given(people_of, people_of, st.integers(0, 3), st.sampled_from([0.0, 0.3, 0.5, 0.8]))
def test_the_checks_are_those_of_a_count(people, released, more_than, share):
    told = sl.attribute_disclosure(people, released, SOMEONE, target="ill")
    own, right = rows(people), told_rightly(people, released)
    (first,) = told.check_1way(more_than, share).itertuples()
    most = max(Counter(r[2] for r in right).values(), default=0)
    assert (first.disclosed, first.disclosed_level) == (len(right), most)
    assert first.flagged == (most > more_than and most > share * len(right))
    if right:
        level = None if pd.isna(first.level) else first.level
        assert sum(r[2] == level for r in right) == most
        assert first.records == sum(r[2] == level for r in own)
        assert first.share_of_records == pytest.approx(first.records / len(own))
        assert first.share_of_disclosed == pytest.approx(most / len(right))
    large = {cell for cell, times in Counter(right).items() if times > more_than}
    expected = {}
    for place, key in enumerate(KEYS):
        for value, ill in {(r[place], r[2]) for r in large}:
            of_key = [r for r in own if r[place] == value]
            pair = sum(r[2] == ill for r in of_key)
            disclosed = sum(r in large and r[place] == value and r[2] == ill for r in right)
            expected[key, value, ill] = (disclosed, pair, len(of_key), pair > share * len(of_key))
    found = {
        (r.key, *(None if pd.isna(v) else v for v in (r.key_level, r.level))): (
            r.disclosed,
            r.records,
            r.key_records,
            r.flagged,
        )
        for r in told.check_2way(more_than, share).itertuples()
    }
    assert found == expected


@given(people_of, people_of, st.sampled_from(["yes", None]))
def test_who_has_a_harmless_value_is_counted_nowhere(people, released, value):
    if not any(
        frame["ill"].isna().any() if value is None else frame["ill"].eq(value).any() for frame in (people, released)
    ):
        return
    told = sl.attribute_disclosure(people, released, SOMEONE, target="ill", harmless=[value])
    everything = sl.attribute_disclosure(people, released, SOMEONE, target="ill")
    left = np.array([r[2] != value for r in rows(people)])
    for name in ("present", "claimed", "disclosed"):
        np.testing.assert_array_equal(getattr(told, name)[:, 0], getattr(everything, name)[:, 0] & left)
    np.testing.assert_array_equal(told.determined, everything.determined & left)
    other = rows(released)
    sure = sum(r[2] != value and len({q[2] for q in other if q[:2] == r[:2]}) == 1 for r in other)
    assert told.synthetic_determined[0] == pytest.approx(sure / len(other))


def test_a_harmless_value_makes_nobody_unique():
    people = pd.DataFrame({"region": list("NNNNSSSS"), "ill": list("abbbaabb")})
    someone = sl.Intruder(known=["region"], synthesized=["ill"])
    assert sl.attribute_disclosure(people, people, someone, target="ill", harmless=["b"]).counted.tolist() == [
        ill == "a" for ill in people["ill"]
    ]
    assert sl.replicated_uniques(people, people, someone).unique == 0


@pytest.mark.parametrize(
    ("harmless", "said"),
    [
        ("no", "^harmless: must be a list of values of the target, got a str$"),
        (3, "^harmless: must be a list of values of the target, got a int$"),
        (["yes", "secret"], "^harmless: the value at position 1 of 2 does not occur in the target; remove it$"),
        ([["yes"]], "harmless: must be a list of values of the target, got a list of 1 at position 0"),
        ([None], "the value at position 0 of 1 does not"),
    ],
)
def test_what_is_no_list_of_harmless_values(harmless, said):
    people = pd.DataFrame({"region": list("NNS"), "age": 20, "ill": ["yes", "no", "no"]})
    with pytest.raises(InputError, match=said):
        sl.attribute_disclosure(people, people, SOMEONE, target="ill", harmless=harmless)


def test_checks_without_disclosed_records_have_the_same_types():
    people = pd.DataFrame({"region": list("NNSS") * 5, "age": 20, "ill": list("yyyn") * 5})
    some = sl.attribute_disclosure(people, people, SOMEONE, target="ill")
    none = sl.attribute_disclosure(people, people.assign(ill=list("yn") * 10), SOMEONE, target="ill")
    for check in ("check_1way", "check_2way"):
        filled, empty = getattr(some, check)(), getattr(none, check)()
        assert filled["flagged"].dtype == empty["flagged"].dtype == bool
        numbers = filled.select_dtypes("number").dtypes
        assert empty.dtypes[numbers.index].tolist() == numbers.tolist()
        chosen = empty[empty["flagged"]]
        assert chosen.empty
        assert chosen.columns.tolist() == filled.columns.tolist()
    assert filled["flagged"].any()
    assert none.check_1way()[["records", "disclosed", "disclosed_level"]].to_numpy().tolist() == [[0, 0, 0]]


def test_thresholds_of_the_checks_are_checked():
    people = pd.DataFrame({"region": list("NNS"), "age": 20, "ill": ["yes", "yes", "no"]})
    told = sl.attribute_disclosure(people, people, SOMEONE, target="ill")
    for check in (told.check_1way, told.check_2way):
        with pytest.raises(InputError, match="more_than"):
            check(more_than=-1)
        with pytest.raises(InputError, match="share"):
            check(share=1.5)


def test_a_shuffled_copy_is_as_disclosive_as_the_file():
    people = pd.DataFrame({"region": list("NNSSEEW"), "age": [20, 30, 20, 20, 40, 40, 50], "ill": list("ynyynyn")})
    copy = people.sample(frac=1, random_state=3)
    someone = sl.Intruder(known=KEYS, synthesized=["ill"])
    uniques = sl.replicated_uniques(people, copy, someone).to_frame().loc[1]
    assert uniques["repU"] == uniques["UiO"] == 3 / 7
    told = sl.attribute_disclosure(people, copy, someone, target="ill").to_frame().loc[1]
    assert told["DiSCO"] == told["Dorig"] == 5 / 7
    assert told["TCAP"] == 1.0


def test_unlike_datasets_of_another_size():
    people = pd.DataFrame({"region": list("NNS"), "age": [20, 30, 20], "ill": list("yny")})
    first = pd.DataFrame({"region": list("NSSS"), "age": [20, 20, 20, 20], "ill": list("yyny")})
    second = pd.DataFrame({"region": list("EEEE"), "age": [1, 1, 1, 1], "ill": list("yyyy")})
    someone = sl.Intruder(known=KEYS, synthesized=["ill"])
    assert sl.replicated_uniques(people, [first, second], someone).replicated.tolist() == [1, 0]
    assert sl.replicated_uniques(people, [first, second], someone).found.tolist() == [2, 0]
    assert "; 0.5 of them on average are unique" in sl.replicated_uniques(people, [first, second], someone).title
    assert "on average" not in sl.replicated_uniques(people, first, someone).title
    told = sl.attribute_disclosure(people, [first, second], someone, target="ill").to_frame()
    assert told["DiSCO"].tolist() == [1 / 3, 0.0]
    assert told["Dsyn"].tolist() == [0.25, 1.0]
    assert np.isnan(told.loc[2, ["TCAP", "TCAP_present", "level_share"]].astype(float)).all()


def test_the_share_of_the_most_frequent_disclosed_value():
    people = pd.DataFrame({"region": list("NNNSE"), "age": 20, "ill": list("nnnyn")})
    told = sl.attribute_disclosure(people, people, sl.Intruder(known=KEYS, synthesized=["ill"]), target="ill")
    assert told.to_frame().loc[1, "level_share"] == 0.8
    assert "100.0% of 5 people" in told.title
    assert str(told).startswith(told.title)


@every(
    ("someone", "target", "error", "said"),
    [
        (sl.Intruder(known=[], synthesized=["ill"]), "ill", InputError, "known: is empty"),
        (sl.Intruder(known=["region"], synthesized=["ill"]), "age", InputError, "target: is not among the synthesized"),
        (sl.Intruder(known=["region"], synthesized=["ill"], missing="never"), "ill", InputError, "missing='never'"),
        (sl.Intruder(known=["nothing"], synthesized=["ill"]), "ill", InputError, "'nothing' not in confidential"),
        (
            sl.Intruder(known=["region"], synthesized=["ill"], radius={"region": 1}),
            "ill",
            InputError,
            "radius of 'region'",
        ),
        (sl.Intruder(known=["region"], synthesized=["pay"]), "pay", InputError, "holds measurements"),
        (
            sl.Intruder(known=["region"], synthesized=["age"], radius={"age": 1}),
            "age",
            InputError,
            "holds measurements",
        ),
        (sl.Intruder(known=["region"], synthesized=["ill"], boundary="open"), "ill", InputError, "boundary='open'"),
        (sl.Intruder(known=["gap"], synthesized=["ill"]), "ill", MissingValueError, "'gap' has 1 missing"),
        (sl.Intruder(known=["region"], synthesized=["gap"]), "gap", MissingValueError, "'gap' has 1 missing"),
    ],
)
def test_what_is_refused(someone, target, error, said):
    people = pd.DataFrame({"region": list("NNS") * 40, "age": 20, "ill": "y", "pay": np.arange(120) + 0.5, "gap": "a"})
    people.loc[3, "gap"] = None
    with pytest.raises(error, match=said):
        sl.attribute_disclosure(people, people, someone, target=target)
