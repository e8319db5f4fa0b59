"""``%%R`` beside Python in a notebook, with the same frames; and what passes between them."""

from __future__ import annotations

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import synthlab as sl
from synthlab.r import converter, magic, probe
from tests.r.test_survey import RECORDED as DESIGN
from tests.r.test_synthpop import RECORDED as SYNDS

pytestmark = [pytest.mark.r, pytest.mark.skipif(not probe().usable, reason=probe().problem or "R is there")]


@pytest.fixture
def passed():
    """Pass a value to R, and back what an R function makes of it."""
    import rpy2.robjects as ro

    def there_and_back(value, function="function(x) x"):
        with converter().context():
            return ro.r(function)(value)

    return there_and_back


def frame_of_all():
    return pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "truth": pd.array([True, None, False], dtype="boolean"),
            "text": pd.Series(["a", None, "NA"], dtype="str"),
            "number": [0.5, np.nan, 1e300],
            "level": pd.Categorical(["lo", None, "hi"], ["lo", "mid", "hi"], ordered=True),
            "day": pd.to_datetime(["2026-01-31", None, "1950-01-01"]).astype("datetime64[us]"),
            "moment": pd.to_datetime(["2026-01-31 10:30", None, "1999-12-31 00:00"]).astype("datetime64[us]"),
        }
    )


def test_a_frame_comes_back_as_it_went(passed):
    pd.testing.assert_frame_equal(passed(frame_of_all()), frame_of_all())


@pytest.mark.parametrize("name", list(frame_of_all()))
def test_a_column_too(passed, name):
    column = frame_of_all()[name].rename(None)
    pd.testing.assert_series_equal(passed(column), column)


def test_a_dataset_is_its_frame(passed):
    made = sl.datasets.load("youths")
    assert passed(made, "function(d) nrow(d)")[0] == len(made.frame)


def test_a_release_is_a_list_of_frames(passed):
    release = sl.Release([frame_of_all(), frame_of_all()])
    assert list(passed(release, "function(r) sapply(r, nrow)")) == [3, 3]


def test_objects_of_r_come_back_as_ours(passed):
    assert passed(0, f"function(x) {SYNDS}").synthesized == ("age", "income")
    frame, design = passed(0, f"function(x) {DESIGN}")
    assert (len(frame), design.weights) == (6, "w")


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("c(1L, NA)", [1, None]),
        ("c(TRUE, NA)", [True, None]),
        ("c('a', NA)", ["a", None]),
        ("factor(c('a', NA))", ["a", None]),
        (
            "structure(c(2, NA), labels = c(yes = 2), class = c('haven_labelled', 'vctrs_vctr', 'double'))",
            ["yes", None],
        ),
        ("as.Date(c('2026-01-31', NA))", [pd.Timestamp("2026-01-31"), None]),
    ],
)
def test_what_is_missing_in_r_is_missing_here(passed, code, values):
    back = passed(0, f"function(x) {code}")
    assert [None if pd.isna(v) else v for v in back] == values


def test_vectors_and_matrices_are_arrays(passed):
    np.testing.assert_array_equal(passed(np.array([1.0, 2.5])), [1.0, 2.5])
    np.testing.assert_array_equal(passed(np.eye(2)), np.eye(2))
    assert passed(3) == [3]


CELLS = [
    "%load_ext synthlab.r",
    """import pandas as pd
frame = pd.DataFrame({"age": pd.array([30, None, 41], dtype="Int64"), "sex": pd.Categorical(["f", None, "m"], ["f", "m", "x"])})""",
    """%%R -i frame -o back,summed,shown
back <- frame
summed <- sum(frame$age, na.rm = TRUE)
shown <- factor(c("b", NA, "a"), levels = c("b", "a", "c"), ordered = TRUE)
cat(class(frame$age), levels(frame$sex), "\\n")""",
    """pd.testing.assert_frame_equal(back, frame)
assert summed == [71] and shown.cat.categories.tolist() == ["b", "a", "c"] and shown.cat.ordered
print("the same")""",
    """%%R -i frame
plot(seq_along(frame$age), frame$age)""",
]


def test_a_notebook():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    printed = ["".join(o.get("text", "") for o in cell.outputs) for cell in notebook.cells]
    assert printed[2].startswith("integer f m x")
    assert "Live: R " in printed[2]
    assert printed[3] == "the same\n"
    assert any("image/png" in o.get("data", {}) for o in notebook.cells[4].outputs)


def test_a_wrong_option_stops_a_notebook():
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(CELLS[0]), nbformat.v4.new_code_cell("%%R -w 3\n1")]
    )
    with pytest.raises(CellExecutionError, match="only -i NAME and -o NAME"):
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()


def test_names_in_and_out():
    assert magic.input_names("-i a,b -o c --input d") == ["a", "b", "d"]
    assert magic.output_names("-i a,b -o c --output e,f") == ["c", "e", "f"]
