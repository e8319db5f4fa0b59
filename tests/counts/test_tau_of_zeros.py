"""A pseudocount of 0 leaves the cells without anybody as they are, in every family."""

from __future__ import annotations

import pytest

import synthlab.counts as slc


@pytest.mark.parametrize(
    "family", [slc.Poisson(), slc.NBI(sigma=0.5), slc.PIG(sigma=0.5), slc.GAF(sigma=1.0, nu=1.0)], ids=str
)
def test_an_empty_cell_stays_empty(family):
    table = slc.Table.from_counts([0, 0, 3], {"age": [5, 6, 7]})
    expected = slc.expected_tau(table, family, k=[0, 3], pseudocount=0.0)
    assert expected.tau3[0] == 1.0
    # The cells that come out empty: these two, and the cell of 3 with its chance of 0.
    assert expected.tau1[0] == pytest.approx((2 + float(family.at([3]).pmf([0])[0])) / 3)
    synthetic = slc.synthesize_table(table, family, pseudocount=0.0, rng=1)
    assert synthetic.tables[0].n_occupied <= 1
