"""The registry: every entry can be run, and says what it takes."""

from __future__ import annotations

from importlib import import_module
from inspect import signature

import pytest

from synthlab.exceptions import InputError
from synthlab.lab.replication.registry import REPLICATIONS, replicate, to_csv


@pytest.mark.parametrize("name", REPLICATIONS)
def test_every_entry_is_there_and_takes_what_it_says(name: str) -> None:
    entry = REPLICATIONS[name]
    parameters = signature(getattr(import_module(entry.module), entry.function)).parameters
    assert ("rng" in parameters) is entry.seeded
    assert set(entry.quick) <= set(parameters)
    assert entry.title


def test_quick_and_seed_are_passed_on() -> None:
    first, second, other = (replicate("coverage", quick=True, rng=seed) for seed in (1, 1, 2))
    assert first.repetitions == 200
    assert to_csv("coverage", first) == to_csv("coverage", second) != to_csv("coverage", other)


def test_a_result_without_a_form_of_its_own_is_written_as_its_table() -> None:
    result = replicate("lecture-8")
    assert to_csv("lecture-8", result).startswith("release,measure,published")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("lecture-9", {}, "did you mean 'lecture-8'"),
        ("lecture-8", {"quick": True}, "has no quick form"),
        ("lecture-8", {"rng": 1}, "draws no random numbers"),
    ],
)
def test_what_it_does_not_take_is_an_error(name: str, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replicate(name, **options)
