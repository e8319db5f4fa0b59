"""The verdict on releases with a known answer; `make verdict` tries all cases and numbered honest releases."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.verdict import __main__ as run
from tests.verdict.cases import CASES, LEVELS, TABLE, UNDETECTABLE, all_cases
from tests.verdict.files import part, shuffled
from tests.verdict.honest import KINDS, asked, margins
from tests.verdict.measured import evaluated, is_genuine, whole_copies

# `make test` runs these cases, and `make test-all` every third case of the table and some numbered honest releases.
SMALL = (
    "fifty_records_copied",
    "copies_among_500",
    "m5_each_5_people",
    "copies_of_8_people",
    "half_of_the_holdout",
    "email_90_percent",
    "trees_of_300_categories",
    "three_coins",
    "columns_permuted",
    "record_numbers",
)
MIDDLE = tuple(name for name in list(CASES)[::3] if name not in SMALL)
NUMBERED = tuple(f"{kind} {number}" for kind in KINDS for number in (1, 2))


def faults(names: tuple[str, ...]) -> list[str]:
    """Return the cases with a wrong verdict, or with a finding that is too long or has impossible numbers."""
    found = []
    for case in (all_cases()[name] for name in names):
        result = evaluated(case.made())
        if not case.is_right(result.verdict, is_genuine(result)):
            found.append(f"{case.name}: {result.verdict}, not {case.expected}")
        found += [f"{case.name}: {one.sentence}" for one in result.findings if len(one.sentence.split()) > 30]
        found += [f"{case.name}: {one.sentence}" for one in result.findings if one.people > one.of]
        if len(result.headline.splitlines()) > 6 or " safe" in result.headline:
            found.append(f"{case.name}: {result.headline}")
    return found


def test_a_few_cases_get_their_verdict() -> None:
    assert faults(SMALL) == []


@pytest.mark.full
def test_every_third_case_gets_its_verdict() -> None:
    assert faults(MIDDLE) == []


@pytest.mark.full
def test_honest_releases_are_not_stopped() -> None:
    verdicts = {name: evaluated(all_cases()[name].made()).verdict for name in NUMBERED}
    assert [name for name, word in verdicts.items() if word == "STOP"] == []


def test_whole_copies_are_counted_beyond_the_twins_of_people_and_of_the_release() -> None:
    people = pd.DataFrame({"known": [0] * 90 + list(range(1, 11)), "drawn": [0] * 90 + list(range(1, 11))})
    honest = pd.DataFrame({"known": [0] * 90 + list(range(20, 30)), "drawn": [0] * 100})
    copied = pd.concat([honest[:90], people[90:]])
    assert whole_copies(asked(people, honest, ["known"]))[0] == 0
    assert whole_copies(asked(people, copied, ["known"])) == (10, pytest.approx(10**0.5))
    assert whole_copies(asked(people, [copied, copied], ["known"])) == (20, pytest.approx(10**0.5))


def test_a_table_has_both_halves_and_every_answer() -> None:
    cases = all_cases().values()
    assert {(case.half, case.expected) for case in cases} >= {
        (half, word) for half in "AB" for word in (*LEVELS, UNDETECTABLE)
    }
    assert len(cases) >= len(TABLE) + 9 * 40


def test_a_run_continues_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    cases = [all_cases()[name] for name in ("three_coins", "fifty_records_copied")]
    first = run.results(cases[:1], 1, others=False, again=False)
    monkeypatch.setattr(run, "_measured", lambda name, others: {**first["three_coins"], "name": name, "seconds": 0.0})
    again = run.results(cases[:1], 1, others=False, again=False)
    assert again == first


@pytest.fixture(scope="module")
def voters() -> pd.DataFrame:
    return sl.datasets.load("anes96").frame.drop(columns="logpopul")


def drawn(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return a release whose columns are drawn independently."""
    return margins(frame, len(frame), np.random.default_rng(seed))


VOTER = sl.Intruder(known=["age", "educ", "PID"], synthesized=["income", "vote", "selfLR"])


def test_a_mean_does_not_hide_the_copy_among_twenty_datasets(voters: pd.DataFrame) -> None:
    frames = [*(drawn(voters, seed) for seed in range(19)), shuffled(voters)]
    limits = {"exact_copies": "10%", "unique_copies": "10%", "replicated_uniques": "20%", "copied_people": "10%"}
    result = evaluated({"confidential": voters, "synthetic": frames, "intruder": VOTER, "limits": limits})
    assert (result.verdict, result.worst.dataset, result.worst.people) == ("STOP", 20, len(voters))
    assert result.verdicts()["verdict"].tolist() == ["broken"] * 4


def test_dilution_does_not_hide_the_people_who_are_copied(voters: pd.DataFrame) -> None:
    release = shuffled(pd.concat([voters, *(drawn(voters, seed) for seed in range(9))]))
    limits = {"exact_copies": "12%", "copied_people": "50%"}
    result = evaluated({"confidential": voters, "synthetic": release, "intruder": VOTER, "limits": limits})
    everyone = len(voters)
    assert result.verdict == "STOP"
    assert result.worst.people == result.worst.of == result["copied_people"].n
    assert result.summary().loc["copied_people", "synthetic"] == everyone
    assert result.verdicts()["verdict"].to_dict() == {"exact_copies": "held", "copied_people": "broken"}


def test_a_column_with_the_record_of_the_person_is_named(voters: pd.DataFrame) -> None:
    release = drawn(voters, 1).assign(note=voters.map(str).agg("|".join, axis=1))
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
    result = evaluated(CASES["income_unchanged_others_drawn"].made())
    assert (result.verdict, result.worst.columns, result.worst.people) == ("STOP", ("Income",), 3000)
    income = {"known": ["Age", "Urban", "Tenure", "Educ"], "synthesized": ["Income"], "radius": {"Income": 0.2}}
    frame = part("ce_simulated", 0, 3000)
    least = evaluated({"confidential": frame, "synthetic": frame, "intruder": sl.Intruder(**income)}).best_intruder
    assert result.best_intruder > 0.9 * least  # the noise of the other variables does not blind the intruder
    assert result["chosen_variables"].variables == ("Income",)


def test_the_holdout_sample_grades_a_copy_and_a_tree() -> None:
    results = [
        evaluated(CASES[name].made())
        for name in ("copy_control", "trees_of_youths_control", "other_people_with_control")
    ]
    copy, tree, other = (float(one["closest_record"].share[0]) for one in results)
    assert copy > 0.99 > 0.9 > max(tree, other)
    assert (results[0].verdict, results[2].verdict) == ("STOP", "NOTHING FOUND")


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
    releases = {"copy": shuffled(voters), "four and a copy": [*(drawn(voters, s) for s in range(4)), voters]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        both = sl.compare(voters, {**releases, "honest": drawn(voters, 9)}, VOTER)
    assert both.summary()["verdict"].tolist()[:3] == ["", "STOP", "STOP"]
    assert both.summary().loc["honest", "verdict"] != "STOP"
    alone = evaluated({"confidential": voters, "synthetic": releases["copy"], "intruder": VOTER})
    assert both.evaluations["copy"].findings == alone.findings
    assert alone.worst.sentence in str(both)
