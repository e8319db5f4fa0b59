"""The decorator that loops over cases reports every failure and never passes without a case."""

from __future__ import annotations

import inspect

import pytest

from tests.loops import every


def test_every_failing_case_is_reported_with_its_values():
    @every(("a", "b"), [(1, 1), (1, 2), pytest.param(2, 3, id="x")])
    def equal(a, b):
        assert a == b

    with pytest.raises(ExceptionGroup, match="2 of 3 cases failed") as caught:
        equal()
    assert [error.__notes__ for error in caught.value.exceptions] == [["case 2: 1, 2"], ["case 3: 2, 3"]]


def test_a_test_without_cases_fails():
    @every("a", lambda: [])
    def nothing(a):
        assert a

    with pytest.raises(AssertionError, match="no cases"):
        nothing()


def test_decorators_nest_and_fixtures_stay():
    seen = []

    @every("a", [1, 2])
    @every("b", [(3,), (4,)])
    def pairs(a, b, root):
        seen.append((a, b, root))

    assert list(inspect.signature(pairs).parameters) == ["root"]
    pairs(root="r")
    assert seen == [(1, (3,), "r"), (1, (4,), "r"), (2, (3,), "r"), (2, (4,), "r")]
