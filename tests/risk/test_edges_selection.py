"""Guessed modes, lacking categories, and what a selection admits, record by record."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.risk import Interval, OneOf
from synthlab.risk.posterior._draws import _most_frequent, _order, _with_all_categories
from synthlab.risk.posterior._selection import Admissible, wide_dtype

TRUE = pd.DataFrame(
    {
        "k": list("aaabbbaa"),
        "s": list("xyzxyzxx"),
        "u": [1.0, 2.0, 3.0, 4.0, 2.0, 6.0, 1.0, 9.0],
        "v": [0.0, 2.0, 1.0, 0.0, 5.0, 2.0, 0.0, 1.0],
    }
)


GUESS = pd.DataFrame(
    {
        "k": list("aabbbaab"),
        "s": list("xxyzxyzq"),
        "u": [1.0, 2.5, 4.0, 6.0, 2.0, 3.0, 0.0, 4.0],
        "v": [0.0, 1.0, 0.0, 2.0, 4.0, 1.0, 2.0, 0.0],
    }
)


def test_guesses_of_the_most_frequent_value_and_of_categories_that_are_lacking() -> None:
    rng = np.random.default_rng(1)
    values = np.array([["a", "b", "a"], ["c", "c", "d"], ["e", "f", "g"]], dtype=object)
    drawn = [_most_frequent(values, rng).tolist() for _ in range(300)]
    assert {d[0] for d in drawn} == {"a"}
    assert {d[1] for d in drawn} == {"c"}
    assert {d[2] for d in drawn} == {"e", "f", "g"}
    assert np.bincount([ord(d[2]) - ord("e") for d in drawn]).min() > 70
    frames = [
        pd.DataFrame({"s": ["a", "b"], "t": ["u", "u"]}),
        pd.DataFrame({"s": ["a", "a"], "t": ["u", "w"]}),
        pd.DataFrame({"s": ["c", "a"], "t": ["u", "u"]}),
    ]
    padded = _with_all_categories(frames)
    assert [f["s"].tolist() for f in padded] == [["a", "b", "c", "a"], ["a", "a", "b", "c"], ["c", "a", "b", "a"]]
    assert [f["t"].tolist() for f in padded] == [["u", "u", "u", "w"], ["u", "w", "u", "u"], ["u", "u", "u", "w"]]
    measured = [
        pd.DataFrame({"n": shift + np.arange(12) / 8, "s": list("aaaaaaaaaaa") + [last]})
        for shift, last in ((0, "b"), (5, "c"))
    ]
    assert [f["s"].tolist()[12:] for f in _with_all_categories(measured)] == [["c"], ["b"]]
    assert _with_all_categories(measured)[0]["n"].iloc[-1] == 5 + 11 / 8
    whole = frames[0]
    assert _with_all_categories([whole, whole])[0] is whole
    assert _order(None, rng).tolist() == [0]
    assert sorted(_order(5, rng).tolist()) == [0, 1, 2, 3, 4]


LOW, HIGH = TRUE["u"] - [0, 1, 1, 0, 2, 0, 0, 1], TRUE["u"] + [1, 1, 0, 2, 0, 3, 1, 0]
SELECTION = {
    "s": OneOf([{"x"}, {"x", "y"}, {"z"}, {"x", "z"}, {"y"}, {"z"}, {"x", "y", "z"}, {"x"}]),
    "u": Interval(LOW.to_numpy(), HIGH.to_numpy()),
}


def test_which_values_a_selection_admits() -> None:
    admissible = Admissible.of(SELECTION, TRUE, ["s", "u"])
    good = admissible.holds({"s": GUESS["s"], "u": GUESS["u"], "v": GUESS["v"]})
    plain = [GUESS["s"][i] in SELECTION["s"].values[i] and LOW[i] <= GUESS["u"][i] <= HIGH[i] for i in range(8)]
    assert good.tolist() == plain
    rows = np.array([1, 4, 6])
    assert admissible.holds({"s": GUESS["s"].iloc[rows]}, rows).tolist() == [
        GUESS["s"][i] in SELECTION["s"].values[i] for i in rows
    ]
    assert admissible.holds({"v": GUESS["v"]}).tolist() == [True] * 8
    other = GUESS.assign(s=list("xyzxyzxx"), u=TRUE["u"])
    lost = GUESS.assign(s="q", u=99.0)
    for seed in range(5):
        fixed = admissible.repair([GUESS, other, lost], ["s", "u"], np.random.default_rng(seed))
        for i in range(8):
            assert fixed[1].loc[i, ["s", "u"]].tolist() == other.loc[i, ["s", "u"]].tolist()
            donors = [other.loc[i, ["s", "u"]].tolist()] + ([GUESS.loc[i, ["s", "u"]].tolist()] if plain[i] else [])
            assert fixed[0].loc[i, ["s", "u"]].tolist() == (
                GUESS.loc[i, ["s", "u"]].tolist() if plain[i] else donors[0]
            )
            assert fixed[2].loc[i, ["s", "u"]].tolist() in donors
    (chance,) = admissible.repair([lost], ["s", "u"], np.random.default_rng(1))
    assert chance["u"].tolist() == HIGH.tolist()
    assert all(chance["s"][i] in SELECTION["s"].values[i] for i in range(8))
    (below,) = admissible.repair([lost.assign(u=-99.0)], ["s", "u"], np.random.default_rng(1))
    assert below["u"].tolist() == LOW.tolist()
    with pytest.raises(InputError, match="excludes the true value of 1 of 8"):
        Admissible.of({"s": OneOf([{"y"}, *SELECTION["s"].values[1:]])}, TRUE, ["s"])
    with pytest.raises(InputError, match="is not synthesized"):
        Admissible.of(SELECTION, TRUE, ["s"])


class _Model:
    has_probabilities = True

    def __init__(self, share: dict[str, float]) -> None:
        self.share = share

    def probability_of(self, frame: pd.DataFrame, levels: pd.DataFrame, draw: int) -> np.ndarray:
        return np.tile([self.share[v] for v in levels["s"]], (len(frame), 1))


def test_a_value_is_drawn_within_what_is_admitted() -> None:
    admissible = Admissible.of({"s": SELECTION["s"]}, TRUE, ["s"])
    start = {"s": pd.Series(list("qqqqqqqx"))}
    counts = pd.DataFrame(0, index=range(8), columns=list("xyz"))
    for seed in range(150):
        drawn = admissible.restrict(
            _Model({"x": 0.6, "y": 0.2, "z": 0.0}), TRUE, start, 0, np.random.default_rng(seed)
        )["s"]
        for i, v in enumerate(drawn):
            counts.loc[i, v] += 1
    shares = counts.to_numpy() / 150
    exact = [[1, 0, 0], [0.75, 0.25, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.75, 0.25, 0], [1, 0, 0]]
    np.testing.assert_allclose(shares, exact, atol=0.13)
    # With probability 0 for all that is admitted, all of it is equally likely, record by record.
    drawn = [
        admissible.restrict(_Model({"x": 0.0, "y": 0.0, "z": 0.0}), TRUE, start, 0, np.random.default_rng(s))["s"][3]
        for s in range(100)
    ]
    assert 25 < drawn.count("x") < 75
    kept = {"s": TRUE["s"]}
    assert admissible.restrict(_Model({"x": 1.0, "y": 1.0, "z": 1.0}), TRUE, kept, 0, np.random.default_rng(1))[
        "s"
    ].equals(TRUE["s"])


def test_the_dtype_that_holds_a_replaced_value() -> None:
    category = pd.Series(pd.Categorical(["a", "b"]))
    assert wide_dtype(category, ["a"]) == category.dtype
    assert wide_dtype(category, ["a", "z"]) is object
    assert wide_dtype(pd.Series([1, 2]), [1.0, 2.5]) == np.float64
    assert wide_dtype(pd.Series([1, 2]), [1.0, 2.0]) == np.int64
    assert wide_dtype(pd.Series([1.5, 2]), [0.25]) == np.float64
