"""Controls of every explorer: figures follow values, and errors and warnings become messages."""

from __future__ import annotations

import sys

import ipywidgets
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import synthlab as sl
import synthlab.counts as slc
from synthlab._warnings import warn
from synthlab.exceptions import InputError, SynthlabError, UndefinedStatisticWarning
from synthlab.plots.style import figure_with_description
from synthlab.teaching import widgets
from synthlab.teaching.widgets import Agency
from synthlab.teaching.widgets._interactive import explorer
from tests.loops import every
from tests.teaching.widgets.drawn import outside


@pytest.fixture
def shown(monkeypatch):
    """Return a list that receives the text of every displayed figure and message."""
    texts: list[str] = []

    def display(content, **options):
        texts.append(content["text/html"] if options.get("raw") else content.description)

    monkeypatch.setattr("IPython.display.display", display)
    return texts


def draw(share, kind):
    if share == 66:
        raise InputError("share=66: must not be <66>")
    if share == 77:
        raise ZeroDivisionError
    if share == 55:
        warn("the share is undefined", UndefinedStatisticWarning)
    return figure_with_description(Figure().add_subplot(), f"share {share} of kind {kind}")


@pytest.mark.filterwarnings("default::synthlab.exceptions.UndefinedStatisticWarning")
def test_the_figure_follows_the_values_and_errors_and_warnings_are_messages(shown):
    controls = {"share": ipywidgets.IntText(20), "kind": ipywidgets.Dropdown(options={"one": 1, "two": 2})}
    view = explorer(draw, **controls)
    assert view.children[:2] == tuple(controls.values())
    controls["kind"].value = 2
    for share in (66, 55, 30, 55):
        controls["share"].value = share
    warning = '<p role="alert">the share is undefined</p>'
    assert shown == [
        "share 20 of kind 1",
        "share 20 of kind 2",
        '<p role="alert">share=66: must not be &lt;66&gt;</p>',
        "share 55 of kind 2",
        warning,
        "share 30 of kind 2",
        "share 55 of kind 2",
        warning,
    ]
    with pytest.raises(ZeroDivisionError):
        controls["share"].value = 77


def _explorers():
    """Return a call of each explorer, and the values of its controls with the figure that they must show."""
    rng = np.random.default_rng(3)
    n = 100
    people = pd.DataFrame(
        {"region": rng.choice(list("ab"), n), "sex": rng.choice(list("fm"), n), "income": rng.lognormal(3, 1, n)}
    )
    people["spending"] = people["income"] * rng.lognormal(0, 0.3, n)
    people.attrs["synthlab"] = {"kind": "simulated"}
    shuffled = [people.assign(income=rng.permutation(people["income"])) for _ in range(3)]
    answers = sl.analysis_utility(people, shuffled, formula="spending ~ income")
    agency = Agency(people, known=["sex"], models={"region": sl.DirichletMultinomial(["region"], given=["sex"])})
    table = slc.Table.from_counts([0, 0, 1, 1, 5, 20], {"age": range(6)})
    betty = widgets.BETTY["not near herself"]
    risk = {"synthesized": "income", "radius": 0.5}
    ratio = {"variables": ["income", "spending"], "order": 2, "share": 0.3}
    return {
        "combined_interval": (
            lambda: widgets.combined_interval_explorer(answers, labels={"Intercept": "start", "income": "slope"}, m=2),
            {"name": "income", "m": 3},
            lambda: widgets.combined_interval_figure(answers, name="income", m=3, label="slope"),
        ),
        "laplace_noise": (
            widgets.laplace_noise_explorer,
            {"count": 100, "epsilon": 0.5, "released": 99.0},
            lambda: widgets.laplace_noise_figure(count=100, epsilon=0.5, released=99.0),
        ),
        "match_risk": (
            lambda: widgets.match_risk_explorer(
                people, shuffled, choices={"region": ["region"], "none": []}, synthesized="income"
            ),
            {"label": "none", "radius": 0.5},
            lambda: widgets.match_risk_figure(people, shuffled, known=[], **risk),
        ),
        "one_record": (
            widgets.one_record_explorer,
            {"case": "not near herself", "true_value": 52.0, "radius": 12.0, "own": 55.0},
            lambda: widgets.one_record_figure([55.0, *betty[1:]], true_value=52.0, radius=12.0),
        ),
        "pmse": (
            lambda: widgets.pmse_explorer(
                people, {"same": [people] * 2, "shuffled": shuffled}, variables=ratio["variables"]
            ),
            {"label": "shuffled", "order": 2, "share": 0.3},
            lambda: widgets.pmse_figure(people, shuffled, **ratio),
        ),
        "three_knobs": (
            lambda: widgets.three_knobs_explorer(agency),
            {"released": "everything", "m": 3, "synthesized": ("region",)},
            lambda: widgets.three_knobs_figure(agency, released="everything", m=3, synthesized=["region"]),
        ),
        "two_dials": (
            lambda: widgets.two_dials_explorer(table),
            {"sigma": 1.5, "nu": 0.5, "percent": 10.0},
            lambda: widgets.two_dials_figure(table, sigma=1.5, nu=0.5, zeros_to_ones=0.1),
        ),
        "unique_records": (
            lambda: widgets.unique_records_explorer(people, variables=["sex", "region"], known=["sex"]),
            {"sex": False, "region": True},
            lambda: widgets.unique_records_figure(people, known=["region"]),
        ),
    }


@pytest.fixture(scope="module")
def explorers():
    return _explorers()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
@every("name", [name.removesuffix("_explorer") for name in widgets.__all__ if name.endswith("_explorer")])
def test_an_explorer_shows_the_figure_of_the_values_of_its_controls(explorers, shown, name):
    call, values, figure = explorers[name]
    *controls, _ = call().children
    assert all(control.description for control in controls)
    for control, value in zip(controls, values.values(), strict=True):
        control.value = value
    assert shown[-1] == figure().description != shown[0]


def test_a_selected_case_sets_the_own_value(shown):
    case, _, _, own, _ = widgets.one_record_explorer().children
    case.value = "not near herself"
    assert own.value == 77.0
    assert "x 0 = 0.000" in shown[-1]


def test_a_value_that_is_not_allowed_is_explained(shown):
    _, epsilon, *_ = widgets.laplace_noise_explorer().children
    epsilon.value = -7.0
    assert shown[-1].startswith('<p role="alert">epsilon=0')


def test_initial_values_are_in_the_lists_and_are_checked():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0], "y": [1.0, 3.0, 3.0, 9.0]})
    options = {"choices": {"none": []}, "synthesized": "x"}
    _, radius, _ = widgets.match_risk_explorer(frame, frame, **options, radius=0.07).children
    assert dict(radius.options)["7%"] == radius.value == 0.07
    wrong = {
        "radius": lambda: widgets.match_risk_explorer(frame, frame, **options, radius=0.0),
        "choices": lambda: widgets.match_risk_explorer(frame, frame, choices={}, synthesized="x"),
        "releases": lambda: widgets.pmse_explorer(frame, {}, variables=["x"]),
        "share": lambda: widgets.pmse_explorer(frame, {"a": frame}, variables=["x"], share=2.0),
        "order": lambda: widgets.pmse_explorer(frame, {"a": frame}, variables=["x"], order=3),
        "cases": lambda: widgets.one_record_explorer({}),
        "synthetic": lambda: widgets.one_record_explorer({"a": [1.0, 2.0], "b": ["c"]}),
        "epsilon": lambda: widgets.laplace_noise_explorer(epsilon=-1.0),
        "known": lambda: widgets.unique_records_explorer(frame, variables=["x"], known=["y"]),
    }
    for argument, call in wrong.items():
        with pytest.raises(InputError, match=argument):
            call()


def test_without_ipywidgets_the_error_says_how_to_install_it(explorers, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    for call, *_ in explorers.values():
        with pytest.raises(SynthlabError, match="pip install .*ipywidgets"):
            call()


def test_outside_finds_markers_and_texts_outside_of_a_panel():
    figure = Figure()
    ax = figure.add_subplot()
    ax.plot([0, 1], [0, 1], "o")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    assert outside(figure) == []
    ax.set_xlim(0, 0.9)
    assert outside(figure) == ["marker o"]
    ax.set_xlim(0, 1)
    ax.text(0.95, 0.5, "words that stick out")
    assert outside(figure) == ["'words that stick out'"]
    ax.texts[0].remove()
    ax.annotate("far away", (2.0, 0.5), xycoords="axes fraction")
    assert outside(figure) == ["'far away'"]
