"""The one form of a study, on a toy: it resumes, records, and refuses what it does not take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

from replications.checkpoints import Job, Piece, Pieces
from replications.claims import LEAST, QUICK, Check, judge
from replications.published import Value, compare
from replications.study import Result, Study, Tables
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Means(Result):
    draws: pd.DataFrame
    means: pd.DataFrame


TEXTS = {"one": {"where": "Table 1", "statement": "small", "quantity": "mean", "printed": "0.0", "reason": "why"}}


class Toy(Study[Means]):
    """Means of normal draws."""

    name, paper = "coverage", "a toy"
    result, seed = Means, 1
    full: Mapping[str, Any] = {"repetitions": 4}
    quick: Mapping[str, Any] = {"repetitions": 2}
    raw: Mapping[str, int] = {"draws": 3}
    derived: Mapping[str, int] = {"means": 8}

    def __init__(self) -> None:
        self.calls: list[int] = []

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        def one(number: int) -> Piece:
            self.calls.append(number)
            return pd.DataFrame({"run": number, "y": np.random.default_rng([seed, number]).normal(size=5)}), {}

        return [Job(f"run {number}", f"run_{number}", partial(one, number)) for number in range(size["repetitions"])]

    def collect(self, pieces: Pieces, data: Any) -> Tables:
        return {"draws": pd.concat([pieces.read(name)[0] for name in pieces.names("run_")], ignore_index=True)}

    def derive(self, raw: Tables) -> dict[str, Any]:
        means = raw["draws"].groupby("run")["y"].mean()
        check: Check[float] = Check(lambda one: abs(one) < 1, lambda runs: f"{np.mean(runs):.2f}")
        number = Value(float(means.mean()), float(means.min()), float(means.max()), len(means))
        return {
            "means": means.reset_index(),
            "claims": judge(self.paper, "toy", TEXTS, {"one": check}, means.tolist()),
            "published": compare(self.paper, TEXTS, {"one": number}),
        }


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    """Compute the pieces of the toy in this process, where they are counted."""
    with joblib.parallel_config(n_jobs=1):
        yield


def test_a_run_resumes_and_records(tmp_path):
    toy = Toy()
    first = toy.run(folder=tmp_path, progress=False)
    assert toy.calls == [0, 1, 2, 3]
    (tmp_path / "pieces" / "run_2.npz").unlink()
    second = toy.run(folder=tmp_path, progress=False)
    assert toy.calls == [0, 1, 2, 3, 2]
    pd.testing.assert_frame_equal(first.claims, second.claims)
    assert sorted(p.name for p in tmp_path.glob("*.*")) == [
        "claims.csv",
        "draws.csv",
        "means.csv",
        "published.csv",
    ]
    # What follows is computed from what is recorded, to the digits that are recorded.
    draws = pd.read_csv(tmp_path / "draws.csv")
    assert (draws["y"] == [float(f"{v:.3g}") for v in draws["y"]]).all()
    pd.testing.assert_frame_equal(toy.assemble({"draws": draws}).means, second.means)
    assert str(second).endswith(f"4 of 4 repetitions; {means_of(draws):.2f}\n\ntables: {tmp_path}")
    assert second.describe() == "Of 1 statements 1 hold. Of 1 published numbers 1 inside 95 %."


def means_of(draws: pd.DataFrame) -> float:
    return float(draws.groupby("run")["y"].mean().mean())


@pytest.mark.parametrize("repetitions", [2, LEAST])
def test_a_quick_run_with_few_repetitions_gives_no_verdict(tmp_path, monkeypatch, repetitions):
    monkeypatch.setattr(Toy, "quick", {"repetitions": repetitions})
    result = Toy().run(folder=tmp_path, quick=True)
    few = repetitions < LEAST
    assert result.claims["verdict"].tolist() == result.published["status"].tolist() or not few
    assert (result.claims["verdict"] == QUICK).all() == few
    written = pd.read_csv(tmp_path / "claims.csv")["verdict"].tolist()
    assert written == result.claims["verdict"].tolist()
    said = "Quick run without verdicts on 1 of 1 statements and 1 of 1 published numbers: a verdict needs at least 10"
    assert str(result).startswith(said) == few


def test_a_long_study_says_beforehand_how_long_it_takes(tmp_path, capsys, monkeypatch):
    Toy().run(folder=tmp_path, progress=True)
    assert "reused" not in capsys.readouterr().err
    monkeypatch.setattr(Toy, "takes", ("two hours", "a minute"))
    Toy().run(folder=tmp_path, progress=True)
    said = f"coverage: two hours; finished pieces in {tmp_path} are reused"
    assert capsys.readouterr().err.startswith(said)
    Toy().run(folder=tmp_path / "other", quick=True, progress=True)
    assert capsys.readouterr().err.startswith("coverage: a minute;")


def test_other_pieces_are_not_used(tmp_path):
    Toy().run(folder=tmp_path, progress=False)
    for other in ({"rng": 2}, {"quick": True}):
        with pytest.raises(InputError, match="another seed or size"):
            Toy().run(folder=tmp_path, progress=False, **other)


def test_what_it_does_not_take_is_an_error(monkeypatch, tmp_path):
    with pytest.raises(InputError, match="must be a whole number"):
        Toy().run(folder=tmp_path, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="version: 'coverage' does not have this argument"):
        Toy().run(folder=tmp_path, version="real")
    monkeypatch.setattr(Toy, "quick", {})
    with pytest.raises(InputError, match="does not have a quick version"):
        Toy().run(folder=tmp_path, quick=True)
    monkeypatch.setattr(Toy, "seed", None)
    with pytest.raises(InputError, match="does not use random numbers"):
        Toy().run(folder=tmp_path, rng=1)
    assert list(tmp_path.iterdir()) == []
