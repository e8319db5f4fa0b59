"""Relations of the confidential file that a release does not preserve are named in every format."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.report.verdict import verdict_on


def evaluated(frame: pd.DataFrame, made: pd.DataFrame) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(frame, made, sl.Intruder(known=["g"], synthesized=["a"], radius={"a": 1}), rng=1)


def test_a_lost_relation_is_named_and_does_not_change_the_verdict(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"a": draw.integers(1, 50, 200), "b": draw.integers(0, 90, 200), "g": draw.choice(["x", "y"], 200)}
    )
    frame = frame.assign(c=frame["a"] + frame["b"], d=np.log(frame["a"]))
    made = frame.sample(frac=1, random_state=1, ignore_index=True)
    made["a"], made["b"] = draw.permutation(made["a"]), draw.permutation(made["b"])
    made["d"] = np.log(made["a"])
    kept = made.assign(c=made["a"] + made["b"])
    made.loc[:19, "c"] = made["a"] + made["b"]
    share = float((made["c"] == made["a"] + made["b"]).mean())
    broken = int((made["c"] != made["a"] + made["b"]).sum())
    lost, fine = evaluated(frame, made), evaluated(frame, kept)
    for publish in (False, True):
        document = lost.to_dict(publish=publish)
        assert document["preserved_relations"] == [
            {"relation": "d = log(a)", "holds": [1.0], "records_broken": [0], "preserved": True},
            {"relation": "c = a + b", "holds": [share], "records_broken": [broken], "preserved": False},
        ]
    assert lost.summary().loc["relations_lost"].iloc[0] in ("1", 1)
    assert fine.summary().loc["relations_lost"].iloc[0] in ("0", 0)
    assert lost.answers()["found"].str.contains(f"c = a + b holds in {share:.1%}", regex=False).any()
    assert not fine.answers()["found"].str.contains("c = a + b holds", regex=False).any()
    page = Path(lost.save(tmp_path / "page.html")).read_text(encoding="utf-8")
    assert re.search(rf">Relation c = a \+ b</th>\s*<td[^>]*>{share:.1%}</td>\s*<td[^>]*>100%</td>", page)
    assert "Relation d = log(a)" not in page
    assert not [one for one in verdict_on(lost).findings if one.measure == "preserved_relations"]


def test_a_file_without_relations_has_no_row() -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"a": draw.integers(1, 50, 200), "g": draw.choice(["x", "y"], 200)})
    result = evaluated(frame, frame.assign(a=draw.permutation(frame["a"])))
    assert result.to_dict()["preserved_relations"] == []
    assert "relations_lost" not in result.summary().index
