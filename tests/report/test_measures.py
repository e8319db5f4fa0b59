"""A measure is a class and a line in the registry: it then stands in every table, sentence, page and file."""

from __future__ import annotations

import ast
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli, report
from synthlab._result import Result
from synthlab._warnings import warn
from synthlab.exceptions import SynthlabWarning
from synthlab.report.measure import Answer, Finding, Line, Measure, Row, Shown, Table, draw, percent
from synthlab.report.measures import MEASURES, all_rows, by_row
from tests.test_cli import configured

INTRUDER = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.05})
REPORT = Path(report.__file__).parent


class TooFewWarning(SynthlabWarning):
    """What the toy warns of."""


@dataclass(frozen=True, eq=False, repr=False)
class LuckResult(Result):
    """How many people share the first letter of their region with the same row of a dataset: a toy."""

    lucky: np.ndarray

    @property
    def title(self) -> str:
        return "Luck"

    def summary(self) -> pd.DataFrame:
        return pd.DataFrame({"lucky": self.lucky})

    def plot(self, ax: Any = None, **options: Any) -> Any:
        return ax or "drawn"


class Luck(Measure[LuckResult]):
    """A measure that shows in every place there is."""

    name = "luck"
    title = "Luck of the draw"
    section = "risk"

    def applies(self, question: Any) -> str | None:
        return None if question.n > 10 else "ten people have no luck."

    def left_out(self, question: Any) -> list[str]:
        return ["the luck of the dead is not known."]

    def compute(self, question: Any) -> LuckResult:
        warn("seven is not many", TooFewWarning)
        return LuckResult(np.array([7.0, 8.0][: question.m]))

    def rows(self, result: LuckResult, question: Any) -> list[Row]:
        some = Row("lucky_share", "share of the lucky", "share", result.lucky / 100, confidential=0.5, of=(100, 100))
        return [Row("lucky", "lucky people", "people", result.lucky, confidential=77, random_guess=33), some]

    def lines(self, result: LuckResult, question: Any, people: Any) -> list[Line]:
        return [Line("Lucky people", people(result.lucky.mean()), people(77), f"{people(7)} people were lucky.")]

    def findings(self, result: LuckResult, question: Any, people: Any) -> list[Finding]:
        return [Finding("STOP", f"{people(7)} people are lucky.", self.name, 1, ("region",), 7.0, 60.0)]

    def answers(self, result: LuckResult, question: Any, people: Any) -> list[Answer]:
        return [Answer("Is anybody lucky?", f"{people(7)} people", f"{people(33)} people", "below chance")]

    def to_dict(self, result: LuckResult, question: Any, *, publish: bool) -> dict[str, Any]:
        return {"variables": 4} if publish else {"lucky": result.lucky}

    def show(self, result: LuckResult, question: Any, *, show_values: bool, publish: bool) -> Shown:
        picture = draw(lambda ax: ax.plot([0, 1]), "The luck.", "A line that goes up, for all who are lucky in life.")
        return Shown(
            (picture,), () if publish else (Table("The luckiest", "In rows.", ["Row"], [["17"]]),), ("bad luck",)
        )


class LuckByRow(Luck):
    """The same, defined only where row i is about record i."""

    by_row = "luck"


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"region": rng.choice(list("NESW"), 60), "income": np.exp(rng.normal(10, 0.5, 60)).round(2)})


@pytest.fixture
def other(people: pd.DataFrame) -> pd.DataFrame:
    return people.assign(income=np.exp(np.random.default_rng(2).normal(10, 0.5, 60)).round(2))


def evaluated(confidential: pd.DataFrame, synthetic: Any) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(confidential, synthetic, INTRUDER)


def test_a_registered_measure_is_in_every_table_text_and_file(monkeypatch, people, other) -> None:
    files = [other, other.assign(income=other["income"] / 2)]
    before = evaluated(people, files)
    monkeypatch.setitem(MEASURES, "luck", Luck())
    result = evaluated(people, files)
    assert result["luck"].lucky.tolist() == [7, 8]
    assert result.summary().loc["lucky"].tolist()[:2] == [7.5, 77]
    assert result.summary().loc["lucky", "random_guess"] == 33
    assert result.to_frame()["lucky"].tolist() == [7, 8]
    assert ("TooFewWarning", "seven is not many") in result.warnings
    assert (before.verdict, result.verdict, result.worst) == ("NOTHING FOUND", "STOP", result.findings[0])
    assert (result.worst.measure, result.worst.people, result.worst.of) == ("luck", 7, 60)
    for text in (str(result), result._repr_html_()):
        assert "lucky_share" in text
        assert "STOP. 7 people are lucky." in text
    assert result.plot(measure="luck") == "drawn"
    row = result.answers().set_index("question").loc["Is anybody lucky?"]
    assert row.tolist() == ["risk", "7 people", "33 people", "STOP"]
    document = result.to_dict()
    assert document["luck"] == {"lucky": [7, 8]}
    assert (document["verdict"], document["worst"], len(document["findings"])) == ("STOP", document["findings"][0], 1)
    assert document["summary"]["lucky"]["confidential"] == 77
    page = result.to_html()
    for text in ("Lucky people", "7 people were lucky.", "The luck. <span", "The luckiest", '<th scope="row">17</th>'):
        assert text in page
    assert "Measured above but not drawn: bad luck." in page
    assert "Luck of the draw: the luck of the dead is not known." in page
    # All else is as it was.
    pd.testing.assert_frame_equal(result.summary().drop(["lucky", "lucky_share"]), before.summary())


def test_what_is_for_publication_hides_its_small_numbers(monkeypatch, people, other) -> None:
    monkeypatch.setitem(MEASURES, "luck", Luck())
    result = evaluated(people, other)
    document = result.to_dict(publish=True)
    few = "fewer than 10 records"
    assert document["luck"] == {"variables": 4}
    assert [document["summary"]["lucky"][c] for c in ("synthetic", "confidential")] == [few, 80.0]
    assert [document["summary"]["lucky_share"][c] for c in ("synthetic", "confidential")] == [few, 0.5]
    assert document["headline"].startswith("STOP. fewer than 10 people are lucky.")
    assert document["worst"]["people"] is None
    assert "Luck of the draw, in part." in document["not_measured"]
    assert "7 people" not in json.dumps(document["answers"])
    page = result.to_html(publish=True)
    assert "fewer than 10 people were lucky." in page
    assert "The luck. <span" in page
    for text in ("The luckiest", "7 people", "the dead", "seven is not many"):
        assert text not in page


def test_releases_are_compared_by_it(monkeypatch, people, other) -> None:
    monkeypatch.setitem(MEASURES, "luck", Luck())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        both = sl.compare(people, {"one": other, "two": [other, other]}, INTRUDER)
    assert both.summary()["lucky"].tolist() == [77, 7, 7.5]
    assert both.to_frame()["lucky"].tolist() == [7, 7, 8]
    assert "lucky_share" in str(both)


def test_the_command_line_prints_it(monkeypatch, people, other, tmp_path: Path, capsys) -> None:
    people.to_csv(tmp_path / "own.csv", index=False)
    other.to_csv(tmp_path / "made.csv", index=False)
    people[:9].to_csv(tmp_path / "few.csv", index=False)
    monkeypatch.setitem(MEASURES, "luck", Luck())
    options = ["--known", "region", "--synthesized", "income", "--radius", "0.05", "--rows", "aligned"]
    options += configured(tmp_path, model="cart")
    for own, made, said in (
        ("own", "made", "7 people"),
        ("few", "few", "not measured: Luck of the draw: ten people"),
    ):
        with pytest.raises(SystemExit):
            cli.main(["evaluate", str(tmp_path / f"{own}.csv"), str(tmp_path / f"{made}.csv"), *options])
        assert said in capsys.readouterr().out


def test_where_it_does_not_apply_its_reason_is_told(monkeypatch, people) -> None:
    monkeypatch.setitem(MEASURES, "luck", Luck())
    few = pd.concat([people[:5]] * 2, ignore_index=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        result = sl.evaluate(few, few.copy(), INTRUDER, model="cart")
        both = sl.compare(few, {"copy": few.copy()}, INTRUDER, model="cart")
    why = "Luck of the draw: ten people have no luck."
    assert result.not_measured["luck"] == ("the luck of the dead is not known.", "ten people have no luck.")
    assert f"Not measured: {why}" in str(result)
    assert why in result.to_html()
    assert why in result.to_dict()["not_measured"]
    assert "Luck of the draw." in result.to_dict(publish=True)["not_measured"]
    assert result.to_dict()["luck"] is None
    assert f"Not measured for copy: {why}" in str(both)
    assert "lucky" not in both.summary()


def test_one_that_compares_rows_is_named_among_the_measures_by_row(monkeypatch, people) -> None:
    monkeypatch.setitem(MEASURES, "luck", LuckByRow())
    mixed = people.sample(frac=1, random_state=1).reset_index(drop=True)
    result = evaluated(people, mixed)
    assert "luck" not in result.results
    assert by_row().split(", ")[-1] == "luck"
    assert f"Measures by row ({by_row()})" in result.rows.text
    assert result.to_html().count(f"<li>Measures by row ({by_row()}): ") == 1
    assert "luck" in evaluated(people, people.assign(income=1.0)).results


def test_releases_with_and_without_corresponding_rows_stand_side_by_side(people) -> None:
    mixed = people.sample(frac=1, random_state=1).reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        both = sl.compare(people, {"mixed": mixed, "ones": people.assign(income=1.0)}, INTRUDER)
        alone = sl.evaluate(people, people.assign(income=1.0), INTRUDER)
    table = both.summary()
    assert list(table)[:2] == ["m", "verdict"]
    results = (alone, both.evaluations["mixed"])
    assert set(table) == {"m", "verdict", *(row.name for one in results for row in all_rows(one.results, one.question))}
    assert table["verdict"].tolist() == ["", "STOP", alone.verdict]
    # The baseline does not depend on the release that stands first.
    assert (
        table.loc["confidential", "expected_match_risk"] == alone.summary().loc["expected_match_risk", "confidential"]
    )
    assert np.isnan(table.loc["mixed", "expected_match_risk"])
    assert f"Not measured for mixed: Measures by row ({by_row()}): " in str(both)


def knows(source: str) -> set[str]:
    """Return the measures that a file names outside its docstrings."""
    tree = ast.parse(source)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    used = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in texts}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import) for alias in node.names
    }
    used -= {"columns"}  # an ordinary word, too
    classes = {type(measure).__name__: name for name, measure in MEASURES.items()}
    return (used & set(MEASURES)) | {classes[name] for name in used & set(classes)}


@pytest.mark.parametrize(
    "path", sorted(REPORT.glob("*.py")) + sorted(Path(cli.__file__).parent.glob("*.py")), ids=lambda path: path.name
)
def test_only_its_file_and_the_registry_know_a_measure(path: Path) -> None:
    assert knows(path.read_text(encoding="utf-8")) == set()


def test_the_search_for_names_of_measures_finds_them() -> None:
    assert knows("from synthlab.risk import exact_copies\nif result.pmse is None: x = 'ecdf'") == {
        "exact_copies",
        "pmse",
        "ecdf",
    }
    assert knows((REPORT / "measures" / "__init__.py").read_text(encoding="utf-8")) == set(MEASURES)
    assert knows((REPORT / "measures" / "pmse.py").read_text(encoding="utf-8")) == {"pmse"}


def test_no_name_of_a_measure_hides_another_part_of_the_file(people, other) -> None:
    document = json.loads(json.dumps(evaluated(people, other).to_dict()))
    assert [name for name in document if name in MEASURES] == list(MEASURES)
    assert all(measure.name == name for name, measure in MEASURES.items())


def test_distances_of_tables_are_exact_unless_they_are_published(people) -> None:
    rng = np.random.default_rng(2)
    people = people.assign(sex=rng.choice(list("mf"), len(people)))
    release = people.assign(sex=rng.choice(list("mf"), len(people), p=[0.8, 0.2]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        result = sl.evaluate(people, release, sl.Intruder(known=["region"], synthesized=["sex"]))
    distance = {
        publish: [row["total_variation"] for row in result.to_dict(publish=publish)["table_utility"]["tables"]]
        for publish in (False, True)
    }
    exact = result["table_utility"].summary()["total_variation"].to_numpy()
    np.testing.assert_array_equal(distance[False], exact)
    np.testing.assert_allclose(distance[True], np.round(exact * 6) / 6)  # steps of 10 of 60 records
    assert 0 < exact.max() < 0.5
    worst = max(row["total_variation"] for row in result.to_dict()["table_utility"]["tables"])
    assert f"{percent(worst)} of the records are in a wrong cell" in result.to_html()
    assert f"{percent(round(worst * 6) / 6)} of the records are in a wrong cell" in result.to_html(publish=True)
