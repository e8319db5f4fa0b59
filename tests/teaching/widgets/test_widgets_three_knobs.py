"""The three knobs: what they show is `intruder_risk` of the release they describe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._warnings import warn
from synthlab.exceptions import ApproximationWarning, InputError
from synthlab.risk import ReleasedInformation, intruder_risk
from synthlab.synthesizers.sequential import FittedSequential
from synthlab.teaching.widgets import Agency, three_knobs, three_knobs_figure
from synthlab.teaching.widgets.agency import FittedOnce
from tests.teaching.widgets.drawn import outside


@pytest.fixture(scope="module")
def agency():
    rng = np.random.default_rng(3)
    n = 120
    sex = rng.choice(["f", "m"], n)
    town = np.where(rng.random(n) < 0.7, np.where(sex == "f", "a", "b"), rng.choice(list("cd"), n))
    frame = pd.DataFrame({"sex": sex, "town": town, "sick": rng.choice(["no", "yes"], n, p=[0.8, 0.2])})
    frame.attrs["synthlab"] = {"kind": "simulated"}
    models = {
        "town": sl.DirichletMultinomial(["town"], given=["sex"]),
        "sick": sl.DirichletMultinomial(["sick"], given=["sex"]),
    }
    return Agency(frame, known=["sex"], models=models, sampler={"draws": 50, "chains": 1})


def test_nothing_released_is_the_plain_attack(agency):
    risk = three_knobs(agency, m=4)
    plain = intruder_risk(
        agency.frame, agency.release(4, ["town", "sick"]), sl.Intruder(known=["sex"], synthesized=["town", "sick"])
    )
    assert risk.expected_match_risk == plain.expected_match_risk
    assert risk.m == 4


def test_what_is_not_synthesized_is_known(agency):
    both, town = three_knobs(agency), three_knobs(agency, synthesized=["town"])
    assert (town.intruder.known, town.intruder.synthesized) == (("sex", "sick"), ("town",))
    assert town.known_only > both.known_only
    assert both.baseline.count.tolist() == town.baseline.count.tolist()
    assert three_knobs(agency, synthesized=["sick", "town"]).intruder.synthesized == ("town", "sick")


def test_everything_released_does_not_depend_on_m(agency):
    few, many = (three_knobs(agency, released="everything", m=m) for m in (1, 6))
    assert few.attack.draws == "exact"
    np.testing.assert_allclose(few.largest, many.largest)


def test_datasets_of_a_small_m_are_the_first_of_a_large_one(agency):
    few, many = (agency.release(m, ["town"]) for m in (2, 5))
    assert few[1].equals(many[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"released": "all"}, "released='all'"),
        ({"m": 0}, "m=0"),
        ({"m": 21}, "m=21"),
        ({"synthesized": ["sex"]}, "no model for 'sex'"),
        ({"synthesized": []}, "synthesized"),
    ],
)
def test_knobs_where_they_cannot_be(agency, options, message):
    with pytest.raises(InputError, match=message):
        three_knobs(agency, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"known": ["town"]}, "overlap"),
        ({"known": ["age"]}, "known: 'age' not in frame"),
        ({"models": {}}, "models"),
        ({"models": {"town": 3}}, r"models\['town'\]: 3 is not a synthesizer"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_agencies_that_cannot_be(agency, change, message):
    options = {"frame": agency.frame, "known": agency.known, "models": agency.models, **change}
    with pytest.raises(InputError, match=message):
        Agency(**options)


def test_the_figure_says_the_numbers(agency):
    figure = three_knobs_figure(agency, released="everything", m=3, synthesized=["town"])
    risk = three_knobs(agency, released="everything", m=3, synthesized=["town"])
    assert f"Expected matches among 120 people: {risk.expected_match_risk:.1f}." in figure.description
    assert "Released: the models and their posterior; m = 3; synthesized: town." in figure.description


@pytest.mark.parametrize("names", [("town",), ("town", "sick")])
def test_the_intruder_fits_each_dataset_once_and_finds_what_was_found(agency, monkeypatch, names):
    fresh, fitted, drawn = replace(agency, fits={}, releases={}, forms={}), [], []
    fit, generate = sl.Sequential.fit, FittedSequential.generate
    monkeypatch.setattr(sl.Sequential, "fit", lambda *a, **k: fitted.append(1) or fit(*a, **k))
    monkeypatch.setattr(FittedSequential, "generate", lambda *a, **k: drawn.append(1) or generate(*a, **k))
    plain = ReleasedInformation(released="models", models=sl.Sequential([agency.models[c] for c in names]))
    someone = sl.Intruder(known=["sex", *(c for c in agency.models if c not in names)], synthesized=names)
    for m in (1, 4, 20, 4, 1):
        turned = three_knobs(fresh, released="models", m=m, synthesized=names)
        before = len(fitted)
        same = intruder_risk(
            agency.frame,
            fresh.fitted(names).generate(m, rng=agency.seed),
            someone,
            scenario=plain,
            draws="exact",
            sampler=agency.sampler,
            rng=agency.seed,
        )
        assert len(fitted) - before == m
        del fitted[before:], drawn[1:]
        np.testing.assert_array_equal(turned.largest, same.largest)
        assert turned.attack.scenario.released == "models"
    assert (len(fitted), len(drawn)) == (1 + 20, 1)


def test_a_category_that_few_datasets_hold_is_a_category_of_every_fit():
    few = pd.DataFrame({"sex": list("fm") * 30, "town": ["a", "b"] * 29 + ["c", "d"]})
    one = Agency(few, known=["sex"], models={"town": sl.DirichletMultinomial(["town"])}, sampler={"draws": 30})
    held = [set(frame["town"]) for frame in one.release(20, ["town"])]
    assert len({len(towns) for towns in held}) > 1
    plain = ReleasedInformation(released="models", models=sl.Sequential([one.models["town"]]))
    someone = sl.Intruder(known=["sex"], synthesized=["town"])
    for m in (20, 3, 1):
        turned = three_knobs(one, released="models", m=m)
        same = intruder_risk(
            few, one.release(m, ["town"]), someone, scenario=plain, draws="exact", sampler=one.sampler, rng=one.seed
        )
        np.testing.assert_array_equal(turned.largest, same.largest)


def test_a_release_of_a_few_datasets_is_the_one_that_would_be_drawn(agency):
    drawn, kept = agency.fitted(["town"]).generate(3, rng=agency.seed), agency.release(3, ["town"])
    assert all(one.equals(other) for one, other in zip(drawn, kept, strict=True))
    assert (dict(drawn.provenance), dict(drawn.private)) == (dict(kept.provenance), dict(kept.private))
    assert (drawn.rows, drawn.synthesized) == (kept.rows, kept.synthesized)


def test_a_fit_that_is_kept_warns_each_time(agency):
    class Doubtful:
        def fit(self, confidential, *, rng):
            warn("rough", ApproximationWarning)
            return len(confidential)

    form, streams = FittedOnce(Doubtful()), np.random.default_rng(1).spawn(2)
    for _ in range(2):
        with pytest.warns(ApproximationWarning, match="rough"):
            assert form.fit(agency.frame, rng=streams[0]) == len(agency.frame)
    with pytest.warns(ApproximationWarning):
        form.fit(agency.frame, rng=streams[1])
    assert len(form.fits) == 2


def test_everything_stays_inside_at_the_ends_of_the_boxes(agency):
    for released, m in (("nothing", 1), ("nothing", 20), ("everything", 20)):
        assert outside(three_knobs_figure(agency, released=released, m=m).figure) == []
