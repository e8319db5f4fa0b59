"""Homework releases without protection: fixed recodings earn nothing, and the master solution passes with every seed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import synthlab.counts as slc
from synthlab._warnings import quiet
from synthlab.teaching.homework import class_sample
from synthlab.teaching.homework.check_recoding import recoding_problem

INSTRUCTOR = Path(__file__).resolve().parents[3] / "course" / "instructor"
TABLE = ["SEX", "RACE", "MAR", "LANX", "DIS", "HICOV"]
SEEDS = 10
Recoding = Callable[[int], pd.DataFrame]  # dataset number -> dataset


@pytest.fixture(autouse=True)
def in_the_folder_of_the_masters(monkeypatch):
    monkeypatch.syspath_prepend(INSTRUCTOR)


def voters() -> pd.DataFrame:
    return class_sample("anes96", 800, 1).astype({"vote": int})


def homes() -> pd.DataFrame:
    frame = class_sample("ce", 3000, 1).astype({"Urban": int, "Tenure": int, "Educ": int, "Marital": int})
    return frame.assign(Expenditure=frame["Expenditure"].clip(lower=1))


def unique_votes_flipped() -> Recoding:
    truth = voters()
    alone = np.flatnonzero(~truth.duplicated(["age", "educ"], keep=False))
    others = np.setdiff1d(np.arange(len(truth)), alone)

    def dataset(number: int) -> pd.DataFrame:
        flipped = np.append(alone, others[number])
        return truth.assign(vote=truth["vote"] ^ np.isin(np.arange(len(truth)), flipped).astype(int))

    return dataset


def all_votes_flipped() -> Recoding:
    truth = voters()
    return lambda number: truth.assign(vote=(1 - truth["vote"]).where(truth.index != number, truth["vote"]))


def one_tenure_changed(number: int, truth: pd.DataFrame) -> pd.Series:
    return truth["Tenure"].where(truth.index != np.flatnonzero(truth["Tenure"] == 1)[number], 2)


def amounts_times_a_factor() -> Recoding:
    truth = homes()
    return lambda number: truth.assign(
        Expenditure=truth["Expenditure"] * (1.06 + 0.002 * number), Tenure=one_tenure_changed(number, truth)
    )


def amounts_of_a_higher_rank() -> Recoding:
    """Give each household the amount of the household 150 to 190 ranks above."""
    truth = homes()
    order = np.argsort(truth["Expenditure"], kind="stable").to_numpy()
    ordered = truth["Expenditure"].to_numpy()[order]

    def dataset(number: int) -> pd.DataFrame:
        moved = np.empty(len(truth))
        moved[order] = np.roll(ordered, -150 - 10 * number)
        return truth.assign(Expenditure=moved, Tenure=one_tenure_changed(number, truth))

    return dataset


def occupations_shifted(by: Callable[[int], int]) -> Recoding:
    truth = class_sample("affairs", 5000, 1)

    def dataset(number: int) -> pd.DataFrame:
        moved = ((truth["occupation"].astype(int) - 1 + by(number)) % 6 + 1).astype(truth["occupation"].dtype)
        education = truth["educ"].where(truth.index != number, np.where(truth["educ"] == 16, 14.0, 16.0))
        return truth.assign(occupation=moved, educ=education)

    return dataset


def counts_recoded(codes: dict[int, int]) -> Recoding:
    truth = slc.Table.from_frame(class_sample("acs", 6000, 1)[TABLE]).to_frame()
    largest = np.argsort(-truth["count"].to_numpy(), kind="stable")
    moved = truth["count"].replace(codes)
    return lambda number: truth.assign(count=moved + np.isin(np.arange(len(truth)), largest[number]))


RECODINGS = {
    "every unique vote is flipped": ("hw1", 41, unique_votes_flipped),
    "every vote is flipped": ("hw1", 41, all_votes_flipped),
    "amounts times 1.06": ("hw2", 5, amounts_times_a_factor),
    "amounts of a higher rank": ("hw2", 5, amounts_of_a_higher_rank),
    "occupation k becomes k mod 6 + 1": ("hw4", 5, lambda: occupations_shifted(lambda number: 1)),
    "occupations shifted by the number of the dataset": ("hw4", 5, lambda: occupations_shifted(lambda n: n + 1)),
    "every 1 becomes a 2": ("hw6", 3, lambda: counts_recoded({1: 2})),
    "1 and 2 are swapped": ("hw6", 3, lambda: counts_recoded({1: 2, 2: 1})),
    "1, 2 and 3 rotate": ("hw6", 3, lambda: counts_recoded({1: 2, 2: 3, 3: 1})),
}


def checked(name: str, answer: Any, least: float) -> None:
    module = importlib.import_module(f"{name}_checks")
    check = module.check_my_tables if name == "hw6" else module.check_my_release
    check(answer, 1, least=least)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_recoding_earns_no_points(recoding):
    name, m, make = RECODINGS[recoding]
    dataset = make()
    with pytest.raises(AssertionError, match="Datasets 1 and 2 have the same value"):
        checked(name, [dataset(0)] * m, 0.01)
    with pytest.raises(AssertionError, match=r"An intruder who learns from half .* \d+% of the others; \d+% without"):
        checked(name, [dataset(number) for number in range(m)], 0.01)


def test_the_number_of_people_with_the_same_known_values_is_used():
    """At n = 800 a flipped vote of the unique voters is found only with it."""
    truth, dataset = voters(), unique_votes_flipped()
    made = [dataset(number) for number in range(3)]
    found = recoding_problem(truth, made, ["vote"], alone_in=["age", "educ"])
    assert found is not None
    assert "predicts 'vote'" in found
    drawn = [truth.assign(vote=np.random.default_rng(k).permutation(truth["vote"])) for k in range(3)]
    assert recoding_problem(truth, drawn, ["vote"], alone_in=["age", "educ"]) is None


def solution_of(name: str) -> tuple[dict[str, Any], str]:
    """Return the variables before the cell of the master's release, and the source of this cell."""
    (path,) = INSTRUCTOR.glob(f"{name}_*.ipynb")
    variables: dict[str, Any] = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.source.startswith(("my_release = ", "my_tables = ")):
            return variables, cell.source
        if cell.cell_type == "code" and "TEST CONFIG" not in cell.source:
            exec(compile(cell.source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    raise AssertionError(name)


def with_seed(source: str, seed: int) -> str:
    """Return the solution with other random numbers."""
    edits = (r"default_rng\(\d+\)", f"default_rng({seed})"), (r"rng=3\)", f"rng={1000 + seed})")
    for pattern, text in (*edits, (r"range\(50\)", f"range({50 * seed}, {50 * seed + 50})")):
        source = re.sub(pattern, text, source) if "draw in" in source or "range" not in pattern else source
    return source


@pytest.mark.full
@pytest.mark.parametrize("name", ["hw1", "hw2", "hw4", "hw6"])
def test_the_master_passes_with_every_seed(name):
    variables, source = solution_of(name)
    failed = []
    for seed in range(SEEDS):
        with quiet():
            exec(compile(with_seed(source, seed), name, "exec"), variables)  # noqa: S102 - our own notebook
        try:
            checked(name, variables["my_tables" if name == "hw6" else "my_release"], 1.0)
        except AssertionError as error:
            failed.append((seed, str(error)))
    assert failed == []
