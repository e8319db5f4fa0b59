"""Risk, weights and reports."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.risk import Interval, OneOf, RareCombinations, ReleasedInformation
from synthlab.weights import (
    PseudoPosteriorMechanism,
    ScalarWeightMechanism,
    bound_by_size,
    leave_one_out_divergence,
    match_lipschitz_bound,
    reweighted,
    total_epsilon,
)
from tests.hostile.bases import Case, data, fitted_mixture, fitted_shares, log_likelihood, people, release, someone

SURVEY = sl.SurveyDesign(weights="age", strata="sex")
WHO = {"known": ("knowledge",), "fitted": ("synthesizer",)}


def _twice(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame] * 2, ignore_index=True)


def _near_copies(**others: Any) -> dict[str, Any]:
    return {
        "confidential": _twice(people()),
        "release": [_twice(one) for one in release()],
        "variables": ["region", "age", "children", "income"],
        "partial": True,
        "categorical": ["children"],
        "sample": 20,
        "rng": 1,
        **others,
    }


def _homes(copies: int = 2, **others: Any) -> dict[str, Any]:
    """Return households of one and two members."""

    def home(frame: pd.DataFrame) -> pd.DataFrame:
        frame = pd.concat([frame] * copies, ignore_index=True)
        return frame.assign(home=frame.index * 3 // 4)

    return {
        "confidential": home(people()),
        "release": [home(one) for one in release()],
        "unit": "home",
        "unit_order": ["sex", "age"],
        "variables": ["sex", "age", "children", "income"],
        **others,
    }


def _learned(**others: Any) -> dict[str, Any]:
    return {
        "confidential": pd.concat([people()] * 5, ignore_index=True),
        "release": [pd.concat([one] * 5, ignore_index=True) for one in release()],
        "synthesized": ["income"],
        **others,
    }


def _evaluation() -> Any:
    return sl.evaluate(people(), release(), someone())


def _identification() -> Any:
    return sl.identification_risk(people(), release(), someone())


def _simulated() -> Any:
    return fitted_shares().generate(2, rng=1)


def _intruder() -> Any:
    return sl.intruder_risk(people(), release(), _within_5())


def _within_5() -> sl.Intruder:
    return sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 5.0}, radius_kind="absolute")


def _linking() -> sl.Intruder:
    return sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})


def _searching() -> sl.Intruder:
    return replace(someone(), targets=[0, 3, 5])


def _file() -> Path:
    path = Path(tempfile.mkdtemp()) / "someone.toml"
    path.write_text('known = ["region"]\nsynthesized = ["income"]\nradius = 0.2\n', encoding="utf-8")
    return path


def _linked(**arguments: Any) -> Any:
    return sl.linkage_risk(**arguments)


def _spent() -> Any:
    return sl.achieved_epsilon(log_likelihood(), n=12, quantile=1.0)


def _mechanism(kind: Any, names: tuple[str, ...]) -> Any:
    def call(m: Any, generate_rng: Any, n: Any = None, **arguments: Any) -> Any:
        made = kind(**{name: arguments.pop(name) for name in names})
        return made.fit(**arguments).generate(m, generate_rng, n)

    return call


MECHANISM = (
    *("synthesizer", "scale", "shift", "quantile", "mapping"),
    *("reweight", "clip", "record_weight", "units"),
)


def _halved(record: pd.Series) -> float:
    return 0.5


def _accounted() -> Any:
    return PseudoPosteriorMechanism(synthesizer=_model(), quantile=0.9).fit(people(), rng=1, draws=10).generate(1, 1)


def _model() -> Any:
    return sl.DirichletMultinomial(["works"], given=["sex"])


def risk_and_loss(scale: float) -> tuple[float, float]:
    """Return two numbers."""
    return scale, 1.0 - scale


def bound_of(weight: float) -> float:
    """Return the bound at a weight."""
    return float(10 * weight**0.8)


QUESTION: dict[str, Any] = {
    "known": ["region", "sex"],
    "synthesized": ["income"],
    "radius": {"income": 0.2},
    "radius_kind": "relative",
    "boundary": "closed",
    "convention": None,
    "norm": "box",
    "missing": "raise",
    "targets": [0, 3, 5],
}
BELIEF: dict[str, Any] = {"known": ["region"], "synthesized": ["works"], "in_file": True}
SCENARIO: dict[str, Any] = {"released": "nothing", "models": None, "selection": None}


def _matched(**arguments: Any) -> Any:
    return sl.identification_risk(people(), release(), sl.Intruder(**arguments))


def _believed(**arguments: Any) -> Any:
    return sl.intruder_risk(people(), release(), sl.Intruder(**arguments), draws=5, rng=1)


def _as_synthetic(homes: dict[str, Any]) -> dict[str, Any]:
    return {"synthetic" if name == "release" else name: value for name, value in homes.items()}


def _matched_homes(unit: Any, unit_order: Any) -> Any:
    """Return the risk of households for an intruder with this unit."""
    homes = _homes()
    someone = sl.Intruder(
        known=["sex"], synthesized=["income"], radius={"income": 0.2}, unit=unit, unit_order=unit_order
    )
    return sl.unit_risk(homes["confidential"], homes["release"], someone)


def _at_home() -> sl.Intruder:
    return sl.Intruder(known=["sex"], synthesized=["income"], radius={"income": 0.2}, unit="home")


def _attack(**arguments: Any) -> Any:
    someone = sl.Intruder(known=["region"], synthesized=["works"])
    return sl.intruder_risk(people(), release(), someone, scenario=ReleasedInformation(**arguments), draws=5, rng=1)


def _released_models(**others: Any) -> dict[str, Any]:
    return {**SCENARIO, "released": "everything", "models": fitted_shares(), **others}


def _told() -> Any:
    someone = sl.Intruder(known=["region", "sex"], synthesized=["works"])
    return sl.attribute_disclosure(people(), release(), someone, target="works")


def _thresholds() -> dict[str, Any]:
    return {"more_than": 1, "share": 0.5}


def _counted() -> dict[str, Any]:
    return {**BELIEF, "in_file": False, "weights": np.linspace(2.0, 5.0, 12), "population": None}


def _knowing() -> dict[str, Any]:
    return {**BELIEF, "knowledge": {"region": OneOf({r: {"N", "S", "E", "W"} for r in "NSEW"})}}


def _banded() -> dict[str, Any]:
    wide = {"low": Interval(0, 49), "high": Interval(50, 1e6)}
    return {**BELIEF, "known": ["age"], "bands": {"age": wide}}


def _believed_in_bands(**arguments: Any) -> Any:
    banded = [frame.assign(age=np.where(people()["age"] < 50, "low", "high")) for frame in release()]
    return sl.intruder_risk(people(), banded, sl.Intruder(**arguments), draws=5, rng=1)


CASES = [
    Case("Intruder", _matched, lambda: dict(QUESTION)),
    Case("Intruder (unit)", _matched_homes, lambda: {"unit": "home", "unit_order": "age"}, covers=("Intruder",)),
    Case("Intruder (weights)", _believed, _counted, few=True, covers=("Intruder",)),
    Case("Intruder (knowledge)", _believed, _knowing, few=True, covers=("Intruder",)),
    Case("Intruder (bands)", _believed_in_bands, _banded, few=True, covers=("Intruder",)),
    Case("Intruder.from_toml", sl.Intruder.from_toml, lambda: {"path": _file()}),
    Case(
        "Intruder.from_table",
        sl.Intruder.from_table,
        lambda: {"table": someone().to_dict(), "name": "table"},
        few=True,
        aliases={"table": ("known", "synthesized")},
    ),
    Case("identification_risk", sl.identification_risk, lambda: data(intruder=_searching(), rows=np.arange(12))),
    Case(
        "identification_probability",
        sl.identification_probability,
        lambda: data(intruder=someone(), singletons="formula"),
    ),
    Case("IdentificationRiskResult.most_exposed", lambda k: _identification().most_exposed(k), lambda: {"k": 3}),
    Case(
        "expected_identification_probability",
        sl.expected_identification_probability,
        lambda: {
            "confidential": people(),
            "fitted": fitted_mixture(),
            "intruder": someone(),
            "draws": 5,
            "progress": False,
        },
    ),
    Case(
        "intruder_risk",
        sl.intruder_risk,
        lambda: data(
            intruder=replace(_within_5(), targets=[0, 3]),
            scenario=ReleasedInformation(),
            strategy="probability",
            parameters="fixed",
            draws=5,
            fallback=True,
            threshold=0.2,
            may_decline=False,
            sampler={"draws": 5},
            rows=np.arange(12),
            rng=1,
        ),
    ),
    Case(
        "intruder_risk (links)",
        sl.intruder_risk,
        lambda: data(intruder=_within_5(), links=["sex", "age"], draws=5, rng=1),
        few=True,
        covers=("intruder_risk",),
    ),
    Case(
        "IntruderRiskResult.perceived_match_risk",
        lambda threshold: _intruder().perceived_match_risk(threshold),
        lambda: {"threshold": 0.2},
    ),
    Case("IntruderRiskResult.probabilities", lambda target: _intruder().probabilities(target), lambda: {"target": 1}),
    Case("ReleasedInformation", _attack, lambda: dict(SCENARIO)),
    Case("ReleasedInformation (models)", _attack, _released_models, few=True),
    Case(
        "RareCombinations",
        lambda **arguments: _attack(**{**SCENARIO, "selection": RareCombinations(**arguments)}),
        lambda: {"variables": ["region", "works"], "at_most": 12, "selected": np.arange(12), "every": False},
        aliases=dict.fromkeys(("variables", "at_most", "selected"), ("selection",)),
    ),
    Case("RareCombinations.mask", lambda n: RareCombinations(["region"]).mask(n), lambda: {"n": 12}),
    Case(
        "Interval",
        lambda lower, upper, n, name: Interval(lower, upper).of(n, name),
        lambda: {"lower": np.zeros(12), "upper": np.ones(12), "n": 12, "name": "age"},
        covers=("Interval", "Interval.of"),
        aliases={"lower": ("age",), "upper": ("age",)},
    ),
    Case(
        "OneOf",
        lambda values, truth, name: OneOf(values).of(truth, name),
        lambda: {"values": {"a": {"a", "b"}, "b": {"b"}}, "truth": ["a", "b"], "name": "town"},
        covers=("OneOf", "OneOf.of"),
        aliases={"values": ("town", "OneOf"), "truth": ("OneOf",)},
    ),
    Case(
        "attribute_risk",
        sl.attribute_risk,
        lambda: {
            "confidential": people(),
            "synthetic": _simulated(),
            "fitted": fitted_shares(),
            "radius": None,
            "radius_kind": "relative",
            "grid": 3,
            "targets": [0, 3],
            "prior": "uniform",
            "datasets": "together",
            "level": 0.9,
            "progress": False,
        },
    ),
    Case(
        "guess_posterior",
        sl.guess_posterior,
        lambda: {
            "own": log_likelihood()[:, 0],
            "guesses": log_likelihood()[:, :3],
            "release": log_likelihood()[:, 1:2],
            "prior": np.array([0.2, 0.3, 0.5]),
        },
    ),
    Case(
        "cap",
        sl.cap,
        lambda: data(
            intruder=sl.Intruder(known=["region"], synthesized=["works"], targets=[0, 3, 5]),
            target="works",
            variant="cap",
            absent=None,
            threshold=1.0,
            level=0.9,
        ),
    ),
    Case(
        "linkage_risk",
        _linked,
        lambda: data(
            intruder=_linking(),
            estimate="em",
            thresholds=[0.1, 0.5],
            level=0.9,
            rng=1,
            progress=False,
        ),
        few=True,
    ),
    Case(
        "LinkageResult.by_threshold",
        lambda thresholds: _linked(**data(intruder=_linking(), rng=1, progress=False)).by_threshold(thresholds),
        lambda: {"thresholds": np.array([0.1, 0.5])},
        few=True,
    ),
    Case(
        "attack_score",
        sl.attack_score,
        lambda: {
            "confidential": people(),
            "guesses": pd.DataFrame({"record": range(6), "income": people()["income"][:6] * 1.1}),
            "target": "income",
            "record": "record",
            "radius": {"income": 0.2},
            "radius_kind": "relative",
            "boundary": "closed",
            "missing": "raise",
            "fewest": 3,
            "level": 0.9,
        },
    ),
    Case(
        "replicated_uniques",
        sl.replicated_uniques,
        lambda: data(intruder=sl.Intruder(known=["region", "age"], synthesized=["works"])),
    ),
    Case(
        "population_counts",
        sl.population_counts,
        lambda: {
            "confidential": people(),
            "variables": ["region", "sex"],
            "design": SURVEY,
            "model": "region + sex",
            "overdispersed": True,
            "missing": "raise",
        },
        aliases={"confidential": ("weights", "strata", "design")},  # a design is in the columns of the data
    ),
    Case(
        "population_counts (sizes)",
        sl.population_counts,
        lambda: {"confidential": people(), "variables": ["region", "sex"], "design": SURVEY, "model": "pitman"},
        few=True,
        covers=("population_counts",),
        aliases={"confidential": ("weights", "strata", "design")},
    ),
    Case(
        "attribute_disclosure",
        sl.attribute_disclosure,
        lambda: data(
            intruder=sl.Intruder(known=["region", "sex"], synthesized=["works"]), target="works", harmless=["n"]
        ),
    ),
    Case(
        "membership_risk",
        sl.membership_risk,
        lambda: {
            "confidential": people(),
            "synthetic": _simulated(),
            "fitted": fitted_shares(),
            "targets": [0, 3],
            "smooth": False,
        },
        aliases=WHO,
        few=True,
    ),
    Case(
        "closest_record",
        sl.closest_record,
        lambda: data(
            control=people()[["region", "income"]] * 2,
            variables=["region", "income"],
            categorical=[],
            missing="category",
        ),
    ),
    Case("AttributeDisclosureResult.check_1way", lambda **options: _told().check_1way(**options), _thresholds),
    Case("AttributeDisclosureResult.check_2way", lambda **options: _told().check_2way(**options), _thresholds),
    Case("group_numbers", sl.group_numbers, lambda: data(groups={"income": 3})),
    Case(
        "near_copies", sl.near_copies, lambda: _near_copies(control=_twice(people()), entity=np.tile(np.arange(12), 2))
    ),
    Case("planted_copies", sl.planted_copies, _near_copies),
    Case("unit_utility", sl.unit_utility, lambda: _as_synthetic(_homes(categorical=["children"], max_members=50))),
    Case(
        "UnitUtilityResult.worst",
        lambda kind: sl.unit_utility(**_as_synthetic(_homes())).worst(kind),
        lambda: {"kind": "size"},
    ),
    Case(
        "unit_risk",
        sl.unit_risk,
        lambda: {
            "confidential": _homes()["confidential"],
            "synthetic": _homes()["release"],
            "intruder": _at_home(),
            "max_members": 50,
            "corresponds": None,
        },
    ),
    Case("copied_units", sl.copied_units, lambda: _homes(partial=False, by_row=True, max_members=50)),
    Case(
        "near_units",
        sl.near_units,
        lambda: _homes(4, partial=True, by_row=True, categorical=["children"], sample=20, max_members=50),
        few=True,
    ),
    Case(
        "PlantedCopiesResult.found_from",
        lambda kind: sl.planted_copies(**_near_copies()).found_from(kind),
        lambda: {"kind": "noise"},
    ),
    Case(
        "copied_people",
        sl.copied_people,
        lambda: {
            "confidential": people(),
            "release": release(),
            "variables": ["region", "age", "income"],
            "partial": False,
            "control": people()[["region", "age", "income"]] * 2,
            "entity": np.arange(12),
            "categorical": ["age"],
        },
    ),
    Case(
        "learned_attack",
        sl.learned_attack,
        lambda: _learned(known=["region", "age"], radius={"income": 0.1}, rng=1),
        few=True,
    ),
    *(
        Case(
            f"LearnedAttackResult.{name}",
            lambda column, name=name: getattr(sl.learned_attack(**_learned()), name)(column),
            lambda: {"column": "income"},
            few=True,
        )
        for name in ("sentence", "within")
    ),
    Case(
        "identifying_values",
        sl.identifying_values,
        lambda: {
            "confidential": people(),
            "release": release(),
            "variables": ["region", "age", "children", "income"],
            "identifiers": ["age"],
            "amounts": ["income"],
            "design": ["region"],
            "control": people()[["region", "age", "children", "income"]] * 2,
            "entity": np.arange(12),
        },
    ),
    Case("column_differences", sl.column_differences, lambda: data(variables=["age", "income"], categorical=["age"])),
    Case("chosen_variables_risk", sl.chosen_variables_risk, lambda: data(intruder=_searching())),
    Case("exact_copies", sl.exact_copies, lambda: data(variables=["region", "income"], missing="category")),
    Case(
        "evaluate",
        sl.evaluate,
        lambda: data(
            intruder=_searching(),
            singletons="formula",
            rows="aligned",
            variables=["sex", "income"],
            categorical=[],
            max_members=50,
            model="logistic",
            predict="income",
            limits={"best_intruder": 0.5},
            control=people().assign(income=0.5),
            fitted=None,
            design=None,
            progress=False,
            rng=1,
        ),
        few=True,
    ),
    Case(
        "evaluate (units)",
        lambda unit, unit_order: sl.evaluate(
            _homes()["confidential"], _homes()["release"], _searching(), unit=unit, unit_order=unit_order, rng=1
        ),
        lambda: {"unit": "home", "unit_order": ["sex", "age"]},
        few=True,
        covers=("evaluate",),
    ),
    Case(
        "compare",
        sl.compare,
        lambda: {
            "confidential": people(),
            "releases": {"near": release()},
            "intruder": someone(),
            "rng": 1,
        },
        few=True,
    ),
    Case(
        "EvaluationResult.to_html",
        lambda **a: _evaluation().to_html(**a),
        lambda: {
            "title": "Report",
            "show_values": False,
            "publish": False,
            "date": "today",
            "dossier": {"purpose": "x"},
        },
        few=True,
    ),
    Case(
        "EvaluationResult.to_dict",
        lambda publish: _evaluation().to_dict(publish=publish),
        lambda: {"publish": True},
        few=True,
    ),
    Case(
        "EvaluationResult.save",
        lambda path: _evaluation().save(path),
        lambda: {"path": "build/hostile/report.json"},
        few=True,
    ),
    Case(
        "risk_weights",
        sl.risk_weights,
        lambda: {
            "confidential": people(),
            "intruder": someone(),
            "order": 1,
            "scale": 0.9,
            "shift": 0.1,
            "singletons": "formula",
            "progress": False,
        },
    ),
    Case(
        "scale_and_shift",
        sl.scale_and_shift,
        lambda: {"weights": np.linspace(0.1, 0.9, 12), "scale": 0.8, "shift": 0.1, "first": "scale"},
    ),
    Case(
        "whack_a_mole",
        sl.whack_a_mole,
        lambda: {
            "before": np.array([0.1, 0.2, 0.6, 0.9]),
            "after": np.array([0.5, 0.3, 0.1, 0.2]),
            "threshold": 0.3,
            "limit": 0.5,
            "null": np.array([0.2, 0.5, 0.6, 0.8]),
            "expected_before": np.array([0.1, 0.2, 0.6, 0.9]),
            "expected_after": np.array([0.5, 0.3, 0.1, 0.2]),
        },
    ),
    Case(
        "policy_frontier",
        sl.policy_frontier,
        lambda: {
            "evaluate": risk_and_loss,
            "settings": {"scale": [1.0, 0.5]},
            "limit": 0.6,
            "risk_name": "IR",
            "loss_name": "U",
            "progress": False,
        },
    ),
    Case(
        "lipschitz_weights",
        sl.lipschitz_weights,
        lambda: {
            "log_likelihood": log_likelihood(),
            "n": 12,
            "quantile": 0.8,
            "scale": 0.9,
            "shift": 0.05,
            "mapping": "range",
            "progress": False,
        },
    ),
    Case(
        "lipschitz_weights (blocks)",
        sl.lipschitz_weights,
        lambda: {"log_likelihood": lambda: iter([log_likelihood()]), "n": 12, "quantile": 0.8},
        covers=("lipschitz_weights",),
    ),
    Case(
        "achieved_epsilon",
        sl.achieved_epsilon,
        lambda: {
            "log_likelihood": log_likelihood(),
            "weights": np.linspace(0.1, 0.9, 12),
            "n": 12,
            "quantile": 0.8,
            "m": 2,
            "progress": False,
        },
    ),
    Case(
        "EpsilonResult.for_datasets",
        lambda m: _spent().for_datasets(m),
        lambda: {"m": 2},
        covers=("EpsilonResult.for_datasets", "ClippedEpsilon.for_datasets"),
    ),
    Case(
        "reweighted",
        reweighted,
        lambda: {"weights": np.linspace(0.1, 0.9, 12), "sensitivity": np.linspace(1.0, 3.0, 12), "share": 0.9},
    ),
    Case("total_epsilon", total_epsilon, lambda: {"releases": [_accounted(), _accounted()]}),
    Case(
        "leave_one_out_divergence",
        leave_one_out_divergence,
        lambda: {"contributions": np.random.default_rng(1).normal(-2, 0.1, (200, 12)), "n": 12},
    ),
    Case(
        "bound_by_size",
        bound_by_size,
        lambda: {
            "mechanism": PseudoPosteriorMechanism(synthesizer=_model(), quantile=0.9),
            "data": people(),
            "sizes": [8, 12],
            "files": 2,
            "rng": 1,
            "progress": False,
            "draws": 10,
        },
        aliases={"data": ("sizes", "confidential", "mapping", "weights"), "sizes": ("data", "mapping")},
        few=True,
    ),
    Case(
        "exponential_mechanism_weight",
        sl.exponential_mechanism_weight,
        lambda: {"target_epsilon": 8.0, "lipschitz_bound": 16.0},
    ),
    Case(
        "match_lipschitz_bound",
        match_lipschitz_bound,
        lambda: {"bound_of": bound_of, "target": 4.0, "start": 0.4, "tolerance": 0.01, "max_fits": 12},
    ),
    Case(
        "PseudoPosteriorMechanism",
        _mechanism(PseudoPosteriorMechanism, MECHANISM),
        lambda: {
            "synthesizer": _model(),
            "scale": 0.9,
            "shift": 0.05,
            "quantile": 0.9,
            "mapping": "range",
            "reweight": None,
            "clip": None,
            "record_weight": None,
            "units": None,
            "confidential": people(),
            "rng": 1,
            "unweighted": None,
            "draws": 10,
            "m": 2,
            "generate_rng": 1,
            "n": None,
        },
        covers=("PseudoPosteriorMechanism", "PseudoPosteriorMechanism.fit", "FittedMechanism.generate"),
        aliases={"generate_rng": ("rng",), "clip": ("synthesizer", "reweight")},
    ),
    Case(
        "PseudoPosteriorMechanism (clipped)",
        _mechanism(PseudoPosteriorMechanism, MECHANISM),
        lambda: {
            "synthesizer": sl.PoissonRegression("children ~ 1"),
            "scale": 0.9,
            "shift": 0.05,
            "quantile": None,
            "mapping": "range",
            "reweight": None,
            "clip": 4.0,
            "record_weight": _halved,
            "units": {},
            "confidential": people(),
            "rng": 1,
            "unweighted": None,
            "draws": 8,
            "tune": 8,
            "chains": 1,
            "thin": 1,
            "m": 2,
            "generate_rng": 1,
        },
        covers=("PseudoPosteriorMechanism", "PseudoPosteriorMechanism.fit", "FittedMechanism.generate"),
        aliases={
            "generate_rng": ("rng",),
            "synthesizer": ("clip",),
            "confidential": ("formula",),
            "clip": ("record_weight", "units"),
        },
        few=True,
    ),
    Case(
        "ScalarWeightMechanism",
        _mechanism(
            ScalarWeightMechanism, ("synthesizer", "lipschitz_bound", "quantile", "tolerance", "max_fits", "start")
        ),
        lambda: {
            "synthesizer": _model(),
            "lipschitz_bound": 2.0,
            "quantile": 0.9,
            "tolerance": 0.05,
            "max_fits": 5,
            "start": 0.5,
            "confidential": people(),
            "rng": 1,
            "unweighted": None,
            "draws": 10,
            "m": 2,
            "generate_rng": 1,
        },
        covers=("ScalarWeightMechanism", "ScalarWeightMechanism.fit"),
        aliases={"generate_rng": ("rng",)},
        few=True,
    ),
]
