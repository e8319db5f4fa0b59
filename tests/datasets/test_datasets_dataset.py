"""The description that travels with a frame."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pandas as pd
import pytest

from synthlab.datasets import Dataset, load
from synthlab.exceptions import InputError


def make(**changes):
    frame = pd.DataFrame({"sex": pd.Categorical([1, 2, 2]), "a <b>": [1.0, 2.5, 9.0]})
    known = {
        "name": "toy",
        "version": "simulated",
        "kind": "simulated",
        "title": "people & <things>",
        "frame": frame,
        "roles": {"known": ("sex",), "sensitive": ("a <b>",)},
        "source": "a script",
        "licence": "ours",
        "variables": {"sex": "1 male, 2 female", "a <b>": "dollars"},
        "sha256": "0" * 64,
    }
    return Dataset(**{**known, **changes})


def test_text_says_simulated_and_names_every_variable():
    text = str(make(notes="Mind this."))
    assert text.startswith("toy: people & <things>\n")
    for part in ("SIMULATED", "3 records x 2", "Known:     sex", "a <b>", "dollars", "Mind this.", "0" * 64):
        assert part in text


def test_text_of_real_data():
    text = str(load("affairs"))
    assert "real: records of people" in text
    assert "SIMULATED" not in text


def test_html_is_escaped():
    html = make()._repr_html_()
    assert "people &amp; &lt;things&gt;" in html
    assert "a &lt;b&gt;" in html
    assert "<things>" not in html


def test_repr_is_one_line():
    assert repr(make()) == "Dataset('toy', version='simulated', kind='simulated', n=3)"


def test_summary_has_a_row_a_variable():
    table = make().summary()
    assert table.index.tolist() == ["sex", "a <b>"]
    assert table["role"].tolist() == ["known", "sensitive"]
    assert table["type"].tolist() == ["codes", "float64"]
    assert table["distinct"].tolist() == [2, 3]
    assert table.loc["a <b>", ["minimum", "median", "maximum"]].tolist() == [1.0, 2.5, 9.0]
    assert pd.isna(table.loc["sex", "median"])


def test_it_cannot_be_changed():
    survey = make()
    with pytest.raises(FrozenInstanceError):
        survey.kind = "real"
    with pytest.raises(TypeError):
        survey.roles["known"] = ()
    with pytest.raises(TypeError):
        survey.variables["sex"] = "?"


def test_no_synthetic_versions():
    with pytest.raises(InputError, match="has no synthetic versions"):
        make().synthetic_version("lecture")


def test_labels_and_frames_go_together():
    with pytest.raises(ValueError, match="zip"):
        make(labels=("1", "2"), synthetic=(make().frame,))
