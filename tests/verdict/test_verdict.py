"""The verdict on releases with a known answer; `make verdict` tries all cases and 200 simulated releases."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.verdict.cases import CASES, CE_INTRUDER, YOUTH, ce, shuffled
from tests.verdict.simulated import simulated

# The dataset, one of the columns, and the number of people of the worst finding; None if the case does not determine it.
KNOWN_ANSWERS: dict[str, tuple[str, int | None, str | None, int | None]] = {
    "copy_youths": ("STOP", 1, "numarr", 1500),
    "copy_in_order": ("STOP", 1, "numarr", 1500),
    "copy_but_one_record_in_order": ("STOP", 1, "agefirst", 1500),
    "one_column_permuted_age": ("STOP", 1, "numarr", 1500),
    "one_dataset_is_a_copy_last": ("STOP", 5, "numarr", 1500),
    "diluted": ("STOP", 1, None, 1500),
    "subsample_half": ("STOP", 1, None, 750),
    "bootstrap_with_new_identifier": ("STOP", 1, None, None),
    "identifier_renumbered": ("STOP", 1, None, 1500),
    "records_swapped": ("STOP", 1, None, None),
    "copied_columns_among_drawn_ones": ("STOP", 1, "educ", 1500),
    "copied_columns_among_drawn_ones_shuffled": ("STOP", 1, "educ", 1500),
    "identifier_released": ("STOP", 1, "pid", 1500),
    "texts_changed_lower": ("STOP", 1, None, None),
    "income_in_cents": ("STOP", 1, None, None),
    "unchanged_columns_not_named": ("CHECK", None, "numarr", None),
    "unchanged_columns_not_named_in_another_order": ("CHECK", None, "numarr", None),
    "column_with_the_record": ("CHECK", None, None, None),
    "identifiers_in_another_order": ("CHECK", None, "pid", 1500),
    "weights_unchanged": ("CHECK", None, "weight", None),
    "values_agree_too_often": ("CHECK", 1, "crimtype", None),
    "year_of_birth_instead_of_age": ("CHECK", None, None, None),
    "three_coins": ("NOTHING FOUND", None, None, None),
    "other_people_youths": ("NOTHING FOUND", None, None, None),
    "drawn_from_the_true_model": ("NOTHING FOUND", None, None, None),
    "partly_synthetic_youths_one": ("NOTHING FOUND", None, None, None),
}


def evaluated(arguments: dict[str, Any] | str) -> sl.report.EvaluationResult:
    """Return the evaluation of a release, or of a case by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        given = CASES[arguments].made() if isinstance(arguments, str) else dict(arguments)
        return sl.evaluate(given.pop("confidential"), given.pop("synthetic"), given.pop("intruder"), **given)


def faults(name: str) -> list[str]:
    """Return what is wrong with the verdict on a case."""
    least, dataset, column, people = KNOWN_ANSWERS[name]
    result = evaluated(name)
    worst = result.worst
    levels = ["NOTHING FOUND", "CHECK", "STOP"]
    right = result.verdict == least if CASES[name].honest else levels.index(result.verdict) >= levels.index(least)
    found = [] if right else [f"{name}: {result.verdict}, not {least}"]
    if worst is None:
        return found
    if dataset is not None and worst.dataset != dataset:
        found.append(f"{name}: dataset {worst.dataset}, not {dataset}")
    if column is not None and column not in worst.columns:
        found.append(f"{name}: {worst.columns} without {column}")
    if people is not None and worst.people != people:
        found.append(f"{name}: {worst.people} people, not {people}")
    found += [f"{name}: {one.sentence}" for one in result.findings if len(one.sentence.split()) > 30]
    found += [f"{name}: {one.sentence}" for one in result.findings if one.people > one.of]
    if len(result.headline.splitlines()) > 6 or " safe" in result.headline:
        found.append(f"{name}: {result.headline}")
    return found


def test_every_case_gets_its_verdict_and_its_worst_finding() -> None:
    assert [fault for name in KNOWN_ANSWERS for fault in faults(name)] == []


def test_honest_simulated_releases_are_not_stopped() -> None:
    numbers = [number for number in range(30) if len(simulated(number)["confidential"]) <= 1000][:10]
    verdicts = {number: evaluated(simulated(number)).verdict for number in numbers}
    assert len(verdicts) == 10
    assert [number for number, word in verdicts.items() if word == "STOP"] == []


@pytest.fixture(scope="module")
def voters() -> pd.DataFrame:
    return sl.datasets.load("anes96").frame.drop(columns="logpopul")


def margins(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return a release with resampled columns, each alone."""
    draw = np.random.default_rng(seed)
    return pd.DataFrame({c: draw.choice(frame[c].to_numpy(), len(frame)) for c in frame})


VOTER = sl.Intruder(known=["age", "educ", "PID"], synthesized=["income", "vote", "selfLR"])


def test_a_mean_does_not_hide_the_copy_among_twenty_datasets(voters: pd.DataFrame) -> None:
    frames = [*(margins(voters, seed) for seed in range(19)), shuffled(voters)]
    limits = {"exact_copies": "10%", "unique_copies": "10%", "replicated_uniques": "20%", "copied_people": "10%"}
    result = evaluated({"confidential": voters, "synthetic": frames, "intruder": VOTER, "limits": limits})
    assert (result.verdict, result.worst.dataset, result.worst.people) == ("STOP", 20, len(voters))
    assert result.verdicts()["verdict"].tolist() == ["broken"] * 4


def test_dilution_does_not_hide_the_people_who_are_copied(voters: pd.DataFrame) -> None:
    release = shuffled(pd.concat([voters, *(margins(voters, seed) for seed in range(9))]))
    limits = {"exact_copies": "12%", "copied_people": "50%"}
    result = evaluated({"confidential": voters, "synthetic": release, "intruder": VOTER, "limits": limits})
    everyone = len(voters)
    assert result.verdict == "STOP"
    assert result.worst.people == result.worst.of == result["copied_people"].n
    assert result.summary().loc["copied_people", "synthetic"] == everyone
    assert result.verdicts()["verdict"].to_dict() == {"exact_copies": "held", "copied_people": "broken"}


def test_a_column_with_the_record_of_the_person_is_named(voters: pd.DataFrame) -> None:
    release = margins(voters, 1).assign(note=voters.map(str).agg("|".join, axis=1))
    result = evaluated({"confidential": voters, "synthetic": release, "intruder": VOTER})
    assert result.verdict == "CHECK"
    assert ("note",) in [one.columns for one in result.findings]
    assert "note" in result.to_html()


@pytest.mark.parametrize("text", [False, True])
def test_dates_that_are_all_shifted_by_a_constant_are_found_within_the_radius(text: bool) -> None:
    draw = np.random.default_rng(8)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(pd.Series(draw.integers(0, 20_000, 300)), unit="D")
    people = pd.DataFrame({"town": draw.integers(0, 18, 300), "born": born, "job": draw.choice(list("abcd"), 300)})
    release = people.assign(born=born + pd.Timedelta(days=1), job=draw.permutation(people["job"]))
    if text:
        people, release = (one.assign(born=one["born"].dt.strftime("%Y-%m-%d")) for one in (people, release))
    intruder = sl.Intruder(known=["town"], synthesized=["born", "job"], radius={"born": 1})
    result = evaluated({"confidential": people, "synthetic": release, "intruder": intruder})
    assert result.verdict != "NOTHING FOUND"
    (found,) = (one for one in result.findings if one.measure == "chosen_variables")
    assert found.columns == ("born",)
    assert found.people > 290


def test_an_income_that_was_not_synthesized_is_found_whatever_is_declared() -> None:
    release = shuffled(ce(), 2)
    release = ce().assign(Expenditure=release["Expenditure"], Marital=release["Marital"])
    result = evaluated({"confidential": ce(), "synthetic": release, "intruder": CE_INTRUDER})
    assert (result.verdict, result.worst.columns, result.worst.people) == ("STOP", ("Income",), 3000)
    alone = sl.Intruder(known=CE_INTRUDER.known, synthesized=["Income"], radius={"Income": 0.2}, missing="category")
    least = evaluated({"confidential": ce(), "synthetic": ce(), "intruder": alone}).best_intruder
    assert result.best_intruder > 0.9 * least  # the noise of the other variables does not blind the intruder
    assert result["chosen_variables"].variables == ("Income",)


def test_the_holdout_sample_grades_a_copy_and_a_tree() -> None:
    shares, verdicts = {}, {}
    for name in ("copy_control", "trees_of_youths_control", "other_people_with_control"):
        result = evaluated(name)
        shares[name], verdicts[name] = float(result["closest_record"].share[0]), result.verdict
    assert verdicts == {
        "copy_control": "STOP",
        "trees_of_youths_control": "CHECK",
        "other_people_with_control": "NOTHING FOUND",
    }
    assert shares["copy_control"] > 0.99 > 0.9 > shares["trees_of_youths_control"] > shares["other_people_with_control"]


def test_a_measure_that_fails_leaves_a_report_and_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    from synthlab.exceptions import FitError
    from synthlab.report.measures import MEASURES

    def failing(self: object, question: object) -> None:
        raise FitError("the logistic regression has not converged")

    arguments = CASES["three_coins"].made()
    monkeypatch.setattr(type(MEASURES["pmse"]), "compute", failing)
    result = evaluated(arguments)
    assert (result.verdict, result.worst.measure, result.failed) == ("CHECK", "pmse", ("pmse",))
    assert "has not converged" in result.not_measured["pmse"][-1]
    assert math.isfinite(result.summary().loc["copied_people", "synthetic"])


def test_compare_gives_a_verdict_to_each_release(voters: pd.DataFrame) -> None:
    releases = {"copy": shuffled(voters), "four and a copy": [*(margins(voters, s) for s in range(4)), voters]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        both = sl.compare(voters, {**releases, "honest": margins(voters, 9)}, VOTER)
    assert both.summary()["verdict"].tolist()[:3] == ["", "STOP", "STOP"]
    assert both.summary().loc["honest", "verdict"] != "STOP"
    alone = evaluated({"confidential": voters, "synthetic": releases["copy"], "intruder": VOTER})
    assert both.evaluations["copy"].findings == alone.findings
    assert alone.worst.sentence in str(both)


def test_the_cases_cover_what_they_should() -> None:
    assert {"STOP", "CHECK", "NOTHING FOUND"} == {answer[0] for answer in KNOWN_ANSWERS.values()}
    assert KNOWN_ANSWERS.keys() <= CASES.keys()
    assert set(YOUTH) == set(CASES["copy_youths"].made()["confidential"])
