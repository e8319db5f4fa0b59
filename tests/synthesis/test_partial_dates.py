"""Dates of several precisions in one column: days, months and years keep their shares and their order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.io.partial_dates import PartialDates

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")

FORMATS = [
    ("%Y-%m-%d", "%Y-%m", "%Y"),
    ("%d.%m.%Y", "%m.%Y", "%Y"),
    ("%d %b %Y", "%b %Y", "%Y"),
    ("%B %d, %Y", "%B %Y", "%Y"),
]


def events(seed: int, formats: tuple[str, ...] = FORMATS[0], n: int = 800) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    start = pd.Series(pd.Timestamp("2013-01-01") + pd.to_timedelta(draw.integers(0, 700, n), "D"))
    end = start + pd.to_timedelta(draw.integers(0, 60, n), "D")
    kinds = draw.choice(len(formats), (2, n), p=[0.8, 0.15, 0.05])
    texts = [
        [day.strftime(formats[kind]) for day, kind in zip(days, which, strict=True)]
        for days, which in zip((start, end), kinds, strict=True)
    ]
    frame = pd.DataFrame({"start": texts[0], "end": texts[1], "grade": draw.integers(1, 4, n)})
    frame.loc[draw.random(n) < 0.1, "end"] = None
    return frame


def periods(texts: pd.Series, formats: tuple[str, ...]) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Return the precision, the first and the last day of each text, by pandas."""
    found = [pd.to_datetime(texts, format=form, errors="coerce", exact=True) for form in formats]
    which = pd.Series(np.select([one.notna() for one in found], [0, 1, 2], -1), index=texts.index)
    first = found[0].fillna(found[1]).fillna(found[2])
    ends = [found[0], found[1] + pd.offsets.MonthEnd(0), found[2] + pd.offsets.YearEnd(0)]
    return which, first, ends[0].fillna(ends[1]).fillna(ends[2])


@pytest.mark.parametrize("formats", FORMATS)
def test_partial_dates_keep_their_precision_and_their_order(formats: tuple[str, ...]) -> None:
    frame = events(1, formats)
    release = sl.synthesize(frame, m=1, rng=1)
    made = release[0]
    assert release.synthesized == ("start", "end", "grade")
    pd.testing.assert_series_equal(made.dtypes, frame.dtypes)
    for column in ("start", "end"):
        shares = [periods(one[column], formats)[0].value_counts(normalize=True) for one in (frame, made)]
        assert shares[0].sub(shares[1], fill_value=0).abs().max() < 0.06
        # Precise dates are new, as far as smoothing changes them, and not all on the first day of a month.
        precise = periods(made[column], formats)
        assert (precise[1][precise[0] == 0].dt.day == 1).mean() < 0.08
    assert (periods(made["start"], formats)[1] <= periods(made["end"], formats)[2])[made["end"].notna()].all()
    assert "start <= end: by construction" in sl.Plan.of(release).relations
    assert {"start (precision)", "end (precision)"} <= {v.variable for v in sl.Plan.of(release).variables}


def test_kept_and_ordered_partial_dates() -> None:
    frame = events(2)
    kept = sl.synthesize(frame, m=1, rng=1, keep=["start"])
    pd.testing.assert_series_equal(kept[0]["start"], frame["start"])
    ordered = sl.synthesize(frame, m=1, rng=1, order=["grade", "end", "start"])
    assert sl.Plan.of(ordered).order == ("grade", "end (precision)", "end", "start (precision)", "start")


def test_a_partial_date_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    frame = events(3)
    frame.loc[5, "start"] = "2013-02-30"
    with pytest.raises(
        InputError, match="column 'start' holds dates of several precisions.* 1 of 800 records"
    ) as error:
        sl.synthesize(frame)
    assert "02-30" not in str(error.value)
    frame.to_csv(tmp_path / "events.csv", index=False)
    with pytest.raises(InputError, match="column 'start' holds dates of several precisions.* 1 cell do not exist"):
        sl.read(tmp_path / "events.csv")
    copied = sl.synthesize(frame, m=1, rng=1, models={"start": "sample"})  # the remedy of the message
    assert copied[0]["start"].isin(frame["start"]).all()


@pytest.mark.parametrize(
    "texts",
    [
        ["2013-05-17", "2013-05-18"],
        ["2013", "2014"],
        ["2013-05", "unknown", "2013-05-17"],
        ["a", "b"],
        [None, None],
        [],
    ],
)
def test_other_texts_are_not_partial_dates(texts: list[str | None]) -> None:
    assert PartialDates.of(pd.Series(texts, dtype=object)) is None


def test_the_first_and_the_last_day_of_each_period() -> None:
    found = PartialDates.of(pd.Series(["2012-02", "2012", None, "2012-02-10"]))
    assert found is not None
    assert found.first.dt.strftime("%m-%d").tolist()[:2] == ["02-01", "01-01"]
    assert found.last.dt.strftime("%m-%d").tolist()[:2] == ["02-29", "12-31"]
    assert found.write(found.last, found.precision).tolist() == ["2012-02", "2012", None, "2012-02-10"]
