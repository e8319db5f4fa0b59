"""Synthesizers, from the specification to the release, and constraints."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab import weights
from synthlab.synthesizers.registry import DECLARATIONS, Declaration
from synthlab.units import ExactlyOne
from tests.fitted_examples import example_survey
from tests.hostile.bases import Case, fitted_mixture, fitted_shares, people

SAMPLER = {"draws": 8, "tune": 8, "chains": 1, "target_accept": 0.8, "sampler": "nutpie", "progress": False}


def _homes() -> pd.DataFrame:
    """Return households of a woman and a man."""
    frame = pd.concat([people()] * 2, ignore_index=True)
    home = np.arange(len(frame)) // 2
    return frame.assign(home=home, region=np.where(home % 2 == 0, "N", "S"), sex=["f", "m"] * len(people()))


def _pipeline(kind: Any, specification: tuple[str, ...]) -> Callable[..., Any]:
    """Return what specifies, fits and generates."""

    def call(m: Any, generate_rng: Any, **arguments: Any) -> Any:
        model = kind(**{name: arguments.pop(name) for name in specification})
        return model.fit(**arguments).generate(m, generate_rng)

    return call


def _model(kind: Any, specification: dict[str, Any], *, few: bool = False, note: str = "", **sampler: Any) -> Case:
    name = kind.__name__
    return Case(
        name + note,
        _pipeline(kind, tuple(specification)),
        lambda: {
            **specification,
            "confidential": people(),
            "weights": np.linspace(0.5, 1.0, 12),
            "design": None,
            "missing": "keep",
            "missing_codes": {"age": [-9]},
            "rng": 1,
            **sampler,
            "m": 2,
            "generate_rng": 1,
        },
        few=few,
        aliases={"generate_rng": ("rng",), "confidential": ("weights",)},
        covers=(name, f"{name}.fit"),
    )


def _example(declaration: Declaration) -> Case:
    """Return a case of a registered synthesizer with the arguments of its example."""
    kind, model = declaration.specification, declaration.example()
    specification = {field.name: getattr(model, field.name) for field in fields(model)}
    case = _model(kind, specification, few=True, **declaration.options)
    accepted = {*specification, *signature(kind.fit).parameters, *declaration.options, "m", "generate_rng"}

    def base() -> dict[str, Any]:
        arguments = {**case.base(), "confidential": example_survey(12)}
        return {name: value for name, value in arguments.items() if name in accepted}

    return replace(case, base=base)


def _nested() -> Case:
    """Return the case of the nested mixture, whose records are members of households."""
    specification = {
        "unit": "home",
        "unit_order": None,
        "unit_variables": ["region"],
        "rules": sl.UnitRules([ExactlyOne("sex", "f")]),
        "head": "household",
        "household_classes": 2,
        "member_classes": 2,
        "a": 0.25,
        "b": 0.25,
        "thin": 1,
        "constraints": [],
        "augmentation": "joint",
        "max_members": 50,
    }
    case = _model(sl.NestedDPMPM, specification, few=True, draws=8, tune=4, chains=1, progress=False)

    def base() -> dict[str, Any]:
        arguments = {**case.base(), "confidential": _homes()[["home", "region", "sex", "works"]]}
        arguments["weights"] = np.linspace(0.5, 1.0, 24)
        return {name: value for name, value in arguments.items() if not name.startswith("missing")}

    return replace(case, base=base)


def _without_case(cases: list[Case]) -> list[Declaration]:
    """Return the registered synthesizers that no case calls."""
    names = {name for case in cases for name in case.covered}
    return [declaration for declaration in DECLARATIONS if declaration.name not in names]


def _surveyed(**arguments: Any) -> Any:
    design = sl.SurveyDesign(**arguments)
    return sl.utility.survey_mean(people(), ["income"], design), design.describe()


def _drawn(function: Callable[..., Any]) -> Case:
    """Return a case of pseudo-populations."""
    specific = {"model": sl.DirichletMultinomial(["works"]), "datasets": 2} if "synthesize" in function.__name__ else {}
    base = {"confidential": people(), "design": SURVEY, "populations": 2, "population": 500, "rng": 1}
    return Case(
        function.__name__, function, lambda: {**specific, **base}, aliases={"confidential": ("weights", "strata")}
    )


def _fit(of: Callable[[], Any], method: str, **base: Any) -> Case:
    kind = "FittedDirichletMultinomial" if of is fitted_shares else "FittedFiniteMixture"
    return Case(f"{kind}.{method}", lambda **a: getattr(of(), method)(**a), lambda: dict(base))


@cache
def _fitted_mechanism() -> weights.FittedMechanism:
    synthesizer = sl.DirichletMultinomial(["works"], given=["sex"])
    return weights.PseudoPosteriorMechanism(synthesizer=synthesizer, quantile=0.95).fit(people(), rng=1)


@cache
def _saved_fit() -> Path:
    return Path(fitted_shares().save(Path(tempfile.mkdtemp()) / "fit.zip"))


def people_with_gaps() -> Any:
    return people().assign(income=lambda frame: frame["income"].mask(frame.index % 5 == 0))


FREE = {"progress": False}
SURVEY = sl.SurveyDesign(weights=np.linspace(20.0, 40.0, 12), strata="sex")
PARTS = {"weights": "age", "strata": "sex", "clusters": None, "fpc": None, "lonely": "certainty"}
CASES = [
    Case("SurveyDesign", _surveyed, lambda: dict(PARTS)),
    Case(
        "SurveyDesign.read",
        sl.SurveyDesign(strata="sex").read,
        lambda: {"frame": people(), "name": "survey"},
        aliases={"frame": ("survey", "strata")},
    ),
    Case(
        "joint_inclusion",
        weights.joint_inclusion,
        lambda: {"survey": people(), "design": sl.SurveyDesign(strata="sex", fpc=np.full(12, 40.0))},
        aliases={"survey": ("strata",)},
    ),
    Case(
        "pairwise_inclusion_weights",
        weights.pairwise_inclusion_weights,
        lambda: {"inclusion": np.array([[0.5, 0.2], [0.2, 0.5]]), "population": 4.0},
    ),
    Case(
        "synthetic_stratum_weights",
        weights.synthetic_stratum_weights,
        lambda: {
            "confidential": people(),
            "synthetic": [people()],
            "design": sl.SurveyDesign(weights="age", strata="sex"),
        },
    ),
    _drawn(sl.synthesizers.draw_pseudo_samples),
    _drawn(sl.synthesize_pseudo_populations),
    _model(sl.Resample, {"variables": ["works", "income"]}),
    _model(sl.Topcoding, {"variable": "income", "top": 40.0, "bottom": 12.0, "top_share": None, "bottom_share": None}),
    _model(sl.TopcodeImputation, {"variable": "income", "top": 20.0, "top_share": None, "method": "lognormal"}),
    _model(
        sl.CART,
        {
            "variables": ["works", "income"],
            "predictors": ["age", "sex"],
            "min_leaf": 2,
            "smoothing": "normal",
            "bootstrap": False,
            "predictors_of": None,
        },
    ),
    _model(sl.DirichletMultinomial, {"variables": ["works", "region"], "given": ["sex"], "pseudocount": 0.5}, draws=8),
    _nested(),
    _model(
        sl.DPMPM,
        {
            "variables": ["works", "region", "sex"],
            "synthesized": ["works"],
            "classes": 3,
            "membership": "released",
            "a": 0.25,
            "b": 0.25,
            "thin": 1,
            "constraints": [sl.AllowedCombinations(["works", "sex"], [("y", "f"), ("n", "f"), ("y", "m"), ("n", "m")])],
        },
        few=True,
        draws=8,
        tune=8,
        chains=1,
        progress=False,
    ),
    _model(
        sl.NormalRegression,
        {"formula": "income ~ age", "transform": "log", "bounds": (1.0, 100.0)},
        few=True,
        **SAMPLER,
    ),
    _model(sl.LogisticRegression, {"formula": "works ~ age"}, few=True, **SAMPLER),
    _model(sl.OrderedLogisticRegression, {"formula": "children ~ age"}, few=True, **SAMPLER),
    _model(sl.PoissonRegression, {"formula": "children ~ age"}, few=True, **SAMPLER),
    _model(sl.NegativeBinomial, {"formula": "children ~ 1"}, few=True, **SAMPLER),
    Case(
        "PoissonRegression.fit_clipped",
        sl.PoissonRegression("children ~ age").fit_clipped,
        lambda: {
            "confidential": people(),
            "bound": 3.0,
            "weights": np.linspace(0.5, 1.0, 12),
            "units": {"age": (40.0, 20.0)},
            "rng": 1,
            "draws": 8,
            "tune": 8,
            "chains": 1,
            "thin": 1,
        },
        few=True,
        aliases={"confidential": ("weights",), "bound": ("clip",)},
        covers=tuple(
            f"{kind}.fit_clipped"
            for kind in (
                *("FiniteMixture", "LogisticRegression", "MultinomialRegression", "NegativeBinomial"),
                *("NormalRegression", "OrderedLogisticRegression", "PoissonRegression"),
            )
        ),
    ),
    _model(
        sl.MultinomialRegression,
        {"formula": "region ~ age", "prior_scale": 1.0, "method": "laplace"},
        few=True,
        draws=8,
    ),
    _model(
        sl.TwoPart,
        {"formula": "children ~ age", "transform": "log", "amount": None, "bounds": None},
        few=True,
        **SAMPLER,
    ),
    _model(
        sl.FiniteMixture,
        {
            "formula": "income ~ age",
            "classes": 2,
            "weighting": "component",
            "transform": "log",
            "concentration": 1.0,
            "correlated": None,
            "allocation": "predictive",
            "bounds": None,
            "prior_units": "standard",
        },
        few=True,
        draws=8,
        tune=8,
        chains=1,
        progress=False,
    ),
    Case(
        "Sequential",
        _pipeline(sl.Sequential, ("models", "constraints", "max_tries")),
        lambda: {
            "models": [sl.Resample(["works"]), sl.CART(["income"], ["age"], min_leaf=2)],
            "constraints": [sl.Bounds("income", 0, 100)],
            "max_tries": 20,
            "confidential": people(),
            "weights": None,
            "design": None,
            "missing": "keep",
            "missing_codes": {"age": [-9]},
            "rng": 1,
            "m": 2,
            "generate_rng": 1,
        },
        covers=("Sequential", "Sequential.fit"),
        aliases={"generate_rng": ("rng",)},
    ),
    Case(
        "Imputed",
        sl.Imputed,
        lambda: {
            "confidential": people_with_gaps(),
            "M": 2,
            "models": {"income": sl.CART(["income"], ["age"], min_leaf=2)},
            "variables": ["age", "income", "children"],
            "missing_codes": {"children": [0]},
            "rounds": 1,
            "rng": 1,
            "sampler": {},
        },
        covers=("Imputed",),
        few=True,
    ),
    Case(
        "Imputed.synthesize",
        lambda **a: sl.Imputed(people_with_gaps(), 2, variables=["age", "income"], rounds=1, rng=1).synthesize(**a),
        lambda: {"model": sl.Resample(["income"]), "r": 2, "weights": np.linspace(0.5, 1.0, 12), "rng": 1},
        few=True,
    ),
    Case(
        "Bounds",
        lambda frame, **a: sl.Bounds(**a).holds(frame),
        lambda: {"column": "income", "low": 0.0, "high": 50.0, "public": True, "frame": people()},
        covers=("Bounds", "Bounds.holds"),
    ),
    Case(
        "AllowedCombinations",
        lambda frame, **a: sl.AllowedCombinations(**a).holds(frame),
        lambda: {"columns": ["sex", "works"], "combinations": [("f", "y"), ("m", "n")], "frame": people()},
        covers=("AllowedCombinations", "AllowedCombinations.holds"),
    ),
    Case(
        "AllowedCombinations.fitted_to",
        lambda confidential: sl.AllowedCombinations(["sex", "works"]).fitted_to(confidential).combinations,
        lambda: {"confidential": people()},
    ),
    Case(
        "ZeroUnless",
        lambda frame, **a: [sl.ZeroUnless(**a).holds(frame), sl.ZeroUnless(**a).applies(frame)],
        lambda: {"column": "children", "other": "works", "values": ["y"], "public": True, "frame": people()},
        covers=("ZeroUnless", "ZeroUnless.holds", "ZeroUnless.applies"),
    ),
    Case(
        "SumOf",
        lambda frame, **a: [sl.SumOf(**a).holds(frame), sl.SumOf(**a).sum(frame)],
        lambda: {"total": "income", "parts": ["age", "children"], "frame": people()},
        covers=("SumOf", "SumOf.holds", "SumOf.sum"),
    ),
    Case(
        "synthesize",
        sl.synthesize,
        lambda: {
            "confidential": people().astype({"sex": "category"}),
            "m": 2,
            "rng": 1,
            "models": {"income": "tree"},
            "order": ["region", "sex", "works", "age", "income", "children"],
            "keep": [],
            "identifiers": "drop",
            "constraints": [sl.Bounds("age", 18)],
            "missing": "keep",
            "missing_codes": {"age": [-8]},
            "public_levels": ["sex"],
            "design": None,
            "min_leaf": 2,
            "smooth": True,
            "n": None,
            "relations": "detect",
            "progress": False,
        },
        few=True,
        aliases={"confidential": ("models", "order", "constraints", "missing_codes", "public_levels")},
    ),
    Case(
        "plan_synthesis",
        lambda confidential, **options: sl.plan_synthesis(confidential, **options).summary(),
        lambda: {"confidential": people(), "rng": 1, "order": None, "keep": [], "identifiers": "drop", "min_leaf": 2},
        few=True,
    ),
    Case(
        "synthesize (units)",
        sl.synthesize,
        lambda: {
            "confidential": _homes(),
            "m": 1,
            "rng": 1,
            "unit": "home",
            "unit_order": ["sex"],
            "unit_variables": ["region"],
            "unit_rules": sl.UnitRules([ExactlyOne("sex", "f")]),
            "max_members": 50,
        },
        few=True,
        covers=("synthesize",),
    ),
    Case(
        "synthesize_tables",
        sl.synthesize_tables,
        lambda: {
            "tables": {
                "homes": _homes()[["home", "region"]].drop_duplicates("home"),
                "people": _homes().drop(columns="region"),
            },
            "keys": {"people": "home"},
            "m": 1,
            "n": None,
            "rng": 1,
        },
        few=True,
    ),
    Case(
        "UnitRules",
        lambda frame, unit, rules: [sl.UnitRules(rules).holds(frame, unit), sl.UnitRules(rules).broken(frame, unit)],
        lambda: {"rules": [ExactlyOne("sex", "f")], "frame": _homes(), "unit": "home"},
        covers=("UnitRules", "UnitRules.holds", "UnitRules.broken"),
    ),
    Case("Plan.from_dict", sl.Plan.from_dict, lambda: {"values": {"variables": [], "notes": []}}),
    Case(
        "Plan.of",
        sl.Plan.of,
        lambda: {"release": sl.Release(people(), provenance={"plan": {"variables": [], "notes": []}})},
    ),
    Case(
        "plug_in_normal",
        lambda **a: sl.synthesizers.plug_in_normal(**a),
        lambda: {
            "confidential": people(),
            "variable": "income",
            "given": "sex",
            "weights": np.linspace(0.5, 1.0, 12),
        },
        aliases={"confidential": ("weights", "variable")},
    ),
    *(
        case
        for of in (fitted_shares, fitted_mixture)
        for case in (
            _fit(of, "generate", m=2, rng=1, n=12),
            _fit(of, "keep_draws", kept=np.array([0, 3])),
            _fit(of, "log_density", frame=people(), as_drawn=False),
            _fit(of, "pooled", others=(), draws=None, rng=1),
        )
    ),
    Case(
        "FittedDirichletMultinomial.generate (given)",
        lambda **a: fitted_shares().generate(**a),
        lambda: {"m": 2, "rng": 1, "n": None, "given": people().drop(columns="works")},
        covers=("FittedDirichletMultinomial.generate", "FittedFiniteMixture.generate"),
        aliases={"n": ("given",)},
    ),
    Case(
        "FittedFiniteMixture.save",
        lambda **a: fitted_mixture().save(**a).exists(),
        lambda: {"path": Path(tempfile.mkdtemp()) / "fit.zip", "data": True},
    ),
    Case(
        "FittedMechanism.save",
        lambda path: _fitted_mechanism().save(path).exists(),
        lambda: {"path": Path(tempfile.mkdtemp()) / "mechanism.zip"},
    ),
    Case("load_fit", lambda path: sl.load_fit(path).generate(1, 1), lambda: {"path": _saved_fit()}),
]
CASES += [_example(declaration) for declaration in _without_case(CASES)]
