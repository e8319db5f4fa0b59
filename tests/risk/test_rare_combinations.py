"""Joint rules of the selection (Reiter and Mitra 2009, end of section 2.2), against enumeration of all possible files."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk import OneOf, RareCombinations, ReleasedInformation, intruder_risk
from synthlab.risk.posterior.rare_combinations import JointSelection

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
TOWNS = list("abc")


def rule_holds(rule, frame, mask):
    """The definition, by counting."""
    cells = [tuple(row) for row in frame[list(rule.variables)].itertuples(index=False)]
    for own, selected in zip(cells, mask, strict=True):
        if selected and cells.count(own) > rule.at_most:
            return False
        if selected and rule.every and own in [c for c, other in zip(cells, mask, strict=True) if not other]:
            return False
    return True


def all_files(frame, mask, rule, probability):
    """Return the probability of every file that satisfies the rule, by town of the selected records."""
    found = {}
    rows = np.flatnonzero(mask)
    for towns in product(TOWNS, repeat=rows.size):
        values = frame["town"].tolist()
        for i, town in zip(rows, towns, strict=True):
            values[i] = town
        if rule_holds(rule, frame.assign(town=values), mask):
            found[tuple(values)] = np.prod([probability[i, TOWNS.index(values[i])] for i in rows])
    total = sum(found.values())
    return {values: p / total for values, p in found.items()}


CASES = {
    "all unique, as tight as possible": (list("fff"), list("abc"), None, 1, False),
    "all unique among two sexes": (list("ffmm"), list("abca"), None, 1, False),
    "at most two": (list("fffff"), list("aabbc"), None, 2, False),
    "unique beside unselected records": (list("fffff"), list("abccc"), [0, 1], 1, False),
    "every unique record was selected": (list("ffffmm"), list("abccaa"), [0, 1], 1, True),
}


@pytest.mark.parametrize(
    ("names", "draws"), [(["every unique record was selected"], 120), pytest.param(CASES, 400, marks=pytest.mark.full)]
)
def test_the_sampler_draws_from_the_distribution_of_all_files_that_satisfy_the_rule(names, draws):
    rng = np.random.default_rng(1)
    for name in names:
        sex, town, selected, at_most, every = CASES[name]
        frame = pd.DataFrame({"sex": sex, "town": town})
        probability = rng.dirichlet(np.full(3, 2.0), len(frame))
        rule = RareCombinations(["sex", "town"], at_most=at_most, selected=selected, every=every)
        mask = rule.mask(len(frame))
        assert rule_holds(rule, frame, mask)
        joint = JointSelection.of(rule, frame, ["sex", "town"], np.arange(len(frame)))
        expected = all_files(frame, mask, rule, probability)

        def propose(rows, frame=frame, probability=probability):
            place = (rng.random((rows.size, 1)) > probability[rows].cumsum(axis=1)).sum(axis=1)
            towns = np.array(TOWNS)[np.minimum(place, 2)]
            return frame.iloc[rows].reset_index(drop=True).assign(town=towns)

        seen = [tuple(joint.sample(frame, propose, rng)["town"]) for _ in range(draws)]
        assert set(seen) <= set(expected), name
        for values, p in expected.items():
            assert abs(seen.count(values) / draws - p) < 4.5 * np.sqrt(p * (1 - p) / draws) + 1e-9, (name, values)


@pytest.mark.parametrize(("draws", "error"), [(50, 0.24), pytest.param(200, 0.12, marks=pytest.mark.full)])
def test_match_probabilities_with_released_models_against_enumeration(draws, error):
    true = pd.DataFrame({"sex": list("ffffmm"), "town": list("abccaa")})
    model = sl.DirichletMultinomial(["town"], given=["sex"], pseudocount=1.0)
    fitted = model.fit(true, rng=1)
    release = fitted.generate(m=2, rng=2)
    selected = np.array([True, True, False, False, False, False])
    release = [one.assign(town=one["town"].where(selected, true["town"])) for one in release]
    rule = RareCombinations(["sex", "town"], at_most=1, selected=selected)
    someone = sl.Intruder(known=["sex"], synthesized=["town"])
    told = ReleasedInformation(released="everything", models=fitted, selection=rule)
    risk = intruder_risk(true, release, someone, scenario=told, draws=draws, rng=3)
    pooled = fitted.pooled(draws=None, rng=np.random.default_rng(0))
    levels = pd.DataFrame({"town": TOWNS})
    probability = pooled.probability_of(true, levels, 0)
    files = all_files(true, selected, rule, probability)
    expected = np.zeros((6, 6))
    for values, p in files.items():
        for i in range(6):
            same = (true["sex"] == true["sex"][i]).to_numpy()
            agree = same & (np.array(values) == true["town"][i])
            use = agree if agree.any() else same
            expected[i] += p * use / use.sum()
    np.testing.assert_allclose(risk.match_probabilities().toarray()[:, :6], expected, atol=error)
    # The women of town c were not selected: nobody else can be there, and the women of a and b exclude each other.
    assert set(files) == {("a", "b", "c", "c", "a", "a"), ("b", "a", "c", "c", "a", "a")}


def test_without_models_the_datasets_that_break_the_rule_are_eliminated():
    true = pd.DataFrame({"sex": list("fff"), "town": list("abc")})
    release = [true.assign(town=list(z)) for z in ("aab", "bac", "ccc", "cab")]
    someone = sl.Intruder(known=["sex"], synthesized=["town"])
    told = ReleasedInformation(selection=RareCombinations(["sex", "town"]))
    risk = intruder_risk(true, release, someone, scenario=told)
    kept = intruder_risk(true, [release[1], release[3]], someone)
    np.testing.assert_array_equal(risk.match_probabilities().toarray(), kept.match_probabilities().toarray())
    with pytest.raises(InputError, match="no synthetic dataset satisfies the rule"):
        intruder_risk(true, release[:1], someone, scenario=told)


def test_a_rule_beside_admissible_values_and_fewer_released_records():
    true = pd.DataFrame({"sex": list("ffff"), "town": list("abcd")})
    fitted = sl.DirichletMultinomial(["town"], pseudocount=1.0).fit(true, rng=1)
    sets = OneOf([{"a", "b"}, {"a", "b"}, {"b", "c"}, {"d"}])
    told = ReleasedInformation(
        released="everything", models=fitted, selection=[{"town": sets}, RareCombinations(["town"])]
    )
    someone = sl.Intruder(known=["sex"], synthesized=["town"])
    part = true.iloc[[0, 1, 2]]
    risk = intruder_risk(true, part, someone, scenario=told, draws=100, rng=1, rows=[0, 1, 2])
    found = risk.match_probabilities().toarray()[:, :3]
    # Records 1 and 2 have a and b in one of two orders, so that record 3 must have c.
    np.testing.assert_array_equal(found[2], [0, 0, 1])
    np.testing.assert_allclose(found[0], [0.5, 0.5, 0], atol=0.2)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_what_is_refused():
    true = pd.DataFrame({"sex": list("ffmm"), "town": list("aabc")})
    someone = sl.Intruder(known=["sex"], synthesized=["town"])

    def attack(*selection, **options):
        selection = selection[0] if len(selection) == 1 else list(selection)
        return intruder_risk(true, true, someone, scenario=ReleasedInformation(selection=selection), **options)

    rule = RareCombinations(["sex", "town"])
    wrong = {
        "selects 2 records with more frequent": rule,
        "omits 1 records with combinations that are as rare": RareCombinations(["sex", "town"], 1, [2], True),
        "is neither in known nor in synthesized": RareCombinations(["age"]),
        "selected: ": RareCombinations(["sex", "town"], selected=[7]),
    }
    for message, one in wrong.items():
        with pytest.raises(InputError, match=message):
            attack(one)
    with pytest.raises(InputError, match="one mapping and one RareCombinations"):
        attack(rule, rule)
    for arguments in ({"at_most": 0}, {"variables": []}, {"every": 2}, {"selected": ["x"]}):
        with pytest.raises(InputError, match=next(iter(arguments))):
            RareCombinations(**{"variables": ["sex"], **arguments})
    impossible = sl.DirichletMultinomial(["town"], pseudocount=1.0).fit(true.iloc[:2], rng=1)
    two = pd.DataFrame({"sex": ["f", "f"], "town": ["a", "b"]})
    told = ReleasedInformation(released="everything", models=impossible, selection=RareCombinations(["town"]))
    with pytest.raises(InputError, match="no simulated dataset satisfies the rule"):
        intruder_risk(two, two, someone, scenario=told, draws=2, rng=1)
