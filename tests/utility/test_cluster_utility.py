from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError
from synthlab.utility import cluster_utility, pmse


def frame(*values: float) -> pd.DataFrame:
    return pd.DataFrame({"x": values})


def test_by_hand() -> None:
    # clusters near 0, 10, 20: 3 of 4, 1 of 3, 1 of 3 confidential; c = 5/10
    confidential, synthetic = frame(0, 0.1, 0.2, 10, 20), frame(0.3, 10.1, 10.2, 20.1, 20.2)
    result = cluster_utility(confidential, synthetic, clusters=3, rng=1)
    assert sorted(zip(result.cluster_size[0].tolist(), result.confidential_size[0].tolist(), strict=True)) == [
        (3, 1),
        (3, 1),
        (4, 3),
    ]
    assert result.cluster_utility[0] == pytest.approx((1 / 16 + 1 / 36 + 1 / 36) / 3)
    # given the clusters: c^2 (1 - c) (N - n_j) / (n_j (N - 1)), averaged
    assert result.null_mean[0] == pytest.approx((6 / 4 + 7 / 3 + 7 / 3) / 8 / 9 / 3)
    sized = cluster_utility(confidential, synthetic, clusters=3, weighting="size", rng=1)
    assert sized.cluster_utility[0] == pytest.approx((4 / 16 + 3 / 36 + 3 / 36) / 10)


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_equals_r(confidential, releases, answer, kind) -> None:
    result = cluster_utility(confidential, releases[kind], clusters=2, variables=["age", "income"], starts=30, rng=1)
    expected = answer("cluster_utility", kind)
    assert len(expected) == result.m
    np.testing.assert_allclose(result.cluster_utility, expected, rtol=1e-9)


def test_weighted_by_size_it_is_the_pmse_of_a_classifier_that_knows_the_cluster() -> None:
    draw = np.random.default_rng(2)
    confidential, synthetic = (pd.DataFrame({"g": draw.choice(list("abcd"), n)}) for n in (60, 40))
    clusters = cluster_utility(confidential, synthetic, clusters=4, weighting="size", rng=1)
    propensity = pmse(confidential, synthetic)
    assert clusters.cluster_utility[0] == pytest.approx(propensity.pmse[0], rel=1e-9)
    # the exact permutation mean has N - 1 where the asymptotic one has N
    assert clusters.null_mean[0] == pytest.approx(propensity.null_mean[0] * 100 / 99, rel=1e-9)


def test_null_is_the_mean_over_shuffled_labels() -> None:
    draw = np.random.default_rng(4)
    sizes, c = np.array([3, 10, 37]), 0.4
    member, label = np.repeat([0, 1, 2], sizes), np.repeat([1, 0], [20, 30])
    values = []
    for _ in range(20_000):
        shuffled = draw.permutation(label)
        values.append(np.mean((np.bincount(member, shuffled) / sizes - c) ** 2))
    exact = np.mean(c * (1 - c) * (50 - sizes) / (sizes * 49))
    assert np.mean(values) == pytest.approx(exact, rel=0.03)
    # the same sizes through the front door, times c for confidential data held fixed
    one = frame(*[0] * 1, *[10] * 4, *[20] * 15)
    other = frame(*[0] * 2, *[10] * 6, *[20] * 22)
    assert cluster_utility(one, other, clusters=3, rng=1).null_mean[0] == pytest.approx(exact * c)


def test_poor_data_score_worse_and_seeds_repeat(confidential, releases) -> None:
    poor = releases["partial"][0].assign(income=2000.0 + releases["partial"][0]["income"])
    result = cluster_utility(
        confidential, [releases["partial"][0], poor], clusters=10, variables=["income", "age"], rng=3
    )
    assert result.ratio[1] > 5 * result.ratio[0]
    again = cluster_utility(confidential, releases["partial"][0], clusters=10, variables=["income", "age"], rng=3)
    assert again.cluster_utility[0] == result.cluster_utility[0]


def test_missing_values_are_an_error_or_a_category(small) -> None:
    broken = small.assign(sex=[None, *small["sex"][1:]])
    with pytest.raises(MissingValueError, match="column 'sex' has 1 missing"):
        cluster_utility(small, broken, clusters=2)
    assert cluster_utility(small, broken, clusters=2, missing="category", rng=1).m == 1


def test_bad_input(small) -> None:
    with pytest.raises(InputError, match="clusters=1"):
        cluster_utility(small, small, clusters=1)
    with pytest.raises(InputError, match="clusters=17"):
        cluster_utility(small, small, clusters=17)
    with pytest.raises(InputError, match="only 8 distinct records"):
        cluster_utility(small, small, clusters=9)
    with pytest.raises(InputError, match="weighting='n'"):
        cluster_utility(small, small, clusters=2, weighting="n")
    with pytest.raises(InputError, match="starts=0"):
        cluster_utility(small, small, clusters=2, starts=0)
    with pytest.raises(InputError, match="'wage' not in confidential"):
        cluster_utility(small, small, clusters=2, variables=["wage"])
