"""Replicated uniques and attribute disclosure against counts in a double loop, and at their edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError

KEYS = ["region", "age"]
SOMEONE = sl.Intruder(known=KEYS, synthesized=["ill"], missing="category")


def counted(people: pd.DataFrame, released: pd.DataFrame) -> dict[str, float]:
    """Return the measures, each record compared with all others; None stands for a missing value."""

    def rows(frame: pd.DataFrame) -> list[tuple[object, ...]]:
        return [tuple(None if pd.isna(v) else v for v in row) for row in frame[[*KEYS, "ill"]].itertuples(index=False)]

    own, other = rows(people), rows(released)
    alone = [r for r in own if sum(r[:2] == q[:2] for q in own) == 1]

    def values(key: tuple[object, ...], among: list[tuple[object, ...]]) -> set[object]:
        return {q[2] for q in among if q[:2] == key}

    claimed = [r for r in own if len(values(r[:2], other)) == 1]
    right = [r for r in claimed if values(r[:2], other) == {r[2]}]
    present = [r for r in own if values(r[:2], other)]
    return {
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


@pytest.mark.parametrize(
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
