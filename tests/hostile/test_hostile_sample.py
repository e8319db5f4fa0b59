"""Generated hostile values, and what the sweep of ``make hostile`` itself must keep to."""

from __future__ import annotations

import signal
import time
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from synthlab._result import Result
from synthlab.exceptions import InputError
from tests.hostile import values
from tests.hostile.bases import Case, people
from tests.hostile.listed import ALLOWED, NOT_SWEPT, reason_for
from tests.hostile.surface import CASES, arguments_of, public_callables
from tests.hostile.sweep import FOREIGN, NAMED, RETURNED, TIME, UNNAMED, Generated, one_call, run

COVERED = {name for case in CASES for name in case.covered}


def test_every_public_callable_is_swept_or_left_out_for_a_reason():
    public = public_callables()
    results = {name for name, thing in public.items() if isinstance(thing, type) and issubclass(thing, Result)}
    assert [name for name in public if name not in {*COVERED, *results} and not NOT_SWEPT.get(name)] == []
    assert [name for name in NOT_SWEPT if name not in public or name in COVERED] == []


def test_every_argument_of_what_is_swept_gets_hostile_values():
    public = public_callables()
    given: dict[str, set[str]] = {}
    for case in CASES:
        for name in case.covered:
            given.setdefault(name, set()).update(case.base())
    absent = {
        name: [a for a in arguments_of(thing) if a not in given[name]]
        for name, thing in public.items()
        if name in given
    }
    assert {name: arguments for name, arguments in absent.items() if arguments} == {}


def test_every_entry_of_the_list_of_what_passes_names_a_case_and_has_a_reason():
    for entry in ALLOWED:
        assert entry.reason
        assert any(fnmatchcase(case.name, entry.case) for case in CASES), entry


def test_labels_tell_one_value_from_another():
    for ordinary in (people(), people()["age"].to_numpy(), ["a"], {"a": 1}, lambda: 0):
        assert not set(values.changes(ordinary)) & set(values.SCALARS)


@pytest.mark.parametrize(
    ("call", "value", "outcome"),
    [
        (lambda number: None, "None", RETURNED),
        (lambda number: 1 / len(number), "text", RETURNED),
        (lambda number: 1 / len(number), "None", FOREIGN),
    ],
)
def test_an_outcome_is_what_happened(call, value, outcome):
    case = Case("here", call, lambda: {"number": "a"})
    assert one_call(case, "number", value, 5, None).outcome == outcome


def test_an_error_must_name_its_argument():
    def call(number, other):
        raise InputError(f"{other}: is bad")

    case = Case("here", call, lambda: {"number": 1, "other": "number"})
    assert one_call(case, "number", "None", 5, None).outcome == NAMED
    assert one_call(case, "number", "None", 5, None).what == ""
    case = Case("here", call, lambda: {"number": 1, "other": "numbers"})
    assert one_call(case, "number", "None", 5, None).outcome == UNNAMED


def test_silent_nonsense_is_seen():
    def call(frame, number=1):
        return float(frame["income"].astype("float64").sum() if frame["income"].dtype != object else 0)

    case = Case("here", call, lambda: {"frame": people(), "number": 1})
    answer = call(people())
    judged = {
        ("frame", "numbers in objects"): "another answer",
        ("frame", "Arrow dtypes"): "",
        ("number", "complex"): "taken for what it is not",
        ("number", "masked array"): "a mask is not looked at",
        ("number", "0.5"): "",
    }
    for (parameter, label), what in judged.items():
        row = one_call(case, parameter, label, 5, answer)
        assert (row.outcome, row.what) == (RETURNED, what), (parameter, label)


def test_calls_that_never_end_or_take_all_memory_are_ended():
    def call(number):
        if number == 1:
            while True:
                pass
        return bytearray(2**40) if number == 2 else 0

    case = Case("here", call, lambda: {"number": 0})
    rows = list(run(case, [("number", "1"), ("number", "2"), ("number", "0")], 1))
    assert [(row.outcome, row.what) for row in rows] == [(TIME, ""), (FOREIGN, "MemoryError"), (RETURNED, "")]


def kind(label: str, strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Generated]:
    return strategy.map(lambda value: Generated.of(label, value))


WORDS = st.text(
    st.characters(exclude_characters="/\\~."), min_size=1, max_size=20
)  # text can be a path, of the working folder
ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
VALUES = st.one_of(
    kind("None", st.none()),
    kind("True", st.booleans()),
    kind("10**30", st.integers(-(10**40), 10**40)),
    kind("0.5", st.floats(allow_nan=False)),
    kind("NaN", st.just(float("nan"))),
    kind("complex", st.complex_numbers()),
    kind("text", WORDS),
    kind("bytes", st.binary(max_size=8)),
    kind("[1, 2]", st.lists(ATOMS, min_size=1, max_size=3)),
    kind("set", st.sets(st.integers() | WORDS, max_size=3)),
    kind("{1: None}", st.dictionaries(WORDS | st.integers(), ATOMS, min_size=1, max_size=3)),
    kind("date", st.dates()),
    kind("datetime", st.datetimes()),
    kind("timedelta", st.timedeltas()),
)
QUICK = [case for case in CASES if not case.few and not case.name.startswith(("fetch", "load"))]


@pytest.mark.parametrize("examples", [8, pytest.param(40, marks=pytest.mark.full)])
def test_hostile_values_have_no_fault(examples: int) -> None:
    settings(
        max_examples=examples, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )(given(data=st.data())(check_a_call))()


def check_a_call(data: st.DataObject) -> None:
    """Draw a call, and for several of its arguments values of any kind or other forms of the ordinary value."""
    case = data.draw(st.sampled_from(QUICK))
    chosen = []
    for parameter in data.draw(st.lists(st.sampled_from(sorted(case.base())), min_size=1, max_size=6)):
        forms = list(values.changes(case.base()[parameter]))
        label = data.draw(VALUES | st.sampled_from(forms) if forms else VALUES)
        chosen.append((parameter, label))
    rows = run(case, chosen, 10)
    faults = [(row, getattr(label, "value", label)) for row, (_, label) in zip(rows, chosen, strict=True) if row.fault]
    assert [(row, value) for row, value in faults if reason_for(row) is None] == []


def test_the_call_after_one_that_hears_no_alarm_is_made_and_not_blamed():
    def sleep(number: object) -> None:
        if number is None:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            time.sleep(60)

    case = Case("sleep", sleep, lambda: {"number": 1})
    rows = list(run(case, [("number", "NaN"), ("number", "None"), ("number", "inf")], 1))
    assert [(row.value, row.outcome) for row in rows] == [("NaN", RETURNED), ("None", TIME), ("inf", RETURNED)]
