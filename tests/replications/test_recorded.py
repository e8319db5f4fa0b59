"""What is recorded: every table and every claim follows from the repetitions that are recorded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replications import claims, published
from replications.registry import DOCUMENTS_ROW, REPLICATIONS, find, summary
from replications.study import SAID
from synthlab.exceptions import InputError


@pytest.fixture(scope="module", params=REPLICATIONS)
def study(request):
    return find(request.param)


@pytest.fixture(scope="module")
def recorded(study):
    return study.recorded()


def read(study, root, name, **options):
    return pd.read_csv(root / "course" / "replications" / study.name / study.file(name), **options)


def test_every_derived_table_follows_from_what_is_recorded(study, recorded):
    for name in study.derived:
        stored, again = study.read(name), getattr(recorded, name)
        pd.testing.assert_frame_equal(stored, again, rtol=1e-5, check_dtype=False)


def test_every_claim_follows_from_what_is_recorded(study, recorded, root):
    stored = read(study, root, "claims", keep_default_na=False)
    assert tuple(stored) == claims.COLUMNS
    pd.testing.assert_frame_equal(stored, recorded.claims, check_dtype=False)
    assert set(stored["verdict"]) <= set(claims.VERDICTS)
    assert (stored["repetitions"] >= 1).all()


def test_every_published_number_follows_from_what_is_recorded(study, recorded, root):
    stored = read(study, root, "published", dtype={"published": str, "reason": object}).fillna({"reason": ""})
    assert tuple(stored) == published.COLUMNS
    pd.testing.assert_frame_equal(stored, recorded.published, check_dtype=False)
    told = stored["status"].isin(["exact", "inside 95 %"])
    assert (stored.loc[~told, "reason"] != "").all()
    assert stored.loc[stored["status"] == "not computable", "ours"].isna().all()
    assert stored.loc[stored["status"] != "not computable", "ours"].notna().all()


def test_nothing_else_is_recorded(study, root):
    folder = root / "course" / "replications" / study.name
    apart = {"paper_claims.csv", "paper_numbers.csv"} | ({"nested.csv"} if study.name == "coverage" else set())
    named = {study.file(name) for name in (*study.raw, *study.derived, *SAID)}
    recorded = {path.name for path in folder.glob("*.csv*")}
    assert recorded <= named | apart
    assert named <= recorded


@pytest.mark.parametrize(
    "change", [lambda t: t.drop(columns="value"), lambda t: t.rename(columns={"measure": "statistic"})]
)
def test_a_recorded_result_of_another_version_is_refused(monkeypatch, change):
    study = find("real-incomes")
    read = type(study).read
    monkeypatch.setattr(type(study), "read", lambda self, name: change(read(self, name)))
    with pytest.raises(InputError, match="real_incomes belongs to another version.*synthlab replicate real-incomes"):
        study.recorded()


def test_the_summary_counts_what_is_recorded():
    counts, rows = summary()
    total = counts.loc["in all"]
    assert total["claims"].to_dict() == {"holds": 111, "in part": 26, "does not hold": 37, "cannot test": 18}
    assert total["published numbers"].to_dict() == {
        "exact": 98, "inside 95 %": 215, "outside": 26, "similar": 59, "different": 57,
        "input": 42, "no verdict": 1, "not computable": 0,
    }  # fmt: skip
    np.testing.assert_array_equal(counts.drop(["in all", DOCUMENTS_ROW]).sum(), total)
    assert len(rows) == total.sum()
    documents = {"published numbers": 317, "claims": 132}
    assert {kind: counts.loc[DOCUMENTS_ROW, kind].sum() for kind in documents} == documents
    dp = find("dp").summary()
    assert dp.loc["in all"].equals(counts.loc["Savitsky, Williams & Hu"].rename("in all"))
