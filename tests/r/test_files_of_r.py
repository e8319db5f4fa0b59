"""`synthlab.read` and `from_r` return the same data frame for the same object of R."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ColumnTypeWarning, InputError
from synthlab.r import from_r, probe, to_r

pytestmark = pytest.mark.skipif(not probe().usable, reason="R or rpy2 is not usable here")

HAVEN = "'vctrs_vctr', 'double')"
# Code of R for a column of three records, and its values.
COLUMNS: dict[str, tuple[str, list[object]]] = {
    "integers": ("c(1L, NA, 3L)", [1, None, 3]),
    "doubles": ("c(1.5, NA, NaN)", [1.5, None, None]),
    "logical": ("c(TRUE, NA, FALSE)", [True, None, False]),
    "text": ("c('NA', NA, '\\u00fc')", ["NA", None, "ü"]),
    "latin": ("{ x <- c('\\xfc', 'a', 'b'); Encoding(x) <- 'latin1'; x }", ["ü", "a", "b"]),
    "compact": ("1:3", [1, 2, 3]),
    "factor": ("factor(c('a', NA, 'b'))", ["a", None, "b"]),
    "na_level": ("addNA(factor(c('a', NA, 'b')))", ["a", None, "b"]),
    "na_first": ("factor(c('a', NA, 'b'), levels = c(NA, 'b', 'a'), exclude = NULL)", ["a", None, "b"]),
    "ordered": ("factor(c('lo', 'hi', 'lo'), levels = c('lo', 'hi'), ordered = TRUE)", ["lo", "hi", "lo"]),
    "tapply": ("tapply(c(1L, 2L, NA), c('a', 'b', 'c'), sum)", [1, 2, None]),
    "table": ("table(c('a', 'b', 'b', 'c'))", [1, 2, 1]),
    "array_of_text": ("array(c('u', 'v', 'w'))", ["u", "v", "w"]),
    "named": ("c(a = 1L, b = NA, c = 2L)", [1, None, 2]),
    "series": ("ts(c(3, 4, 5), start = c(2000, 3), frequency = 12)", [3.0, 4.0, 5.0]),
    "as_is": ("I(c(1, 2, 3))", [1.0, 2.0, 3.0]),
    "minutes": ("as.difftime(c(90, NA, 0.5), units = 'mins')", [pd.Timedelta("90min"), None, pd.Timedelta("30s")]),
    "weeks": ("structure(1:3, class = 'difftime', units = 'weeks')", [pd.Timedelta(7 * k, "D") for k in (1, 2, 3)]),
    "hms": (
        "structure(c(3600, NA, 0), class = c('hms', 'difftime'), units = 'secs')",
        [pd.Timedelta("1h"), None, pd.Timedelta(0)],
    ),
    "yearmon": (
        "structure(c(2003 + 7 / 12, NA, 1999), class = 'yearmon')",
        [pd.Timestamp("2003-08-01"), None, pd.Timestamp("1999-01-01")],
    ),
    "yearqtr": (
        "structure(c(2003.75, NA, 1999), class = 'yearqtr')",
        [pd.Timestamp("2003-10-01"), None, pd.Timestamp("1999-01-01")],
    ),
    "date": (
        "as.Date(c('1850-05-05', NA, '2020-01-31'))",
        [pd.Timestamp("1850-05-05"), None, pd.Timestamp("2020-01-31")],
    ),
    "integer_date": (
        "structure(c(18262L, NA, 0L), class = c('IDate', 'Date'))",
        [pd.Timestamp("2020-01-01"), None, pd.Timestamp("1970-01-01")],
    ),
    "utc": (
        "as.POSIXct(c('2020-01-01 05:00:00.25', NA, NA), tz = 'UTC')",
        [pd.Timestamp("2020-01-01 05:00:00.25"), None, None],
    ),
    "berlin": (
        "as.POSIXct(c('2020-07-01 05:00', NA, '2020-01-01 00:00'), tz = 'Europe/Berlin')",
        [pd.Timestamp("2020-07-01 05:00", tz="Europe/Berlin"), None, pd.Timestamp("2020-01-01", tz="Europe/Berlin")],
    ),
    "integer64": ("structure(c(5e-324, -0.0, 1e-323), class = 'integer64')", [1, None, 2]),
    "labels": (
        f"structure(c(1, 2, NA), labels = c(no = 1, yes = 2), class = c('haven_labelled', {HAVEN})",
        ["no", "yes", None],
    ),
    "partly": (
        f"structure(c(1, 2, 99), labels = c(refused = 99), class = c('haven_labelled', {HAVEN})",
        [1.0, 2.0, 99.0],
    ),
    "text_labels": (
        "structure(c('a', 'b', NA), labels = c(Aa = 'a', Bb = 'b'), class = c('haven_labelled', 'vctrs_vctr', 'character'))",
        ["Aa", "Bb", None],
    ),
    "declared": (
        f"structure(c(1, 2, 9), labels = c(no = 1, yes = 2, refused = 9), na_values = 9, class = c('haven_labelled_spss', 'haven_labelled', {HAVEN})",
        ["no", "yes", None],
    ),
    "range": (
        f"structure(c(1, 2, -5), labels = c(no = 1, yes = 2), na_range = c(-Inf, -1), class = c('haven_labelled_spss', 'haven_labelled', {HAVEN})",
        ["no", "yes", None],
    ),
}
MAKE = "function(v) { d <- data.frame(n = seq_len(NROW(v))); d$x <- v; attr(d, 'formula') <- y ~ x | g; d }"


def both(code: str, folder: Path) -> list[pd.Series | str]:
    """Return a column from a file and from R, or the error."""
    import rpy2.robjects as ro

    frame = ro.r(MAKE)(ro.r(code))
    ro.r("saveRDS")(frame, str(folder / "x.rds"))
    found: list[pd.Series | str] = []
    for read in (lambda: sl.read(folder / "x.rds"), lambda: from_r(frame)):
        try:
            found.append(read()["x"])
        except InputError as error:
            found.append(str(error))
    return found


def test_a_file_of_r_is_read_like_an_object_of_r(tmp_path: Path) -> None:
    wrong = []
    for name, (code, values) in COLUMNS.items():
        one, other = both(code, tmp_path)
        try:
            pd.testing.assert_series_equal(one, other)
            assert [None if pd.isna(value) else value for value in one] == values
        except (AssertionError, TypeError) as error:
            wrong.append((name, one, other, error))
    assert wrong == []


def test_columns_that_no_frame_can_hold_are_refused_by_name_in_both(tmp_path: Path) -> None:
    wrong = []
    for code in (
        "list(1, 'a')",
        "I(list(1, 2:3))",
        "1i",
        "matrix(1:4, 2)",
        "data.frame(a = 1, b = 2)",
        "as.POSIXlt('2020-01-01')",
    ):
        one, other = both(code, tmp_path)
        if not (isinstance(one, str) and isinstance(other, str) and "'x'" in one and "damaged" not in one):
            wrong.append((code, one, other))
    assert wrong == []


def test_an_unknown_class_is_reported_in_both(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        one, other = both("structure(c(1, 2), class = 'Money')", tmp_path)
    pd.testing.assert_series_equal(one, other)
    assert [warning.category for warning in caught] == [ColumnTypeWarning] * 2
    assert all("'Money'" in str(warning.message) for warning in caught)


def test_real_data_frames_are_read_alike(tmp_path: Path) -> None:
    """Frames with a formula attribute (nlme), factors, months and times, and a frame within an RData file."""
    import rpy2.robjects as ro

    for name in ("nlme::Orthodont", "datasets::ChickWeight", "datasets::airquality", "MASS::Cars93", "survival::lung"):
        package = name.split("::")[0]
        if not ro.r(f"(requireNamespace('{package}', quietly = TRUE))")[0]:
            continue
        frame = ro.r(name)
        ro.globalenv["found"] = frame
        ro.r("function(file) { save(found, file = file) }")(str(tmp_path / "x.rda"))
        pd.testing.assert_frame_equal(sl.read(tmp_path / "x.rda"), from_r(frame))


def test_names_that_occur_twice_are_named(tmp_path: Path) -> None:
    import rpy2.robjects as ro

    ro.r("function(file) saveRDS(data.frame(a = 1, b = 2, a = 3, check.names = FALSE), file)")(str(tmp_path / "x.rds"))
    with pytest.raises(InputError, match="two columns have the same name as text: 'a'$"):
        sl.read(tmp_path / "x.rds")


def test_spans_and_zones_return_from_r() -> None:
    frame = pd.DataFrame(
        {
            "span": pd.Series(pd.to_timedelta(["1h", None, "-3D"])).astype("timedelta64[us]"),
            "when": pd.Series(pd.to_datetime(["2020-07-01", None, "2020-01-01"])).dt.tz_localize("Europe/Berlin"),
        }
    )
    frame["when"] = frame["when"].astype("datetime64[us, Europe/Berlin]")
    pd.testing.assert_frame_equal(from_r(to_r(frame)), frame)
