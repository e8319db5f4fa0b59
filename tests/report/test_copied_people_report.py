"""Copied people in a report: findings, numbers for publication, and unusual files."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import report
from synthlab._format import count, fewer_than_10
from synthlab.exceptions import SynthlabWarning
from synthlab.report.measures import MEASURES

N = 200
NAMES = [f"x{i}" for i in range(7)]


def people(seed: int, n: int = N) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {c: draw.integers(0, 20, n) for c in NAMES[:5]} | {c: draw.choice(list("ab"), n) for c in NAMES[5:]}
    )


OWN = people(1)
WHO = sl.Intruder(known=["x0"], synthesized=["x1"])


@pytest.fixture(autouse=True)
def only_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*MEASURES]:
        if name not in ("copied_people", "columns", "closest_record"):
            monkeypatch.delitem(MEASURES, name)


def evaluated(synthetic: Any, confidential: pd.DataFrame = OWN, who: sl.Intruder = WHO, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(confidential, synthetic, who, **options)


def copied(result: report.EvaluationResult, people: Any = count) -> list[Any]:
    measure = MEASURES["copied_people"]
    return measure.findings(result["copied_people"], result.question, people)


def test_copies_stop_the_release_and_take_one_row() -> None:
    release = pd.concat([OWN[:40], people(2)[40:]]).sample(frac=1, random_state=1)
    result = evaluated(release)
    (found,) = copied(result)
    assert (found.level, found.people, found.of, found.dataset, found.columns) == ("STOP", 40, N, 1, tuple(OWN))
    assert found.sentence.startswith("40 of 200 people are released with all 7 values; by chance 0.")
    assert "min_leaf=" in found.remedy
    row = result.summary().loc["copied_people"]
    assert (row["synthetic"], row["confidential"], row["random_guess"]) == (40, N, 0)
    few = evaluated(pd.concat([OWN[:12], people(2)[:4]]), OWN[:16])
    assert copied(few, fewer_than_10)[0].sentence.startswith("all but fewer than 10 of 16 people")


def test_only_the_synthesized_columns_of_a_partly_synthetic_release_are_compared() -> None:
    honest = OWN.assign(**{c: people(2)[c] for c in NAMES[2:]})
    result = evaluated(honest)
    assert result["copied_people"].variables == ("x1", *NAMES[2:]) or result["copied_people"].partial
    assert copied(result) == []
    both = pd.concat([OWN[:30], honest[30:]])
    (found,) = copied(evaluated(both))
    assert (found.level, found.people, "synthetic values" in found.sentence) == ("STOP", 30, True)


def test_the_confidential_file_stops_the_release_even_if_all_people_have_twins() -> None:
    own = pd.concat([people(3, 40)] * 5, ignore_index=True)
    nothing = sl.Intruder(known=["x0", "x1"], synthesized=[])
    (found,) = copied(evaluated(own.sample(frac=1, random_state=1), own, nothing))
    assert (found.level, found.people, found.of) == ("STOP", N, N)


def test_people_of_the_holdout_sample_are_reported() -> None:
    control = people(4)
    (found,) = copied(evaluated(control, control=control))
    assert (found.level, found.people, found.of) == ("STOP", N, N)
    assert "holdout sample" in found.sentence
    result = evaluated(
        pd.concat([control[:50], people(5)]), control=control[[*NAMES[1:], "x0"]].drop(columns="x3").assign(x2="no")
    )
    assert copied(result)[0].columns == ("x0", "x1", "x4", "x5", "x6")
    assert "x2 and x3" in result.not_measured["copied_people"][0]
    nothing = evaluated(people(5), control=pd.DataFrame({"y": range(50)}))
    assert copied(nothing) == []
    assert nothing.failed == ()


UNUSUAL: dict[str, tuple[pd.DataFrame, Any]] = {
    "5 people": (OWN[:5], people(2)[:5]),
    "one column": (OWN[["x1"]], people(2)[["x1"]]),
    "identifiers": (pd.DataFrame({"x0": range(N), "x1": range(N)}), pd.DataFrame({"x0": range(N), "x1": range(N, 2 * N)})),
    "500 columns": tuple(pd.concat([people(s).add_prefix(f"{s % 9}_{k}_") for k in range(72)], axis=1).set_axis([f"x{i}" for i in range(504)], axis=1) for s in (1, 10)),
    "equal values": (OWN.assign(**dict.fromkeys(OWN, 1)), OWN.assign(**dict.fromkeys(OWN, 1))),
    "100 datasets": (OWN[:60], [people(s, 60) for s in range(2, 102)]),
    "twice as many": (OWN, people(2, 2 * N)),
    "a tenth": (OWN, people(2, N // 10)),
    "missing column": (OWN.assign(x2=np.nan), people(2).assign(x2=np.nan)),
    "another type": (OWN, people(2).assign(x2="text")),
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSUAL)
def test_an_unusual_file_has_no_copies(case: str) -> None:
    own, release = UNUSUAL[case]
    known = [c for c in ("x0",) if c in own]
    result = evaluated(release, own, sl.Intruder(known=known, synthesized=["x1"]))
    assert result.failed == ()
    if "copied_people" in result.results:
        assert copied(result) == []
        assert np.isfinite(result["copied_people"].table).all(axis=None)
    else:
        assert case in ("one column", "identifiers")
        assert result.not_measured["copied_people"]
