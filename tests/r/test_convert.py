"""Frames to R and back: what goes in comes out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import InputError
from synthlab.r import from_r, probe, to_r

pytestmark = [pytest.mark.r, pytest.mark.skipif(not probe().usable, reason=probe().problem or "R is there")]

# What R cannot hold is refused: tests below.
text = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=8)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.integers(-(2**31) + 1, 2**31 - 1),
            st.none() | st.integers(-(2**53), 2**53),
            st.none() | st.booleans(),
            st.none() | text,
            st.none() | st.floats(allow_nan=False),
            st.none() | st.sampled_from(["lo", "mid", "hi ü"]),
        ),
        min_size=1,
        max_size=12,
    ),
    name=text,
)
def test_round_trip(rows, name):
    small, large, truth, words, real, level = zip(*rows, strict=True)
    frame = pd.DataFrame(
        {
            "small": pd.array(small, dtype="Int64"),
            "large": pd.array([*large[:-1], 2**40], dtype="Int64"),
            "truth": pd.array(truth, dtype="boolean"),
            "words": pd.Series([*words[:-1], "x"], dtype="str"),
            "real": pd.Series(real, dtype=float),
            f"level {name}": pd.Categorical(level, ["lo", "mid", "hi ü"], ordered=True),
            "day": pd.to_datetime(["2026-11-21"] * len(rows)),
        }
    )
    back = from_r(to_r(frame))
    assert list(back.columns) == list(frame.columns)
    for column in frame.columns:
        here, there = frame[column], back[column]
        assert here.isna().tolist() == there.isna().tolist(), column
        assert [v for v in here if not pd.isna(v)] == [v for v in there if not pd.isna(v)], column
    assert back[f"level {name}"].dtype == frame[f"level {name}"].dtype


def test_categories_of_numbers_and_column_names_are_data():
    import rpy2.robjects as ro

    frame = pd.DataFrame(
        {"quit('no')": pd.Categorical([3, 1, None], [1, 3]), "a b": pd.array([1, None, 3], dtype="Int64")}
    )
    data = to_r(frame)
    assert list(ro.r["names"](data)) == ["quit('no')", "a b"]
    assert list(ro.r["class"](data)) == ["data.frame"]
    assert list(ro.r["levels"](ro.r["[["](data, 1))) == ["1", "3"]
    assert list(ro.r["is.na"](ro.r["[["](data, 2))) == [False, True, False]
    assert ro.r["nrow"](data)[0] == 3


def test_integer_na_from_r():
    import rpy2.robjects as ro

    back = from_r(ro.r("data.frame(i = c(1L, NA), l = c(TRUE, NA), s = c('a', NA), d = c(0.5, NA))"))
    assert [back[c].isna().tolist() for c in back] == [[False, True]] * 4
    assert str(back["i"].dtype) == "Int64"


def test_dates_with_a_time():
    frame = pd.DataFrame({"t": pd.to_datetime(["2026-11-21 10:30:00", None])})
    back = from_r(to_r(frame))
    assert back["t"].iloc[0] == frame["t"].iloc[0]
    assert back["t"].isna().tolist() == [False, True]


def test_what_r_cannot_hold():
    with pytest.raises(InputError, match="beyond 2\\*\\*53"):
        to_r(pd.DataFrame({"id": [2**60]}))
    with pytest.raises(InputError, match="'mixed' contains values of several types"):
        to_r(pd.DataFrame({"mixed": [1, "a"]}))
    with pytest.raises(InputError, match="are equal as text"):
        to_r(pd.DataFrame({"g": pd.Categorical([1, "1"])}))
    assert np.isnan(from_r(to_r(pd.DataFrame({"x": [np.nan]})))["x"][0])


FRAMES = {
    "the text": lambda bad: pd.DataFrame({"x": pd.Series([bad, "a", None], dtype=object)}),
    "the category": lambda bad: pd.DataFrame({"x": pd.Categorical(["a"], pd.Index(["a", bad], dtype=object))}),
    "the column name": lambda bad: pd.DataFrame([[1, 2]], columns=pd.Index(["a", bad], dtype=object)),
}


@pytest.mark.parametrize("what", FRAMES)
def test_text_that_r_would_cut_off(what):
    with pytest.raises(InputError) as raised:
        to_r(FRAMES[what]("a\0b"))
    where = "frame" if what == "the column name" else "column 'x'"
    place = 0 if what == "the text" else 1
    assert str(raised.value).startswith(f"{where}: {what} at position {place} contains a NUL character")


@pytest.mark.parametrize("what", FRAMES)
def test_text_that_r_would_refuse(what):
    where = "the column name at position 1" if what == "the column name" else "column 'x'"
    with pytest.raises(InputError, match=f"^frame: {where} (contains|holds) half a surrogate pair"):
        to_r(FRAMES[what]("a\ud800"))


@pytest.mark.parametrize("what", FRAMES)
@settings(max_examples=20, deadline=None)
@given(before=text, bad=st.sampled_from("\0\ud800\udbff\udc00\udfff"), after=text)
def test_wherever_it_stands(what, before, bad, after):
    with pytest.raises(InputError, match="NUL|surrogate"):
        to_r(FRAMES[what](before + bad + after))
