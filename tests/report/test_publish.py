"""What is for publication lists no record and gives no number of 1 to 9 people; what is not says so."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._format import SMALLEST_GROUP, fewer_than_10
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.report.measure import Row
from synthlab.report.measures import all_rows
from synthlab.report.measures.ecdf import shares


@pytest.fixture(scope="module")
def result() -> sl.report.EvaluationResult:
    """Two hundred people: seven are found for sure, three equal another, four alone in their region."""
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "region": ["far"] * 4 + list(rng.choice(["north", "south"], 196)),
            "income": np.exp(rng.normal(10, 0.5, 200)).round(2),
        }
    )
    other = people.assign(income=np.where(np.arange(200) < 4, people["income"], rng.permutation(people["income"])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(
            people, other, sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.01})
        )


def test_a_page_says_whom_it_is_for(result) -> None:
    internal, public = result.to_html(), result.to_html(publish=True)
    assert "Internal: this page lists records by row number, and its figures show single records." in internal
    assert "For publication: no record is listed" in public
    assert "Internal" not in public
    assert "most exposed records" in internal
    assert "most exposed records" not in public
    assert result.to_dict()["for"] == "internal use"
    assert result.to_dict(publish=True)["for"] == "publication"


def test_no_number_of_people_below_10_is_on_the_page(result) -> None:
    text = re.sub(r"<style.*?</style>|<[^>]+>", " ", result.to_html(publish=True), flags=re.DOTALL)
    text = text.replace("counts of 1 to 9 records, or of all but 1 to 9, are not given", "")
    small = [
        float(n.replace(",", "")) for n in re.findall(r"(\d[\d,.]*\d|\d)(?= (?:of [\d,]+ )?(?:people|records))", text)
    ]
    assert small
    assert not [n for n in small if 0 < n < 10]
    assert "fewer than 10" in text
    # The same search finds small numbers on the internal page.
    inside = re.sub(r"<style.*?</style>|<[^>]+>", " ", result.to_html(), flags=re.DOTALL)
    found = re.findall(r"(\d[\d,.]*\d|\d)(?= (?:of [\d,]+ )?(?:people|records))", inside)
    assert [n for n in found if 0 < float(n.replace(",", "")) < 10]


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.2, "fewer than 10"), (9.99, "fewer than 10"), (10, "10"), (1234.4, "1,200")]
)
def test_small_counts_are_written_as_such(value: float, text: str) -> None:
    assert fewer_than_10(value) == text


def test_the_numbers_for_publication_list_no_record(result) -> None:
    document = result.to_dict(publish=True)
    text = json.dumps(document)
    assert "most_exposed" not in text
    assert "per_dataset" not in json.dumps(document["exact_copies"])
    assert "most_exposed" in json.dumps(result.to_dict())


def test_figures_for_publication_are_drawn_on_groups(result) -> None:
    synthetic, confidential = shares(result.question, "income", publish=True)
    for one in (*synthetic, *confidential):
        steps = np.diff(one) * 200
        assert one.size <= 102
        assert ((steps < 1e-9) | (steps > 10 - 1e-9)).all()
    inside = shares(result.question, "income", publish=False)[1][0]
    assert (np.diff(inside) * 200 < 9).any()


def test_violins_for_publication_show_no_single_record(result) -> None:
    from synthlab.plots.risk import plot_record_risk

    drawn = plot_record_risk(result["identification_risk"], grouped=True)
    assert all(len(line.get_xdata()) <= 1 for line in drawn.lines)
    assert "highest" not in drawn.get_xlabel()
    assert any(len(line.get_xdata()) > 1 for line in plot_record_risk(result["identification_risk"]).lines)


@pytest.mark.parametrize("publish", [False, True])
def test_no_seed_is_on_the_page_or_among_the_numbers(publish: bool) -> None:
    women = sl.datasets.load("affairs").frame
    made = sl.CART(["affairs"], ["age", "yrs_married"]).fit(women, rng=771_204_913).generate(2, rng=771_204_913)
    noted = sl.Release(
        list(made), ["affairs"], {**made.provenance, "seed": 771_204_913, "by": {"rng_seed": 771_204_913}}
    )
    for release in (made, noted):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            result = sl.evaluate(
                women, release, sl.Intruder(known=["age"], synthesized=["affairs"], radius=0.2), variables=["affairs"]
            )
        everything = result.to_html(publish=publish) + json.dumps(result.to_dict(publish=publish)) + str(result)
        assert "771204913" not in everything
        assert "771,204,913" not in everything
        assert "eed" not in json.dumps(result.to_dict(publish=publish)["release"])


def test_values_are_not_shown_to_the_public(result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="show_values=True: a page for publication"):
        result.to_html(publish=True, show_values=True)
    with pytest.raises(InputError, match="publish='yes'"):
        result.to_html(publish="yes")
    result.save(tmp_path / "numbers.json", publish=True)
    assert json.loads((tmp_path / "numbers.json").read_text())["for"] == "publication"
    with pytest.raises(InputError, match="apply only to an HTML page"):
        result.save(tmp_path / "numbers.json", title="x")


def people_with(n: int, alone: int, changed: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return n people of whom `alone` have a place of their own, and a release in which so many records are changed."""
    rng = np.random.default_rng(seed)
    place = np.where(np.arange(n) < alone, np.arange(n) + 1000, rng.integers(0, 2, n))
    income = np.exp(rng.normal(10, 0.5, n)).round(2)
    ill = rng.choice(["no", "yes"], n, p=[0.9, 0.1])
    people = pd.DataFrame({"place": place.astype(str), "income": income, "ill": ill})
    other = people.copy()
    other.loc[: changed - 1, "income"] *= 3
    other.loc[: changed - 1, "ill"] = np.where(other.loc[: changed - 1, "ill"] == "no", "yes", "no")
    return people, other


def told_apart(count: float, total: float) -> bool:
    """Return whether a number of people, as written, tells 1 to 9 people apart from the others."""
    return any(0.05 < part < SMALLEST_GROUP - 0.5 for part in (count, total - count))


@pytest.mark.parametrize(
    ("n", "alone", "changed"), [(400, 395, 5), (400, 5, 395), (400, 200, 3), (150, 149, 147), (150, 0, 9), (15, 10, 5)]
)
def test_no_published_count_leaves_1_to_9_people(n: int, alone: int, changed: int, tmp_path: Path) -> None:
    people, other = people_with(n, alone, changed, seed=n + alone)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        someone = sl.Intruder(known=["place"], synthesized=["income", "ill"], radius={"income": 0.01})
        result = sl.evaluate(people, other, someone, rows="aligned", predict="ill", rng=1)
    kinds: dict[Any, str] = {row.name: row.kind for row in all_rows(result.results, result.question)}
    found: list[tuple[Any, float]] = []
    result.save(tmp_path / "numbers.json", publish=True)
    document = json.loads((tmp_path / "numbers.json").read_text())
    for summary in (document["summary"], result.published().to_dict("index")):
        for name, row in summary.items():
            numbers = [v for v in row.values() if isinstance(v, float | int) and math.isfinite(v)]
            found += [(name, v if kinds[name] == "people" else v * n) for v in numbers if kinds[name] != "number"]
    # On the page and in the headline: "395 of 400 people", the cells of risk, and shares.
    page = re.sub(r"<style.*?</style>", "", result.to_html(publish=True), flags=re.DOTALL)
    texts = [text.replace("fewer than 10", "few") for text in (re.sub("<[^>]+>", " ", page), document["headline"])]
    pairs = [
        pair
        for text in texts
        for pair in re.findall(r"([\d,]*\d(?:\.\d+)?) of (?:the )?([\d,]*\d)\b(?! columns)", text)
    ]
    for pair in pairs:
        count, total = (float(part.replace(",", "")) for part in pair)
        assert not told_apart(count, total), (pair, re.findall(r".{60}\b1 of (?:the )?1\b.{40}", " ".join(texts)))
    risk = re.search(r'<section aria-labelledby="risk">.*?</section>', page, flags=re.DOTALL)
    assert risk is not None
    people_only = re.sub(r"<tr><th[^>]*>[^<]*\bIR\b.*?</tr>", "", risk.group(), flags=re.DOTALL)
    for cell in re.findall(r'class="value[^"]*">([\d.,]+)(\s?%)?<', people_only):
        number = float(cell[0].replace(",", ""))
        found.append(("page", number * n / 100 if cell[1] else number))
    assert found
    assert [(name, count) for name, count in found if told_apart(count, n)] == []


@pytest.mark.parametrize("total", [9, 15, 19, 20, 400])
def test_a_count_and_its_complement_are_written_together(total: int) -> None:
    for count in np.arange(0, total + 0.25, 0.25):
        text = fewer_than_10(float(count), total)
        few = 0 < count < SMALLEST_GROUP or 0 < total - count < SMALLEST_GROUP
        assert few == ("fewer than 10" in text)
        kinds: list[tuple[Literal["people", "share"], float]] = [("people", count), ("share", count / total)]
        for kind, value in kinds:
            row = Row("found", "found", kind, synthetic=float(value), of=(float(total), float(total)))
            assert isinstance(row.published()["synthetic"], str) == few
    within = Row("found", "found", "people", synthetic=195.0, of=(400.0, 400.0), within=201.0)
    assert within.published()["synthetic"] == "all but fewer than 10 records"


@pytest.mark.parametrize(("no", "published"), [(30, True), (5, False)])
def test_the_share_of_one_value_does_not_reveal_a_small_group(no: int, published: bool) -> None:
    """The release reveals every answer; `100 - no` people answer yes."""
    people = pd.DataFrame(
        {"region": ["north"] * (100 - no) + ["south"] * no, "ill": ["yes"] * (100 - no) + ["no"] * no}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        result = sl.evaluate(people, people.copy(), sl.Intruder(known=["region"], synthesized=["ill"]))
    told = f"makes up {100 - no}.0% of the correct values"
    assert told in result.to_html()
    assert (told in result.to_html(publish=True)) is published
