"""A release that holds the confidential values in some disguise is not reported as safe."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ReleasedUnchangedWarning, SynthlabWarning
from synthlab.matching.match_inputs import determines, follows, same_values
from synthlab.synthesizers import Fitted

N = 300
NAMES = ("region", "age", "income")
SOMEONE = sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.05})


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    income = np.round(rng.lognormal(10, 1, N), 2)
    return pd.DataFrame({"region": rng.choice(list("abcde"), N), "age": rng.integers(18, 90, N), "income": income})


class FittedReturn(Fitted):
    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        return {c: self.specification.change(self.confidential[c], rng) for c in self.synthesized}


@dataclass(frozen=True)
class Return:
    """A synthesizer that returns the file, changed a little or not at all."""

    change: Callable[[pd.Series, np.random.Generator], pd.Series]

    def fit(self, confidential, *, weights=None, rng=None, **sampler):
        return FittedReturn(self, confidential, weights, NAMES, None)


def unchanged(column: pd.Series, rng: np.random.Generator) -> pd.Series:
    return column


def noise(column: pd.Series, rng: np.random.Generator) -> pd.Series:
    return column * (1 + rng.normal(0, 1e-4, len(column))) if column.name == "income" else column


def noise_everywhere(column: pd.Series, rng: np.random.Generator) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return column.sample(frac=1, random_state=rng).set_axis(column.index)
    return column + rng.normal(0, 0.01, len(column))


def measured(confidential: pd.DataFrame, release: object, someone: sl.Intruder = SOMEONE) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(confidential, release, someone, rng=1)


def told(confidential: pd.DataFrame, **options: object) -> tuple[sl.Release, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = sl.synthesize(confidential, m=2, rng=1, **options)
    return release, [str(w.message) for w in caught if w.category is ReleasedUnchangedWarning]


@pytest.mark.parametrize("change", [unchanged, noise, noise_everywhere])
def test_a_synthesizer_that_returns_the_file_is_found_out(people, change) -> None:
    release, said = told(people, models=dict.fromkeys(NAMES, Return(change)))
    assert len(said) == 1
    assert "'income' has nearly its confidential values in the release" in said[0]
    result = measured(people, release)
    assert (result.rows.state, result.rows.by) == ("compatible", "released values")
    assert result.best_intruder is not None
    assert result.verdict == "STOP"
    assert {"unchanged": set(NAMES), "noise": {"region", "age"}, "noise_everywhere": {"age"}}[change.__name__] == set(
        result.worst.columns
    )
    assert result.to_dict()["rows_by"] == "released values"
    if change is not noise_everywhere:  # its regions are shuffled, so a classifier and an intruder see a difference
        assert result.best_intruder > 0.9 * N
        assert result.too_good


def test_a_synthesizer_that_shuffles_the_file_is_found_out(people) -> None:
    @dataclass(frozen=True)
    class Shuffle(Return):
        def fit(self, confidential, *, weights=None, rng=None, **sampler):
            mixed = confidential.sample(frac=1, random_state=rng).set_axis(confidential.index)
            return FittedReturn(self, mixed, weights, NAMES, None)

    release, _ = told(people, models=dict.fromkeys(NAMES, Shuffle(unchanged)))
    result = measured(people, release)
    assert result.rows.state == "unknown"
    assert (result.verdict, result.worst.people, result.worst.of) == ("STOP", N, N)
    assert result["exact_copies"].copies.tolist() == [N, N]
    assert result.too_good


def test_a_tree_with_a_leaf_for_each_record_is_found_out(people) -> None:
    file = people.assign(key=np.random.default_rng(2).permutation(N) * 1.5)
    tree = sl.CART(list(NAMES), predictors=["key"], min_leaf=1)
    release, said = told(file, keep=["key"], models=dict.fromkeys(NAMES, tree))
    assert [text.partition(":")[0] for text in said] == ["models", "keep"]
    assert "'region', 'age', 'income' has nearly its confidential values" in said[0]
    assert f"'key' is released unchanged and identifies {N} of {N} people by itself" in said[1]
    result = measured(file, release)
    assert result["exact_copies"].copies.tolist() == [N, N]
    assert any("sees no difference at all" in text for text in result.too_good)
    assert result.verdict == "STOP"
    plain, said = told(file, keep=["key"])
    assert [text.partition(":")[0] for text in said] == ["keep"]
    found = measured(file, plain)
    assert (found.verdict, found.too_good, found.worst.columns) == ("CHECK", [], ("key",))


@pytest.mark.parametrize("copied", [lambda y: y, lambda y: -3 * y, np.log])
def test_a_copied_column_is_named(people, copied) -> None:
    file = people.assign(pay=copied(people["income"]))
    release, said = told(file, keep=["pay"])
    assert [
        text for text in said if text.startswith("keep: 'pay' is released unchanged and determines 'income' of every")
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        known = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.05})
        from_file = sl.Release([file.assign(income=release[0]["income"])])
        result = sl.evaluate(file, from_file, known, rng=1)
    assert any("'pay' is released unchanged and determines 'income'" in str(w.message) for w in caught)
    assert "ReleasedUnchangedWarning" in dict(result.warnings)


def test_honest_releases_are_not_called_copies(people) -> None:
    assert told(people)[1] == []
    assert told(people, keep=["region"])[1] == []
    assert measured(people, sl.synthesize(people, m=1, rng=1)).rows.state == "unknown"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        warnings.simplefilter("error", ReleasedUnchangedWarning)
        sl.evaluate(people, people.assign(income=np.roll(people["income"], 1)), SOMEONE, rng=1)


def test_what_tells_and_follows() -> None:
    rng = np.random.default_rng(1)
    town = pd.Series(rng.integers(0, 30, N))
    state, rare = town // 10, pd.Series(np.arange(N) == 3)
    assert determines(town, state)
    assert not determines(state, town)
    assert not determines(pd.Series(np.arange(N)).sample(frac=1, random_state=1), state)  # unique: nothing repeats
    assert not determines(town, pd.Series([1] * N))
    assert not determines(rare, rare.sample(frac=1, random_state=1).reset_index(drop=True))
    assert not determines(state.head(6), state.head(6))  # by chance, of so few
    assert follows(town, town)
    assert follows(town, town + 1e-6)
    assert follows(town.where(town != 3), town.where(town != 3))
    assert not follows(town, town.sample(frac=1, random_state=1).reset_index(drop=True))
    assert not follows(rare, rare)  # a shuffled one would look the same
    assert same_values(town, town)
    assert not same_values(pd.Series([1] * N), pd.Series([1] * N))
