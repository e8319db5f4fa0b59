"""A `Dataset` is accepted wherever a frame is, and says the same as its frame."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.release import as_release
from tests.loops import every

SURVEY = sl.datasets.load("ce_lecture", version="simulated")
RELEASED = SURVEY.frame.assign(Expenditure=SURVEY.frame["Expenditure"] * 1.1)
SOMEONE = sl.Intruder(known=["UrbanRural"], synthesized=["Expenditure"], radius=0.2)
CALLS: dict[str, Callable[[Any], Any]] = {
    "identification_risk": lambda data: sl.identification_risk(data, RELEASED, SOMEONE),
    "identification_probability": lambda data: sl.identification_probability(data, RELEASED, SOMEONE),
    "intruder_risk": lambda data: sl.intruder_risk(data, RELEASED, SOMEONE),
    "cap": lambda data: sl.cap(data, RELEASED, SOMEONE, target="Expenditure"),
    "risk_weights": lambda data: sl.risk_weights(data, SOMEONE),
    "evaluate": lambda data: sl.evaluate(data, RELEASED, SOMEONE),
    "compare": lambda data: sl.compare(data, {"one": RELEASED}, SOMEONE),
    "replicated_uniques": lambda data: sl.replicated_uniques(
        data, RELEASED, sl.Intruder(known=["UrbanRural"], synthesized=["Race"])
    ),
    "attribute_disclosure": lambda data: sl.attribute_disclosure(
        data, RELEASED, sl.Intruder(known=["UrbanRural"], synthesized=["Race"]), target="Race"
    ),
    "closest_record": lambda data: sl.closest_record(
        data, RELEASED, SURVEY.frame.iloc[:50].assign(Expenditure=1.0), variables=["Race", "Expenditure"]
    ),
    "prediction_utility": lambda data: sl.prediction_utility(
        data, RELEASED, target="Expenditure", variables=["Race"], rng=1
    ),
    "group_numbers": lambda data: sl.group_numbers(data, RELEASED, groups={"Expenditure": 5})[0],
    "exact_copies": lambda data: sl.exact_copies(data, RELEASED),
    "pmse": lambda data: sl.pmse(data, RELEASED, rng=1),
    "ecdf_utility": lambda data: sl.ecdf_utility(data, RELEASED),
    "cluster_utility": lambda data: sl.cluster_utility(data, RELEASED, clusters=3, rng=1),
    "table_utility": lambda data: sl.table_utility(data, RELEASED, variables=["UrbanRural", "Race"]),
    "analysis_utility": lambda data: sl.analysis_utility(data, RELEASED, formula="Expenditure ~ Income"),
    "analysis_utility (function)": lambda data: sl.analysis_utility(data, RELEASED, analysis=mean_and_error),
    "bootstrap_statistic": lambda data: sl.bootstrap_statistic(data, RELEASED, variable="Income", rng=1, resamples=20),
    "bootstrap_statistic (function)": lambda data: sl.bootstrap_statistic(
        data, RELEASED, statistic=lambda frame: float(frame["Income"].mean()), rng=1, resamples=20
    ),
    "barycenter": lambda data: sl.barycenter(data, RELEASED, variable="Expenditure"),
    "released": lambda data: sl.identification_risk(RELEASED, data, SOMEONE),
    "CART": lambda data: sl.CART(["Expenditure"], ["Income"]).fit(data, rng=1).generate(2, rng=1).stacked(),
    "AllowedCombinations": lambda data: sl.AllowedCombinations(["UrbanRural", "Race"]).fitted_to(data),
    "private_table": lambda data: sl.dp.private_table(
        data, levels={"UrbanRural": [1, 2]}, n_synthetic=5, epsilon=9.0, rng=1
    ),
    "read": lambda data: read_back(data),
    "Release.from_files": lambda data: from_file(data),
    "Table": lambda data: sl.counts.Table.from_frame(data, variables=["UrbanRural", "Race"]),
}


def read_back(like: Any) -> pd.DataFrame:
    with TemporaryDirectory() as folder:
        RELEASED.to_csv(Path(folder) / "released.csv", index=False)
        return sl.read(Path(folder) / "released.csv", like=like)


def from_file(like: Any) -> pd.DataFrame:
    with TemporaryDirectory() as folder:
        RELEASED.to_csv(Path(folder) / "released.csv", index=False)
        return sl.Release.from_files([Path(folder) / "released.csv"], like=like).stacked()


def mean_and_error(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    return {"mean income": (float(frame["Income"].mean()), float(frame["Income"].sem()))}


@every("name", CALLS)
def test_a_dataset_goes_where_its_frame_goes(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        assert str(CALLS[name](SURVEY)) == str(CALLS[name](SURVEY.frame))


def test_it_is_a_release_of_its_frame() -> None:
    assert as_release(SURVEY)[0] is SURVEY.frame


def test_a_frame_with_columns_called_as_a_dataset_has_them_is_a_frame() -> None:
    odd = pd.DataFrame({"frame": list("aabb"), "roles": [1, 2, 3, 4]})
    risk = sl.identification_risk(odd, odd, sl.Intruder(known=["frame"], synthesized=["roles"]))
    np.testing.assert_array_equal(risk.match_count[:, 0], 1)
