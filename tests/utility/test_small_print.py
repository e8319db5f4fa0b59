"""Levels in the order they are declared, and measurements whatever holds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.utility._cells import code_variable
from synthlab.utility._frames import measurements


def test_levels_stand_in_the_order_the_confidential_column_declares() -> None:
    confidential = pd.DataFrame({"size": pd.Categorical(["small", "large"], categories=["small", "middle", "large"])})
    released = pd.DataFrame({"size": ["large", "middle"]})
    coded = code_variable("size", [confidential, released], bins=10)
    assert coded.levels == ("small", "middle", "large")
    assert [codes.tolist() for codes in coded.codes] == [[0, 2], [2, 1]]


@pytest.mark.parametrize("kind", ["timestamp[ns][pyarrow]", "datetime64[ns]"])
def test_dates_are_days_whatever_holds_them(kind: str) -> None:
    days = pd.Series(pd.to_datetime(["1970-01-03", None, "1969-12-31"])).astype(kind)
    assert measurements(days).tolist() == pytest.approx([2.0, np.nan, -1.0], nan_ok=True)


@pytest.mark.parametrize("kind", ["duration[ns][pyarrow]", "timedelta64[ns]"])
def test_time_spans_are_days_whatever_holds_them(kind: str) -> None:
    spans = pd.Series(pd.to_timedelta([36, None], unit="h")).astype(kind)
    assert measurements(spans).tolist() == pytest.approx([1.5, np.nan], nan_ok=True)
