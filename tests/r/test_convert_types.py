"""Every type of a column, with and without missing values: to R and back, and what R itself sees."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import InputError
from synthlab.r import from_r, probe, to_r

pytestmark = [pytest.mark.r, pytest.mark.skipif(not probe().usable, reason=probe().problem or "R is there")]

# What R cannot hold is refused: see test_convert.
letters = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=6)
LEVELS = {
    "whole numbers": st.integers(-(2**60), 2**60),
    "numbers": st.floats(allow_nan=False, allow_infinity=False),
    "text": letters,
    "truth values": st.booleans(),
    "dates": st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)).map(pd.Timestamp),
    "intervals": st.integers(-5, 50).map(lambda low: pd.Interval(low, low + 1)),
}


def there_and_back(series: pd.Series) -> pd.Series:
    return from_r(to_r(pd.DataFrame({"x": series})))["x"]


@pytest.mark.parametrize("kind", LEVELS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_categories_of_any_type_become_factors_of_their_text(kind, data):
    levels = data.draw(st.lists(LEVELS[kind], min_size=1, max_size=5, unique_by=str))
    codes = data.draw(st.lists(st.integers(-1, len(levels) - 1), min_size=1, max_size=8))
    ordered = data.draw(st.booleans())
    series = pd.Series(pd.Categorical.from_codes(codes, pd.Index(levels), ordered=ordered))
    back = there_and_back(series)
    assert back.cat.codes.tolist() == codes
    assert back.cat.categories.tolist() == [str(level) for level in series.cat.categories]
    assert back.cat.ordered == ordered


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | st.integers(-(2**31) + 1, 2**31 - 1), min_size=1, max_size=10))
def test_integers_with_na(values):
    back = there_and_back(pd.Series(pd.array(values, dtype="Int64")))
    assert [None if pd.isna(v) else int(v) for v in back] == values


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=10))
def test_integers_beyond_31_bits_are_exact(values):
    back = there_and_back(pd.Series([*values, 2**31], dtype="int64"))
    assert [int(v) for v in back] == [*values, 2**31]


@pytest.mark.parametrize("smallest", [-(2**31), 2**31, -(2**31) - 1])
def test_the_integer_that_r_takes_for_na_is_no_na(smallest):
    assert there_and_back(pd.Series([smallest, 1], dtype="int64")).tolist() == [smallest, 1]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | letters, min_size=1, max_size=8))
def test_text_of_any_script_with_na(values):
    series = pd.Series([*values, "NA"], dtype="str")
    back = there_and_back(series)
    assert [None if pd.isna(v) else v for v in back] == [*values, "NA"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | st.booleans(), min_size=1, max_size=8))
def test_truth_values_with_na(values):
    back = there_and_back(pd.Series(pd.array(values, dtype="boolean")))
    assert [None if pd.isna(v) else bool(v) for v in back] == values


moments = st.datetimes(datetime.datetime(1902, 1, 1), datetime.datetime(2100, 1, 1))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | moments, min_size=1, max_size=8))
def test_moments_with_na(values):
    back = there_and_back(pd.Series(pd.to_datetime(pd.Series(values, dtype=object))))
    assert [None if pd.isna(v) else v.to_pydatetime() for v in back] == values


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | st.dates(datetime.date(1850, 1, 1), datetime.date(2200, 1, 1)), min_size=1, max_size=8))
def test_days_with_na(values):
    back = there_and_back(pd.to_datetime(pd.Series(values, dtype=object)))
    assert [None if pd.isna(v) else v.date() for v in back] == values


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | st.dates(), max_size=8), st.dates())
def test_days_of_datetime(values, last):
    import rpy2.robjects as ro

    column = to_r(pd.DataFrame({"x": pd.Series([*values, last], dtype=object)}))
    assert list(ro.r("function(d) class(d$x)")(column)) == ["Date"]
    back = from_r(column)["x"]
    assert [None if pd.isna(v) else v.date() for v in back] == [*values, last]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | moments, max_size=8), moments)
def test_moments_of_datetime(values, last):
    back = there_and_back(pd.Series([*values, last], dtype=object))
    assert [None if pd.isna(v) else v.to_pydatetime() for v in back] == [*values, last]


@pytest.mark.parametrize(
    ("values", "back", "kind"),
    [
        ([5, None, -(2**31) + 1], [5, None, -(2**31) + 1], "integer"),
        ([2**53, None, 1], [2**53, None, 1], "numeric"),
        ([Decimal("0.5"), Fraction(1, 4), None], [0.5, 0.25, None], "numeric"),
        ([1, 0.5, 1e300], [1.0, 0.5, 1e300], "numeric"),
    ],
)
def test_numbers_in_an_object_column(values, back, kind):
    import rpy2.robjects as ro

    column = to_r(pd.DataFrame({"x": pd.Series(values, dtype=object)}))
    assert list(ro.r("function(d) class(d$x)")(column)) == [kind]
    assert [None if pd.isna(v) else v for v in from_r(column)["x"]] == back


@pytest.mark.parametrize("values", [[2**60 + 1, None, 1], [2**60 + 1, 0.5], [-(2**63), 1], [Decimal(2**60), None]])
def test_whole_numbers_that_no_double_holds_are_refused(values):
    with pytest.raises(InputError, match="'x': whole numbers beyond 2\\*\\*53"):
        to_r(pd.DataFrame({"x": pd.Series(values, dtype=object)}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1j, 2], "'x' holds complex numbers"),
        ([datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1)], "'x' contains values of several types"),
        (pd.to_datetime(["2026-01-01"]).tz_localize("UTC+02:00"), "'x': dates with a time zone"),
        ([datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)], "'x': dates with a time zone"),
    ],
)
def test_other_types_without_a_counterpart(values, message):
    with pytest.raises(InputError, match=message):
        to_r(pd.DataFrame({"x": values}))


def test_names_that_read_the_same():
    import rpy2.robjects as ro

    with pytest.raises(InputError, match="frame: column names must be text, but 1 of 3 are not;"):
        to_r(pd.DataFrame([[1, 2, 3]], columns=[1, "1", "2"]))
    with pytest.raises(InputError, match="the data.frame of R: two columns have the same name as text: 'a'$"):
        from_r(ro.r("data.frame(a = 1, a = 2, check.names = FALSE)"))


def test_a_missing_text_of_r_is_a_missing_text():
    import rpy2.robjects as ro

    back = from_r(ro.r("data.frame(s = c('NA', NA))"))["s"]
    assert str(back.dtype) == "str"
    assert back.isna().tolist() == [False, True]
    assert isinstance(back[1], float)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(), min_size=1, max_size=8))
def test_numbers_with_infinities_and_na(values):
    back = there_and_back(pd.Series(values, dtype=float))
    np.testing.assert_array_equal(back.to_numpy(), np.array(values))


def test_what_r_sees():
    import rpy2.robjects as ro

    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype="Int64"),
            "l": pd.array([True, None], dtype="boolean"),
            "s": pd.Series(["ü", None], dtype="str"),
            "d": [0.5, np.nan],
            "f": pd.Categorical([2.5, None]),
            "day": pd.to_datetime(["2026-11-21", None]),
        }
    )
    ask = ro.r("function(d) list(sapply(d, function(x) class(x)[1]), sapply(d, function(x) is.na(x[2])), levels(d$f))")
    kinds, gone, levels = ask(to_r(frame))
    assert list(kinds) == ["integer", "logical", "character", "numeric", "factor", "Date"]
    assert list(gone) == [True] * 6
    assert list(levels) == ["2.5"]
    assert list(ro.r("function(d) format(d$day[1])")(to_r(frame))) == ["2026-11-21"]


def test_a_list_column_of_r_is_refused():
    import rpy2.robjects as ro

    with pytest.raises(InputError, match="has no counterpart"):
        from_r(ro.r("data.frame(x = I(list(1, 'a')))"))


# ---- classes of R --------------------------------------------------------------------------------


def from_code(code):
    """Return what an R expression becomes as a column."""
    import rpy2.robjects as ro

    # Set apart from data.frame(), which takes some of them to pieces.
    return from_r(ro.r("function(v) { d <- data.frame(n = seq_len(NROW(v))); d$x <- v; d }")(ro.r(code)))["x"]


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("structure(c(18262L, NA), class = 'Date')", ["2020-01-01", None]),
        ("structure(c(18262L, NA), class = c('IDate', 'Date'))", ["2020-01-01", None]),
        ("structure(c(0L, NA), class = c('POSIXct', 'POSIXt'))", ["1970-01-01", None]),
        ("structure(c(18262, NA), class = 'Date')", ["2020-01-01", None]),
        ("structure(NA, class = 'Date')", [None]),
        ("as.POSIXct('2020-01-01 05:00', tz = 'UTC')", ["2020-01-01 05:00"]),
    ],
)
def test_dates_whatever_they_are_stored_as(code, values):
    pd.testing.assert_series_equal(
        from_code(code), pd.Series(pd.to_datetime(values)).astype("datetime64[us]"), check_names=False
    )


@pytest.mark.parametrize(
    ("code", "codes", "levels"),
    [
        ("addNA(factor(c('a', NA, 'b')))", [0, -1, 1], ["a", "b"]),
        ("factor(c('a', NA, 'b'), levels = c('b', NA, 'a'), exclude = NULL)", [1, -1, 0], ["b", "a"]),
        ("factor(c('NA', NA))", [0, -1], ["NA"]),
    ],
)
def test_a_level_that_is_na_is_missing(code, codes, levels):
    back = from_code(code)
    assert back.cat.codes.tolist() == codes
    assert back.cat.categories.tolist() == levels


@pytest.mark.parametrize("code", ["I(1:3)", "tapply(1:3, 1:3, sum)", "structure(1:3, names = c('a', 'b', 'c'))"])
def test_classes_that_change_no_value(code):
    assert from_code(code).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("matrix(1:4, 2)", "'x' of R is a matrix or an array"),
        ("I(matrix(1:4, 2))", "'x' of R is a matrix or an array"),
        ("structure(2, class = 'difftime', units = 'decades')", "class 'difftime' has no counterpart here"),
        ("structure(0, class = c('POSIXct', 'POSIXt'), tzone = 'Mars/Base')", "its time zone is unknown here"),
        ("structure('2020-01-01', class = 'Date')", "class 'Date' has no counterpart"),
        ("1i", "class 'complex' has no counterpart"),
        ("as.POSIXlt('2020-01-01')", "a list of class 'POSIXlt', 'POSIXt' has no counterpart"),
        ("as.Date(Inf)", "outside the range of datetime64: 1 of 1"),
        ("as.Date(-Inf)", "is outside"),
        ("structure(1e13, class = c('POSIXct', 'POSIXt'))", "is outside"),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(code, message):
    with pytest.raises(InputError, match=message):
        from_code(code)


@pytest.mark.parametrize(
    ("code", "found"),
    [("1:3", "an R object of class 'integer'"), ("list(a = 1)", "of class 'list'"), ("NULL", "of class 'NULL'")],
)
def test_only_a_data_frame_is_one(code, found):
    import rpy2.robjects as ro

    with pytest.raises(InputError, match=f"data: must be a data.frame of R, not .*{found}"):
        from_r(ro.r(code))
    with pytest.raises(InputError, match="data: must be a data.frame of R, not DataFrame$"):
        from_r(pd.DataFrame())


def test_a_column_without_a_name():
    import rpy2.robjects as ro

    with pytest.raises(InputError, match=r"a column name is missing \(NA\)"):
        from_r(ro.r("(function() { d <- data.frame(a = 1); names(d) <- NA; d })()"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2240, 1, 1)), min_size=1, max_size=8))
def test_moments_are_exact_to_the_microsecond_where_it_is_said(values):
    assert there_and_back(pd.Series(values, dtype=object)).tolist() == values
