"""Several intruders, limits, what is too good, and one evaluation as a file."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.report.measures import MEASURES

LITTLE = sl.Intruder(known=["sex"], synthesized=["job"])
MUCH = sl.Intruder(known=["sex", "town"], synthesized=["job"])


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    town = draw.choice([f"t{i:02d}" for i in range(40)], 300)
    job = np.where(
        draw.random(300) < 0.7, np.char.add("j", np.char.replace(town, "t", "")), draw.choice(list("xyz"), 300)
    )
    return pd.DataFrame({"sex": draw.choice(list("fm"), 300), "town": town, "job": job, "pay": draw.normal(size=300)})


@pytest.fixture(scope="module")
def other(people: pd.DataFrame) -> pd.DataFrame:
    draw = np.random.default_rng(2)
    return people.assign(job=np.where(draw.random(300) < 0.8, people["job"], draw.permutation(people["job"])))


def evaluated(*data: Any, **options: Any) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(*data, **options)


def test_the_worst_intruder_comes_first_and_the_others_are_there(people, other) -> None:
    result = evaluated(people, other, {"little": LITTLE, "much": MUCH})
    assert result.name == "much"
    assert list(result.intruders) == ["much", "little"]
    alone = {name: evaluated(people, other, one).best_intruder for name, one in (("little", LITTLE), ("much", MUCH))}
    assert {name: one.best_intruder for name, one in result.intruders.items()} == pytest.approx(alone)
    assert any("worst of 2 intruders: much" in text for text in result.answers()["question"])
    assert "2 intruders, the worst first" in result.to_html()
    written = result.to_dict()
    assert [one["name"] for one in written["intruders"]] == ["much", "little"]
    # The order in which they are named plays no part.
    pd.testing.assert_frame_equal(
        evaluated(people, other, {"much": MUCH, "little": LITTLE}).answers(), result.answers()
    )


def test_what_is_about_the_release_alone_is_measured_once(people, other, monkeypatch) -> None:
    calls = []
    measure = MEASURES["pmse"]
    own = measure.compute
    monkeypatch.setattr(type(measure), "compute", lambda self, question: calls.append(1) or own(question))
    result = evaluated(people, other, {"little": LITTLE, "much": MUCH})
    assert calls == [1]
    assert all(one["pmse"] is result["pmse"] for one in result.intruders.values())


def test_rows_refuted_for_one_intruder_are_refuted_for_all(people) -> None:
    moved = people.sample(frac=1, random_state=1).reset_index(drop=True).assign(sex=people["sex"])
    assert evaluated(people, moved, LITTLE).rows.state == "compatible"
    both = evaluated(people, moved, {"little": LITTLE, "much": MUCH})
    assert {one.rows.state for one in both.intruders.values()} == {"refuted"}


def test_no_intruder_and_no_name_are_refused(people, other) -> None:
    with pytest.raises(InputError, match="intruder: is empty"):
        sl.evaluate(people, other, {})
    with pytest.raises(InputError, match="intruder: 7 is not a valid name"):
        sl.evaluate(people, other, {7: LITTLE})
    with pytest.raises(InputError, match="must be an Intruder"):
        sl.evaluate(people, other, {"a": "b"})


@pytest.mark.parametrize(
    ("limit", "state"),
    [
        ({"exact_copies": 300}, "held"),
        ({"exact_copies": "100%"}, "held"),
        ({"exact_copies": "1%"}, "broken"),
        ({"exact_copies": 0.99}, "broken"),
        ({"exact_copies": 299}, "broken"),
        ({"exact_copies": 0}, "broken"),
        ({"pmse": 0}, "held"),
        ({"worst_pair_ratio": 0}, "held"),
        ({"nearer_share": 1.0}, "not measured"),
        ({"best_intruder": 300}, "not measured"),
        ({"pmse_ratio": 3}, "not defined"),
    ],
)
def test_a_limit_is_held_only_by_a_number_that_keeps_to_it(people, limit, state) -> None:
    whole = people if "pmse_ratio" in limit else people.sample(frac=1, random_state=1)
    result = evaluated(people, whole, MUCH, limits=limit)
    assert result.verdicts()["verdict"].tolist() == [state]
    assert result.keeps_limits == (state == "held")
    assert (next(iter(limit)) in result.headline) == (state != "held")
    assert result.to_dict()["limits"][0]["verdict"] == state
    assert f">{state}</td>" in result.to_html()


def test_a_limit_is_held_against_the_worst_of_the_intruders(people, other) -> None:
    found = evaluated(people, other, {"little": LITTLE, "much": MUCH}, limits={"best_intruder": "50%"})
    row = found.verdicts().loc["best_intruder"]
    assert row["intruder"] == "much"
    assert row["value"].endswith("%")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"luck": 1}, "unknown name 'luck'; allowed names are .*best_intruder"),
        ({"pmse": "much"}, r"limits\['pmse'\]: cannot be read"),
        ({"pmse": -1}, r"limits\['pmse'\]"),
        ({"exact_copies": "101%"}, r"limits\['exact_copies'\]"),
        ({"exact_copies": float("nan")}, r"limits\['exact_copies'\]"),
        (7, "limits"),
    ],
)
def test_a_limit_that_cannot_be_read_is_refused_by_name(people, limits, message) -> None:
    with pytest.raises(InputError, match=message):
        sl.evaluate(people, people, MUCH, limits=limits)


def test_every_number_a_measure_gives_may_have_a_limit(people, other) -> None:
    result = evaluated(people, other, MUCH, control=people.assign(pay=people["pay"] + 0.5), predict="job", rng=1)
    fitted = sl.DirichletMultinomial(["job"]).fit(people, rng=1, draws=50)
    made = evaluated(people, fitted.generate(1, rng=1), MUCH, fitted=fitted)
    for name, one in [*result.results.items(), ("membership", made["membership"])]:
        rows = [row.name for row in MEASURES[name].rows(one, result.question) if row.summarised]
        assert set(rows) <= set(MEASURES[name].numbers), name


def test_a_shuffled_copy_is_too_good_and_an_honest_draw_is_not(people) -> None:
    del people  # its 40 towns make the classifier omit products, so that pMSE is not judged
    draw = np.random.default_rng(3)
    own, *honest = (pd.DataFrame(draw.normal(size=(300, 3)), columns=list("abc")) for _ in range(21))
    someone = sl.Intruder(known=["a"], synthesized=["b", "c"], radius=0.1, radius_kind="absolute")
    copy = evaluated(own, own.sample(frac=1, random_state=1), someone, limits={"pmse": 1, "pmse_ratio": 3})
    assert copy.too_good
    assert copy.verdicts()["verdict"].tolist() == ["broken", "broken"]
    assert sum(bool(evaluated(own, one, someone).too_good) for one in honest) <= 1


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (MemoryError(), "there is not enough memory"),
        (ZeroDivisionError("5"), "it could not be computed (ZeroDivisionError)."),
        (np.linalg.LinAlgError("5"), "it could not be computed (LinAlgError)."),
    ],
)
def test_a_measure_that_fails_leaves_the_others(people, other, monkeypatch, fault, text) -> None:
    def greedy(self: object, question: object) -> None:
        raise fault

    monkeypatch.setattr(type(MEASURES["pmse"]), "compute", greedy)
    result = evaluated(people, other, MUCH)
    assert "pmse" not in result.results
    assert "table_utility" in result.results
    assert text in result.not_measured["pmse"][-1]
    assert text in result.title


def test_tables_are_written_in_three_formats(people, other, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    result = evaluated(people, other, MUCH)
    own = result.summary()
    pd.testing.assert_frame_equal(pd.read_csv(result.save(tmp_path / "a.csv"), index_col=0), own)
    pd.testing.assert_frame_equal(pd.read_excel(result.save(tmp_path / "a.xlsx"), index_col=0), own, check_dtype=False)
    lines = result.save(tmp_path / "a.md").read_text().splitlines()
    assert lines[0] == "| measure | synthetic | confidential | known_only | random_guess |"
    assert len(lines) == 2 + len(own)
    hidden = result.save(tmp_path / "b.csv", publish=True).read_text()
    assert pd.read_csv(tmp_path / "b.csv", index_col=0).index.tolist() == own.index.tolist()
    assert ("fewer than 10" in hidden) == ("fewer than 10" in json.dumps(result.to_dict(publish=True)["summary"]))


def test_the_interval_of_a_guess_is_told_inside_and_not_published(people, other) -> None:
    result = evaluated(people, other, MUCH)
    low, high = result["cap"].worst.interval
    found = result.to_dict()["cap"]["by_target"][0]
    assert (found["low"], found["high"]) == (low, high)
    assert f"{low:.1%} to {high:.1%}" in re.sub("\\s%", "%", result.to_html())
    assert "interval over people and datasets" not in result.to_html(publish=True)
