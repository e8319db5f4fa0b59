"""What is spent, below one: worked by hand."""

from __future__ import annotations

from synthlab.weights import exponential_mechanism_weight


def test_less_than_one_may_be_spent_and_bounded():
    assert exponential_mechanism_weight(0.5, 0.5) == 0.5
    assert exponential_mechanism_weight(0.25, 4.0) == 0.03125
