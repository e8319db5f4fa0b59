"""A report for publication is the same for every size of a group of fewer than 10 people."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._format import SMALLEST_GROUP
from synthlab.cli.printing import print_evaluation
from synthlab.exceptions import InputError, SynthlabWarning

N = 200
MADE = ["ill", "visits", "educ", "income"]


def change_text(people: pd.DataFrame, size: int) -> pd.DataFrame:
    """Change how many people have the rare level of a text variable."""
    return people.assign(ill=np.where(np.arange(N) < size, "yes", "no"))


def change_number(people: pd.DataFrame, size: int) -> pd.DataFrame:
    """Change how many people have the rare value of a number."""
    return people.assign(visits=np.where(np.arange(N) < size, 1, 0))


def change_known(people: pd.DataFrame, size: int) -> pd.DataFrame:
    """Change how many people have a rare level of a known variable."""
    return people.assign(region=np.where(np.arange(N) < size, "far", people["region"]))


def change_missing(people: pd.DataFrame, size: int) -> pd.DataFrame:
    """Change how many people have no value."""
    return people.assign(educ=people["educ"].where(np.arange(N) >= size))


CHANGES: tuple[Callable[[pd.DataFrame, int], pd.DataFrame], ...] = (
    change_text,
    change_number,
    change_known,
    change_missing,
)


def population(rng: np.random.Generator) -> pd.DataFrame:
    """Return a random file; the first people have the values with which a small group is merged."""
    people = pd.DataFrame(
        {
            "region": rng.choice(list("NSEW"), N, p=[0.4, 0.3, 0.26, 0.04]),
            "age": rng.integers(18, 80, N),
            "ill": rng.choice(["no", "yes"], N, p=[0.8, 0.2]),
            "visits": rng.poisson(1.0, N),
            "educ": rng.choice([1.0, 2.0, 3.0], N, p=[0.2, 0.6, 0.2]),
            "income": np.exp(rng.normal(10, 0.5, N)).round(2),
        }
    )
    people.loc[:9, ["region", "educ"]] = "W", 2.0
    return people


def published(
    people: pd.DataFrame, datasets: list[pd.DataFrame], capsys: pytest.CaptureFixture[str], **options: Any
) -> list[str]:
    """Return the JSON file, the page with its figures, the table and the printed text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        who = sl.Intruder(known=["region", "age"], synthesized=MADE, radius={"income": 0.1}, missing="category")
        result = sl.evaluate(people, sl.Release(datasets, MADE), who, rows="aligned", rng=1, **options)
        numbers = json.dumps(result.to_dict(publish=True), indent=1)
        page = result.to_html(publish=True)
        table = result.published().to_csv()
        capsys.readouterr()
        print_evaluation(result, publish=True)
    return [numbers, page, table, capsys.readouterr().out]


def different_lines(one: list[str], other: list[str]) -> list[tuple[str, str]]:
    """Return the lines that differ; a figure is one line."""
    pairs = []
    for mine, theirs in zip(one, other, strict=True):
        lines, others = mine.splitlines(), theirs.splitlines()
        pairs += [(a[:300], b[:300]) for a, b in zip(lines, others, strict=False) if a != b]
        pairs += [("lines", f"{len(lines)} and {len(others)}")] if len(lines) != len(others) else []
    return pairs


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 8))])
def test_the_size_of_a_small_group_changes_nothing_that_is_published(
    seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(seed)
    people, change = population(rng), CHANGES[seed % len(CHANGES)]
    files = [change(people, size) for size in rng.permutation(np.arange(1, SMALLEST_GROUP))[:2].tolist()]
    assert not files[0].equals(files[1])
    drawn = [files[0][MADE].apply(lambda column: rng.permutation(column)) for _ in range(1 + seed % 3)]
    reports = [
        published(own, [own.assign(**one) for one in drawn], capsys, predict="ill" if seed % 2 else None)
        for own in files
    ]
    assert different_lines(*reports) == []


@pytest.mark.parametrize(
    ("n", "looked_for", "text"), [(9, None, "have fewer than 10 records"), (40, 9, "looks for fewer than 10 people")]
)
def test_a_report_on_fewer_than_10_people_is_refused(n: int, looked_for: int | None, text: str) -> None:
    people = population(np.random.default_rng(1)).head(n)
    targets = None if looked_for is None else list(range(looked_for))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        who = sl.Intruder(known=["region"], synthesized=["ill"], targets=targets)
        result = sl.evaluate(people[["region", "ill"]], people[["region", "ill"]].copy(), who)
    assert result.to_dict()["summary"]
    for write in (result.to_dict, result.to_html):
        with pytest.raises(InputError, match=f"publish=True: .*{text}"):
            write(publish=True)
    with pytest.raises(InputError, match="publish=True"):
        result.published()
