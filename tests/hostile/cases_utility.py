"""Utility, the release itself, and the data sets."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import synthlab as sl
from synthlab import datasets
from synthlab.synthesizers import autocorrelation, diagnose_chains
from tests.hostile.bases import Case, data, people, release


def mean_and_error(frame: Any) -> dict[str, tuple[float, float]]:
    """Return an estimate and its standard error."""
    return {"mean": (float(frame["income"].mean()), float(frame["income"].std()))}


def largest(values: Any) -> float:
    """Return a statistic of an array."""
    return float(values.max())


def _saved(**arguments: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return sl.Release(release(), ["income"]).save(**{"folder": Path(folder) / "x", **arguments}).name


@cache
def _kept() -> Path:
    folder = Path(tempfile.mkdtemp())
    sl.Release(release(), ["income"], private={"draws": [1, 2, 3]}).save(
        folder / "release", keep_private=folder / "private", keep_order=True
    )
    return folder


def _tables() -> Any:
    return sl.table_utility(people(), release(), variables=["region", "works"])


def _described(**arguments: Any) -> Any:
    figure = sl.figure_with_description(**arguments)
    plt.close("all")
    return str(type(figure))


def _dataset(**arguments: Any) -> Any:
    return datasets.load("acs", "simulated").synthetic_version(**arguments)


ESTIMATES = np.array([[1.0, 2.0], [1.5, 2.5], [0.5, 2.2]])

SURVEY = sl.SurveyDesign(weights="age", strata="sex")


OF_SURVEY = {"design": None, "synthetic_design": "same"}
ABOUT = {"survey": ("weights", "strata")}  # a design is in the columns of the survey


def _surveyed(**others: Any) -> dict[str, Any]:
    return {"survey": people(), "design": SURVEY, "level": 0.9, "missing": "raise", **others}


CASES = [
    *(
        Case(function.__name__, function, lambda: _surveyed(variables=["income", "age"]), aliases=ABOUT)
        for function in (sl.survey_mean, sl.survey_total)
    ),
    Case(
        "survey_quantile",
        sl.survey_quantile,
        lambda: _surveyed(variable="income", probabilities=[0.25, 0.5]),
        aliases=ABOUT,
    ),
    Case(
        "survey_regression",
        sl.survey_regression,
        lambda: _surveyed(formula="income ~ age", family="gaussian"),
        aliases={"survey": ("formula", *ABOUT["survey"])},
    ),
    Case(
        "SurveyResult.conf_int",
        lambda alpha: sl.survey_mean(people(), ["income"], SURVEY).conf_int(alpha),
        lambda: {"alpha": 0.1},
    ),
    Case(
        "combine_pseudo_populations",
        sl.combine_pseudo_populations,
        lambda: {
            "estimates": ESTIMATES.copy(),
            "variances": ESTIMATES / 10,
            "level": 0.9,
            "names": ["a"],
            "parameters": "drawn",
            "fraction": 0.1,
        },
    ),
    Case(
        "pmse",
        sl.pmse,
        lambda: data(
            variables=["sex", "income"],
            categorical=[],
            model="logistic",
            order=1,
            null=None,
            null_parameters="changed",
            permutations=2,
            min_leaf=2,
            missing="raise",
            rng=1,
            design=None,
            synthetic_design="same",
        ),
    ),
    Case(
        "pmse (tree)",
        sl.pmse,
        lambda: data(
            variables=["sex", "income"],
            categorical=["children"],
            model="cart",
            null="permutation",
            permutations=2,
            min_leaf=2,
            rng=1,
        ),
        few=True,
    ),
    Case("ecdf_utility", sl.ecdf_utility, lambda: data(variables=["income", "age"], missing="raise", **OF_SURVEY)),
    Case(
        "cluster_utility",
        sl.cluster_utility,
        lambda: data(
            clusters=2, variables=["sex", "income"], categorical=[], weighting="equal", starts=2, missing="raise", rng=1
        ),
    ),
    Case(
        "table_utility",
        sl.table_utility,
        lambda: data(variables=["region", "income"], margins=None, bins=3, missing="raise"),
    ),
    Case(
        "prediction_utility",
        sl.prediction_utility,
        lambda: data(target="income", variables=["region", "age"], categorical=[], folds=2, missing="category", rng=1),
        few=True,
    ),
    Case("table_utility (margins)", sl.table_utility, lambda: data(margins=[["region", "works"], ["sex"]], bins=3)),
    Case("TableUtilityResult.worst_cells", lambda k: _tables().worst_cells(k), lambda: {"k": 3}),
    Case(
        "analysis_utility",
        sl.analysis_utility,
        lambda: data(
            formula="income ~ age",
            family="gaussian",
            analysis=None,
            synthesis="partial",
            level=0.9,
            size_ratio=None,
            missing="raise",
            design=None,
            synthetic_design="same",
        ),
    ),
    Case(
        "analysis_utility (function)",
        sl.analysis_utility,
        lambda: data(analysis=mean_and_error, synthesis="full", parameters="mixed", level=0.9, size_ratio=1.0),
    ),
    Case(
        "analysis_utility (counts)",
        sl.analysis_utility,
        lambda: data(formula="children ~ age", family="poisson"),
        few=True,
    ),
    Case(
        "combine_partial",
        sl.combine_partial,
        lambda: {"estimates": ESTIMATES.copy(), "variances": ESTIMATES / 10, "level": 0.9, "names": ["a", "b"]},
    ),
    Case(
        "combine_nested",
        sl.combine_nested,
        lambda: {
            "estimates": np.stack([ESTIMATES, ESTIMATES + 1.0]),
            "variances": np.stack([ESTIMATES, ESTIMATES]) / 10,
            "level": 0.9,
            "names": ["a", "b"],
        },
    ),
    Case(
        "combine_full",
        sl.combine_full,
        lambda: {
            "estimates": ESTIMATES.copy(),
            "variances": ESTIMATES / 10,
            "level": 0.9,
            "names": ["a", "b"],
            "size_ratio": 1.0,
            "parameters": "drawn",
        },
    ),
    Case(
        "joint_test",
        sl.joint_test,
        lambda: {
            "estimates": ESTIMATES.copy(),
            "covariances": np.stack([np.eye(2), np.eye(2) + 0.5, np.eye(2)]),
            "null": [0.5, 2.0],
            "synthesis": "full",
            "size_ratio": 1.0,
        },
    ),
    Case(
        "interval_overlap",
        sl.interval_overlap,
        lambda: {"confidential": np.array([[0.0, 2.0], [0.0, 2.0]]), "synthetic": np.array([[1.0, 5.0], [3.0, 5.0]])},
    ),
    Case(
        "bootstrap_statistic",
        sl.bootstrap_statistic,
        lambda: data(variable="income", statistic="mean", resamples=10, level=0.9, missing="raise", rng=1),
    ),
    Case(
        "bootstrap_statistic (function)",
        sl.bootstrap_statistic,
        lambda: data(variable="income", statistic=largest, resamples=5, rng=1),
    ),
    Case("barycenter", sl.barycenter, lambda: data(variable="income", probabilities=11, missing="raise")),
    Case(
        "barycenter (arrays)",
        sl.barycenter,
        lambda: {
            "confidential": np.arange(5.0),
            "synthetic": [np.arange(5.0) + 1],
            "probabilities": np.array([0.0, 0.5, 1.0]),
        },
    ),
    Case("figure_with_description", _described, lambda: {"figure": plt.subplots()[1], "description": "nothing"}),
    Case(
        "Release",
        sl.Release,
        lambda: {
            "frames": release(),
            "synthesized": ["income"],
            "provenance": {"m": 3},
            "rows": "aligned",
            "private": {"draws": [0, 3, 5]},
        },
    ),
    Case(
        "Release.shuffled",
        lambda key: len(sl.Release(release(), ["income"], rows="aligned").shuffled(key)),
        lambda: {"key": "0123456789abcdef" * 2},
    ),
    Case(
        "Release.save",
        _saved,
        lambda: {
            "folder": Path(tempfile.mkdtemp()) / "x",
            "format": "csv",
            "keep_private": Path(tempfile.mkdtemp()) / "y",
            "keep_order": True,
            "allow_short_seed": False,
        },
    ),
    Case(
        "Release.to_csv",
        lambda path, keep_order: sl.read(sl.Release(release(), ["income"]).to_csv(path, keep_order=keep_order)).shape,
        lambda: {"path": Path(tempfile.mkdtemp()) / "x.csv", "keep_order": True},
    ),
    Case(
        "Release.plot",
        lambda confidential, **more: len(sl.Release(release()).plot(confidential, **more)),
        lambda: {"confidential": people(), "variables": ["income"], "bins": 5},
    ),
    Case("Release.load", sl.Release.load, lambda: {"folder": _kept() / "release", "private": _kept() / "private"}),
    Case(
        "Release.from_files",
        sl.Release.from_files,
        lambda: {
            "paths": [str(path) for path in sorted((_kept() / "release").glob("*.csv"))],
            "synthesized": ["income"],
            "rows": "unknown",
            "like": people(),
        },
    ),
    Case(
        "read",
        sl.read,
        lambda: {
            "path": _kept() / "release" / "synthetic_001.csv",
            "na": ["NA", "-9"],
            "text": ["region"],
            "delimiter": ",",
            "encoding": "utf-8",
            "decimal": ".",
            "table": None,
            "dates": None,
            "like": people(),
        },
    ),
    Case(
        "write",
        sl.write,
        lambda: {"frame": people(), "path": Path(tempfile.mkdtemp()) / "people.sav", "format": "sav"},
    ),
    Case("load", datasets.load, lambda: {"name": "nb_mixture", "version": "simulated", "rng": 1, "n": 20}),
    Case(
        "fetch",
        datasets.fetch,
        lambda: {
            "name": "affairs",
            "folder": "build/hostile/cache",
            "base_url": "http://127.0.0.1:9/",
            "force": False,
            "progress": False,
        },
        # Without the network nothing is fetched: the ordinary call ends with an error about the name.
        aliases=dict.fromkeys(("folder", "base_url", "force", "progress"), ("name",)),
    ),
    Case("Dataset.synthetic_version", _dataset, lambda: {"label": "lecture"}, few=True),
    Case("autocorrelation", autocorrelation, lambda: {"draws": np.sin(np.arange(12.0)), "lags": 3}),
    Case(
        "diagnose_chains",
        diagnose_chains,
        lambda: {"chains": {"a": np.random.default_rng(1).normal(size=(2, 50, 2))}, "labels": {"a": ["x", "y"]}},
    ),
]
