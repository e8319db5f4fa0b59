"""Ranks, links and tables of the attacks: corners worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.risk import attack_score
from synthlab.risk.attribute._posterior import Found
from synthlab.risk.attribute.guess_posterior import together
from synthlab.risk.linkage._assignment import assign
from synthlab.risk.linkage._splink import Pairs


def test_the_rank_of_the_truth_halves_ties():
    # Alone on top; shared with one other; below two.
    after = np.array([[0.8, 0.5, 0.2], [0.2, 0.5, 0.3], [0.0, 0.0, 0.5]])
    found = Found(pd.DataFrame({"x": [1, 2, 3]}), 0, np.full(3, 1 / 3), after, np.ones(3))
    assert found.rank().tolist() == [1.0, 1.5, 3.0]


def test_no_pairs_are_no_links():
    blocks = np.array([0, 1])
    none = np.empty(0, dtype=np.int64)
    linked, probability = assign(
        blocks, blocks + 2, Pairs(none, none, none.astype(float), none.astype(float)), np.random.default_rng(1)
    )
    assert linked.tolist() == [-1, -1]
    assert np.isnan(probability).all()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_the_table_of_an_attack_has_a_row_a_dataset():
    people = pd.DataFrame({"ill": ["yes", "no", "no", "yes"]})
    score = attack_score(people, pd.DataFrame({"record": [0, 1], "ill": ["yes", "yes"]}), target="ill", fewest=2)
    table = score.to_frame()
    # Of the two who are guessed about one is ill.
    assert table["attack"].tolist() == [0.5]
    assert table["baseline"].tolist() == [score.baseline]


def test_datasets_together_count_the_prior_once():
    # Each dataset moves 1 : 3 to 1 : 1, so each says 3 : 1; both say 9 : 1, and with the prior 9 : 3.
    posterior = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]])
    np.testing.assert_allclose(together(posterior, np.array([0.25, 0.75, 0.0])), [0.75, 0.25, 0.0])
