"""Rule 0: which columns are compared, in files with known kept columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.risk.copies.compared_columns import compared_columns

N = 300
KEPT, MADE = ("region", "sex", "age"), ("income", "job")


def people(seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "region": draw.integers(0, 6, N),
            "income": draw.normal(9, 1, N),
            "sex": draw.choice(list("fm"), N),
            "job": draw.choice(list("abcd"), N),
            "age": draw.integers(18, 90, N),
        }
    )


OWN = people(1)
PARTIAL = OWN.assign(**{c: people(2)[c] for c in MADE})


@pytest.mark.parametrize(("shuffled", "times"), [(False, 1), (True, 1), (True, 3)])
def test_the_kept_columns_are_found_in_any_order(shuffled: bool, times: int) -> None:
    release = [PARTIAL, OWN.assign(**{c: people(3)[c] for c in MADE})]
    release = [pd.concat([one] * times).sample(frac=1, random_state=1) if shuffled else one for one in release]
    found = compared_columns(OWN, release, by_row=not shuffled)
    assert (found.kept, found.compared) == (KEPT, MADE)
    assert found.partial
    assert not found.unchanged_file


def test_a_column_is_kept_only_if_all_datasets_keep_it_and_it_is_not_declared_synthetic() -> None:
    release = [PARTIAL, PARTIAL.assign(age=people(3)["age"])]
    assert compared_columns(OWN, release, by_row=True).kept == ("region", "sex")
    found = compared_columns(OWN, PARTIAL, by_row=True, synthesized=["sex", *MADE])
    assert (found.kept, found.compared) == (("region", "age"), ("income", "sex", "job"))


def test_a_release_of_other_people_keeps_nothing() -> None:
    found = compared_columns(OWN, people(2), by_row=True)
    assert (found.compared, found.kept, found.partial, found.unchanged_file) == (tuple(OWN), (), False, False)


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_confidential_file_is_recognized(shuffled: bool) -> None:
    own = OWN.assign(wave=1, number=np.arange(1, N + 1), stratum=np.arange(N) % 3)
    release = (own.sample(frac=1, random_state=1) if shuffled else own).assign(number=np.arange(1, N + 1))
    found = compared_columns(own, release, by_row=not shuffled, design=["stratum"])
    assert found.unchanged_file
    assert set(found.design) == {"wave", "number", "stratum"}
    assert not compared_columns(own, release, by_row=not shuffled, synthesized=["job"]).unchanged_file


def test_constants_and_design_columns_alone_do_not_make_a_release_partial() -> None:
    more = {"wave": 1, "number": np.arange(1, N + 1), "stratum": np.arange(N) % 3}
    found = compared_columns(OWN.assign(**more), people(2).assign(**more), by_row=True, design=["stratum"])
    assert not found.partial
    assert set(found.compared) == {*OWN, *more}
    # In a partially synthetic release, they are as unchanged as the kept columns.
    found = compared_columns(OWN.assign(**more), PARTIAL.assign(**more), by_row=True, design=["stratum"])
    assert (found.compared, found.kept) == (MADE, KEPT)


def test_few_joint_values_can_be_equally_frequent_by_chance() -> None:
    draw = np.random.default_rng(1)
    own = pd.DataFrame(
        {"a": draw.permutation([0, 1] * 60), "b": draw.permutation([0, 1, 2] * 40), "c": draw.normal(size=120)}
    )
    other = own.sample(frac=1, random_state=1).assign(c=np.random.default_rng(2).normal(size=120))
    assert compared_columns(own, other).kept == ()
    assert compared_columns(own, own.assign(c=other["c"].to_numpy()), by_row=True).kept == ("a", "b")


def test_a_permuted_column_does_not_hide_the_kept_columns() -> None:
    income = np.random.default_rng(5).permutation(OWN["income"])
    release = PARTIAL.assign(income=income).sample(frac=1, random_state=1)
    assert compared_columns(OWN, release).kept == KEPT
