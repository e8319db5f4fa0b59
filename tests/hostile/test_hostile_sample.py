"""A small part of ``make hostile``, drawn by a seed, and what the sweep itself must keep to."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd
import pytest

from synthlab.exceptions import InputError
from tests.hostile import values
from tests.hostile.bases import Case, people
from tests.hostile.listed import ALLOWED, NOT_SWEPT
from tests.hostile.surface import CASES, arguments_of, public_callables
from tests.hostile.sweep import FOREIGN, NAMED, RETURNED, TIME, UNNAMED, one_call, run

ROOT = Path(__file__).resolve().parents[2]
COVERED = {name for case in CASES for name in case.covered}


def test_every_public_callable_is_swept_or_left_out_for_a_reason():
    public = public_callables()
    assert [name for name in public if name not in COVERED and not NOT_SWEPT.get(name)] == []
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


def test_a_sample_of_hostile_calls_has_no_fault(tmp_path):
    command = [sys.executable, "-m", "tests.hostile", "--quick", "--share", "0.004", "--seconds", "10", "--out"]
    done = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    faults = pd.read_csv(tmp_path / "faults.csv")
    assert faults.to_dict("records") == [], done.stdout[-4000:]
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(pd.read_csv(tmp_path / "calls.csv")) > 100


def test_the_call_after_one_that_hears_no_alarm_is_made_and_not_blamed():
    def sleep(number: object) -> None:
        if number is None:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            time.sleep(60)

    case = Case("sleep", sleep, lambda: {"number": 1})
    rows = list(run(case, [("number", "NaN"), ("number", "None"), ("number", "inf")], 1))
    assert [(row.value, row.outcome) for row in rows] == [("NaN", RETURNED), ("None", TIME), ("inf", RETURNED)]
