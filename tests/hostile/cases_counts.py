"""Tables of counts, their families of distributions, and differential privacy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import synthlab.counts as slc
from synthlab import dp
from tests.hostile.bases import Case, counts, people

PARAMETERS: dict[str, dict[str, float]] = {
    "GAF": {"mu": 3.0, "sigma": 0.5, "nu": 0.5},
    "NBI": {"mu": 3.0, "sigma": 0.5},
    "PIG": {"mu": 3.0, "sigma": 0.5},
    "Delaporte": {"mu": 3.0, "sigma": 0.5, "nu": 0.5},
    "Sichel": {"mu": 3.0, "sigma": 0.5, "nu": 0.5},
    "GeneralizedPoisson": {"mu": 3.0, "sigma": 0.5},
    "Poisson": {"mu": 3.0},
    "LaplaceCount": {"mu": 3.0, "epsilon": 1.0, "sensitivity": 1.0},
    "Discretized": {"mu": 3.0, "sigma": 0.5, "nu": 0.5, "W": "lognormal"},
    "GammaFamily": {"mu": 3.0, "sigma": 0.5, "nu": 0.5},
}
FEW = ("PIG", "Delaporte", "Sichel", "GeneralizedPoisson", "LaplaceCount", "Discretized")
ARGUMENTS: dict[str, dict[str, Any]] = {
    **{name: {"y": np.array([0, 1, 4])} for name in ("pmf", "logpmf", "cdf", "sf")},
    "ppf": {"p": np.array([0.1, 0.9])},
    "isf": {"q": np.array([0.1, 0.9])},
    "from_uniform": {"u": np.array([0.1, 0.9])},
    "rvs": {"size": (3,), "rng": 1},
    "at": {"mu": np.array([1.0, 2.0])},
}
CONTINUOUS = {
    **{name: {"w": np.array([0.5, 1.0, 4.0])} for name in ("pdf", "logpdf", "cdf", "sf")},
    **{name: ARGUMENTS[name] for name in ("ppf", "isf", "from_uniform", "rvs")},
}


def _of_family(kind: str, method: str) -> Callable[..., Any]:
    def call(**arguments: Any) -> Any:
        made = getattr(slc, kind)(**PARAMETERS[kind])
        return getattr(made, method)(**arguments)

    return call


def _family(kind: str) -> Callable[..., Any]:
    """Return what makes a family and asks it for all it knows."""

    def call(**parameters: Any) -> Any:
        made = getattr(slc, kind)(**parameters)
        density = made.pdf if kind == "GammaFamily" else made.pmf
        return [density(np.array([1, 2])), made.mean, made.var, made.ppf(0.5), made.rvs(rng=1)]

    return call


def _families() -> list[Case]:
    cases = [Case(kind, _family(kind), lambda p=p: dict(p), few=kind in FEW) for kind, p in PARAMETERS.items()]
    for kind in PARAMETERS:
        for method, arguments in (CONTINUOUS if kind == "GammaFamily" else ARGUMENTS).items():
            covers = (f"{kind}.{method}", *((f"CountFamily.{method}",) if kind == "GAF" else ()))
            cases.append(Case(f"{kind}.{method}", _of_family(kind, method), lambda a=arguments: dict(a), covers=covers))
    return cases


def _loose(**others: Any) -> dict[str, Any]:
    return {
        "table": counts(),
        "family": slc.NBI(sigma=0.5),
        "pseudocount": 0.01,
        "zeros_to_ones": 0.0,
        "structural_zeros": None,
        **others,
    }


def _table(method: str, **base: Any) -> Case:
    return Case(f"Table.{method}", lambda **a: getattr(counts(), method)(**a), lambda: dict(base))


def _promise(**others: Any) -> dict[str, Any]:
    return {
        "family": slc.NBI(sigma=0.5),
        "largest": 3,
        "pseudocount": 0.5,
        "smoothing": "empty",
        "zeros_to_ones": 0.1,
        "adjacency": "add-remove",
        **others,
    }


def _promise_drawn(**options: Any) -> tuple[str, str, list[str]]:
    """Return what a figure of a promise says, and close it."""
    ax = slc.count_delta(slc.Poisson(), [0.5, 1.0, 2.0], pseudocount=3, smoothing="every").plot(**options)
    said = ax.get_title(), ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    plt.close(ax.figure)
    return said


TABLES = [
    Case(
        "Table",
        slc.Table,
        lambda: {"variables": ["a"], "levels": [["x", "y"]], "cells": np.array([0, 1]), "counts": np.array([2, 3])},
    ),
    Case(
        "Table.from_frame",
        slc.Table.from_frame,
        lambda: {"frame": people(), "variables": ["sex", "works"], "levels": {"sex": ["f", "m"]}, "count": "children"},
        aliases={"frame": ("column",)},
    ),
    Case("Table.from_counts", slc.Table.from_counts, lambda: {"counts": np.array([1, 2]), "levels": {"a": ["x", "y"]}}),
    _table("with_counts", cells=np.array([0, 1]), counts=np.array([2, 3])),
    _table("at", cells=np.array([0, 1])),
    _table("size_summary", largest=3),
    _table("marginal", variables=["age"]),
    _table("to_frame", zeros=False, count="number"),
    _table("microdata", rng=1),
    _table("select", where={"sex": "F"}),
    _table("level_positions", where={"sex": "F"}),
    _table("positions", variables=["age"]),
    Case("expected_loss", slc.expected_loss, lambda: _loose(m=2)),
    Case("expected_tau", slc.expected_tau, lambda: _loose(k=np.array([1, 2]), d=0)),
    Case("ExpectedTau.standard_errors", lambda m: slc.expected_tau(**_loose(k=1)).standard_errors(m), lambda: {"m": 2}),
    Case(
        "fit_log_linear",
        slc.fit_log_linear,
        lambda: {
            "table": counts(),
            "model": "sex + age",
            "structural_zeros": None,
            "method": "auto",
            "tolerance": 1e-8,
            "max_iterations": 100,
        },
    ),
    Case(
        "frontier",
        slc.frontier,
        lambda: {
            **{k: v for k, v in _loose(k=1, m=1).items() if k != "family"},
            "families": [slc.NBI(sigma=0.5), slc.NBI(sigma=1.0)],
        },
    ),
    Case("mse_utility", slc.mse_utility, lambda: {"mse": np.array([0.0, 1.0])}),
    Case("size_transitions", slc.size_transitions, lambda: {"confidential": counts(), "synthetic": counts()}),
    Case("squared_loss", slc.squared_loss, lambda: {"confidential": counts(), "synthetic": counts()}),
    Case(
        "synthesize_table",
        slc.synthesize_table,
        lambda: _loose(model="saturated", m=2, rng=1, progress=False),
    ),
    Case(
        "synthesize_table (margins)",
        slc.synthesize_table,
        lambda: {"table": counts(), "family": slc.Poisson(), "fixed_margins": [[]], "m": 2, "rng": 1},
    ),
    Case(
        "SynthesizedTables.microdata",
        lambda **a: slc.synthesize_table(counts(), slc.NBI(sigma=0.5), rng=1).microdata(**a),
        lambda: {"dataset": 1, "rng": 1},
    ),
    Case("tau", slc.tau, lambda: {"confidential": counts(), "synthetic": counts(), "k": np.array([1, 2]), "d": 0}),
    Case("count_delta", slc.count_delta, lambda: _promise(epsilon=np.array([0.5, 1.0]))),
    Case("count_epsilon", slc.count_epsilon, lambda: _promise(delta=0.1)),
    Case("CountPrivacy.plot", _promise_drawn, lambda: {"ax": None, "records": 1000}),
    Case("total_within", slc.total_within, lambda: _loose(d=5.0, where={"sex": "M"})),
    Case(
        "tune",
        slc.tune,
        lambda: _loose(target=("tau3", 1, 0.2), over="sigma", between=(0.1, 5.0), m=1),
    ),
]


def noisy_count(ages: Any, rng: Any) -> float:
    """Return a mechanism's answer."""
    return len(ages) + float(rng.laplace(0, 1.0))


def _query(**others: Any) -> dict[str, Any]:
    return {
        "confidential": np.array([1.0, 2.0, 3.0, 7.0]),
        "epsilon": 1.0,
        "adjacency": "add-remove",
        "budget": dp.Budget(50.0),
        "level": 0.9,
        "query": "q",
        "rng": 1,
        **others,
    }


def _choice(**others: Any) -> dict[str, Any]:
    return {k: v for k, v in _query(**others).items() if k != "level"}


def _laplace(method: str, **base: Any) -> Case:
    return Case(
        f"LaplaceMechanism.{method}", lambda **a: getattr(dp.LaplaceMechanism(1.0), method)(**a), lambda: dict(base)
    )


def _exponential(method: str, **base: Any) -> Case:
    return Case(
        f"ExponentialMechanism.{method}",
        lambda **a: getattr(dp.ExponentialMechanism(1.0), method)(**a),
        lambda: dict(base),
    )


def _shape(mechanism: Any, answer: Any) -> tuple[int, ...]:
    return mechanism.add_noise(answer).shape


def _answer() -> dict[str, Any]:
    return {"answer": np.array([1.0, 2.0])}


BOUNDS = {"low": 0.0, "high": 10.0}
WORDS = ["a", "b", "a", "c"]
PRIVACY = [
    Case("Budget", dp.Budget, lambda: {"total": 1.0, "adjacency": "add-remove"}),
    Case("Budget.spend", lambda **a: dp.Budget(1.0).spend(**a), lambda: {"epsilon": 0.5, "what": "query"}),
    Case(
        "Budget.parallel",
        lambda **a: dp.Budget(1.0).parallel(**a),
        lambda: {"parts": {"n": np.array([True, False]), "s": np.array([False, True])}, "what": "parts"},
    ),
    Case(
        "ExponentialMechanism",
        lambda **a: dp.ExponentialMechanism(**a).probabilities([3, 2, 0]),
        lambda: {"epsilon": 1.0, "sensitivity": 1.0, "monotone": False},
    ),
    _exponential("choose", utility=np.array([3.0, 2.0, 0.0]), base=np.array([1.0, 2.0, 3.0]), rng=1),
    _exponential("probabilities", utility=np.array([3.0, 2.0, 0.0]), base=np.array([1.0, 2.0, 3.0])),
    Case("LaplaceMechanism", lambda **a: dp.LaplaceMechanism(**a).scale, lambda: {"epsilon": 1.0, "sensitivity": 1.0}),
    _laplace("add_noise", answer=np.array([1.0, 2.0]), rng=1, sampler="numpy"),
    _laplace("density", released=np.array([1.0, 2.0]), answer=1.5),
    _laplace("log_ratio", released=1.0, answer=1.5, other=2.0),
    _laplace("margin", level=0.9),
    Case(
        "are_neighbors",
        dp.are_neighbors,
        lambda: {"database": WORDS, "neighbor": WORDS[:3], "adjacency": "add-remove"},
    ),
    Case(
        "audit_epsilon",
        dp.audit_epsilon,
        lambda: {
            "mechanism": noisy_count,
            "database": [1, 2],
            "neighbor": [1],
            "epsilon": 1.0,
            "delta": 0.01,
            "adjacency": "add-remove",
            "runs": 200,
            "level": 0.9,
            "rng": 1,
        },
    ),
    Case(
        "epsilon_lower_bound",
        dp.epsilon_lower_bound,
        lambda: {
            "outputs": np.linspace(0.0, 2.0, 40),
            "outputs_without": np.linspace(-1.0, 1.0, 40),
            "epsilon": 1.0,
            "delta": 0.01,
            "adjacency": "add-remove",
            "level": 0.9,
            "rng": 1,
        },
    ),
    Case("count_sensitivity", dp.count_sensitivity, lambda: {"adjacency": "replace"}),
    Case("histogram_sensitivity", dp.histogram_sensitivity, lambda: {"adjacency": "replace"}),
    Case("sum_sensitivity", dp.sum_sensitivity, lambda: {**BOUNDS, "adjacency": "replace"}),
    Case("mean_sensitivity", dp.mean_sensitivity, lambda: {**BOUNDS, "n": 12}),
    Case("dirichlet_epsilon", dp.dirichlet_epsilon, lambda: {"pseudocount": 1.0, "n_synthetic": 100}),
    Case("minimum_pseudocount", dp.minimum_pseudocount, lambda: {"epsilon": 1.0, "n_synthetic": 100}),
    Case(
        "largest_change",
        dp.largest_change,
        lambda: {"query": lambda rows: len(rows), "database": [0, 3], "domain": [0, 1, 3], "adjacency": "add-remove"},
    ),
    Case(
        "neighbors",
        lambda **a: list(dp.neighbors(**a)),
        lambda: {"database": [0, 3], "domain": [0, 1, 3], "adjacency": "add-remove"},
    ),
    Case(
        "private_count", dp.private_count, lambda: _query(confidential=np.array([True, False, True]), sampler="numpy")
    ),
    Case(
        "private_histogram",
        dp.private_histogram,
        lambda: _query(confidential=WORDS, categories=["a", "b", "c"], edges=None, other=None, sampler="numpy"),
    ),
    Case(
        "private_histogram (edges)",
        dp.private_histogram,
        lambda: _query(edges=np.array([0.0, 5.0, 10.0]), sampler="numpy"),
    ),
    Case("private_mean", dp.private_mean, lambda: _query(**BOUNDS, missing=1.0)),
    Case(
        "private_mode", dp.private_mode, lambda: _choice(confidential=WORDS, categories=["a", "b", "c"], other="rest")
    ),
    Case("private_quantile", dp.private_quantile, lambda: _choice(**BOUNDS, q=0.5, step=1.0, missing=1.0)),
    Case(
        "quantile_probabilities",
        dp.quantile_probabilities,
        lambda: {
            "confidential": np.array([1.0, 2.0, 3.0]),
            "q": 0.5,
            **BOUNDS,
            "epsilon": 1.0,
            "step": 1.0,
            "missing": 1.0,
            "adjacency": "add-remove",
        },
    ),
    Case(
        "ChoiceProbabilities.probability_within",
        lambda **a: dp.quantile_probabilities([1, 2, 3], epsilon=1.0, **BOUNDS).probability_within(**a),
        lambda: {"low": 1.0, "high": 3.0},
    ),
    Case(
        "private_table",
        dp.private_table,
        lambda: {
            "confidential": people()[["sex", "works"]],
            "levels": {"sex": ["f", "m"], "works": ["n", "y"]},
            "n_synthetic": 10,
            "epsilon": 5.0,
            "other": {"sex": "rest"},
            "m": 2,
            "adjacency": "add-remove",
            "budget": dp.Budget(50.0),
            "query": "q",
            "rng": 1,
        },
    ),
    Case(
        "private_pmse_table",
        dp.private_pmse_table,
        lambda: {
            "confidential": people()[["sex", "works"]],
            "levels": {"sex": ["f", "m"], "works": ["n", "y"]},
            "n_synthetic": 10,
            "epsilon": 5.0,
            "other": {"sex": "rest"},
            "m": 2,
            "adjacency": "add-remove",
            "budget": dp.Budget(50.0),
            "query": "q",
            "rng": 1,
        },
    ),
    Case(
        "private_ks_table",
        dp.private_ks_table,
        lambda: {
            "confidential": people()[["sex", "works"]],
            "levels": {"sex": ["f", "m"]},
            "n_synthetic": 10,
            "epsilon": 5.0,
            "other": {"sex": "rest"},
            "m": 2,
            "budget": dp.Budget(50.0, adjacency="replace"),
            "query": "q",
            "rng": 1,
        },
    ),
    *(
        Case(
            function.__name__,
            function,
            lambda first=first: {**first, "n_synthetic": 10, "expected": np.array([1.0, 2.0]), "adjacency": "replace"},
        )
        for function, first in (
            (dp.poisson_gamma_epsilon, {"strength": np.array([2.0, 3.0])}),
            (dp.minimum_prior_strength, {"epsilon": 2.0}),
        )
    ),
    Case(
        "private_poisson_gamma_table",
        dp.private_poisson_gamma_table,
        lambda: {
            "confidential": people()[["sex", "works"]],
            "levels": {"sex": ["f", "m"]},
            "expected": [3.0, 4.0, 1.0],
            "n_synthetic": 10,
            "epsilon": 5.0,
            "other": {"sex": "rest"},
            "m": 2,
            "adjacency": "replace",
            "budget": dp.Budget(50.0, adjacency="replace"),
            "query": "q",
            "rng": 1,
        },
    ),
    Case("compose", dp.compose, lambda: {"releases": [dp.Loss(0.5)], "delta": 1e-6}),
    Case(
        "Loss",
        dp.Loss,
        lambda: {"epsilon": 0.5, "delta": 1e-6, "rho": None, "what": "release", "adjacency": "add-remove"},
    ),
    # What OpenDP draws has no seed: of it the shape is looked at.
    Case("GaussianMechanism", dp.GaussianMechanism, lambda: {"epsilon": 1.0, "delta": 1e-6, "sensitivity": 1.0}),
    Case("GaussianMechanism.add_noise", lambda answer: _shape(dp.GaussianMechanism(1.0, 1e-6), answer), _answer),
    Case(
        "GeometricMechanism", lambda **a: dp.GeometricMechanism(**a).scale, lambda: {"epsilon": 1.0, "sensitivity": 1}
    ),
    Case("GeometricMechanism.add_noise", lambda answer: _shape(dp.GeometricMechanism(1.0), answer), _answer),
    Case(
        "randomized_response",
        lambda **a: dp.randomized_response(**a).codes.size,
        lambda: {
            "confidential": WORDS,
            "categories": ["a", "b", "c"],
            "epsilon": 1.0,
            "other": "rest",
            "budget": dp.Budget(50.0, adjacency="replace"),
            "query": "q",
        },
    ),
    Case(
        "PrivateTableResult.prior_share",
        lambda n: dp.private_table(
            people()[["sex"]], levels={"sex": ["f", "m"]}, n_synthetic=10, epsilon=5.0, rng=1
        ).prior_share(n),
        lambda: {"n": 12},
    ),
]

CASES = [*_families(), *TABLES, *PRIVACY]
