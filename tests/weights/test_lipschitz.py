"""Lipschitz weights: hand-worked matrices, truncation, mappings, blocks, and every degenerate input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import synthlab.weights._chunked_log_likelihood as blocks
from synthlab.exceptions import InputError
from synthlab.weights import lipschitz_weights
from tests.loops import every

# 5 draws of 4 records; the largest absolute values of the draws are 4, 5, 4.5, 9, 6
LOG = np.array(
    [
        [-1.0, -2.0, -4.0, 0.5],
        [-1.5, -3.0, -5.0, 1.0],
        [-0.5, -2.5, -4.5, 0.2],
        [-9.0, -2.0, -4.0, 0.5],
        [-1.0, -6.0, -4.0, 0.8],
    ]
)


def test_by_hand():
    """Quantile 0.5 keeps floor(0.5 * 4) + 1 = 3 draws: those with 4, 4.5 and 5."""
    found = lipschitz_weights(LOG, n=4, quantile=0.5)
    assert found.draw_sensitivity.tolist() == [4.0, 5.0, 4.5, 9.0, 6.0]
    assert found.kept.tolist() == [True, True, True, False, False]
    assert found.sensitivity.tolist() == [1.5, 3.0, 5.0, 1.0]
    # (f - 1) / 4 = 0.125, 0.5, 1, 0
    assert found.weights.tolist() == [0.875, 0.5, 0.0, 1.0]
    assert found.lipschitz_bound == 5.0
    assert found.n_kept == 3


def test_mapping_by_the_maximum():
    found = lipschitz_weights(LOG, n=4, quantile=0.5, mapping="maximum")
    np.testing.assert_allclose(found.weights, [0.7, 0.4, 0.0, 0.8], rtol=1e-15)
    assert (found.weights <= lipschitz_weights(LOG, n=4, quantile=0.5).weights).all()


def test_scale_and_shift_are_clipped():
    found = lipschitz_weights(LOG, n=4, quantile=0.5, scale=2.0, shift=-0.5)
    assert found.weights.tolist() == [1.0, 0.5, 0.0, 1.0]


def test_a_density_above_one_counts_by_its_distance_from_zero():
    found = lipschitz_weights([[3.0, -1.0, 0.5]], n=3, quantile=1.0)
    assert found.sensitivity.tolist() == [3.0, 1.0, 0.5]
    assert found.weights.tolist() == [0.0, 0.8, 1.0]


def test_quantile_one_keeps_every_draw():
    found = lipschitz_weights(LOG, n=4, quantile=1.0)
    assert found.kept.all()
    assert found.sensitivity.tolist() == [9.0, 6.0, 5.0, 1.0]


def test_a_tiny_quantile_keeps_the_best_draw_and_its_ties():
    assert lipschitz_weights(LOG, n=4, quantile=1e-6).kept.tolist() == [True, False, False, False, False]
    tied = np.vstack([LOG, LOG[0]])
    assert lipschitz_weights(tied, n=np.shape(tied)[1], quantile=1e-6).kept.tolist() == [
        True,
        False,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("draws", [20, 21, 100, 101, 1000])
def test_the_number_of_kept_draws(draws):
    log = -np.arange(1.0, draws + 1)[:, None] * [1.0, 0.5]
    assert lipschitz_weights(log, n=np.shape(log)[1], quantile=0.95).n_kept == int(0.95 * (draws - 1) + 1e-9) + 1


def test_one_draw_is_kept():
    found = lipschitz_weights([[-1.0, -3.0]], n=2, quantile=0.9)
    assert found.kept.tolist() == [True]
    assert found.weights.tolist() == [1.0, 0.0]


def test_impossible_records_in_a_dropped_draw():
    log = LOG.copy()
    log[3, 0] = -np.inf
    found = lipschitz_weights(log, n=np.shape(log)[1], quantile=0.75)
    assert found.kept.tolist() == [True, True, True, False, True]
    assert np.isfinite(found.sensitivity).all()
    assert found.draw_sensitivity[3] == np.inf
    with pytest.raises(InputError, match=r"1 of 4 records have probability 0 .*1 of 5 draws"):
        lipschitz_weights(log, n=np.shape(log)[1], quantile=1.0)


def test_equal_sensitivities():
    log = [[-2.0, -2.0, -2.0], [-1.0, -2.0, -1.5]]
    with pytest.raises(InputError, match=r'mapping="range": all 3 records have the same sensitivity, '):
        lipschitz_weights(log, n=np.shape(log)[1], quantile=1.0)
    with pytest.raises(InputError, match="every weight is 0"):
        lipschitz_weights(log, n=np.shape(log)[1], quantile=1.0, mapping="maximum")
    assert (
        lipschitz_weights(log, n=np.shape(log)[1], quantile=1.0, mapping="maximum", shift=0.25).weights.tolist()
        == [0.25] * 3
    )


def test_log_likelihoods_of_zero():
    found = lipschitz_weights(np.zeros((3, 2)), n=2, quantile=1.0, mapping="maximum", scale=0.5)
    assert found.weights.tolist() == [0.5, 0.5]
    assert found.lipschitz_bound == 0.0


def test_weights_of_zero_are_refused_only_when_all_are():
    assert lipschitz_weights(LOG, n=4, quantile=0.5, scale=0.5, shift=-0.4).weights.tolist() == pytest.approx(
        [0.0375, 0, 0, 0.1]
    )
    with pytest.raises(InputError, match=r"scale=0.5, shift=-0.5: every weight is 0"):
        lipschitz_weights(LOG, n=4, quantile=0.5, scale=0.5, shift=-0.5)


@every(
    ("log", "message"),
    [
        ([[np.nan, 1.0]], "NaN or plus infinity"),
        ([[np.inf, 1.0]], "NaN or plus infinity"),
        ([1.0, 2.0], r"must have shape \(draws, records\), both at least 1, got \(2,\)"),
        (np.empty((0, 3)), r"got \(0, 3\)"),
        (np.empty((3, 0)), r"got \(3, 0\)"),
        (iter([LOG]), "an iterator can be read once"),
        ((b for b in [LOG]), "an iterator can be read once"),
        ([LOG[:, :2], LOG[:3, 2:]], "block 2 has 3 draws, but the first block has 5"),
        (lambda: [LOG[0]], r"got \(4,\)"),
        (lambda: [], "has no records"),
        (lambda: [[["a"]]], "block 1: must be a matrix of numbers"),
    ],
)
def test_bad_matrices(log, message):
    with pytest.raises(InputError, match=message):
        lipschitz_weights(log, n=2, quantile=0.9)


def test_a_function_that_gives_other_blocks_the_second_time():
    supply = iter([[LOG], [LOG[:, :2]]])
    with pytest.raises(InputError, match="returned 4 records in the first call and 2 in the second"):
        lipschitz_weights(lambda: next(supply), n=4, quantile=0.9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantile": 0.0}, r"quantile=0.0: must be a finite number in \(0, 1\]"),
        ({"quantile": 1.5}, "quantile=1.5"),
        ({"quantile": "0.9"}, "quantile='0.9'"),
        ({"quantile": 0.9, "scale": -1.0}, "scale=-1.0"),
        ({"quantile": 0.9, "shift": np.inf}, "shift=inf"),
        ({"quantile": 0.9, "mapping": "linear"}, "mapping='linear': must be one of 'range', 'maximum'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(InputError, match=message):
        lipschitz_weights(LOG, n=4, **options)


@pytest.fixture
def large():
    return np.random.default_rng(1).normal(-3.0, 2.0, size=(60, 250))


def test_blocks_give_the_same_answer(large, tmp_path, monkeypatch):
    whole = lipschitz_weights(large, n=250, quantile=0.9)
    pieces = [large[:, :7], large[:, 7:200], large[:, 200:]]
    file = tmp_path / "log.dat"
    mapped = np.memmap(file, dtype=np.float64, mode="w+", shape=large.shape)
    mapped[:] = large
    monkeypatch.setattr(blocks, "CELLS", 60 * 11)
    for given_ in (pieces, tuple(pieces), lambda: iter(pieces), mapped, large.tolist(), np.asfortranarray(large)):
        again = lipschitz_weights(given_, n=250, quantile=0.9)
        np.testing.assert_array_equal(again.weights, whole.weights)
        np.testing.assert_array_equal(again.kept, whole.kept)


def test_the_matrix_is_not_changed(large):
    before = large.copy()
    lipschitz_weights(large, n=250, quantile=0.9)
    np.testing.assert_array_equal(large, before)


@settings(deadline=None, max_examples=40)
@given(
    log=hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(2, 9)), elements=st.floats(-50, 50, width=32)),
    quantile=st.floats(0.05, 1.0),
    scale=st.floats(0.1, 2.0),
    shift=st.floats(0.01, 0.5),
)
def test_properties(log, quantile, scale, shift):
    found = lipschitz_weights(log, n=log.shape[1], quantile=quantile, scale=scale, shift=shift, mapping="maximum")
    assert ((found.weights >= 0) & (found.weights <= 1)).all()
    order = np.argsort(found.sensitivity)
    assert (np.diff(found.weights[order]) <= 1e-12).all()  # the more sensitive, the less weight
    assert found.lipschitz_bound == found.draw_sensitivity[found.kept].max()
    assert found.draw_sensitivity[~found.kept].min(initial=np.inf) > found.lipschitz_bound


def test_small_sensitivities_are_mapped_like_large_ones():
    found = lipschitz_weights([[-0.1, -0.2, -0.4]], n=3, quantile=1.0, mapping="maximum")
    assert found.weights.tolist() == pytest.approx([0.75, 0.5, 0.0])
