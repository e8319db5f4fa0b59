"""check_same_kind: columns in which nothing could match are refused, whatever they look like."""

from __future__ import annotations

import datetime

import pandas as pd
import pytest

import synthlab as sl
from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError

DAYS = pd.Series([datetime.date(2020, 1, day) for day in (1, 2, 3)], dtype=object)
MOMENTS = pd.to_datetime(DAYS)
ZONED = MOMENTS.dt.tz_localize("UTC")
QUESTION = {"known": ["d"], "synthesized": ["y"]}


def frame(dates: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"d": dates, "y": list("abc")})


@pytest.mark.parametrize("as_category", [False, True])
@pytest.mark.parametrize(
    ("confidential", "synthetic", "message"),
    [
        (DAYS, MOMENTS, r"datetime\.date values .* and date values .* pd\.to_datetime\(confidential\['d'\]\)$"),
        (MOMENTS, DAYS, r"date values .* and datetime\.date values .* pd\.to_datetime\(synthetic\['d'\]\)$"),
        (MOMENTS, ZONED, r"and date with a time zone values .* synthetic\['d'\]\.dt\.tz_convert\(None\)$"),
        (ZONED, MOMENTS.astype(object), r"time zone values .* confidential\['d'\]\.dt\.tz_convert\(None\)$"),
        (ZONED.astype(object), DAYS, r"date with a time zone values .* and datetime\.date values"),
        (MOMENTS, MOMENTS.astype(str), r"date values .* and text values .* synthetic\['d'\]\.astype\("),
    ],
)
def test_dates_of_which_none_equals_another(confidential, synthetic, message, as_category):
    if as_category:
        confidential, synthetic = confidential.astype("category"), synthetic.astype("category")
    with pytest.raises(DtypeMismatchError, match=f"column 'd' holds .*{message}"):
        sl.identification_risk(frame(confidential), frame(synthetic), **QUESTION)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize(
    ("confidential", "synthetic"),
    [
        (DAYS, DAYS),
        (MOMENTS, MOMENTS.astype("datetime64[s]")),
        (MOMENTS, MOMENTS.astype(object)),
        (ZONED, ZONED.dt.tz_convert("Asia/Tokyo")),
        (MOMENTS.astype("category"), MOMENTS),
    ],
)
def test_dates_that_can_be_equal_are_compared(confidential, synthetic):
    risk = sl.identification_risk(frame(confidential), frame(synthetic), **QUESTION)
    assert risk.match_count[:, 0].tolist() == [1, 1, 1]


def test_a_frame_that_is_no_synthetic_dataset_is_called_by_its_name():
    numbers, words = pd.DataFrame({"ill": [1, 2]}), pd.DataFrame({"ill": ["1", "2"]})
    with pytest.raises(DtypeMismatchError, match="in guesses: .* example guesses\\['ill'\\]\\.astype"):
        _checks.check_same_kind(numbers, [words], ["ill"], name="guesses")
    with pytest.raises(DtypeMismatchError, match="in synthetic dataset 2: .* example synthetic\\['ill'\\]"):
        _checks.check_same_kind(numbers, [numbers, words], ["ill"])
