"""``synthlab.r.reticulate``, the Python side of the R package synthlabr, without R."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.r import reticulate


def sent(
    values: Any, storage: str, classes: Any = (), absent: Any = None, dims: int = 0, **more: Any
) -> dict[str, Any]:
    """A column as R sends it."""
    gone = [False] * len(values) if absent is None else absent
    data = values if storage == "character" else np.asarray(values, dtype=reticulate.DTYPES[storage]).tobytes()
    return {
        "storage": storage,
        "values": data,
        "absent": bytes(gone),
        "classes": list(classes),
        "dims": dims,
        **more,
    }


def test_bytes_become_columns() -> None:
    level = sent(["a", "b"], "character", absent=[False, True])
    frame = reticulate.frame(
        ["n", "f", "t"],
        [
            sent([5, 0], "integer", absent=[False, True]),
            sent([1, 2], "integer", ["factor"], levels=level),
            sent(["x", "NA"], "character", absent=[False, True]),
        ],
        2,
    )
    assert str(frame.dtypes["n"]) == "Int64"
    assert frame["f"].tolist()[0] == "a"
    assert frame.isna().iloc[1].all()
    again = reticulate.packed(frame["n"])
    assert np.frombuffer(again["values"], "<i4")[0] == 5
    assert list(again["absent"]) == [0, 1]


def test_a_range_of_missing_codes() -> None:
    column = sent(
        [1, 2, -9, -5],
        "integer",
        ["haven_labelled_spss", "haven_labelled"],
        labels=sent([1, -9], "integer"),
        label_names=sent(["one", "refused"], "character"),
        missing_range=sent([-9, -1], "double"),
    )
    assert reticulate.column(column).isna().tolist() == [False, False, True, True]


def test_numbers_are_those_of_python() -> None:
    assert reticulate.numbers(sent([5.0], "double"), True) == 5
    assert isinstance(reticulate.numbers(sent([5.0], "double"), True), int)
    assert reticulate.numbers(sent([0.5, 2.0], "double"), False) == [0.5, 2]
    assert reticulate.numbers(sent([1], "logical"), True) is True
    assert np.isnan(reticulate.numbers(sent([1.0, 0.0], "double", absent=[False, True]), False)[1])
    assert reticulate.numbers(sent([1, 0], "integer", absent=[False, True]), False) == [1, None]


def test_objects_are_described_for_r() -> None:
    assert reticulate.described(None) == {"kind": "none"}
    assert reticulate.described(2**40)["value"] == 2.0**40
    assert reticulate.described({"a": 1})["names"] == ["a"]
    table = reticulate.described(pd.DataFrame({"v": [1, "a"]}, index=pd.Index(["p", "q"], name="measure")))
    assert table["names"] == ["measure", "v"]
    assert table["columns"][1]["values"] == ["1", "a"]
    assert reticulate.described(np.eye(2))["dim"] == [2, 2]
    assert reticulate.described(("a", "b"))["column"]["values"] == ["a", "b"]
    with pytest.raises(sl.exceptions.InputError, match="no figure"):
        reticulate.save_plot([1], "x.png", 100)
    with pytest.raises(sl.exceptions.InputError, match="not '.pdf'"):
        reticulate.save_plot([1], "x.pdf", 100)


def test_mixed_values_of_a_result_become_text_and_missing_ones_stay_missing() -> None:
    mixed = pd.DataFrame({"value": pd.Series(["a", 1.5, None, np.nan, (1, 2)], dtype=object)})
    (column,) = reticulate.described(mixed)["columns"]
    assert (column["storage"], list(column["absent"])) == ("character", [0, 0, 1, 1, 0])
    assert [column["values"][i] for i in (0, 1, 4)] == ["a", "1.5", "(1, 2)"]


PEOPLE = pd.DataFrame({"age": [30, 41, 52, 63] * 15, "income": 1.5 + np.arange(60)})
SOMEONE = sl.Intruder(known=["age"], synthesized=["income"], radius=0.1)


def test_an_object_has_the_class_of_what_a_user_can_do_with_it() -> None:
    model = sl.CART(["income"])
    fitted = model.fit(PEOPLE, rng=1)
    release = fitted.generate(2, rng=1)
    risk = sl.identification_risk(PEOPLE, sl.Release(PEOPLE), SOMEONE)
    objects = {"model": model, "fit": fitted, "release": release, "result": risk, "other": SOMEONE}
    assert {role: reticulate.described(one)["role"] for role, one in objects.items()} == {o: o for o in objects}


def test_attributes_are_public_and_similar_names_are_proposed() -> None:
    release = sl.Release(PEOPLE)
    assert reticulate.attribute(release, "m") == 1
    assert reticulate.attribute(sl, "CART") is sl.CART
    with pytest.raises(sl.exceptions.InputError, match="did you mean 'synthesize'"):
        reticulate.attribute(sl, "synthetize")
    with pytest.raises(sl.exceptions.InputError, match="did you mean 'frames'"):
        reticulate.attribute(release, "frame")
    for name in ("__class__", "_repr_html_"):
        with pytest.raises(sl.exceptions.InputError, match="not a public name"):
            reticulate.attribute(release, name)


def test_texts_are_in_the_syntax_of_r() -> None:
    assert reticulate.text(sl.NormalRegression("y ~ x")) == (
        "NormalRegression(formula = 'y ~ x', transform = NULL, bounds = NULL)"
    )
    assert reticulate.text(sl.NormalRegression) == "NormalRegression(formula, transform, bounds)"
    assert reticulate.text(sl.compare) == "compare(confidential, releases, intruder, rng, ...)"
    assert "synthesize" in reticulate.text(sl)


def test_a_figure_becomes_colors_by_rows() -> None:
    risk = sl.identification_risk(PEOPLE, sl.Release(PEOPLE), SOMEONE)
    drawn = reticulate.pixels(risk, 40)
    assert len(drawn["colors"]) == drawn["height"] * drawn["width"]
    assert len(set(drawn["colors"])) > 2
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in set(drawn["colors"]))


def test_warnings_have_a_name_and_a_text_without_it() -> None:
    _, caught = reticulate.call(sl.risk_weights, [PEOPLE.iloc[:3], SOMEONE], {})
    assert [name for name, _ in caught] == ["SingletonPatternWarning"]
    assert "Warning" not in caught[0][1]


@pytest.mark.parametrize(
    ("python", "r"),
    [
        ("synthlab.exceptions.InputError: m=0: must be an int of at least 1", "m = 0: must be a whole number of at least 1"),
        ("TypeError: fit: no argument 'seed'; did you mean 'rng'?", "fit: no argument 'seed'; did you mean 'rng'?"),
        ("known: must be text", "known: must be text"),
        ("The table.\nSingletonPatternWarning: 3 records (design=, --weights)", "The table.\n3 records (design=, --weights)"),
        ("x: must be a DataFrame, a list of DataFrames or a Release, got NoneType",
         "x: must be a data frame, a list of data frames or a release, got NULL"),
        ("a FittedCART and a PmseResult, got dict", "a fit and a result, got a named list"),
        ("Release.load reads what Release.save wrote; use sl.CART", "read_release reads what save_release wrote; use CART"),
        ("the column 'int' and the level 'Series A'", "the column 'int' and the level 'Series A'"),
    ],
)  # fmt: skip
def test_messages_have_no_names_of_classes(python: str, r: str) -> None:
    assert reticulate.in_r(python) == r
