"""Values of several columns are coded as the objects they are, whatever stores them."""

import datetime as dt

import numpy as np
import pandas as pd

from synthlab.utility._frames import joint_codes
from tests.loops import every

DAYS = [dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 1), pd.NaT]
COLUMNS = {
    "text": (pd.Series(["b", "a", None, "b"]), pd.Series(["c", "a"])),
    "text in objects": (pd.Series(["b", None, np.nan, "a"], dtype=object), pd.Series(["a", "c"])),
    "whole and not": (pd.Series([3, 1, 3]), pd.Series([1.0, 2.5, np.nan, -0.0, 0.0])),
    "bools and numbers": (pd.Series([True, False]), pd.Series([0, 1, 2])),
    "nullable": (pd.Series([2, None, 1], dtype="Int64"), pd.Series([1.0, None])),
    "categories": (
        pd.Categorical(["b", None, "b"], categories=["a", "b"]),
        pd.Categorical(["a", "b"], categories=["b", "a"]),
    ),
    "categories of numbers": (pd.Categorical([3, 1, 3]), pd.Series([1.0, 4.0])),
    "days": (pd.Series(DAYS), pd.Series(DAYS[::-1])),
    "days of a zone": (pd.Series(DAYS).dt.tz_localize("UTC"), pd.Series(DAYS).dt.tz_localize("Europe/Berlin")),
    "Arrow": (pd.Series([1, None, 2], dtype="int64[pyarrow]"), pd.Series(["2", "1"], dtype="string[pyarrow]")),
    "empty": (pd.Series([], dtype="str"), pd.Series(["a"])),
}


@every("name", COLUMNS)
def test_codes_and_levels_are_those_of_the_objects(name):
    columns = [pd.Series(column) for column in COLUMNS[name]]
    together = pd.concat([column.astype(object) for column in columns], ignore_index=True)
    codes, levels = pd.factorize(together, use_na_sentinel=False)
    found, values = joint_codes(columns)
    assert found.tolist() == codes.tolist()
    assert [type(value) for value in values] == [type(value) for value in levels]
    assert pd.Series(values, dtype=object).equals(pd.Series(levels, dtype=object))
