"""A wrong name of a function or argument is answered with the right one; right calls are unchanged."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab._calls import explains_arguments
from synthlab.exceptions import InputError

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "a misspelled function": (lambda: sl.identificaton_risk, "'identification_risk'"),
    "British spelling": (lambda: sl.synthesise, "'synthesize'"),
    "a function of a package": (lambda: sl.load, "'datasets.load'"),
    "a function of a package, misspelled": (lambda: sl.utility.pmsee, "'pmse'"),
    "seed": (lambda: sl.synthesize(None, seed=1), "use rng"),
    "random_state": (lambda: sl.pmse(None, None, random_state=1), "use rng"),
    "an argument of synthpop": (lambda: sl.synthesize(None, k=100), "use n"),
    "weights": (lambda: sl.synthesize(None, weights="w"), "design=SurveyDesign"),
    "an argument of the intruder": (
        lambda: sl.identification_risk(None, None, known=["age"]),
        "intruder=Intruder(known",
    ),
    "a misspelled argument": (lambda: sl.Intruder(knwon=[]), "'known'"),
    "a missing argument": (lambda: sl.identification_risk(None, None), "'intruder' is missing"),
    "a missing argument of a class": (lambda: sl.CART(), "'variables' is missing"),
    "X and y": (lambda: sl.NormalRegression("a ~ b").fit(None, None), "only confidential can be given without a name"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_error_names_what_was_meant(name: str) -> None:
    call, meant = WRONG[name]
    with pytest.raises((TypeError, AttributeError)) as caught:
        call()
    assert meant in str(caught.value)


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: sl.Intruder(known=["age"], synthesized=["pay"], radius=20), "0.2"),
        (lambda: sl.NormalRegression("a ~ factor(b)").fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]})), r"C\("),
        (lambda: sl.NormalRegression("a ~ .").fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]})), "name the predictors"),
        (lambda: sl.Release(pd.DataFrame({"age": [1]}))["age"], r"release\[0\]\['age'\]"),
    ],
)
def test_a_wrong_value_is_answered_with_a_right_one(call: Callable[[], object], meant: str) -> None:
    with pytest.raises(InputError, match=meant):
        call()


@given(st.lists(st.integers(), max_size=4), st.dictionaries(st.sampled_from("abcdx"), st.integers(), max_size=4))
def test_a_call_is_accepted_where_python_accepts_it(args: list[int], kwargs: dict[str, int]) -> None:
    def plain(a: int, b: int = 2, *, c: int, d: int = 4) -> tuple[int, ...]:
        return a, b, c, d

    explained = explains_arguments(plain)
    try:
        expected = plain(*args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError, match="^plain: "):
            explained(*args, **kwargs)
    else:
        assert explained(*args, **kwargs) == expected
    assert inspect.signature(explained) == inspect.signature(plain)


def test_public_functions_are_one_object_and_are_pickled() -> None:
    assert sl.pmse is sl.utility.pmse
    for thing in (sl.evaluate, sl.pmse, sl.Intruder, sl.CART):
        assert pickle.loads(pickle.dumps(thing)) is thing


def test_packages_list_their_functions() -> None:
    assert "private_count" in dir(sl.dp)
    assert {"plot_ecdf", "plot_record_risk"} <= set(dir(sl.plots))
    assert not {"annotations", "budget"} & {*dir(sl.dp), *dir(sl.plots)}
