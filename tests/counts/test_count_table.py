"""Tables: from records and from counts, and back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.counts import Table
from synthlab.counts.structural_zeros import structural_cells
from synthlab.exceptions import InputError, MissingValueError
from tests.loops import every

PUPILS = pd.DataFrame({"sex": ["F", "M", "F", "F"], "age": [5, 5, 7, 7], "area": ["n", "s", "n", "n"]})
LEVELS = {"sex": ["F", "M"], "age": [5, 6, 7]}


def test_from_frame_has_a_cell_for_every_declared_level():
    table = Table.from_frame(PUPILS, ["sex", "age"], levels={"age": [5, 6, 7]})
    assert table.variables == ("sex", "age")
    assert table.levels == (("F", "M"), (5, 6, 7))
    assert table.dense().tolist() == [[1, 0, 2], [1, 0, 0]]
    assert (table.n_cells, table.n_occupied, table.total) == (6, 3, 4)
    assert table.title == "Table sex (2) x age (3): 6 cells, 50.0% empty, 4 records"
    assert "<table" in table._repr_html_()


def test_levels_come_from_categories_or_from_the_values():
    frame = PUPILS.assign(age=pd.Categorical(PUPILS["age"], categories=[7, 6, 5]))
    assert Table.from_frame(frame).levels == (("F", "M"), (7, 6, 5), ("n", "s"))
    assert Table.from_frame(PUPILS, ["age"]).levels == ((5, 7),)


def test_a_column_of_counts_weighs_the_rows():
    grouped = pd.DataFrame({"sex": ["F", "M", "F"], "number of people": [3, 0, 2]})
    table = Table.from_frame(grouped, count="number of people")
    assert table.dense().tolist() == [5, 0]
    assert table.levels == (("F", "M"),)


def test_odd_column_names_are_only_names():
    frame = PUPILS.rename(columns={"sex": "__import__('os')", "age": "a `b` \"c\" 'd'"})
    table = Table.from_frame(frame, ["__import__('os')", "a `b` \"c\" 'd'"])
    assert table.total == 4
    assert table.marginal(["a `b` \"c\" 'd'"]).dense().tolist() == [2, 2]


def test_from_counts_and_at():
    table = Table.from_counts([[0, 2, 1], [0, 0, 5]], LEVELS)
    assert table.cells.tolist() == [1, 2, 5]
    assert table.at(np.array([0, 1, 5, 3])).tolist() == [0, 2, 5, 0]
    empty = Table.from_counts(np.zeros((2, 3)), LEVELS)
    assert (empty.total, empty.at(np.array([0, 5])).tolist()) == (0, [0, 0])
    assert empty.to_frame().shape == (0, 3)
    assert empty.microdata().shape == (0, 2)


def test_sizes_and_the_table_of_sizes():
    table = Table.from_counts([[0, 2, 2], [0, 12, 1]], LEVELS)
    sizes, cells = table.sizes()
    assert (sizes.tolist(), cells.tolist()) == ([0, 1, 2, 12], [2, 1, 2, 1])
    summary = table.size_summary(2)
    assert summary["count"].tolist() == ["0", "1", "2", "> 2"]
    assert summary["cells"].tolist() == [2, 1, 2, 1]
    assert summary["percent"].sum() == pytest.approx(100)
    full = Table.from_counts([1, 1], {"x": [0, 1]})
    assert full.sizes()[0].tolist() == [1]


def test_marginals_follow_the_order_asked_for():
    counts = np.arange(24).reshape(2, 3, 4)
    table = Table.from_counts(counts, {"a": "xy", "b": [1, 2, 3], "c": "pqrs"})
    np.testing.assert_array_equal(table.marginal(["c", "a"]).dense(), counts.sum(axis=1).T)
    assert table.marginal(["b"]).levels == ((1, 2, 3),)
    assert table.marginal(["b"]).total == table.total


def test_frames_with_and_without_zeros():
    table = Table.from_counts([[0, 2, 1], [0, 0, 5]], LEVELS)
    frame = table.to_frame()
    assert frame["count"].tolist() == [2, 1, 5]
    assert frame["sex"].tolist() == ["F", "F", "M"]
    assert table.to_frame(zeros=True, count="n")["n"].tolist() == [0, 2, 1, 0, 0, 5]
    again = Table.from_frame(table.to_frame(zeros=True), count="count")
    assert again.levels == table.levels
    np.testing.assert_array_equal(again.dense(), table.dense())


@given(st.lists(st.integers(0, 5), min_size=12, max_size=12))
@settings(max_examples=50, deadline=None)
def test_microdata_round_trip(counts):
    table = Table.from_counts(np.reshape(counts, (3, 4)), {"g": ["a", "b", "c"], "h": [1, 2, 3, 4]})
    records = table.microdata()
    assert len(records) == table.total
    if table.total:
        np.testing.assert_array_equal(Table.from_frame(records).dense(), table.dense())


def test_microdata_can_be_shuffled():
    table = Table.from_counts([50, 50], {"x": [0, 1]})
    shuffled = table.microdata(rng=1)
    assert shuffled["x"].astype(int).is_monotonic_increasing is False
    assert Table.from_frame(shuffled).dense().tolist() == [50, 50]


def test_where_selects_cells():
    table = Table.from_counts([[0, 2, 1], [3, 0, 5]], LEVELS)
    assert table.counts[table.select({"sex": "M"})].tolist() == [3, 5]
    assert table.counts[table.select({"sex": ["F", "M"], "age": [5, 7]})].tolist() == [1, 3, 5]


def test_other_counts_on_the_same_cells():
    table = Table.from_counts([[0, 2, 1], [3, 0, 5]], LEVELS)
    other = table.with_counts(np.array([0]), np.array([9]))
    assert other.levels is table.levels
    assert other.dense().tolist() == [[9, 0, 0], [0, 0, 0]]
    with pytest.raises(InputError, match="cells: must be increasing"):
        table.with_counts(np.array([6]), np.array([1]))


def test_nothing_can_be_written_into_a_table():
    table = Table.from_counts([1, 2], {"x": [0, 1]})
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0] = 9


@every(
    ("make", "message"),
    [
        (lambda: Table.from_frame("pupils"), "frame: must be a data frame of pandas, polars or PyArrow"),
        (lambda: Table.from_frame(PUPILS, ["height"]), "variables: 'height' not in frame"),
        (lambda: Table.from_frame(PUPILS, levels={"height": [1]}), "levels: 'height' not among the variables"),
        (
            lambda: Table.from_frame(PUPILS, levels={"age": [5, 6]}),
            "column 'age': . of . rows, the first at position ., have values that are not declared levels",
        ),
        (lambda: Table.from_frame(PUPILS, ["age"], count="age"), "count='age': must not be one of the variables"),
        (
            lambda: Table.from_frame(PUPILS.assign(n=0.5), count="n"),
            "counts must be whole numbers >= 0; 4 of 4 entries",
        ),
        (lambda: Table.from_frame(pd.DataFrame({"x": [1, "a"]})), "values of column 'x' cannot be sorted"),
        (
            lambda: Table.from_counts([1, 2, 3], {"x": [0, 1]}),
            r"counts: has shape \(3,\), but the levels require \(2,\)",
        ),
        (
            lambda: Table.from_counts([1, -2], {"x": [0, 1]}),
            "counts must be whole numbers >= 0; 1 of 2 entries, the first at position 1",
        ),
        (
            lambda: Table.from_counts([1, np.nan], {"x": [0, 1]}),
            "counts must be whole numbers >= 0; 1 of 2 entries, the first at position 1",
        ),
        (
            lambda: Table.from_counts(["a", "b"], {"x": [0, 1]}),
            "counts: must be whole numbers >= 0, got text",
        ),
        (lambda: Table.from_counts(["1.0", "2"], {"x": [0, 1]}), "counts: .* got text"),
        (
            lambda: Table.from_frame(PUPILS.assign(n="2"), count="n"),
            r"frame\['n'\]: .* got text",
        ),
        (lambda: Table.from_counts([1, object()], {"x": [0, 1]}), "counts: must be whole numbers >= 0, got object"),
        (lambda: Table.from_counts([[1, 2], [3]], LEVELS), "counts: must be an array .* its lists differ in length"),
        (lambda: Table.from_counts([1, 2], [[0, 1]]), "levels: must be a mapping"),
        (
            lambda: Table.from_counts([1, 2], {"x": [0, 0]}),
            r"levels\['x'\]: must contain at least one level, and each level only once",
        ),
        (lambda: Table.from_counts([1, 2], {"x": [[0], [1]]}), r"levels\['x'\]: a level must be a number, text"),
        (lambda: Table(("x",), ((0, 1),), [1, 0], [1, 1]), "cells: must be increasing"),
        (lambda: Table(("x",), ((0, 1),), [0, 2], [1, 1]), r"lie in \[0, 1\]"),
        (lambda: Table(("x",), ((0, 1),), [0], [0]), "counts: must be > 0"),
        (lambda: Table(("x",), ((0, 1),), [0], [1, 1]), "two lists of the same length"),
        (lambda: Table(("x", "x"), ((0,), (1,)), [], []), "names a column twice"),
        (lambda: Table(("x", "y"), ((0,),), [], []), "1 lists of levels for 2 variables"),
        (lambda: Table(("x",) * 1, (range(10),), [], []).marginal(["z"]), "must be different variables of the table"),
        (lambda: Table.from_counts([1], {"count": [0]}).to_frame(), "is the name of a variable"),
        (
            lambda: Table.from_counts([1, 2], {"x": [0, 1]}).select({"x": 7}),
            r"where\['x'\]: 7 is not a level of this variable",
        ),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_totals_are_exact_up_to_the_largest_that_can_be_counted():
    levels = {"x": [0, 1]}
    largest = Table.from_counts([2**62, 2**62 - 1], levels)
    assert largest.total == 2**63 - 1
    assert largest.marginal(["x"]).total == 2**63 - 1
    too_large = "the total exceeds the largest count of a table"
    with pytest.raises(InputError, match=f"counts: {too_large}"):
        Table.from_counts([2**62, 2**62], levels)
    with pytest.raises(InputError, match=f"counts: {too_large}"):
        Table(("x",), ((0, 1),), [0, 1], [2**63 - 1, 1])
    with pytest.raises(InputError, match=f"counts: {too_large}"):
        largest.with_counts(np.array([0, 1]), np.array([2**62, 2**62]))
    # Two rows of one level, which would have added up to minus 2**63, and been left out as no count.
    frame = pd.DataFrame({"x": [0, 0, 1], "n": [2**62, 2**62, 1]})
    with pytest.raises(InputError, match=rf"frame\['n'\]: {too_large}"):
        Table.from_frame(frame, count="n")
    assert Table.from_frame(frame.assign(n=[2**62, 2**61, 1]), count="n").counts.tolist() == [2**62 + 2**61, 1]


def test_missing_values_need_a_level():
    with pytest.raises(MissingValueError, match="column 'age' has 1 missing values; replace them by a separate level"):
        Table.from_frame(PUPILS.assign(age=[5, None, 7, 7]))


def test_more_cells_than_can_be_written_down():
    levels = {f"v{i}": range(100) for i in range(6)}
    table = Table.from_frame(pd.DataFrame({v: [1, 1, 2] for v in levels}), levels=levels)
    assert table.n_cells == 10**12
    assert table.counts.tolist() == [2, 1]
    with pytest.raises(InputError, match="too many for a dense array"):
        table.dense()
    with pytest.raises(InputError, match="use fewer variables or levels"):
        Table(tuple("abcdefghij"), ((*range(100),),) * 10, [], [])


def test_masked_counts_are_refused():
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(InputError, match="counts: 1 values are masked"):
        Table.from_counts(masked, {"age": [5, 6, 7]})


def test_cells_that_the_levels_do_not_make_are_refused_by_both_names():
    with pytest.raises(InputError, match=r"cells: .* lie in \[0, 0\]; the levels make 1 cells"):
        Table(("x",), (["a"],), [0, 1], [2, 3])


def test_the_column_of_counts_is_named_by_text():
    with pytest.raises(InputError, match="count: holds half a surrogate pair"):
        Table(("x",), ((0, 1),), [0, 1], [1, 1]).to_frame(count="a\ud83d")


def test_a_rule_is_named_as_the_argument_it_is_of():
    table = Table(("x",), ((0, 1),), [0], [1])
    for rule in ({"y": 1}, {"x": 7}, {"x": []}):
        with pytest.raises(InputError, match="^structural_zeros"):
            structural_cells(table, rule)
        with pytest.raises(InputError, match="^where"):
            table.select(rule)
