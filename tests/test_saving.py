"""What public calls return can be pickled, copied and written by joblib, and is then the same."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import synthesizers
from synthlab.dp import Budget
from synthlab.exceptions import BudgetCopyError, SynthlabError
from tests.recorded.calls import ANSWERS, CALLS, files
from tests.recorded.reading import differences, read


def by_joblib(thing: Any) -> Any:
    written = io.BytesIO()
    joblib.dump(thing, written)
    written.seek(0)
    return joblib.load(written)


WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copy": copy.deepcopy,
    "joblib": by_joblib,
}


def returned(name: str) -> Any:
    case = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return case.call(**case.base())
        except SynthlabError:
            return None


def holds_budgets(thing: Any) -> bool:
    parts = thing.values() if isinstance(thing, dict) else [thing]
    return any(isinstance(one, Budget) for one in parts)


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(path.stem for path in ANSWERS.glob("*.json")))
def test_what_a_call_returns_can_be_saved(file: str) -> None:
    failed = []
    for name in files()[file]:
        if name not in CALLS:
            continue
        thing = returned(name)
        for way, saved in WAYS.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    again = saved(thing)
                    failed += [f"{name}, {way}: {one}" for one in differences(read(thing), read(again))]
            except Exception as error:  # noqa: BLE001 - every failure is reported
                if not (holds_budgets(thing) and isinstance(error, BudgetCopyError)):
                    failed.append(f"{name}, {way}: {type(error).__name__}: {error}")
            else:
                if holds_budgets(thing):
                    failed.append(f"{name}, {way}: a budget was saved, so that it can be spent twice")
    assert failed == []


MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "CART": (sl.CART(["vote", "income"], predictors=["age"]), {}),
    "DPMPM": (sl.DPMPM(["vote", "sex"], classes=3), {"draws": 4, "tune": 4}),
    "DirichletMultinomial": (sl.DirichletMultinomial(["vote"], given=["sex"]), {}),
    "FiniteMixture": (sl.FiniteMixture("income ~ age", classes=2), {"draws": 4, "tune": 4}),
    "LogisticRegression": (sl.LogisticRegression("vote ~ age"), {}),
    "MultinomialRegression": (sl.MultinomialRegression("sex ~ age", method="laplace"), {}),
    "NegativeBinomial": (sl.NegativeBinomial("visits ~ age"), {}),
    "NormalRegression": (sl.NormalRegression("income ~ age"), {}),
    "PoissonRegression": (sl.PoissonRegression("visits ~ age"), {}),
    "Resample": (sl.Resample(["vote"]), {}),
    "Sequential": (sl.Sequential([sl.Resample(["vote"]), sl.CART(["sex"], predictors=["vote"])]), {}),
    "TopcodeImputation": (sl.TopcodeImputation("income", top_share=0.1), {}),
    "Topcoding": (sl.Topcoding("income", top_share=0.1), {}),
    "TwoPart": (sl.TwoPart("visits ~ age"), {}),
}


def test_every_synthesizer_is_fitted_here() -> None:
    kinds = {name for name, kind in vars(synthesizers).items() if inspect.isclass(kind) and hasattr(kind, "fit")}
    assert set(MODELS) == kinds - {"Synthesizer"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_saved_fit_generates_the_same_datasets(name: str) -> None:
    rng = np.random.default_rng(1)
    n = 120
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": pd.Categorical(rng.choice(["a", "b", "c"], n)),
            "vote": pd.Categorical(rng.choice(["no", "yes"], n)),
            "visits": rng.poisson(2.0, n),
            "income": rng.lognormal(3.0, 0.5, n).round(1),
        }
    )
    model, options = MODELS[name]
    fitted = model.fit(frame, rng=2, **options)
    first = fitted.generate(2, 3)
    for saved in WAYS.values():
        for one, other in zip(first, saved(fitted).generate(2, 3), strict=True):
            pd.testing.assert_frame_equal(one, other)
