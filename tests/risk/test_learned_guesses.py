"""The trees of the learned attack are those of scikit-learn's random forest."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from synthlab.risk.attribute._learned_guesses import TREES, grown


@pytest.mark.parametrize("outputs", [1, 3])
def test_trees_are_those_of_a_random_forest(outputs: int) -> None:
    draw = np.random.default_rng(1)
    features, target = draw.normal(size=(80, 4)), draw.normal(size=(80, outputs))
    forest = RandomForestRegressor(TREES, min_samples_leaf=2, max_features=0.5, random_state=5)
    forest.fit(features, target[:, 0] if outputs == 1 else target)
    leaves = np.column_stack([tree.apply(features) for tree in grown(features, target, 2, 5)])
    assert np.array_equal(leaves, forest.apply(features))
