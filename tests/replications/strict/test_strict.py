"""Clipping and re-weighting at equal epsilon: the files, a small run that resumes, and the record."""

from __future__ import annotations

import numpy as np
import pytest

from replications.strict import STUDY, recorded
from replications.strict.fits import AGAIN, BOTH, CASES, CLIPPED, PLAIN, SCALES, WEIGHTED, case, measure


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_drawn_anew_and_shown_in_its_own_unit(name):
    one, other = (case(name, np.random.default_rng(seed)) for seed in (1, 2))
    values, others = (c.back(c.frame[c.variable].to_numpy(dtype=float)) for c in (one, other))
    assert values.std() > 0
    assert not np.array_equal(values, others)
    assert bool(values.mean() > 20_000) is (name == "income")


def test_a_release_that_is_the_file_has_no_error():
    one = case(CASES[1], np.random.default_rng(1))

    class Same:
        def generate(self, m, rng):
            return [one.frame] * m

    assert set(measure(one, Same(), np.random.default_rng(1)).values()) == {0.0}


@pytest.mark.full
def test_a_run_is_resumed_and_ends_in_the_same_table(tmp_path):
    size = {"repetitions": 1, "sampler": {"draws": 40, "thin": 1, "tune": 200, "chains": 2}}
    first = STUDY.compute(1, size, tmp_path, False)["mechanisms"]
    pieces = sorted((tmp_path / "pieces").glob("*.npz"))
    assert len(pieces) == len(CASES)
    pieces[1].unlink()
    again = STUDY.compute(1, size, tmp_path, False)["mechanisms"]
    assert first.equals(again)


def test_the_record_compares_at_equal_epsilon():
    table = recorded().mechanisms
    assert set(table["mechanism"]) == {PLAIN, WEIGHTED, AGAIN, CLIPPED, BOTH}
    wide = table[table["scale"].isin(SCALES)].pivot_table(
        "epsilon", ["case", "repetition", "scale"], "mechanism", aggfunc="first"
    )
    for mechanism in (CLIPPED, BOTH):
        np.testing.assert_allclose(wide[mechanism], wide[WEIGHTED], rtol=1e-3)
    strict = table.groupby("mechanism")["strict"].agg(["min", "max"])
    assert strict.loc[CLIPPED].tolist() == [1.0, 1.0]
    assert strict.drop(CLIPPED).to_numpy().max() == 0.0
