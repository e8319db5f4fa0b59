"""whack_a_mole: what rose, and how much of it noise would have done."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, UndefinedStatisticWarning

BEFORE = [0.10, 0.20, 0.60, 0.90, 0.00]
AFTER = [0.36, 0.45, 0.10, 0.20, 0.70]


def test_by_hand():
    moles = sl.whack_a_mole(BEFORE, AFTER)
    # 0.45 - 0.20 is the threshold itself: it does not count
    assert moles.risen.tolist() == [True, False, False, False, True]
    table = moles.summary()["value"]
    assert table["rise by more than 0.25"] == 2
    assert table["their share"] == 0.4
    assert table["their mean rise"] == pytest.approx(0.48)
    assert table["largest rise"] == pytest.approx(0.7)
    assert (table["maximum IR before"], table["maximum IR after"]) == (0.9, 0.7)
    assert (table["share above 0.5 before"], table["share above 0.5 after"]) == (0.4, 0.2)
    assert np.isnan(moles.n_beyond_noise)
    assert np.isnan(moles.excess_z)
    assert "2 of 5 records" in str(moles)
    assert moles._repr_html_().startswith("<p>IR rises")


def test_noise_is_counted_and_taken_off():
    moles = sl.whack_a_mole(BEFORE, AFTER, null=[0.10, 0.50, 0.60, 0.90, 0.00])
    assert moles.n_risen_by_noise == 1
    assert moles.n_beyond_noise == 1
    assert moles.excess_z == pytest.approx((2 - 1) / np.sqrt(3))
    assert "so 1 are beyond noise" in moles.title
    more = sl.whack_a_mole(BEFORE, BEFORE, null=[0.40, 0.50, 0.60, 0.90, 0.00])
    assert more.n_beyond_noise == 0
    assert more.excess_z == pytest.approx(-np.sqrt(2))
    assert np.isnan(sl.whack_a_mole(BEFORE, BEFORE, null=BEFORE).excess_z)


def test_what_is_0_over_0_is_nan_with_a_warning():
    still = sl.whack_a_mole(BEFORE, BEFORE, null=BEFORE)
    with (
        pytest.warns(UndefinedStatisticWarning, match="no record rises by more than 0.25: the mean rise is 0/0"),
        pytest.warns(UndefinedStatisticWarning, match="in one release alone: z is 0/0"),
    ):
        table = still.summary()["value"]
    assert np.isnan(table[["their mean rise", "beyond noise, z"]]).all()
    assert table["their share"] == 0


def test_pure_noise_is_not_taken_for_moles():
    """Twenty datasets of the same synthesizer against twenty others: many rises, none beyond noise."""
    rng = np.random.default_rng(0)
    n = 4000
    chance = rng.beta(1, 4, n)
    size = rng.uniform(0.7, 1.0, n)
    first, second, third = ((rng.random((n, 20)) < chance[:, None]) * size[:, None] for _ in range(3))
    moles = sl.whack_a_mole(first, second, null=third)
    assert moles.n_risen > 40
    assert abs(moles.excess_z) < 3
    really = np.clip(second + 0.3 * (np.arange(n) < 400)[:, None], 0, 1)
    assert sl.whack_a_mole(first, really, null=third).excess_z > 5


def test_expected_values_have_no_noise():
    moles = sl.whack_a_mole(BEFORE, AFTER, 0.1, expected_before=[0.2] * 5, expected_after=[0.2, 0.25, 0.35, 0.1, 0.2])
    assert moles.n_expected_risen == 1
    assert moles.summary()["value"]["largest rise of expected IR"] == pytest.approx(0.15)
    assert list(moles.to_frame().columns[-3:]) == ["expected_before", "expected_after", "expected_rise"]


def test_takes_results():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"y": rng.lognormal(3, 1, 100)})
    frames = [frame.assign(y=rng.permutation(frame["y"])) for _ in range(6)]
    question = sl.Intruder(known=[], synthesized=["y"], radius=0.3)
    one, two = (sl.identification_probability(frame, part, question) for part in (frames[:3], frames[3:]))
    moles = sl.whack_a_mole(one, two)
    np.testing.assert_array_equal(moles.rise, two.record - one.record)


def test_bad_input():
    with pytest.raises(InputError, match="after: has 2 records, before has 5"):
        sl.whack_a_mole(BEFORE, [0.1, 0.2])
    with pytest.raises(InputError, match=r"before: identification probabilities must lie in \[0, 1\]"):
        sl.whack_a_mole([1.5], [0.1])
    with pytest.raises(InputError, match="after: identification probabilities"):
        sl.whack_a_mole([0.5], [np.nan])
    with pytest.raises(InputError, match="threshold=2"):
        sl.whack_a_mole(BEFORE, AFTER, 2)
    with pytest.raises(InputError, match="pass both or neither"):
        sl.whack_a_mole(BEFORE, AFTER, expected_after=AFTER)
    with pytest.raises(InputError, match="null: averages 3 datasets, but before averages 2"):
        sl.whack_a_mole(np.zeros((4, 2)), np.zeros((4, 2)), null=np.zeros((4, 3)))
    with pytest.raises(InputError, match="before='x': must be an Identification"):
        sl.whack_a_mole("x", AFTER)


def test_masked_values_are_refused():
    masked = np.ma.masked_array([0.9, 0.9, 0.9], mask=[True, False, True])
    for arguments in ((masked, [0.1] * 3), ([0.1] * 3, masked)):
        with pytest.raises(InputError, match="(before|after): 2 values are masked"):
            sl.whack_a_mole(*arguments)
    assert sl.whack_a_mole(np.ma.masked_array([0.1] * 3, mask=False), [0.9] * 3).n_risen == 3
