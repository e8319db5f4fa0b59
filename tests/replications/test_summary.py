"""The summary: each published number in one column, none missing, and recorded as it follows from the studies."""

from __future__ import annotations

import pandas as pd
import pytest

from replications import registry, summary
from replications.claims import VERDICTS
from replications.published import ABSENT, EXACT, INSIDE, STATUSES
from replications.registry import REPLICATIONS

STUDIES = "Hu, Savitsky & Williams; Savitsky, Williams & Hu, on real incomes"
# How many numbers each table of each paper prints, counted in the papers.
PRINTED = {
    ("Hu, lecture 8", "slides"): 16,
    ("Hu, lectures 4 to 12", "lecture 4"): 25,
    ("Hu, lectures 4 to 12", "lecture 5"): 81,
    ("Hu, lectures 4 to 12", "lecture 6"): 6,
    ("Hu, lectures 4 to 12", "lecture 7"): 25,
    ("Hu, lectures 4 to 12", "lecture 9"): 19,
    ("Hu, lectures 4 to 12", "lecture 10"): 5,
    ("Hu, lectures 4 to 12", "lecture 11"): 1,
    ("Hu, lectures 4 to 12", "lecture 12"): 5,
    (STUDIES, "Table 4"): 6,
    (STUDIES, "Table 7"): 6,
    (STUDIES, "3.2.1"): 2,
    ("Reiter & Mitra", "Table 1"): 42,
    ("Reiter & Mitra", "section 3"): 2,
    ("Hu, Savitsky & Williams", "Table 2"): 40,
    ("Hu, Savitsky & Williams", "Table 3"): 40,
    ("Hu, Savitsky & Williams", "Table 4"): 36,
    ("Hu, Savitsky & Williams", "Table 5"): 10,
    ("Hu, Savitsky & Williams", "Table 6"): 88,
    ("Hu, Savitsky & Williams", "Table 7"): 6,
    ("Hu, Savitsky & Williams", "3.2.1"): 2,
    ("Savitsky, Williams & Hu", "Table 2"): 5,
    ("Jackson, Mitra, Francis & Dove", "Table 1"): 5,
    ("Jackson, Mitra, Francis & Dove", "Table 2"): 25,
}


@pytest.fixture(scope="module")
def found():
    counts, rows = registry.summary()
    return counts, rows[rows["kind"] == "published number"], rows[rows["kind"] == "claim"]


def test_every_published_number_is_in_exactly_one_column_and_none_is_missing(found):
    counts, numbers, _ = found
    assert numbers.groupby(["paper", "where"]).size().to_dict() == PRINTED
    assert not numbers.duplicated(["paper", "where", "quantity"]).any()
    columns = pd.DataFrame({status: numbers["status"] == status for status in STATUSES})
    assert (columns.sum(axis=1) == 1).all()
    table = summary.table(counts).set_index("paper")
    assert (table[list(STATUSES)].sum(axis=1) == table["published numbers"]).all()
    assert (table[list(VERDICTS)].sum(axis=1) == table["claims"]).all()
    assert table.loc["in all", "published numbers"] == sum(PRINTED.values())
    papers = table.drop(["in all", registry.DOCUMENTS_ROW])
    assert (papers.sum() == table.loc["in all"]).all()
    assert (papers.loc[list(registry.DOCUMENTS)].sum() == table.loc[registry.DOCUMENTS_ROW]).all()


def test_what_is_neither_exact_nor_inside_has_a_reason_and_what_is_not_computable_no_number(found):
    _, numbers, _ = found
    told = numbers["status"].isin([EXACT, INSIDE])
    assert numbers.loc[~told, "reason"].str.len().min() > 20
    assert ((numbers["status"] == ABSENT) == numbers["ours"].isna()).all()


def test_the_recorded_summary_follows_from_the_studies(found, root):
    recorded = pd.read_csv(root / "course" / "replications" / summary.RECORD)
    pd.testing.assert_frame_equal(recorded, summary.table(found[0]))


def test_the_record_is_written_as_it_stands(tmp_path, root):
    written = summary.record(tmp_path)
    assert len(written) == len(set(written)) == 2 * len(REPLICATIONS) + 1
    for path in written:
        stored = root / "course" / "replications" / path.relative_to(tmp_path)
        assert path.read_bytes() == stored.read_bytes(), stored
