"""One keyword, the same everywhere: every measure that compares two files, on files with missing values, under its three values."""

import inspect
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from tests.loops import every

N = 240


def _people(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"region": rng.choice(["n", "s"], N), "job": rng.choice(["a", "b", "c"], N)})
    frame["age"] = rng.integers(20, 60, N).astype(float)
    frame["income"] = 50.0 * frame["age"] + rng.normal(0, 300, N)
    for place, name in enumerate(frame.columns):
        frame[name] = frame[name].mask(pd.Series(rng.random(N) < 0.05 + 0.02 * place))
    return frame


PEOPLE, RELEASED, CONTROL = _people(1), [_people(2), _people(3)], _people(4)
for one in RELEASED:  # known variables are released as they are
    one[["region", "age"]] = PEOPLE[["region", "age"]]
GUESSES = pd.DataFrame({"record": np.arange(0, N, 2), "job": RELEASED[0]["job"][::2].to_numpy()})


def ask(measure: Callable, *arguments: object, **options: object) -> Callable:
    return lambda missing: measure(*arguments, missing=missing, **options)


def someone(measure: Callable, *arguments: object, intruder: dict, **options: object) -> Callable:
    return lambda missing: measure(*arguments, sl.Intruder(missing=missing, **intruder), **options)


NEAR = {"known": ["region", "age"], "synthesized": ["job", "income"], "radius": {"income": 0.2}}
EQUAL = {"known": ["region", "age"], "synthesized": ["job"]}
PAIR = PEOPLE, RELEASED
HOMES = [frame.assign(home=np.arange(N) // 2) for frame in (PEOPLE, *RELEASED)]

# What each measure does with a missing value: an answer under all three words, or the words it refuses, with the reason.
MEASURES: dict[str, tuple[Callable, dict[str, str]]] = {
    "identification_risk": (someone(sl.identification_risk, *PAIR, intruder=NEAR), {}),
    "unit_risk": (someone(sl.unit_risk, HOMES[0], HOMES[1:], intruder={**NEAR, "unit": "home"}), {}),
    "chosen_variables_risk": (someone(sl.chosen_variables_risk, *PAIR, intruder=NEAR), {}),
    "cap": (someone(sl.cap, *PAIR, intruder=EQUAL, target="job"), {}),
    "attack_score": (ask(sl.attack_score, PEOPLE, GUESSES, target="job"), {}),
    "exact_copies": (ask(sl.exact_copies, *PAIR), {}),
    "closest_record": (ask(sl.closest_record, *PAIR, CONTROL), {"never": "has no distance to other records"}),
    "replicated_uniques": (
        someone(sl.replicated_uniques, *PAIR, intruder=EQUAL),
        {"never": "would count as unique; replicated_uniques accepts 'raise' or 'category'"},
    ),
    "attribute_disclosure": (
        someone(sl.attribute_disclosure, *PAIR, intruder=EQUAL, target="job"),
        {"never": "form no classes; attribute_disclosure accepts 'raise' or 'category'"},
    ),
    "identification_probability": (someone(sl.identification_probability, *PAIR, intruder=NEAR), {}),
    "linkage_risk": (someone(sl.linkage_risk, *PAIR, intruder={**NEAR, "known": ["region"]}), {}),
    "intruder_risk": (someone(sl.intruder_risk, *PAIR, intruder=NEAR), {}),
    "risk_weights": (someone(sl.risk_weights, PEOPLE, intruder=NEAR), {}),
    "evaluate": (someone(sl.evaluate, *PAIR, intruder=NEAR, rng=1), {}),
    "ecdf_utility": (ask(sl.ecdf_utility, *PAIR), {}),
    "table_utility": (ask(sl.table_utility, *PAIR), {}),
    "prediction_utility": (ask(sl.prediction_utility, *PAIR, target="income", rng=1), {}),
    "pmse": (ask(sl.pmse, *PAIR, rng=1), {"never": "cannot be compared with the other records"}),
    "cluster_utility": (
        ask(sl.cluster_utility, *PAIR, clusters=5, rng=1),
        {"never": "cannot be compared with the other records"},
    ),
    "barycenter": (ask(sl.barycenter, *PAIR, variable="income"), {"category": "is not a number"}),
    "bootstrap_statistic": (
        ask(sl.bootstrap_statistic, *PAIR, variable="income", resamples=20, rng=1),
        {"category": "is not a number"},
    ),
    "analysis_utility": (
        ask(sl.analysis_utility, *PAIR, formula="income ~ age + region"),
        {"category": "would change the analysis"},
    ),
}
WITHOUT = {
    "combine_full": "numbers, no file",
    "combine_partial": "numbers, no file",
    "combine_nested": "numbers, no file",
    "combine_pseudo_populations": "numbers, no file",
    "interval_overlap": "numbers, no file",
    "joint_test": "numbers, no file",
    "population_counts": "cells of one file under its design; tests/risk/test_population_counts.py holds its missing=",
    **dict.fromkeys(
        ("survey_mean", "survey_total", "survey_quantile", "survey_regression"),
        "estimates of one file under its design; tests/utility/test_survey.py holds their missing=",
    ),
    **dict.fromkeys(
        ("copied_people", "copied_units", "near_copies", "near_units", "planted_copies"),
        "records or units by value: a missing value is a value of its own",
    ),
    "identifying_values": "a missing value identifies nobody; only present values are looked for",
    "unit_utility": "a missing value is a level of the composition, and is left out of correlations",
    "column_differences": "the share of missing values is one of the differences",
    "learned_attack": "a missing value is a value of its own, which is predicted and compared like the others",
    "compare": "evaluates several releases, each as evaluate does",
    "attribute_risk": "what has a density under the model: its fit says how missing values were treated",
    "membership_risk": "what has a density under the model: its fit says how missing values were treated",
    "guess_posterior": "arrays, no file",
    "expected_identification_probability": "one number a record; tests/risk/test_missing_rules.py holds its three words",
}


def test_every_measure_is_swept():
    from synthlab import report, risk, utility

    public = {name for room in (risk, utility) for name in room.__all__ if name in sl.__all__ and name[0].islower()}
    assert public | {"compare", "evaluate", "risk_weights"} == MEASURES.keys() | WITHOUT.keys()
    assert report.evaluate is sl.evaluate


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize(
    "names", [[*MEASURES][1::3], pytest.param(MEASURES, marks=pytest.mark.full)], ids=["some", "all"]
)
def test_missing_values_have_a_meaning_or_are_refused_with_a_reason(names):
    @every("missing", ["category", "never"])
    @every("name", names)
    def check(name, missing):
        measure, refused = MEASURES[name]
        if missing in refused:
            with pytest.raises(InputError, match=refused[missing]) as caught:
                measure(missing)
            assert f"missing={missing!r}" in str(caught.value)
        else:
            assert measure(missing).to_frame() is not None

    check()


@every("name", MEASURES)
def test_missing_values_are_an_error_on_request(name):
    with pytest.raises(MissingValueError, match="missing values"):
        MEASURES[name][0]("raise")


@every("name", [n for n, (_, refused) in MEASURES.items() if "takes" not in str(refused)])
def test_no_other_word_is_known(name):
    with pytest.raises(InputError, match="missing='drop': must be one of 'raise', 'category', 'never'"):
        MEASURES[name][0]("drop")


def test_where_nothing_is_missing_the_word_changes_nothing():
    people, released = (
        PEOPLE.dropna(ignore_index=True),
        [frame.dropna(ignore_index=True).iloc[:100] for frame in RELEASED],
    )
    calls = [
        (sl.exact_copies, {}),
        (sl.ecdf_utility, {}),
        (sl.table_utility, {}),
        (sl.prediction_utility, {"target": "income", "rng": 1}),
        (sl.barycenter, {"variable": "income"}),
        (sl.bootstrap_statistic, {"variable": "income", "resamples": 20, "rng": 1}),
        (sl.analysis_utility, {"formula": "income ~ age", "synthesis": "full", "parameters": "fixed"}),
    ]
    for measure, options in calls:
        default = measure(people, released, **options).to_frame()
        pd.testing.assert_frame_equal(default, measure(people, released, missing="never", **options).to_frame())


def test_a_missing_value_by_hand():
    people = pd.DataFrame({"x": [1.0, 2.0, np.nan, np.nan], "g": ["a", None, "b", "b"]})
    released = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "g": ["a", None, "a", "b"]})
    never = sl.ecdf_utility(people, released, missing="never").ecdf_max[0, 0]
    assert never == pytest.approx(1 / 3)  # 1, 2 against 1, 2, 3
    category = sl.ecdf_utility(people, released, missing="category").ecdf_max[0, 0]
    assert category == pytest.approx(1 / 4)  # -, -, 1, 2 against -, 1, 2, 3
    table = sl.table_utility(people, released, margins=[["g"]], missing="never")
    assert table.total_variation[0, 0] == pytest.approx(1 / 3)  # 1/3, 2/3 against 2/3, 1/3
    assert table.margins[0].levels == (("a", "b"),)
    assert sl.table_utility(people, released, margins=[["g"]], missing="category").total_variation[
        0, 0
    ] == pytest.approx(1 / 4)
    assert sl.exact_copies(people, released).copies.tolist() == [3]
    assert sl.exact_copies(people, released, missing="never").copies.tolist() == [1]
    guesses = pd.DataFrame({"record": [0, 1, 2, 3], "g": ["a", None, "b", "a"]})
    assert sl.attack_score(people, guesses, target="g", missing="category", fewest=1).attack == 0.75
    with pytest.warns(Warning, match="no more than"):
        assert sl.attack_score(people, guesses, target="g", missing="never", fewest=1).attack == pytest.approx(2 / 3)
    near = pd.DataFrame({"record": [0, 1, 2, 3], "x": [1.0, 9.0, np.nan, 5.0]})
    with pytest.warns(Warning, match="no more than"):
        score = sl.attack_score(people, near, target="x", radius=0.1, missing="category", fewest=1)
    assert (score.attack, score.baseline) == (0.5, 0.5)
    assert np.isnan(score.best_guess)


def test_every_measure_has_the_keyword_or_asks_the_intruder():
    for name in MEASURES:
        parameters = inspect.signature(getattr(sl, name)).parameters
        assert "missing" in parameters or "intruder" in parameters or name == "evaluate", name
