"""Text from NumPy arrays, `numpy.str_`, is accepted wherever a column name or a choice is text."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tests.hostile.bases import Case
from tests.hostile.surface import CASES
from tests.loops import every

# The base call of `fetch` is an error, because nothing is downloaded in tests; cases marked `few` are slow.
CALLED = [case for case in CASES if not case.few and case.name != "fetch"]


def of_numpy(value: Any) -> tuple[Any, int]:
    """Return a value with all of its text as `numpy.str_`, and the number of texts."""
    if type(value) is str:
        return np.str_(value), 1
    if type(value) in (list, tuple):
        parts = [of_numpy(v) for v in value]
        return type(value)(v for v, _ in parts), sum(n for _, n in parts)
    if type(value) is dict:
        parts = [(of_numpy(k), of_numpy(v)) for k, v in value.items()]
        return {k: v for (k, _), (v, _) in parts}, sum(n + more for (_, n), (_, more) in parts)
    return value, 0


def changed(case: Case) -> list[str]:
    return [name for name, value in case.base().items() if of_numpy(value)[1]]


@pytest.mark.parametrize("cases", [CALLED[::4], pytest.param(CALLED, marks=pytest.mark.full)], ids=["some", "all"])
def test_text_of_numpy_is_text(cases: list[Case]) -> None:
    @every("case", cases)
    def check(case: Case) -> None:
        for name in changed(case):
            arguments = case.base()
            arguments[name] = of_numpy(arguments[name])[0]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                case.call(**arguments)

    check()
