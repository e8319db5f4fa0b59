"""Near and planted copies in a report: findings, the holdout sample, and files that cannot be compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._format import count, fewer_than_10
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding
from synthlab.report.measures.near_copies import NearCopies
from synthlab.report.measures.planted_copies import PlantedCopies
from tests.risk.test_near_copies import OTHER, OWN, noisy, people, with_copies

WHO = sl.Intruder(known=["region", "job"], synthesized=["age", "income", "rent", "hours"], radius=0.1)
NEAR, PLANTED = NearCopies(), PlantedCopies()


@pytest.fixture(scope="module")
def asked() -> Question:
    """Return the inputs of an evaluation, whose release the tests replace."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sl.evaluate(OWN, OTHER, WHO).question


def about(asked: Question, *frames: pd.DataFrame, **others: object) -> Question:
    return replace(asked, release=sl.Release(list(frames)), _known={}, **others)


def findings(question: Question) -> list[Finding]:
    assert NEAR.applies(question) is None
    return NEAR.findings(NEAR.compute(question), question, count)


def test_near_copies_are_a_finding_and_an_independent_sample_is_none(asked: Question) -> None:
    (found,) = findings(about(asked, with_copies(noisy(OWN, 0.03), OTHER, 60)))
    assert (found.level, found.of) == ("STOP", 600)
    assert found.people == pytest.approx(60, abs=8)
    assert found.sentence.startswith(f"{found.people:.0f} of 600 people")
    assert len(found.sentence.split()) <= 30
    honest = about(asked, OTHER)
    assert not findings(honest)
    assert NEAR.rows(NEAR.compute(honest), honest)[0].release == 0


def test_a_release_of_a_few_people_is_a_finding(asked: Question) -> None:
    few = noisy(OWN.iloc[np.random.default_rng(4).integers(100, size=600)].reset_index(drop=True), 0.02)
    assert {one.level for one in findings(about(asked, few))} == {"STOP"}


def test_copies_of_the_holdout_sample_are_counted_among_its_people(asked: Question) -> None:
    control = people(500, 3)
    question = about(asked, with_copies(control, OTHER, 100), control=control)
    (found,) = findings(question)
    assert (found.level, found.of) == ("STOP", 500)
    # 600 released records are compared in two parts, so that the number is a lower bound.
    assert 40 <= found.people <= 110
    assert NEAR.compute(question).least


@pytest.mark.parametrize(
    ("control", "used"),
    [(OWN, True), (OTHER, True), (people(50, 4)[["region", "age"]], False), (OTHER.assign(age="old"), False)],
)
def test_a_holdout_sample_with_other_columns_or_types_is_not_used(
    asked: Question, control: pd.DataFrame, used: bool
) -> None:
    question = about(asked, people(600, 8), control=control)
    assert bool(NEAR.left_out(question)) is not used
    assert ("holdout" in NEAR.compute(question).table["baseline"].to_numpy()) is used


def test_files_that_cannot_be_compared_have_a_reason(asked: Question) -> None:
    kept = about(asked, OWN, chosen=["region", "job"])
    for question in (kept, about(asked, OTHER[:2])):
        assert NEAR.applies(question)
        assert NEAR.applies(question) == PLANTED.applies(question)


def test_published_texts_contain_no_small_numbers(asked: Question) -> None:
    question = about(asked, OTHER)
    result = replace(NEAR.compute(question), closer_people=0.01)  # 6 people
    (line,) = NEAR.lines(result, question, fewer_than_10)
    assert "fewer than 10" in line.meaning
    assert NEAR.to_dict(result, question, publish=True) == {"compared": 600, "candidates": 599}


def test_the_smallest_number_of_planted_copies_is_a_row(asked: Question) -> None:
    question = about(asked, OTHER)
    result = PLANTED.compute(question)
    assert result.found_from("whole") == 10
    assert {row.name: row.release for row in PLANTED.rows(result, question)}["found_from"] == 10
