"""Datasets and chains several at once: what they hold does not depend on how many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._system import parallel
from synthlab.synthesizers import Fitted

SHORT = {"draws": 20, "tune": 20, "chains": 3}


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "y": 1 + x + rng.normal(size=60), "ill": rng.choice(["no", "yes"], 60)})
    frame.attrs["synthlab"] = {"name": "people"}
    return frame.set_index(pd.Index(np.repeat(np.arange(30), 2), name="house"))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start workers for any work."""
    monkeypatch.setattr(parallel, "_pays", lambda *_: True)
    yield
    joblib.externals.loky.get_reusable_executor(max_workers=1).shutdown(wait=True, kill_workers=True)


class FittedShuffle(Fitted):
    """A synthesizer that a user writes."""

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        return {c: frame[c].sample(frac=1, random_state=rng).set_axis(frame.index) for c in self.synthesized}


def fits(people: pd.DataFrame) -> dict[str, Any]:
    return {
        "levels": sl.DirichletMultinomial(["ill"]).fit(people, rng=1),
        "tree": sl.CART(["y", "ill"], predictors=["x"]).fit(people, rng=1),
        "of a user": FittedShuffle("shuffle", people, None, ("y",), None),
    }


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "sizes", [((1, 2), (2, 4)), pytest.param(((1, 3), (2, 6), (4, 3)), marks=pytest.mark.full)], ids=["two", "four"]
)
def test_datasets_are_the_same_whatever_the_number_of_workers(
    people: pd.DataFrame, sizes: tuple[tuple[int, int], ...]
) -> None:
    for fitted in fits(people).values():
        found = []
        for jobs, m in sizes:
            with joblib.parallel_config(n_jobs=jobs):
                found.append(fitted.generate(m=m, rng=2).frames)
        for other in found[1:]:
            for one, same in zip(found[0], other[: len(found[0])], strict=True):
                pd.testing.assert_frame_equal(one, same, check_exact=True)
                assert one.attrs == same.attrs


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize("engine", ["mixture", "dpmpm", "nuts"])
def test_chains_are_the_same_whatever_the_number_of_threads(
    people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    specification: Any = {
        "mixture": lambda: sl.FiniteMixture("y ~ x", classes=2, weighting="component"),
        "dpmpm": lambda: sl.DPMPM(["ill"], classes=3),
        "nuts": lambda: sl.LogisticRegression("ill ~ x"),
    }[engine]()
    sampler = {"sampler": "nutpie"} if engine == "nuts" else {}
    asked = []
    real = parallel.workers
    monkeypatch.setattr(parallel, "workers", lambda *a, **k: asked.append(real(*a, **k)) or asked[-1])
    found = []
    for jobs in (1, 2, 4)[: 2 if engine == "nuts" else 3]:  # a process with the sampler in it takes seconds to start
        with joblib.parallel_config(n_jobs=jobs):
            found.append(specification.fit(people, rng=3, **SHORT, **sampler).posterior.by_chain)
    assert asked == [1, 2, 3][: len(found)]
    for other in found[1:]:
        for name, values in found[0].items():
            np.testing.assert_array_equal(values, other[name])
