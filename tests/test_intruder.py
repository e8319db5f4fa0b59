"""The intruder checks itself without data, says itself in words, and is refused by name where an option has no use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from tests.asking import ask
from tests.loops import every

SOMEONE = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})
PEOPLE = pd.DataFrame({"region": list("NNNSSS"), "sex": list("fmfmfm"), "income": [10.0, 20.0, 40.0, 15.0, 30.0, 30.0]})
RELEASED = PEOPLE.assign(income=[11.0, 33.0, 41.0, 16.0, 30.0, 31.0])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"radius": {"income": 0.2}},
            "The intruder knows region and the true income; a record matches with income within 0.2 x |income| "
            "(closed intervals).",
        ),
        (
            {"radius": 5, "radius_kind": "absolute", "boundary": "open"},
            "The intruder knows region and the true income; a record matches with measurements within 5 (open intervals).",
        ),
        (
            {"known": [], "synthesized": ["sex"]},
            "The intruder knows nothing and the true sex; a record matches with every variable equal.",
        ),
        (
            {"radius": 2.0, "radius_kind": "absolute", "norm": "mahalanobis", "in_file": False, "weights": [1.0]},
            "The intruder knows region and the true income; a record matches with measurements within 2 (closed ball) by "
            "Mahalanobis distance. The target need not be in the file; N_t comes from survey weights.",
        ),
        (
            {"radius": {"income": [0.1, 0.5]}, "knowledge": {"region": sl.OneOf({"N": {"N"}})}},
            "The intruder knows region and the true income; a record matches with income within 0.1 x |income| or 0.5 x "
            "|income| (closed intervals). Of region the intruder knows less than the value.",
        ),
    ],
)
def test_it_says_itself_in_words(options: dict[str, Any], sentence: str) -> None:
    assert str(sl.Intruder(**{"known": ["region"], "synthesized": ["income"], **options})) == sentence


@every(
    ("change", "message"),
    [
        ({"known": [3]}, "known: must be a list of column names, which are text"),
        ({"synthesized": []}, "synthesized=.*: must name at least one column"),
        ({"synthesized": ["region"]}, "known and synthesized overlap in 'region'"),
        ({"radius": -0.1}, "radius=-0.1: must be a finite number"),
        ({"radius": {"income": float("nan")}}, r"radius\['income'\]=nan: must be a finite number"),
        ({"radius": {"age": 0.1}}, "radius: 'age' is neither in known nor in synthesized"),
        ({"radius": {"income": [0.5, 0.1]}}, r"radius\['income'\].*: must be half-widths in increasing order"),
        ({"radius_kind": "share"}, "radius_kind='share': must be one of"),
        ({"boundary": "half"}, "boundary='half': must be one of"),
        ({"norm": "city block"}, "norm='city block': must be one of 'box', 'euclidean', 'mahalanobis'"),
        ({"norm": "mahalanobis"}, 'norm="mahalanobis": requires one number'),
        ({"norm": "euclidean", "convention": "irc"}, 'norm="euclidean": convention="irc" requires norm="box"'),
        ({"missing": "drop"}, "missing='drop': must be one of"),
        ({"convention": "r"}, "convention='r': must be one of"),
        ({"targets": 3}, "targets: must be a non-empty list of row positions"),
        ({"targets": [0.5]}, "targets: must be ints or a boolean mask"),
        ({"knowledge": {"age": sl.Interval(0, 1)}}, "knowledge: 'age' is neither in known nor in synthesized"),
        ({"in_file": False}, "in_file=False: requires N_t"),
        ({"weights": [1.0]}, "weights: counts people outside the file"),
    ],
)
def test_it_checks_itself_without_data(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sl.Intruder(**{"known": ["region"], "synthesized": ["income"], **change})


def test_it_does_not_change() -> None:
    targets = np.array([1, 2])
    one = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2}, targets=targets)
    targets[0] = 5
    assert one.targets.tolist() == [1, 2]
    with pytest.raises(FrozenInstanceError):
        one.norm = "euclidean"
    with pytest.raises(TypeError):
        one.radius["income"] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        one.targets[0] = 3


MEASURES: dict[str, Callable[..., Any]] = {
    "identification_risk": sl.identification_risk,
    "identification_probability": sl.identification_probability,
    "expected_identification_probability": sl.expected_identification_probability,
    "intruder_risk": sl.intruder_risk,
    "cap": lambda *data, **options: sl.cap(*data, target="income", **options),
    "linkage_risk": sl.linkage_risk,
    "risk_weights": lambda confidential, _, intruder: sl.risk_weights(confidential, intruder),
    "evaluate": sl.evaluate,
    "compare": lambda confidential, synthetic, intruder: sl.compare(confidential, {"one": synthetic}, intruder),
}
MATCHING = {"boundary", "missing", "convention", "targets"}
USES = {
    "identification_risk": MATCHING,
    "identification_probability": {"boundary", "missing"},
    "expected_identification_probability": {"boundary", "missing"},
    "intruder_risk": {"missing", "targets", "knowledge", "in_file"},
    "cap": {"boundary", "missing", "targets"},
    "linkage_risk": {"missing"},
    "risk_weights": {"boundary", "missing"},
    "evaluate": MATCHING,
    "compare": MATCHING,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "boundary": {"boundary": "open"},
    "missing": {"missing": "category"},
    "convention": {"convention": "irc"},
    "targets": {"targets": [0, 1]},
    "knowledge": {"knowledge": {"region": sl.OneOf({"N": {"N", "S"}, "S": {"S"}})}},
    "in_file": {"in_file": False, "weights": np.ones(6)},
}


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@every("option", OPTIONS)
@every("name", MEASURES)
def test_an_option_without_use_is_refused_by_name(name: str, option: str) -> None:
    question = {"known": ["region"], "synthesized": ["income"], "radius": {"income": 0.2}, **OPTIONS[option]}

    refused = pytest.raises(
        InputError, match=f"^{option}=.*: {'evaluate' if name == 'compare' else name} does not use it"
    )
    if option not in USES[name]:
        with refused:
            ask(MEASURES[name], PEOPLE, RELEASED, **question)
    elif name != "expected_identification_probability":  # which needs a fit
        ask(MEASURES[name], PEOPLE, RELEASED, **question)


@every("name", [n for n in MEASURES if n != "intruder_risk"])
def test_the_mahalanobis_norm_is_for_the_posterior_alone(name: str) -> None:
    someone = sl.Intruder(
        known=["region"], synthesized=["income"], radius=1.0, radius_kind="absolute", norm="mahalanobis"
    )
    with pytest.raises(InputError, match="^norm='mahalanobis': "):
        MEASURES[name](PEOPLE, RELEASED, someone)


@every("name", MEASURES)
@every("thing", [{"known": ["region"], "synthesized": ["income"]}, None, "someone"])
def test_what_is_no_intruder_is_refused(name: str, thing: object) -> None:
    # A mapping names several intruders; then its values are none.
    got = "list" if isinstance(thing, dict) and name == "evaluate" else type(thing).__name__
    with pytest.raises(InputError, match=f"^intruder: must be an Intruder, .* got {got}"):
        MEASURES[name](PEOPLE, RELEASED, thing)


def test_several_half_widths_are_for_linkage() -> None:
    levels = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": [0.1, 0.5]})
    with pytest.raises(InputError, match=r"radius\['income'\]: must be one half-width"):
        sl.identification_risk(PEOPLE, RELEASED, levels)


def test_names_that_came_as_a_column_are_not_shown() -> None:
    someone = sl.Intruder(known=pd.Series(["Oakham"]), synthesized=["income"])
    with pytest.raises(
        InputError, match="known: 1 of 1 entries, the first at position 0, not in confidential"
    ) as caught:
        sl.identification_risk(PEOPLE, RELEASED, someone)
    assert "Oakham" not in str(caught.value)


def test_a_result_carries_the_intruder_who_has_met_the_data() -> None:
    asked = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2, convention="irc")
    met = sl.identification_risk(PEOPLE, RELEASED, asked).intruder
    assert (met.radii, met.boundary) == ({"income": 0.2}, "open")
    assert (asked.radius, asked.boundary) == (0.2, "closed")
    with pytest.raises(InputError, match="is assigned to variables only when data are given"):
        _ = asked.radii


def test_the_box_and_the_ellipsoid_of_the_posterior_are_those_of_matching() -> None:
    """With one release, the records the intruder takes for possible are those that match."""
    rng = np.random.default_rng(3)
    true = pd.DataFrame({"g": rng.integers(0, 2, 40), "x": rng.normal(50, 9, 40), "y": rng.normal(30, 5, 40)})
    release = true.assign(x=true["x"] + rng.normal(0, 3, 40), y=true["y"] + rng.normal(0, 2, 40))
    counts = {}
    for norm in ("box", "euclidean"):
        someone = sl.Intruder(known=["g"], synthesized=["x", "y"], radius={"x": 0.1, "y": 0.15}, norm=norm)
        counts[norm] = sl.identification_risk(true, release, someone).match_count[:, 0]
        posterior = sl.intruder_risk(true, release, someone, fallback=False)
        np.testing.assert_array_equal(posterior.match_count, counts[norm])
    assert (counts["box"] >= counts["euclidean"]).all()
    assert counts["box"].sum() > counts["euclidean"].sum()


def test_toml(tmp_path: Path) -> None:
    file = tmp_path / "someone.toml"
    file.write_text(
        'known = ["region", "age"]\nsynthesized = ["income"]\nradius = {income = 0.2}\nboundary = "open"\ntargets = [0, 3]\n',
        encoding="utf-8",
    )
    one = sl.Intruder.from_toml(file)
    assert (one.known, one.synthesized, dict(one.radius), one.boundary) == (
        ("region", "age"),
        ("income",),
        {"income": 0.2},
        "open",
    )
    assert one.to_dict() == {
        "known": ["region", "age"],
        "synthesized": ["income"],
        "radius": {"income": 0.2},
        "radius_kind": "relative",
        "boundary": "open",
        "norm": "box",
        "missing": "raise",
        "convention": None,
        "targets": [0, 3],
        "in_file": True,
        "unit": None,
        "unit_order": None,
    }
    assert sl.Intruder(**one.to_dict()).to_dict() == one.to_dict()
    for text, message in (
        ("known = [", "is not TOML"),
        ('known = ["region"]', "lacks synthesized"),
        (
            'known = []\nsynthesized = ["income"]\nweights = [1.0]',
            "has the unknown key 'weights'; allowed keys are known",
        ),
        ('known = []\nsynthesized = ["income"]\nradius = -1', "radius=-1: must be a finite number"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            sl.Intruder.from_toml(file)
    with pytest.raises(InputError, match="cannot be read"):
        sl.Intruder.from_toml(tmp_path / "none.toml")


def test_what_goes_with_the_data_has_no_plain_form() -> None:
    someone = sl.Intruder(known=[], synthesized=["sex"], in_file=False, weights=[1.0])
    with pytest.raises(InputError, match="weights: cannot be converted"):
        someone.to_dict()


@pytest.mark.parametrize("known", ["canton", ["canton", "income"]])
def test_a_misspelled_column_gets_a_suggestion_but_names_in_a_series_are_not_shown(known: str | list[str]) -> None:
    frame = pd.DataFrame({"kanton": ["a", "b"], "income": [1, 2], "rent": [1, 2]})
    message = r"'canton' not in confidential.*did you mean 'kanton'\?"
    with pytest.raises(InputError, match=message):
        sl.identification_risk(frame, frame, sl.Intruder(known=known, synthesized="rent", radius=1))
    with pytest.raises(InputError, match=message):
        sl.synthesize(frame, keep=known, rng=1)
    with pytest.raises(InputError, match="position 0") as error:
        sl.synthesize(frame, keep=pd.Series(["secret"]), rng=1)
    assert "secret" not in str(error.value)
