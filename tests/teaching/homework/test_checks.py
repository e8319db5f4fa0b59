"""Checks of the homework: right answers pass, and every typical wrong answer gets its own hint."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
import synthlab.counts as slc
from synthlab.risk import intruder_risk
from synthlab.teaching import Exercise
from synthlab.teaching.checking import FEWEST_SLIPS
from synthlab.teaching.homework import class_sample, require_function, require_number, require_property
from synthlab.teaching.homework.properties import protected_release

INSTRUCTOR = Path(__file__).resolve().parents[3] / "course" / "instructor"
HOMEWORK = ("hw1", "hw2", "hw3", "hw4", "hw5", "hw6")
FUNCTIONS, NUMBERS = 10, 12


@pytest.fixture(autouse=True)
def in_the_folder_of_the_masters(monkeypatch):
    monkeypatch.syspath_prepend(INSTRUCTOR)


def checks(name: str) -> Any:
    return importlib.import_module(f"{name}_checks")


@lru_cache
def master(name: str) -> dict[str, Any]:
    """Run the cells of a master, the tests of its questions among them, and return its variables."""
    (path,) = INSTRUCTOR.glob(f"{name}_*.ipynb")
    variables: dict[str, Any] = {}
    with warnings.catch_warnings():
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    plt.close("all")
    return variables


def hint(check: Callable[..., None], *answer: Any, share: float = 0.0) -> str:
    """Return the hint of an answer that earns this share of the points and no more."""
    if share:
        check(*answer, 1, least=share)
        answer = (*answer, 1, share + 0.01)
    with pytest.raises(AssertionError) as failed:
        check(*answer)
    return str(failed.value)


def test_every_exercise_accepts_its_right_function_and_names_each_slip():
    wrong, count = [], 0
    for name in HOMEWORK:
        for exercise in (one for one in vars(checks(name)).values() if isinstance(one, Exercise)):
            count += 1
            require_function(exercise, exercise.right)
            assert len(exercise.slips) >= FEWEST_SLIPS
            wrong += [(exercise.name, s) for s in exercise.slips if exercise.check(exercise.mistake(s)).message != s]
            assert "Not answered yet" in hint(require_function, exercise, None)
            assert "returns nothing yet" in hint(require_function, exercise, lambda *_: ...)
    assert count == FUNCTIONS
    assert wrong == []


def test_every_number_of_a_master_is_right_and_each_slip_gets_its_hint(monkeypatch):
    asked: list[tuple[Any, float, dict[str, float], float]] = []

    def record(answer, right, slips, *, tolerance=0.0):
        asked.append((answer, right, slips, tolerance))

    for name in HOMEWORK:
        variables = master(name)
        monkeypatch.setattr(checks(name), "require_number", record, raising=False)
        for question in [one for key, one in variables.items() if key.startswith("test_")]:
            code = question.__code__
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an attack may be weak
                question(*(variables[one] for one in code.co_varnames[: code.co_argcount]))
    wrong = []
    for answer, right, slips, tolerance in asked:
        require_number(answer, right, slips, tolerance=tolerance)
        differing = {said: value for said, value in slips.items() if abs(value - right) > 2 * tolerance}
        assert len(differing) >= FEWEST_SLIPS
        for said, value in differing.items():
            given = hint(partial(require_number, tolerance=tolerance), value, right, slips)
            wrong += [] if given == said else [(said, given)]
    assert len(asked) == NUMBERS
    assert wrong == []


def test_answers_that_are_not_a_number():
    for value, said in (
        (None, "Not answered yet"),
        (..., "Not answered yet"),
        ("3", "this is str"),
        (True, "this is bool"),
        (np.ones(3), "this is ndarray"),
        (float("nan"), "this is nan"),
        (7, "This is not the right number"),
        (10**400, "This is not the right number"),
    ):
        assert said in hint(require_number, value, 3, {})
    require_number(np.array([3.001]), 3, {}, tolerance=0.01)


def test_a_property_gives_a_share_of_the_points():
    require_property(None)
    require_property((0.5, "it is half right."), 0.5)
    assert hint(require_property, (0.5, "it is half right.")) == "It is half right."
    assert hint(require_property, "it is wrong.") == "It is wrong."


def test_the_arguments_of_an_example_are_copies():
    def spoil(frame, known, secret):
        right = checks("hw1").certain_secrets(frame, known, secret)
        frame.loc[:, secret] = 0
        return right

    require_function(checks("hw1").CERTAIN_SECRETS, spoil)
    require_function(checks("hw1").CERTAIN_SECRETS, spoil)


def drawn(voters, groups, prior=(1, 1)):
    """Return a release with votes drawn within groups; without a prior the shares are plugged in."""
    rng, votes, made = np.random.default_rng(5), voters.groupby(groups)["vote"], []
    for _ in range(41):
        theta = votes.transform(
            lambda v: v.mean() if prior is None else rng.beta(prior[0] + v.sum(), prior[1] + v.size - v.sum())
        )
        made.append(voters.assign(vote=(rng.random(len(voters)) < theta).astype(int)))
    return made


def test_releases_of_homework_1():
    voters, mine, check = master("hw1")["voters"], master("hw1")["my_release"], checks("hw1").check_my_release
    own, rng = [voters["age"], voters["educ"]], np.random.default_rng(3)
    shuffled = [voters.assign(vote=rng.permutation(voters["vote"])) for _ in range(41)]
    turned = [voters.assign(vote=voters["vote"] ^ (rng.random(len(voters)) < 0.2)) for _ in range(41)]
    for answer, said in (
        (drawn(voters, own, None), "107 have their true 'vote' in every dataset"),
        (drawn(voters, own), "the best single guess reaches 58%"),
        (turned, "right about 'vote' of 100%"),
        (mine[:40], "It has 40 datasets"),
        ([voters] * 41, "releases 'vote' unchanged"),
        ([one.assign(age=one["age"] + 1) for one in mine], "changes 'age'"),
        ([one.assign(vote=one["vote"].map({0: "Clinton", 1: "Dole"})) for one in mine], "not numeric"),
        ([one.head(10) for one in mine], "must have the 800 rows"),
        (3, "It is not a release"),
        (None, "It is not a release"),
    ):
        assert said in hint(check, answer, 1)
    assert "The mean of 'income' by 'vote' is off" in hint(check, shuffled, share=0.5)
    check([one.astype({"vote": "category"}) for one in mine], 1)


def test_releases_of_homework_2():
    homes, mine, check = master("hw2")["homes"], master("hw2")["my_release"], checks("hw2").check_my_release
    spent, rng = homes["Expenditure"], np.random.default_rng(1)

    def noise(sd):
        return [one.assign(Expenditure=spent * np.exp(rng.normal(0, sd, len(one)))) for one in mine]

    def of_the_same_tenure(one):
        return [rng.choice(spent[homes["Tenure"] == kind]) for kind in one["Tenure"]]

    top = [one.assign(Expenditure=one["Expenditure"].where(spent < spent.max(), spent)) for one in mine]
    for answer, said in (
        (noise(0.01), "true 'Expenditure' in every dataset"),
        (top, "1 have their true 'Expenditure' in every dataset"),
        (noise(0.5), "at most 12% is allowed"),
        (master("hw2")["datasets"], "median of 'Expenditure' by 'Tenure' is off"),
        ([one.assign(Tenure=homes["Tenure"]) for one in mine], "releases 'Tenure' unchanged"),
    ):
        assert said in hint(check, answer, 1)
    without_income = [one.assign(Expenditure=of_the_same_tenure(one)) for one in mine]
    assert "rank correlation" in hint(check, without_income, share=0.5)
    other_tenure = [one.assign(Tenure=rng.permutation(one["Tenure"])) for one in mine]
    assert "median of 'Expenditure'" in hint(check, other_tenure, share=0.5)


def test_releases_of_homework_4():
    variables, check = master("hw4"), checks("hw4").check_my_release
    women, mine, known = variables["women"], variables["my_release"], variables["known"]
    synthesized = variables["synthesized"]

    def release_of(given, pseudocount=0.02):
        return (
            sl.DirichletMultinomial(synthesized, given=given, pseudocount=pseudocount)
            .fit(women, rng=3)
            .generate(m=5, rng=4)
        )

    # Fifteen women keep their values; the rest is permuted within the age groups, so that the mean risk is small.
    rng, exposed = np.random.default_rng(1), []
    alone = women.index[~women.duplicated(known, keep=False)][:15]
    for _ in range(5):
        rows = women.groupby("age")["age"].transform(lambda one: rng.permutation(one.index)).astype(int)
        one = women.copy()
        one[synthesized] = women.loc[rows, synthesized].to_numpy()
        one.loc[alone, synthesized] = women.loc[alone, synthesized]
        exposed.append(one.astype(women.dtypes.to_dict()))
    for answer, said in (
        (release_of(known), "true values in all 5 datasets, and none may be"),
        (exposed, "15 of the records that are unique in the confidential data"),
        (variables["colleague"], "hides the exposed people"),
        ([one.astype({"educ": "category"}) for one in mine], ".astype({'educ': 'float64'})"),
        ([one.assign(age=one["age"] + 1) for one in mine], "Dataset 1 changes 'age'"),
        ([women] * 5, "releases 'educ' unchanged"),
        ([one.head(10) for one in mine], "must have the 5,000 rows"),
        (mine[0], "It has 1 dataset"),
        (3, "is not a release"),
    ):
        assert said in hint(check, answer, 1)
    assert "hides the exposed people" in hint(check, release_of(["age"]), share=0.66)
    check([one.astype({"educ": "Float64", "age": "Float64"}) for one in mine], 1)


def test_amounts_are_matched_within_a_radius():
    settings = {"dataset": "ce", "n": 300, "class": 1, "m": 1, "known": ["Tenure"], "synthesized": ["Income"]}
    truth = class_sample("ce", 300, 1)
    drawn = [truth.assign(Income=np.random.default_rng(1).permutation(truth["Income"]))]
    said = protected_release(drawn, settings | {"radius": 3, "most_risk": 2})
    assert isinstance(said, str)
    assert said.startswith("its expected match risk is")
    assert protected_release(drawn, settings | {"radius": 0.0001, "most_risk": 2}) is None
    near = [truth.assign(Income=truth["Income"] * 1.001)]
    said = protected_release(near, settings | {"radius": 0.0001, "most_risk": 60})
    assert isinstance(said, str)
    assert said.startswith("an intruder who learns from half of the people predicts 'Income' within 0.01%")


def test_weights_of_homework_5():
    variables, check = master("hw5"), checks("hw5").check_my_weights
    people, isolated, mine = variables["people"], variables["isolated"], variables["my_weights"]
    n = len(people)
    pairwise = sl.risk_weights(people, variables["who"], order=2).weights
    for answer, said in (
        (np.ones(n - 1), f"must be {n} weights"),
        (2 * mine, "from 0 to 1"),
        ("marginal", "this is str"),
        (np.ones(n), "isolated records should inform the mode"),
        (variables["marginal"], "multiply all weights by one number"),
        (pairwise / pairwise.max(), "which records did the wider model protect?"),
        (np.where(isolated, 0.0, 0.4), "mean weight is"),
        (np.where(isolated | (people["Tenure"] == 1), 0.0, 1.0), "o model can be fitted"),
    ):
        assert said in hint(check, answer, 1)
    low = ((people["Tenure"] == 2) & (people["log_income"] < variables["fit"].mean)).to_numpy()
    assert "the worst record is not" in hint(check, np.where(low, 0.3, 1.0) * mine, share=0.5)


def test_weights_and_tables_of_homework_6():
    variables, module = master("hw6"), checks("hw6")
    furthest, table, mine = variables["furthest"], variables["table"], variables["my_tables"]
    for answer, said in (
        (np.ones(97), "epsilon comes from the count 97"),
        (np.full(97, 4 / furthest.max()), "of the error is spread"),
        (np.minimum(1, 4 / furthest), "of the error is bias"),
        (np.ones(98), "has the shape (98,)"),
        (-variables["my_weights"], "from 0 to 1"),
    ):
        assert said in hint(module.check_my_weights, answer, 1)
    assert "the largest counts" in hint(module.check_my_weights, np.minimum(0.3, 4 / furthest), share=0.5)

    def tables(noise, m=3, ones=0.2):
        made = slc.synthesize_table(table, noise, m=m, pseudocount=0, zeros_to_ones=ones, rng=0)
        return [one.to_frame() for one in made]

    wide = slc.GAF(sigma=2.5, nu=-1)
    for answer, said in (
        (tables(slc.Poisson()), "decrease as the count grows?"),
        (tables(wide, ones=0), "how many empty cells become ones?"),
        (tables(wide, m=10), "Each table is another measurement"),
        (tables(wide, ones=0.9), "total of a table is off"),
        ([table.to_frame(), *mine], "is the confidential table"),
        (mine[:2], "It has 2 tables"),
        (mine[0], "a list of DataFrames"),
        ([one.drop(columns="SEX") for one in mine], "must have the columns"),
        ([one.assign(SEX=3) for one in mine], "a value of SEX"),
        ([one.assign(count=one["count"] - 1.5) for one in mine], "not a whole number"),
        ([one.assign(SEX=1) for one in mine], "contains a cell twice"),
    ):
        assert said in hint(module.check_my_tables, answer, 1)
    assert "the worst cell is not" in hint(module.check_my_tables, tables(slc.GAF(sigma=1.5, nu=-1)), share=0.5)
    module.check_my_tables([one.iloc[::-1, ::-1].astype({"SEX": str}) for one in mine], 1)


def test_the_functions_of_the_masters_agree_with_the_package():
    five, four, six = checks("hw5"), pd.DataFrame({"sex": list("ffmf"), "town": [1, 1, 2, 3]}), master("hw6")
    files = [four.assign(town=town) for town in ([1, 2, 2, 3], [1, 1, 3, 2], [2, 2, 1, 3])]
    newcomer = sl.Intruder(known=["sex"], synthesized=["town"], in_file=False, population=[4.0, 4.0, 2.0, 3.0])
    theirs = intruder_risk(four, files, newcomer).match_probabilities().toarray()[0]
    guesses = np.array([one["town"] for one in files])
    assert five.posterior(guesses, (four["sex"] == "f").to_numpy(), [1], 4) == pytest.approx(theirs)
    loss = six["privacy_loss"](six["log"], six["frequency"], six["my_weights"])
    assert 1 < loss.max() <= (six["my_weights"] * six["furthest"]).max() <= 4 + 1e-9
