"""The intruder's posterior on files of at most six people, worked by hand, one branch at a time."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import (
    DtypeMismatchError,
    InputError,
    KnownVariableChangedWarning,
    MissingValueError,
    WideRadiusWarning,
)
from synthlab.intruder import Intruder
from synthlab.risk import Interval, OneOf, ReleasedInformation, intruder_risk
from synthlab.risk.posterior._selection import wide_dtype
from tests.asking import ask
from tests.loops import every


def people(towns, sex=None):
    return pd.DataFrame({"sex": list(sex or "f" * len(towns)), "town": list(towns)})


def attack(true, *released, **options):
    release = [true.assign(town=list(towns)) for towns in released]
    return ask(intruder_risk, true, release, known=["sex"], synthesized=["town"], **options)


def measures(risk):
    return risk.perceived_match_risk(), round(risk.expected_match_risk, 12), risk.true_match_risk


# nothing released


def test_toy_a_averages_probabilities_and_then_takes_the_maximum():
    risk = attack(people("aabc"), "abbc", "aacb")
    expected = [[0.75, 0.25, 0, 0, 0], [0.75, 0.25, 0, 0, 0], [0, 0.25, 0.25, 0.5, 0], [0, 0, 0.5, 0.5, 0]]
    np.testing.assert_allclose(risk.match_probabilities().toarray(), expected, atol=1e-15)
    assert measures(risk) == (4, 1.5, 1)
    assert risk.match_count.tolist() == [1, 1, 1, 2]
    assert risk.contains_true.tolist() == [True, False, False, True]
    assert risk.unique_true.tolist() == [True, False, False, False]
    assert risk.true_probability.tolist() == [0.75, 0.25, 0.25, 0.5]
    assert risk.unique.tolist() == [False, False, True, True]
    assert (risk.n_unique, risk.matched_uniques) == (2, 0)
    assert risk.perceived_match_risk(0.5) == 2
    assert risk.perceived_match_risk(0.75) == 0


def test_toy_c_takes_modes_and_breaks_the_tie_of_record_2_at_random():
    draws = ["".join(z) for z in zip("aab", "abc", "bbb", "cbc", strict=True)]
    found = {measures(attack(people("aabc"), *draws, strategy="mode", rng=s)) for s in range(40)}
    assert found == {(4, 3.0, 2), (4, 2.5, 2)}


def test_modes_are_taken_variable_by_variable_and_can_invent_a_pair():
    true = pd.DataFrame({"town": ["a", "b"], "job": ["x", "y"]})
    pairs = [("a", "x"), ("a", "y"), ("b", "y")]  # the modes of record 1 are a and y, a pair in one dataset only
    release = [true.assign(town=[t, "b"], job=[j, "y"]) for t, j in pairs]
    risk = intruder_risk(true, release, Intruder(known=[], synthesized=["town", "job"]), strategy="mode")
    # Nobody is (a, x): 1/2 each. Target 2 is (b, y): record 2 alone.
    assert risk.match_probabilities().toarray().tolist() == [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]


def test_a_mode_that_the_first_dataset_has_no_category_for():
    towns = [pd.Categorical(list("aaba"), categories=list("ab")), *[pd.Categorical(list("aabc"))] * 2]
    true = people("aabc").assign(town=pd.Categorical(list("aabc")))
    someone = Intruder(known=["sex"], synthesized=["town"])
    risk = intruder_risk(true, [true.assign(town=t) for t in towns], someone, strategy="mode", rng=1)
    # Record 4 is in c in two of three datasets: target 4 is found.
    assert risk.probabilities(3).tolist() == [0, 0, 0, 1, 0]
    assert risk.true_match_risk == 2
    plain = [true.assign(town=pd.Series(t).astype(object)) for t in towns]
    same = intruder_risk(true.astype({"town": object}), plain, someone, strategy="mode", rng=1)
    np.testing.assert_array_equal(same.match_probabilities().toarray(), risk.match_probabilities().toarray())


def test_a_mode_with_a_fraction_where_the_first_dataset_has_whole_numbers():
    true = pd.DataFrame({"rooms": [1.5, 2.0]})
    release = [true.assign(rooms=[1, 2]), true, true]
    risk = intruder_risk(true, release, Intruder(known=[], synthesized=["rooms"]), strategy="mode")
    assert risk.probabilities(0).tolist() == [1, 0, 0]


def test_tied_modes_are_equally_likely():
    true = people("abc")
    release = ["abc", "bbc", "cbc"]
    first = [attack(true, *release, strategy="mode", rng=seed).probabilities(0)[0] == 1.0 for seed in range(150)]
    assert np.mean(first) == pytest.approx(1 / 3, abs=0.11)


def test_one_half_one_third_and_one_sixth_tie_with_one():
    # Record 1 matches target 1 alone, once; record 2 with one, two and five others. In floats 1/2 + 1/3 + 1/6 < 1.
    risk = attack(people("abbbbbb"), "abbbbbb", "baabbbb", "babaabb", "baaaaaa")
    np.testing.assert_allclose(risk.probabilities(0)[:2] * 4, [1, 1])
    assert 1 / 2 + 1 / 3 + 1 / 6 < 1
    assert (risk.match_count[0], risk.contains_true[0], risk.unique_true[0]) == (2, True, False)


def test_the_threshold_must_be_exceeded():
    risk = attack(people("aaaaa"), "aaaaa")
    assert risk.largest.tolist() == [0.2] * 5
    assert risk.perceived_match_risk(0.2) == 0
    assert risk.perceived_match_risk(0.1999) == 5
    assert attack(people("aaaaa"), "aaaaa", threshold=0.19).perceived_match_risk() == 5


def test_known_variables_must_agree():
    risk = attack(people("aabb", "fmfm"), "aabb")
    assert measures(risk) == (4, 4.0, 4)
    risk = attack(people("aabb", "ffmm"), "bbaa")
    assert risk.match_probabilities().toarray()[0].tolist() == [0.5, 0.5, 0, 0, 0]


def test_fallback_spreads_over_those_who_agree_on_the_known_variables():
    # In the second dataset nobody is in a, so target 1 gets 1/3 from each of the three women.
    risk = attack(people("abbb", "fffm"), "abbb", "bbbb")
    np.testing.assert_allclose(risk.probabilities(0), [(1 + 1 / 3) / 2, 1 / 6, 1 / 6, 0, 0])
    assert risk.match_count[0] == 1
    # Nobody is in a in any dataset: all women are tied, the man is not.
    risk = attack(people("abbb", "fffm"), "bbbb", "bbbb")
    assert (risk.match_count[0], risk.largest[0], risk.contains_true[0]) == (3, pytest.approx(1 / 3), True)


def test_without_the_fallback_nobody_is_matched():
    risk = attack(people("abbb", "fffm"), "bbbb", "bbbb", fallback=False)
    assert risk.probabilities(0).tolist() == [0, 0, 0, 0, 1]
    # A probability of 0 is no tie: nobody is declared.
    assert (risk.match_count[0], risk.contains_true[0], risk.record_match_risk[0]) == (0, False, 0.0)


def test_a_recoded_known_value_that_nobody_has_leaves_the_probability_outside():
    true = people("ab", "fm")
    with pytest.warns(KnownVariableChangedWarning, match="known variable 'sex'"):
        risk = intruder_risk(true, true.assign(sex=["m", "m"]), Intruder(known=["sex"], synthesized=["town"]))
    assert risk.probabilities(0).tolist() == [0, 0, 1]
    assert risk.known_only == 0.5


# the target need not be in the file


def test_n_t_from_survey_weights():
    # Target 1, dataset 1: records 1 and 2 stand for 10 + 30 = 40 people; dataset 2: record 1 for 10.
    risk = attack(people("aab"), "aab", "abb", in_file=False, weights=[10.0, 30.0, 5.0])
    np.testing.assert_allclose(risk.probabilities(0), [(1 / 40 + 1 / 10) / 2, 1 / 80, 0, (38 / 40 + 9 / 10) / 2])
    np.testing.assert_allclose(risk.match_probabilities().sum(axis=1), 1)
    assert risk.outside_probability[0] == pytest.approx(0.925)
    assert (risk.match_count[0], risk.contains_true[0]) == (1, True)


def test_by_default_the_best_of_the_n_records_is_declared_and_may_decline_says_nobody():
    options = {"in_file": False, "weights": [10.0, 30.0, 1.0]}
    said = attack(people("aab"), "aab", **options)
    declined = attack(people("aab"), "aab", **options, may_decline=True)
    assert said.match_count.tolist() == [2, 2, 1]
    assert declined.match_count.tolist() == [0, 0, 1]
    assert declined.contains_true.tolist() == [False, False, True]
    assert measures(declined) == (1, 1.0, 1)


def test_nobody_matches_and_the_target_need_not_be_in_the_file():
    risk = attack(people("ab"), "bb", in_file=False, weights=[1.0, 2.0])
    assert risk.probabilities(0).tolist() == [0, 0, 1]
    np.testing.assert_allclose(risk.probabilities(1), [1 / 3, 1 / 3, 1 / 3])


def test_n_t_is_never_below_n_t_of_the_file():
    risk = attack(people("aa"), "aa", in_file=False, weights=[0.5, 0.25])
    assert risk.probabilities(0).tolist() == [0.5, 0.5, 0.0]


def test_n_t_from_a_census():
    cells = pd.MultiIndex.from_tuples([("f", "a"), ("f", "b"), ("m", "a")], names=["sex", "town"])
    census = pd.Series([8, 2, 100], index=cells)
    risk = attack(people("aab"), "aab", in_file=False, population=census)
    np.testing.assert_allclose(risk.probabilities(0), [1 / 8, 1 / 8, 0, 6 / 8])
    np.testing.assert_allclose(risk.probabilities(2), [0, 0, 1 / 2, 1 / 2])
    each = attack(people("aab"), "aab", in_file=False, population=[8, 8, 2])
    np.testing.assert_allclose(each.match_probabilities().toarray(), risk.match_probabilities().toarray())


def test_a_census_is_summed_over_what_is_consistent_with_partial_knowledge():
    cells = pd.MultiIndex.from_tuples([("a", "f"), ("b", "f"), ("c", "f")], names=["town", "sex"])
    census = pd.Series([8, 2, 50], index=cells)
    north = OneOf({"a": {"a", "b"}, "b": {"a", "b"}, "c": {"c"}})
    risk = attack(people("aab"), "aab", in_file=False, population=census, knowledge={"town": north})
    np.testing.assert_allclose(risk.probabilities(0), [0.1, 0.1, 0.1, 0.7])


def census_of(counts):
    return pd.Series(list(counts.values()), pd.MultiIndex.from_tuples(list(counts), names=["sex", "floor"]))


def test_a_census_of_other_kinds_of_values():
    true = pd.DataFrame({"sex": list("ffm"), "floor": [1, 1, 2]})

    def outside(counts):
        someone = Intruder(known=["sex"], synthesized=["floor"], in_file=False, population=census_of(counts))
        return intruder_risk(true, true, someone).outside_probability

    assert outside({("f", 1): 8, ("m", 2): 5}).tolist() == [0.75, 0.75, 0.8]
    assert outside({("f", 1.0): 8, ("m", 2.0): 5}).tolist() == [0.75, 0.75, 0.8]
    with pytest.raises(
        DtypeMismatchError, match="column 'floor' holds number .* in confidential and text .* in population"
    ):
        outside({("f", "1"): 8, ("m", "2"): 5})
    # As many as in the file is possible, fewer is not; a cell that is not there counts nobody.
    assert outside({("f", 1): 2, ("m", 2): 1}).tolist() == [0, 0, 0]
    with pytest.raises(
        InputError,
        match="population: counts fewer people than the file for 1 of 2 kinds of targets, the first of them the "
        "record in row 0",
    ):
        outside({("f", 1): 1, ("m", 2): 1})
    with pytest.raises(InputError, match="the first of them the record in row 2"):
        outside({("f", 1): 8, ("m", 1): 5})


# partial knowledge of the target


def test_a_set_of_values():
    north = OneOf({"a": {"a", "b"}, "b": {"a", "b"}, "c": {"c"}})
    risk = attack(people("abc"), "bbc", "cac", knowledge={"town": north})
    # Targets 1 and 2 are from the north: records 1 and 2 in dataset 1, record 2 in dataset 2.
    assert risk.probabilities(0).tolist() == risk.probabilities(1).tolist() == [0.25, 0.75, 0, 0]
    assert risk.probabilities(2).tolist() == [0.25, 0, 0.75, 0]
    assert risk.unique.tolist() == [False, False, True]


def test_a_set_for_each_record():
    sets = OneOf([{"a"}, {"a", "b"}, {"b", "c"}])
    risk = attack(people("abc"), "abc", knowledge={"town": sets})
    assert risk.match_probabilities().toarray().tolist() == [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0]]


def test_an_interval_of_an_unsynthesized_and_of_a_synthesized_number():
    true = pd.DataFrame({"age": [20, 25, 60], "income": [10.0, 90.0, 150.0]})
    release = true.assign(income=[100.0, 20.0, 160.0])
    knowledge = {"age": Interval([20, 20, 60], [29, 29, 69]), "income": Interval([0, 50, 120], [49, 99.9, np.inf])}
    risk = intruder_risk(true, release, Intruder(known=["age"], synthesized=["income"], knowledge=knowledge))
    # Target 1 is 20 to 29 with 0 to 49: record 2. Target 2 has 50 to 99.9: nobody, so half each. Target 3: record 3.
    assert risk.match_probabilities().toarray().tolist() == [[0, 1, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 1, 0]]


@every(
    ("knowledge", "message"),
    [
        ({"town": OneOf([{"b"}, {"b"}])}, r"knowledge\['town'\]: is false for 1 of 2 records"),
        (
            {"town": OneOf({"a": {"a"}})},
            r"knowledge\['town'\]: OneOf has no set for the values of \d+ of \d+ records, the first at position \d",
        ),
        ({"town": OneOf([{"a"}])}, "OneOf has 1 sets, but there are 2 records"),
        ({"town": OneOf([set(), {"b"}])}, "a set of OneOf is empty"),
        ({"town": OneOf(["a", "b"])}, "must be a set of values"),
        ({"town": OneOf("ab")}, "OneOf takes a mapping"),
        ({"town": Interval(0, 1)}, r"column 'town' is (str|object), not numeric"),
    ],
)
def test_knowledge_that_cannot_be(knowledge, message):
    with pytest.raises(InputError, match=message):
        attack(people("ab"), "ab", knowledge=knowledge)


@pytest.mark.parametrize(("lower", "upper"), [(2, 1), ([0, 0, 0], 1), (np.nan, 1)])
def test_ends_that_cannot_be(lower, upper):
    true = pd.DataFrame({"x": [1.0, 1.0]})
    with pytest.raises(InputError, match=r"knowledge\['x'\]: (lower|upper)"):
        intruder_risk(true, true, Intruder(known=[], synthesized=["x"], knowledge={"x": Interval(lower, upper)}))


# numbers


def test_euclidean_distance():
    true = pd.DataFrame({"x": [0.0, 10.0, 20.0], "y": [0.0, 0.0, 0.0]})
    release = true.assign(x=[3.0, 6.9, 20.0], y=[4.0, 4.0, 5.1])
    someone = Intruder(
        known=[], synthesized=["x", "y"], radius={"x": 5.0, "y": 5.0}, radius_kind="absolute", norm="euclidean"
    )
    risk = intruder_risk(true, release, someone)
    # Record 1 is at 5 from target 1, at the edge, which counts; record 2 at 5.06 from target 2; record 3 at 5.1 from target 3.
    assert risk.probabilities(0).tolist() == [1, 0, 0, 0]
    np.testing.assert_allclose(risk.probabilities(1), [1 / 3, 1 / 3, 1 / 3, 0])
    ellipse = intruder_risk(true, release, replace(someone, radius={"x": 5.0, "y": 8.0}))
    assert ellipse.match_count.tolist() == [1, 1, 1]
    # In the box record 1 is at 3 and 4, record 2 at 3.1 and 4, record 3 at 0 and 5.1.
    box = intruder_risk(true, release, replace(someone, norm="box"))
    assert [box.probabilities(i).tolist() for i in (0, 1)] == [[1, 0, 0, 0], [0, 1, 0, 0]]
    np.testing.assert_allclose(box.probabilities(2), [1 / 3, 1 / 3, 1 / 3, 0])


def test_a_relative_radius_and_one_of_zero():
    true = pd.DataFrame({"x": [-100.0, 10.0, 0.0]})
    release = true.assign(x=[-110.0, 11.5, 0.0])
    risk = intruder_risk(true, release, Intruder(known=[], synthesized=["x"], radius=0.1, radius_kind="relative"))
    assert risk.match_count.tolist() == [1, 3, 1]
    assert risk.unique_true.tolist() == [True, False, True]


def test_mahalanobis_distance():
    # Variance 4 in x and 1 in y, no correlation: (2, 0) is at distance 1, (0, 2) at 2.
    x, y = np.array([-2.0, 2.0, -2.0, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    scale = np.sqrt(3 / 4)  # the sample variance divides by n - 1
    release = pd.DataFrame({"x": x * scale, "y": y * scale})
    true = pd.DataFrame({"x": x * scale + 2.0, "y": y * scale})
    near = intruder_risk(
        true,
        release,
        Intruder(
            known=[], synthesized=["x", "y"], radius={"x": 1.0, "y": 1.0}, radius_kind="absolute", norm="mahalanobis"
        ),
    )
    assert near.contains_true.all()
    true = pd.DataFrame({"x": x * scale, "y": y * scale + 1.01})
    far = intruder_risk(
        true,
        release,
        Intruder(
            known=[], synthesized=["x", "y"], radius={"x": 1.0, "y": 1.0}, radius_kind="absolute", norm="mahalanobis"
        ),
    )
    assert far.true_probability[3] == 0.25  # nothing within reach but by the fallback
    with pytest.raises(InputError, match="singular"):
        intruder_risk(
            true,
            release.assign(y=release["x"]),
            Intruder(
                known=[],
                synthesized=["x", "y"],
                radius={"x": 1.0, "y": 1.0},
                radius_kind="absolute",
                norm="mahalanobis",
            ),
        )


def test_the_mode_of_numbers_is_their_mean():
    true = pd.DataFrame({"x": [0.0, 10.0]})
    release = [true.assign(x=[-3.0, 12.0]), true.assign(x=[4.0, 9.0])]
    risk = intruder_risk(
        true, release, Intruder(known=[], synthesized=["x"], radius=0.5, radius_kind="absolute"), strategy="mode"
    )
    assert risk.unique_true.tolist() == [True, True]


# selection


def test_selection_replaces_values_that_cannot_be_true():
    # Only people of town a or b were synthesized, and stay in a or b; record 3 was left alone.
    selection = {"town": OneOf([{"a", "b"}, {"a", "b"}, {"c"}])}
    free = attack(people("abc"), "acc", "aac")
    told = attack(people("abc"), "acc", "aac", scenario=ReleasedInformation(selection=selection))
    assert free.probabilities(2).tolist() == [0, 0.25, 0.75, 0]
    # In dataset 1 record 2 cannot be in c; its other value is a.
    assert told.probabilities(2).tolist() == [0, 0, 1, 0]
    assert told.probabilities(0).tolist() == [0.5, 0.5, 0, 0]


def test_selection_when_no_released_value_is_possible():
    selection = {"town": OneOf([{"a", "b"}, {"a"}, {"c"}])}
    scenario = ReleasedInformation(selection=selection)
    found = {attack(people("aac"), "cac", scenario=scenario, rng=s).probabilities(0)[0] for s in range(30)}
    assert found == {0.0, 0.5}  # a or b by chance


def test_selection_of_intervals():
    true = pd.DataFrame({"x": [5.0, 20.0]})
    scenario = ReleasedInformation(selection={"x": Interval([0.0, 10.0], [10.0, 30.0])})
    release = true.assign(x=[12.0, 9.0])
    risk = intruder_risk(
        true, release, Intruder(known=[], synthesized=["x"], radius=5.0, radius_kind="absolute"), scenario=scenario
    )
    assert risk.match_probabilities().toarray().tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0]]
    told = intruder_risk(
        true, release, Intruder(known=[], synthesized=["x"], radius=5.5, radius_kind="absolute"), scenario=scenario
    )
    assert told.probabilities(0).tolist() == [0.5, 0.5, 0]  # both were moved to 10


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"town": OneOf([{"b"}, {"b"}])}, r"selection\['town'\]: excludes the true value of 1 of 2 records"),
        ({"sex": OneOf([{"f"}, {"f"}])}, r"selection\['sex'\]: is not synthesized"),
        ({"town": Interval(0, 1)}, "not numeric"),
    ],
)
def test_selections_that_cannot_be(selection, message):
    with pytest.raises(InputError, match=message):
        attack(people("ab"), "ab", scenario=ReleasedInformation(selection=selection))


# arguments and the result


@every(
    ("options", "message"),
    [
        ({"draws": 0}, "draws=0"),
        ({"threshold": 1.0}, "threshold=1.0"),
        ({"released": "models"}, "models: required with released='models'"),
        ({"models": 3}, "models: not allowed with released="),
        ({"in_file": False, "weights": [1], "population": [1]}, "either weights or population"),
        ({"released": "models", "models": 3, "strategy": "mode"}, 'strategy="mode": requires released="nothing"'),
        ({"released": "models", "models": 3, "draws": "exact", "parameters": "drawn"}, "parameters='fixed'"),
        ({"knowledge": {}}, "knowledge: must be a mapping"),
        ({"knowledge": {"town": {1, 2}}}, r"knowledge\['town'\]: must be an Interval or a OneOf, got set"),
        ({"selection": {"a": OneOf({1: {1}})}}, r"selection\['a'\]: pass OneOf a list"),
    ],
)
def test_scenarios_that_cannot_be(options, message):
    with pytest.raises(InputError, match=message):
        ask(intruder_risk, people("ab"), people("ab"), known=["sex"], synthesized=["town"], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"in_file": False, "weights": [1.0]}, r"weights: must have shape \(2,\)"),
        ({"in_file": False, "population": [3.0]}, r"population: must have shape \(2,\)"),
        ({"in_file": False, "population": pd.Series([1], pd.Index(["a"], name="town"))}, "population: its index"),
        ({"scenario": "nothing"}, "scenario: must be a ReleasedInformation, got str"),
    ],
)
def test_scenarios_that_do_not_fit_the_data(options, message):
    with pytest.raises(InputError, match=message):
        attack(people("ab"), "ab", **options)


def test_n_t_must_be_the_same_for_targets_of_whom_the_same_is_known():
    with pytest.raises(InputError, match="population: N_t must be equal"):
        attack(people("aa"), "aa", in_file=False, population=[3.0, 4.0])
    cells = pd.MultiIndex.from_tuples([("f", "a")], names=["sex", "town"])
    with pytest.raises(InputError, match="population: counts must be finite"):
        attack(people("aa"), "aa", in_file=False, population=pd.Series([-1.0], cells))


@every(
    ("change", "message"),
    [
        ({"known": ["age"]}, "known: 'age' not in confidential"),
        ({"radius": 1.0}, "radius=1: no synthesized variable looks continuous"),
        ({"targets": [5]}, "targets: row positions of confidential must lie"),
    ],
)
def test_arguments_that_cannot_be(change, message):
    options = {"known": ["sex"], "synthesized": ["town"], **change}
    with pytest.raises(InputError, match=message):
        ask(intruder_risk, people("ab"), people("ab"), **options)


def test_missing_values_are_an_error():
    with pytest.raises(MissingValueError, match="column 'town' has 1 missing"):
        attack(people(["a", None]), ["a", "b"])


def test_targets_are_a_subset_and_the_others_still_compete():
    risk = attack(people("aabc"), "abbc", "aacb", targets=[3, 0])
    assert risk.targets.tolist() == [3, 0]
    assert risk.largest.tolist() == [0.5, 0.75]
    assert measures(risk) == (2, 1.5, 1)
    with pytest.raises(InputError, match="target=1: is not among the targets"):
        risk.probabilities(1)


def test_names_with_spaces_and_codes_of_any_kind():
    true = pd.DataFrame({"home town `x`": pd.Categorical([1, 1, 2]), "a b": [True, True, False]})
    risk = intruder_risk(true, true, Intruder(known=["a b"], synthesized=["home town `x`"]))
    assert measures(risk) == (3, 2.0, 1)


def test_known_variables_alone_find_who_is_alone_in_them():
    true = pd.DataFrame({"sex": ["f", "m", "m"], "town": list("aab")})
    risk = intruder_risk(true, [true], Intruder(known=["sex"], synthesized=["town"]))
    assert risk.known_only == 1.0 + 0.5 + 0.5


def test_a_variable_that_the_release_lacks():
    true = pd.DataFrame({"sex": ["f", "m", "m"], "town": list("aab")})
    with pytest.raises(InputError, match="known and synthesized: .*town.* synthetic dataset 1"):
        intruder_risk(true, [true.drop(columns="town")], Intruder(known=["sex"], synthesized=["town"]))


def test_a_column_keeps_its_categories_where_they_are_all_meant():
    towns = pd.Series(pd.Categorical(["a", "b"]))
    assert wide_dtype(towns, ["a", "b"]) == towns.dtype
    assert wide_dtype(towns, ["a", "c"]) is object


@pytest.mark.parametrize(
    ("radius", "kind", "warned"), [(500.0, "relative", True), (1.0, "relative", False), (500.0, "absolute", False)]
)
def test_a_relative_radius_above_one_gives_a_warning(radius, kind, warned):
    true = pd.DataFrame({"x": [1000.0, 2000.0], "day": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    someone = Intruder(known=[], synthesized=["x", "day"], radius={"x": radius, "day": 30}, radius_kind=kind)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        intruder_risk(true, true, someone)
    assert [w.category for w in caught if w.category is WideRadiusWarning] == [WideRadiusWarning] * warned
