"""The verdict in words: short sentences whose counts agree, and at most five lines below the first."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._format import count, fewer_than_10
from synthlab.exceptions import SeparationWarning, SynthlabWarning
from synthlab.report.measure import about, out_of_are, people_are
from synthlab.report.result import EvaluationResult
from tests.verdict.cases import CASES

WORDS, LINES = 30, 5
NAMES = [
    "fifty_records_copied",
    pytest.param("trees_of_youths_five", marks=pytest.mark.full),
    "unchanged_columns_not_named",
    "identifiers_in_another_order",
    "values_agree_too_often",
    "weights_unchanged",
    "partly_synthetic_ce_shuffled",
    "three_coins",
]


@cache
def evaluated(name: str) -> EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(**CASES[name].made())


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_short_and_the_lines_are_few(name: str) -> None:
    result = evaluated(name)
    for finding in result.findings:
        assert len(finding.sentence.split()) <= WORDS, finding.sentence
        assert not re.search(r"\b1 (?:of [\d,]+ )?(?:people|columns) (?:are|have)\b", finding.sentence), (
            finding.sentence
        )
        assert not re.search(r"\bsafe\b", finding.sentence + finding.remedy)
    first, *rest = result.headline.splitlines()
    assert first.startswith(f"{result.verdict}. ")
    assert 2 <= len(rest) <= LINES
    assert rest[-1].startswith("Next: ")
    assert sum(line.startswith("Utility: ") for line in rest) <= 1
    assert not re.search(r"\bsafe\b", result.headline)


@pytest.mark.parametrize("name", ["fifty_records_copied", "unchanged_columns_not_named", "three_coins"])
def test_the_first_screen_of_the_page_is_the_verdict_then_the_table(name: str) -> None:
    result = evaluated(name)
    page = result.to_html()
    start = page.index("<main>")
    order = ['class="headline', result.headline.splitlines()[-1][:40], 'class="overview"', 'class="note"', "<h2"]
    places = [page.index(text, start) for text in order]
    assert places == sorted(places)
    assert f'class="headline {result.verdict.lower().replace(" ", "-")}"' in page
    table = page[page.index('class="overview"') : page.index("</table>", start)]
    assert len(re.findall("<tr>", table)) == 1 + len(result.summary())
    assert page.index('id="checked"') < page.index('id="unmeasured"') < page.index('id="warnings"')


def test_people_without_the_synthetic_values_come_first_where_they_add_nothing() -> None:
    result = evaluated("unchanged_columns_not_named")
    row = result.summary().loc["best_intruder"]
    line = next(line for line in result.headline.splitlines() if line.startswith("An intruder"))
    numbers = [
        about(row["synthetic"], 1500, count),
        *(count(row[c]) for c in ("known_only", "confidential", "random_guess")),
    ]
    assert [line.find(f" {number}") > 0 for number in numbers] == [True] * 4
    # Nine columns of the youths are left as they are; with them nearly all people are unique.
    finding = result.worst
    assert finding is not None
    unique = (
        ~CASES["unchanged_columns_not_named"].made()["confidential"].drop(columns="prviol").duplicated(keep=False)
    ).sum()
    assert finding.people == unique


def test_chance_of_replicated_uniques_is_that_of_an_independent_sample() -> None:
    rng = np.random.default_rng(1)
    expected, found = [], []
    for _ in range(20):
        own, other = (pd.DataFrame(rng.geometric(0.05, (400, 1)), columns=["x"]).assign(y=1) for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            result = sl.evaluate(own, other, sl.Intruder(known=["x"], synthesized=["y"]))
        row = result.summary().loc["replicated_uniques"]
        expected.append(row["random_guess"])
        found.append(row["synthetic"])
    assert 0.8 * np.mean(expected) < np.mean(found) * 2.5
    assert np.mean(found) <= np.mean(expected)


def test_a_separated_dataset_is_a_note_on_the_line_and_no_warning() -> None:
    rng = np.random.default_rng(1)
    own = pd.DataFrame({"group": ["a"] * 60, "income": rng.normal(size=60)})
    far = own.assign(income=own["income"] + 100)
    near = own.assign(income=rng.permutation(own["income"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        warnings.simplefilter("error", SeparationWarning)
        result = sl.evaluate(
            own, [near, far], sl.Intruder(known=["group"], synthesized=["income"], radius=0.1), rows="aligned"
        )
    assert "In dataset 2 of 2, the classifier separates some records perfectly" in result.to_html()
    with pytest.warns(SeparationWarning):
        sl.pmse(own, [near, far], variables=["income"])


def test_counts_and_verbs_agree() -> None:
    assert out_of_are(1, 1500, count) == "1 of 1,500 people is"
    assert out_of_are(0, 1500, count) == "0 of 1,500 people are"
    assert people_are(3, 1500, fewer_than_10) == "fewer than 10 people are"
    assert about(9.6, 1500, fewer_than_10) == "fewer than 10"
