"""The first screen: one verdict, one action, one picture, and a row for each question."""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.report.closeness_figure import BOTTOM, TOP, closeness
from synthlab.report.content import ABOVE, Content
from synthlab.report.measure import NONE, RATINGS
from synthlab.report.result import EvaluationResult

N = 300
KNOWN = ["sex", "town"]


def people(seed: int, n: int = N) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    town = draw.integers(0, 12, n)
    return pd.DataFrame(
        {
            "sex": draw.choice(list("fm"), n),
            "town": town,
            "job": draw.choice(list("abcdef"), n),
            "hours": draw.normal(36, 9, n).round(),
            "pay": (draw.normal(9, 1, n) + town / 10).round(3),
        }
    )


OWN, HONEST = people(1), people(2)
RELEASES: dict[str, pd.DataFrame] = {
    "honest": HONEST,
    "copies": pd.concat([OWN[:60], HONEST[60:]]).sample(frac=1, random_state=1),
    "unchanged": OWN.assign(job=HONEST["job"], pay=HONEST["pay"]),
}


def evaluated(own: pd.DataFrame, released: Any, **options: Any) -> EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        made = [c for c in own.columns if c not in KNOWN and c != "hours"]
        return sl.evaluate(own, released, sl.Intruder(known=KNOWN, synthesized=made, radius={"pay": 0.1}), **options)


@cache
def result(name: str) -> EvaluationResult:
    return evaluated(OWN, RELEASES[name])


@pytest.mark.parametrize("publish", [False, True])
@pytest.mark.parametrize("name", RELEASES)
def test_the_page_and_the_file_have_the_same_rows_with_the_level_of_the_findings(name: str, publish: bool) -> None:
    one = result(name)
    content = Content(one, publish=publish)
    document, page = one.to_dict(publish=publish), one.to_html(publish=publish)
    rows = document["answers"]
    screen = re.sub(r"<[^>]+>", "|", page[page.index('class="screen"') : page.index('aria-labelledby="released"')])
    for row in rows:
        assert all(f"|{row[key]}" in screen.replace("&#39;", "'") for key in ("question", "found", "word")), row
        assert (row["level"] in RATINGS) <= (row["section"] == "utility")
    if not publish:
        assert one.answers().to_dict("records") == [{k: row[k] for k in one.answers().columns} for row in rows]
    words = [row["word"] for row in rows if row["section"] == "risk"]
    assert {one.level for one in content.verdict.findings} >= {word for word in words if word in ("STOP", "CHECK")}
    if one.verdict == "STOP":
        assert set(words) <= {"STOP", "CHECK", ABOVE, NONE, ""}
        assert "STOP" in words
    else:
        assert ABOVE not in words
    assert {"One variable at a time", "Two variables at a time"} <= {row["question"] for row in rows}


def test_the_dots_are_the_people_of_the_worst_finding() -> None:
    for name in RELEASES:
        one, worst = result(name), result(name).worst
        dots = Content(one).dots
        if worst is None:
            assert dots == (0, 100)
        elif not np.isnan(worst.people):
            assert dots is not None
            assert abs(dots[0] / 100 - worst.people / N) <= 0.005 or dots[0] == 1
            assert one.to_html().count('class="hit"') == dots[0]


def test_the_shaded_area_is_the_excess_of_the_copies() -> None:
    figure = closeness(Content(result("copies")))
    assert figure is not None

    def shares(points: str) -> np.ndarray:
        return (BOTTOM - np.array([float(p.split(",")[1]) for p in points.split()])) / (BOTTOM - TOP)

    released, others, release, excess = map(shares, (figure.released, figure.people, figure.release, figure.excess))
    assert (np.diff(released) <= 0.001).all()
    upper, lower = excess[: len(released)], excess[len(released) :][::-1]
    np.testing.assert_allclose(lower, np.maximum(others, release), atol=1e-9)
    np.testing.assert_allclose(upper, np.maximum(released, lower), atol=1e-9)
    # One in five people is copied, and no two people are as close as a person and the copy.
    assert (upper - lower).max() == pytest.approx(0.2, abs=0.04)
    honest = closeness(Content(result("honest")))
    assert honest is not None
    assert honest.excess == ""
    assert closeness(Content(result("copies"), publish=True)) is None


def test_honest_draws_have_a_good_utility_and_distorted_ones_a_poor_one() -> None:
    words: dict[str, list[str]] = {}
    for seed in range(3, 13):
        for row in evaluated(OWN, people(seed)).to_dict()["answers"]:
            if row["section"] == "utility":
                words.setdefault(row["question"], []).append(row["word"])
    # A clear difference of one column has a row only if there is one; a range that is left by chance is "fair".
    assert all(found.count("good") >= 8 or {*found} == {"fair"} for found in words.values()), words
    ratings = []
    for share in (0.0, 0.15, 0.6):
        moved = np.arange(N) < share * N
        one = evaluated(OWN, HONEST.assign(pay=HONEST["pay"] + 5 * moved)).answers().set_index("question")["word"]
        ratings.append([RATINGS.index(one[name]) for name in ("One variable at a time", "Two variables at a time")])
    assert np.all(np.diff(ratings, axis=0) >= 0), ratings
    assert ratings[-1] == [2, 2]


def test_the_headline_names_a_column_that_differs_clearly() -> None:
    lost = HONEST.assign(hours=HONEST["hours"].where(np.arange(N) % 10 > 2))
    assert "hours is missing: 30.0%; 0% in the file" in evaluated(OWN, lost).headline
    assert "Utility" not in result("honest").headline
