"""Tables at their edges: one cell, no record, every option; and what is drawn from them, cell by cell."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import synthlab.counts as slc
from synthlab.counts import Table, _sampling
from synthlab.counts._encoding import MAX_TOTAL, add_up, check_total, encode, levels_of, whole_numbers
from synthlab.counts._model import coefficient_names, design_matrix, read_model
from synthlab.counts.structural_zeros import choose_empty, empty_cells, structural_cells
from synthlab.counts.transitions import counts_side_by_side, paired_counts, read_sizes
from synthlab.exceptions import InputError

COUNTS = np.array([[[0, 2, 0, 5], [1, 0, 0, 0], [7, 1, 3, 0]], [[0, 0, 0, 0], [4, 4, 0, 12], [0, 1, 0, 11]]])
LEVELS = {"A": ["a", "b"], "B": [1, 2, 3], "C": ["p", "q", "r", "s"]}


def _table() -> Table:
    return Table.from_counts(COUNTS, LEVELS)


def test_a_table_says_its_counts() -> None:
    table = _table()
    assert (table.shape, table.n_cells, table.n_occupied, table.total) == ((2, 3, 4), 24, 11, 51)
    assert table.cells.tolist() == np.flatnonzero(COUNTS).tolist()
    assert table.at(np.arange(24)).tolist() == COUNTS.ravel().tolist()
    assert table.at(np.array([23, 0])).tolist() == [11, 0]
    assert table.title == "Table A (2) x B (3) x C (4): 24 cells, 54.2% empty, 51 records"
    assert [s.tolist() for s in table.sizes()] == [[0, 1, 2, 3, 4, 5, 7, 11, 12], [13, 3, 1, 1, 2, 1, 1, 1, 1]]


def test_a_full_table_has_no_cells_of_size_0_and_an_empty_one_has_no_others() -> None:
    full = Table.from_counts([1, 1, 2], {"A": [1, 2, 3]})
    assert [s.tolist() for s in full.sizes()] == [[1, 2], [2, 1]]
    empty = Table.from_counts([0, 0], {"A": [1, 2]})
    assert [s.tolist() for s in empty.sizes()] == [[0], [2]]
    assert (empty.total, empty.n_occupied, empty.at(np.array([0, 1])).tolist()) == (0, 0, [0, 0])
    assert empty.to_frame().empty
    assert empty.microdata().empty
    one = Table.from_counts([3], {"A": ["x"]})
    assert (one.n_cells, one.dense().tolist(), one.microdata()["A"].tolist()) == (1, [3], ["x"] * 3)


@pytest.mark.parametrize("largest", [0, 1, 4, 11, 12, 13])
def test_every_row_of_the_table_of_sizes(largest: int) -> None:
    shown = _table().size_summary(largest)
    flat = COUNTS.ravel()
    cells = [int((flat == k).sum()) for k in range(largest + 1)] + [int((flat > largest).sum())]
    assert shown["count"].tolist() == [*map(str, range(largest + 1)), f"> {largest}"]
    assert shown["cells"].tolist() == cells
    assert shown["percent"].tolist() == pytest.approx([100 * c / 24 for c in cells])
    assert _table().summary().equals(_table().size_summary(10))


@pytest.mark.parametrize("keep", [["A"], ["C"], ["C", "A"], ["B", "A"], ["C", "B", "A"]])
def test_a_margin_is_a_sum_over_the_others(keep: list[str]) -> None:
    axes = [list(LEVELS).index(v) for v in keep]
    summed = COUNTS.transpose([*axes, *(a for a in range(3) if a not in axes)]).reshape(
        [COUNTS.shape[a] for a in axes] + [-1]
    )
    assert _table().marginal(keep).dense().tolist() == summed.sum(axis=-1).tolist()


def test_the_rows_of_a_frame_are_the_cells_in_order() -> None:
    plain = [(*key, int(n)) for key, n in zip(product(*LEVELS.values()), COUNTS.ravel(), strict=True)]
    assert list(_table().to_frame(zeros=True, count="n").itertuples(index=False, name=None)) == plain
    assert list(_table().to_frame().itertuples(index=False, name=None)) == [row for row in plain if row[3]]
    people = [row[:3] for row in plain for _ in range(row[3])]
    assert list(_table().microdata().itertuples(index=False, name=None)) == people
    shuffled = list(_table().microdata(rng=1).itertuples(index=False, name=None))
    assert shuffled != people
    assert sorted(shuffled) == sorted(people)
    assert Table.from_frame(_table().to_frame(zeros=True), count="count").dense().tolist() == COUNTS.tolist()
    assert Table.from_frame(_table().microdata(), ["C", "A"]).variables == ("C", "A")


@pytest.mark.parametrize(
    "where", [{}, {"A": "b"}, {"B": [1, 3]}, {"C": {"p", "s"}, "A": "a"}, {"B": (2,), "C": np.array(["s"])}]
)
def test_the_cells_that_a_rule_selects(where: dict[str, object]) -> None:
    def wanted(variable: str, value: object) -> bool:
        allowed = where.get(variable, LEVELS[variable])
        return value in (list(allowed) if isinstance(allowed, list | tuple | set | np.ndarray) else [allowed])

    rows = [all(wanted(v, x) for v, x in zip(LEVELS, key, strict=True)) for key in product(*LEVELS.values())]
    assert _table().select(where).tolist() == [hit for hit, n in zip(rows, COUNTS.ravel(), strict=True) if n]
    free = np.where(np.array(rows).reshape(COUNTS.shape), 0, COUNTS)
    assert structural_cells(Table.from_counts(free, LEVELS), where).tolist() == np.flatnonzero(rows).tolist()


def test_structural_zeros_in_every_form() -> None:
    table = _table()
    mask = np.zeros((2, 3, 4), dtype=bool)
    mask[1, 0, 2:] = True
    assert structural_cells(table, mask).tolist() == [14, 15]
    assert structural_cells(table, [15, 14, 15]).tolist() == [14, 15]
    assert structural_cells(table, [20, 0]).tolist() == [0, 20]
    assert structural_cells(table, {"A": "b", "B": 1}).tolist() == [12, 13, 14, 15]
    assert structural_cells(table, [{"A": "b", "B": 1, "C": "q"}, {"A": "b", "B": 1, "C": ["p", "q"]}]).tolist() == [
        12,
        13,
    ]
    assert structural_cells(table, None).tolist() == structural_cells(table, np.array([], dtype=int)).tolist() == []
    for bad in ([-1, 2], [24, 2], [2, 24], [0.5], mask[0], [[14], [15]]):
        with pytest.raises(InputError, match="structural_zeros"):
            structural_cells(table, bad)
    with pytest.raises(InputError, match=r"1 of these 2 cells are occupied; the first has the flat index 4"):
        structural_cells(table, [14, 4])
    assert empty_cells(table, np.array([14, 15])) == 11


def test_empty_cells_are_chosen_among_all_that_are_possible() -> None:
    table, rng = _table(), np.random.default_rng(1)
    structural = np.array([0, 14, 20])
    possible = sorted(set(range(24)) - set(table.cells.tolist()) - set(structural.tolist()))
    assert choose_empty(table, structural, len(possible), rng).tolist() == possible
    assert (
        choose_empty(table, np.array([], dtype=int), 13, rng).tolist() == np.flatnonzero(COUNTS.ravel() == 0).tolist()
    )
    seen = {int(choose_empty(table, structural, 1, rng)[0]) for _ in range(300)}
    assert sorted(seen) == possible


def test_values_become_codes() -> None:
    assert [x.tolist() for x in add_up(np.array([5, 2, 5, 9, 2]), np.array([1, 2, 3, 0, 4]))] == [[2, 5], [6, 4]]
    assert [x.tolist() for x in add_up(np.array([], dtype=int), np.array([], dtype=int))] == [[], []]
    assert [x.tolist() for x in add_up(np.array([0]), np.array([3]))] == [[0], [3]]
    column = pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"]))
    assert levels_of(column, "A", None) == ("c", "b", "a")
    assert levels_of(column, "A", ["a", "b"]) == ("a", "b")
    assert levels_of(pd.Series([3, 1, 3]), "A", None) == (1, 3)
    assert encode(column, "A", ("c", "b", "a")).tolist() == [1, 2]
    assert encode(pd.Series([3, 1, 3]), "A", (1, 3)).tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="position 1"):
        encode(pd.Series([3, 7, 3]), "A", (1, 3))
    for good in ([True, False], [1.0, 0.0], np.array([3], dtype=object), [2**62]):
        assert whole_numbers(good, "n").tolist() == [int(v) for v in good]
    for bad in ([-1], [0.5], ["1"], [np.nan], [2.0**63], [1j]):
        with pytest.raises(InputError, match="n: "):
            whole_numbers(bad, "n")
    check_total(np.array([MAX_TOTAL]), "n")
    check_total(np.array([2**62, 2**62 - 1]), "n")
    for over in ([2**62, 2**62], [MAX_TOTAL, 1], [2**62 + 2**31, 2**62 - 2**31]):
        with pytest.raises(InputError, match="n: the total exceeds the largest count"):
            check_total(np.array(over), "n")


def test_the_design_is_the_product_of_dummies() -> None:
    table = _table()
    terms = read_model(table, "A * B + C")
    design = design_matrix(terms, table.shape)
    names = coefficient_names(terms, table)
    assert names[:4] == ["(intercept)", "A[b]", "B[2]", "B[3]"]
    assert names[4:] == ["C[q]", "C[r]", "C[s]", "A[b]:B[2]", "A[b]:B[3]"]
    for row, (a, b, c) in zip(design, product(*LEVELS.values()), strict=True):
        dummies = {
            "A[b]": a == "b",
            "B[2]": b == 2,
            "B[3]": b == 3,
            **{f"C[{x}]": c == x for x in "qrs"},
            "(intercept)": True,
        }
        assert row.tolist() == [float(all(dummies[part] for part in name.split(":"))) for name in names]
    some = np.zeros(table.shape, dtype=bool)
    some[0, 2, 1] = some[1, 1, 3] = True
    assert design_matrix(terms, table.shape, some).tolist() == design[[9, 19]].tolist()
    assert terms.n_parameters(table.shape) == len(names) == design.shape[1]
    assert terms.hierarchical
    assert not read_model(table, "A + A:B").hierarchical
    assert read_model(table, [["B", "A"], ["C"]]).terms == terms.terms
    assert read_model(table, [["B", "A"], ["C"]]).label == "B*A + C"


def test_sizes_asked_for() -> None:
    assert read_sizes(0).tolist() == [0]
    assert read_sizes([3, 0, 1]).tolist() == [3, 0, 1]
    for bad in (-1, [1, -1], [1, 1], [], [[1]], 1.0, [1, [2]], "1", None):
        with pytest.raises(InputError, match="k"):
            read_sizes(bad)


def test_transitions_of_every_pair() -> None:
    levels = {"A": list(range(8))}
    before = Table.from_counts([0, 0, 1, 1, 2, 2, 0, 3], levels)
    after = [Table.from_counts(c, levels) for c in ([0, 1, 1, 0, 2, 1, 0, 3], [5, 1, 1, 1, 2, 2, 1, 0])]
    rows = []
    for number, table in enumerate(after, start=1):
        pairs = list(zip(before.dense().tolist(), table.dense().tolist(), strict=True))
        rows += [[number, *pair, pairs.count(pair)] for pair in sorted(set(pairs))]
    found = slc.size_transitions(before, after)
    assert found.to_numpy().tolist() == rows
    assert found.columns.tolist() == ["dataset", "confidential", "synthetic", "cells"]
    assert slc.size_transitions(before, tuple(after[:1])).equals(slc.size_transitions(before, after[0]))
    three = [one.tolist() for one in counts_side_by_side([before, *after])]
    assert three == [[0, 0, 1, 1, 2, 2, 0, 3], [0, 1, 1, 0, 2, 1, 0, 3], [5, 1, 1, 1, 2, 2, 1, 0]]
    assert [one.tolist() for one in counts_side_by_side([Table.from_counts([0, 0], {"A": [1, 2]})] * 2)] == [[], []]
    f, f_syn, both_empty = paired_counts(before, after[0])
    assert (f.tolist(), f_syn.tolist(), both_empty) == ([0, 1, 1, 2, 2, 3], [1, 1, 0, 2, 1, 3], 2)


def test_cells_are_drawn_in_chunks_around_means_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table()
    means = np.where(np.arange(24) % 5 == 0, 0.0, 1000.0 + np.arange(24))
    structural = np.array([1, 14, 23])
    monkeypatch.setattr(_sampling, "_CHUNK", 7)
    rng = np.random.default_rng(1)
    drawn = _sampling.draw_from_means(table, slc.GAF(sigma=1e-3, nu=0), means, 0.0, structural, rng).dense().ravel()
    expected = means.copy()
    expected[structural] = 0
    assert drawn.tolist() == expected.tolist()
    coin = _sampling.draw_from_means(table, slc.GAF(sigma=1e-3, nu=0), means, 1.0, structural, rng).dense().ravel()
    expected[COUNTS.ravel() == 0] = 1
    expected[structural] = 0
    assert coin.tolist() == expected.tolist()


def test_counts_that_are_not_zero_are_drawn_by_inversion(monkeypatch: pytest.MonkeyPatch) -> None:
    family = slc.NBI(0.7, 2.0)
    for tabulated in (512, 3):
        monkeypatch.setattr(_sampling, "_TABULATED", tabulated)
        rng = np.random.default_rng(4)
        drawn = _sampling._positive_counts(family, 5000, rng)
        uniform = np.random.default_rng(4).random(5000) * float(family.sf(0))
        assert drawn.tolist() == [max(1, int(v)) for v in family.isf(uniform)]
    sure = _sampling.draw_saturated(_table(), slc.Poisson(), 0.0, 1.0, np.array([0]), np.random.default_rng(1))
    assert (sure.dense().ravel()[1:][COUNTS.ravel()[1:] == 0] == 1).all()
    assert sure.dense().ravel()[0] == 0
    both = _sampling.draw_saturated(
        _table(), slc.Poisson(), 30.0, 0.5, np.array([], dtype=int), np.random.default_rng(1)
    )
    raised = both.dense().ravel()[COUNTS.ravel() == 0]
    assert (raised > 0).all()
    assert 0 < (raised == 1).sum() < 13
    assert (np.delete(raised, np.flatnonzero(raised == 1)) > 10).all()
