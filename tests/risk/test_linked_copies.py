"""Shuffled datasets linked by their unsynthesized values, against enumeration of all matchings."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RowAlignmentError
from synthlab.risk import OneOf, ReleasedInformation, intruder_risk

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
TRUE = pd.DataFrame({"sex": list("ffffmm"), "job": list("xxxyzz"), "town": list("aabcab")})
TOWNS = ["abbcab", "aacbba", "babcaa"]
RELEASE = [TRUE.assign(town=list(towns)) for towns in TOWNS]
WHO = sl.Intruder(known=["sex"], synthesized=["town"])


def shuffle(frames, seed):
    rng = np.random.default_rng(seed)
    return [frame.iloc[rng.permutation(len(frame))] for frame in frames]


def matchings(frame, links):
    """Return all orders of the rows that keep the values of the links."""
    groups = list(frame.groupby(links).indices.values())
    for parts in product(*(permutations(group) for group in groups)):
        order = np.arange(len(frame))
        for group, part in zip(groups, parts, strict=True):
            order[group] = part
        yield order


def measures(risk):
    return risk.perceived_match_risk(), risk.expected_match_risk, risk.true_match_risk


def test_unique_links_give_the_result_of_the_known_order():
    numbered = [frame.assign(size=range(6)) for frame in (TRUE, *RELEASE)]
    for options in ({}, {"strategy": "mode"}, {"threshold": 0.5, "may_decline": True}):
        aligned = intruder_risk(numbered[0], numbered[1:], WHO, rng=1, **options)
        for seed in range(3):
            linked = intruder_risk(numbered[0], shuffle(numbered[1:], seed), WHO, rng=1, links=["size"], **options)
            expected = aligned.match_probabilities().toarray()
            np.testing.assert_allclose(linked.match_probabilities().toarray(), expected, atol=1e-15)
            assert measures(linked) == measures(aligned)
            assert linked.classes is None
            assert linked.contains_true.dtype == bool
    model = sl.DirichletMultinomial(["town"], given=["job"])
    told = ReleasedInformation(released="models", models=model)
    aligned = intruder_risk(numbered[0], numbered[1:], WHO, scenario=told, draws=20, rng=1)
    linked = intruder_risk(
        numbered[0], shuffle(numbered[1:], 1), WHO, scenario=told, draws=20, rng=1, links=["job", "size"]
    )
    np.testing.assert_array_equal(linked.match_count, aligned.match_count)


def test_shared_links_give_the_mean_over_all_matchings():
    links = ["sex", "job"]
    linked = intruder_risk(TRUE, shuffle(RELEASE, 5), WHO, links=["job"])
    orders = list(matchings(TRUE, links))
    assert len(orders) == 12
    # The order of the first dataset only gives its rows their numbers; every order of the others is equally likely.
    first = reordered(RELEASE[0], linked, links)
    expected, own = np.zeros((6, 7)), 0.0
    for one, two in product(orders, orders):
        again = [first, RELEASE[1].iloc[one], RELEASE[2].iloc[two]]
        again = [frame.reset_index(drop=True) for frame in again]
        expected += intruder_risk(TRUE, again, WHO).match_probabilities().toarray() / len(orders) ** 2
    found = linked.match_probabilities().toarray()
    np.testing.assert_allclose(found, expected, atol=1e-12)
    top = found[:, :6] >= found[:, :6].max(axis=1, keepdims=True) * (1 - 1e-9)
    for order in orders:  # the unknown order of the first dataset: whose record is row order[i]?
        own += np.array([top[i, order[i]] / top[i].sum() for i in range(6)]) / len(orders)
    np.testing.assert_allclose(linked.record_match_risk, own, atol=1e-12)
    assert linked.expected_match_risk == pytest.approx(own.sum())
    alone = (top.sum(axis=1) == 1)[:, None] * top
    unique = np.mean([[alone[i, order[i]] for i in range(6)] for order in orders], axis=0)
    np.testing.assert_allclose(linked.unique_true, unique, atol=1e-12)
    assert linked.true_match_risk == pytest.approx(unique.sum())
    truth = np.mean([[found[i, order[i]] for i in range(6)] for order in orders], axis=0)
    np.testing.assert_allclose(linked.true_probability, truth, atol=1e-12)


def reordered(frame, risk, links):
    """Return the first dataset with its rows in the order that the result uses: match probabilities name its rows."""
    shuffled = shuffle(RELEASE, 5)[0]
    groups, own = shuffled.groupby(links).indices, TRUE.groupby(links).indices
    order = np.empty(len(frame), dtype=int)
    for key, rows in own.items():
        order[rows] = groups[key]
    return shuffled.iloc[order]


def test_the_measures_do_not_depend_on_the_order_of_the_rows():
    found = {measures(intruder_risk(TRUE, shuffle(RELEASE, seed), WHO, links=["job"])) for seed in range(8)}
    assert {tuple(np.round(one, 12)) for one in found} == {tuple(np.round(next(iter(found)), 12))}
    published = sl.Release(RELEASE, rows="aligned").shuffled()
    risk = intruder_risk(TRUE, published, WHO, links=["job"])
    assert tuple(np.round(measures(risk), 12)) in {tuple(np.round(one, 12)) for one in found}
    with pytest.raises(RowAlignmentError, match="links="):
        intruder_risk(TRUE, published, WHO)


def test_modes_and_simulations_average_over_random_matchings():
    true = pd.DataFrame({"sex": list("ff"), "town": list("ab")})
    release = [true, true, true]
    # Record 1 of dataset 1 is in a. With the others matched at random, its mode is a in 3 of 4 matchings.
    risk = intruder_risk(true, release, WHO, strategy="mode", links=["sex"], draws=400, rng=1)
    # In the fourth matching (b, b) and (a, a) are the partners, and the modes are exchanged.
    np.testing.assert_allclose(risk.probabilities(0)[:2], [0.75, 0.25], atol=0.1)
    assert risk.contains_true.tolist() == [0.5, 0.5]
    fitted = sl.DirichletMultinomial(["town"], given=["sex"]).fit(true, rng=1)
    told = ReleasedInformation(released="everything", models=fitted)
    simulated = intruder_risk(true, release, WHO, scenario=told, links=["sex"], draws=50, rng=1)
    np.testing.assert_allclose(simulated.match_probabilities().sum(axis=1), 1)


def test_what_is_refused():
    with pytest.raises(RowAlignmentError, match="cannot link the records"):
        intruder_risk(TRUE, [*RELEASE, RELEASE[0].assign(job=list("xxyyzz"))], WHO, links=["job"])
    for options in (
        {"rows": range(6)},
        {"scenario": ReleasedInformation(selection={"town": OneOf([{t} for t in TRUE["town"]])})},
        {"links": ["pay"]},
        {"links": 5},
        {"strategy": "mode", "draws": "exact"},
    ):
        with pytest.raises(InputError, match="links|draws"):
            intruder_risk(TRUE, RELEASE, WHO, **{"links": ["job"], **options})
    outside = replace(WHO, in_file=False, weights=[1.0, 2, 3, 4, 5, 6])
    with pytest.raises(InputError, match="weights: differ"):
        intruder_risk(TRUE, RELEASE, outside, links=["job"])
    weighted = [frame.assign(w=[1.0, 2, 3, 4, 5, 6]) for frame in (TRUE, *RELEASE)]
    linked = intruder_risk(weighted[0], weighted[1:], outside, links=["w"])
    aligned = intruder_risk(weighted[0], weighted[1:], outside)
    np.testing.assert_array_equal(linked.largest, aligned.largest)
