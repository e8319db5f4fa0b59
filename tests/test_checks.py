"""What every function asks of a frame, of names and of arrays; and that columns in which nothing could match are refused."""

from __future__ import annotations

import datetime
import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError, InputError
from tests.loops import every

DAYS = pd.Series([datetime.date(2020, 1, day) for day in (1, 2, 3)], dtype=object)
MOMENTS = pd.to_datetime(DAYS)
ZONED = MOMENTS.dt.tz_localize("UTC")
QUESTION = sl.Intruder(known=["d"], synthesized=["y"])


def frame(dates: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"d": dates, "y": list("abc")})


@every("as_category", [False, True])
@every(
    ("confidential", "synthetic", "message"),
    [
        (DAYS, MOMENTS, r"datetime\.date values .* and date values .* pd\.to_datetime\(confidential\['d'\]\)$"),
        (MOMENTS, DAYS, r"date values .* and datetime\.date values .* pd\.to_datetime\(synthetic\['d'\]\)$"),
        (MOMENTS, ZONED, r"and date with a time zone values .* synthetic\['d'\]\.dt\.tz_convert\(None\)$"),
        (ZONED, MOMENTS.astype(object), r"time zone values .* confidential\['d'\]\.dt\.tz_convert\(None\)$"),
        (ZONED.astype(object), DAYS, r"date with a time zone values .* and datetime\.date values"),
        (MOMENTS, MOMENTS.astype(str), r"date values .* and text values .* synthetic\['d'\]\.astype\("),
    ],
)
def test_dates_of_which_none_equals_another(confidential, synthetic, message, as_category):
    if as_category:
        confidential, synthetic = confidential.astype("category"), synthetic.astype("category")
    with pytest.raises(DtypeMismatchError, match=f"column 'd' holds .*{message}"):
        sl.identification_risk(frame(confidential), frame(synthetic), QUESTION)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize(
    ("confidential", "synthetic"),
    [
        (DAYS, DAYS),
        (MOMENTS, MOMENTS.astype("datetime64[s]")),
        (MOMENTS, MOMENTS.astype(object)),
        (ZONED, ZONED.dt.tz_convert("Asia/Tokyo")),
        (MOMENTS.astype("category"), MOMENTS),
    ],
)
def test_dates_that_can_be_equal_are_compared(confidential, synthetic):
    risk = sl.identification_risk(frame(confidential), frame(synthetic), QUESTION)
    assert risk.match_count[:, 0].tolist() == [1, 1, 1]


def test_a_frame_that_is_no_synthetic_dataset_is_called_by_its_name():
    numbers, words = pd.DataFrame({"ill": [1, 2]}), pd.DataFrame({"ill": ["1", "2"]})
    with pytest.raises(DtypeMismatchError, match="in guesses, .* example guesses\\['ill'\\]\\.astype"):
        _checks.check_same_kind(numbers, [words], ["ill"], name="guesses")
    with pytest.raises(DtypeMismatchError, match="in synthetic dataset 2, .* example synthetic\\['ill'\\]"):
        _checks.check_same_kind(numbers, [numbers, words], ["ill"])


GOOD = pd.DataFrame({"x": [1.0, 2.0, 3.0, 5.0], "g": list("aabb")})
MEASURES = {
    "identification_risk": lambda f: sl.identification_risk(
        f, f, sl.Intruder(known=["g"], synthesized=["x"], radius=0.1)
    ),
    "cap": lambda f: sl.cap(f, f, sl.Intruder(known=["g"], synthesized=["x"], radius=0.1), target="x"),
    "ecdf_utility": lambda f: sl.ecdf_utility(f, f),
    "table_utility": lambda f: sl.table_utility(f, f),
    "analysis_utility": lambda f: sl.analysis_utility(f, f, formula="x ~ g"),
    "risk_weights": lambda f: sl.risk_weights(f, sl.Intruder(known=["g"], synthesized=["x"], radius=0.1)).weights,
    "Release": lambda f: sl.Release([f, f]),
    "Resample": lambda f: sl.Resample(["x"]).fit(f),
    "CART": lambda f: sl.CART(["x"], ["g"]).fit(f),
    "NormalRegression": lambda f: sl.NormalRegression("x ~ g").fit(f),
    "Table": lambda f: sl.counts.Table.from_frame(f, ["g"]),
}


@every("measure", MEASURES)
@every(
    ("change", "message"),
    [
        (
            lambda f: f.assign(**{"x": f["x"]}).set_axis([0, 1], axis=1),
            r"text, but 2 of 2 are not; .*columns\.map\(str\)",
        ),
        (lambda f: pd.concat({"a": f}, axis=1), r"text, but \d of \d are not;"),
        (lambda f: f.assign(z=[[1], [2], [3], [4]]), "column 'z' holds list values"),
        (lambda f: f.assign(z=[{"a": 1}, 2, 3, {4}]), "column 'z' holds dict and set values"),
        (lambda f: f.assign(z=[([1],), (2,), (3,), (4,)]), "column 'z' holds tuple values"),
        (lambda f: f.assign(z=np.array([1j, 2, 3, 4])), "column 'z' holds complex numbers"),
        (lambda f: f.assign(z=pd.Series([1j, "a", 3, 4], dtype=object)), "column 'z' holds complex numbers"),
    ],
)
def test_a_frame_has_names_that_are_text_and_values_that_can_be_compared(measure, change, message):
    with pytest.raises(InputError, match=message):
        MEASURES[measure](change(GOOD))


def test_the_mend_named_for_the_names_works():
    for frame in (GOOD.set_axis([0, 1], axis=1), pd.concat({"a": GOOD}, axis=1)):
        frame.columns = frame.columns.map(str)
        assert _checks.check_frame(frame, "frame") is frame


def test_a_column_that_holds_tuples_or_several_kinds_is_a_column():
    frame = GOOD.assign(z=[(1, 2), "a", 3, None], day=[datetime.date(2020, 1, d) for d in (1, 2, 3, 4)])
    assert _checks.check_frame(frame, "frame") is frame


@every("check", [_checks.check_vector, _checks.check_parameter, _checks.check_array])
@every(
    "values",
    [
        np.array([1 + 1j, 2]),
        [1j, 2.0],
        ["1", "2"],
        pd.Series(["1", "2"]),
        pd.to_datetime(["2020-01-01"]),
        [[1.0], [1.0, 2.0]],
        {1.0},
        "1",
    ],
)
def test_what_is_no_array_of_real_numbers(check, values):
    with pytest.raises(InputError, match="^values.*must be"):
        check(values, "values")


@pytest.mark.parametrize("kind", ["int64", "float32", "bool", "Int64", "object"])
def test_what_is_an_array_of_real_numbers(kind):
    array = _checks.check_vector(pd.Series([0, 1], dtype=kind), "values")
    assert array.dtype == np.float64
    assert array.tolist() == [0.0, 1.0]


def test_one_name_is_a_list_of_names_but_not_the_other_way_round():
    assert _checks.check_names(pd.Index(["a", "b"]), "known") == ("a", "b")
    assert _checks.check_names("ab", "known") == ("ab",)
    for bad, message in (
        (np.array("a"), "known=.*: must be a list of column names"),
        (
            [3],
            "known: must be a list of column names, which are text; 1 of 1 entries, the first at position 0, are not text",
        ),
    ):
        with pytest.raises(InputError, match=message):
            _checks.check_names(bad, "known")
    with pytest.raises(InputError, match="^variable: 'b' not in frame, which has 'x', 'g'$"):
        _checks.check_column(GOOD, "b", "variable", where="frame")
    for name, arguments in (
        ("target", {"target": ["x"]}),
        ("record", {"target": "x", "record": ["x"]}),
    ):
        with pytest.raises(InputError, match=rf"{name}=\['x'\]: must be the name of one column, .*: {name}='x'"):
            sl.attack_score(GOOD, GOOD.assign(record=range(4)), **arguments)


@pytest.mark.full
def test_functions_document_their_parameters():
    validate = pytest.importorskip("numpydoc.validate", reason="numpydoc is not installed").validate
    names = []
    for room in ("risk", "utility", "weights", "dp", "synthesizers", "counts"):
        module = import_module(f"synthlab.{room}")
        names += [f"synthlab.{room}.{name}" for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    for folder in ("plots", "teaching/figures"):
        for path in sorted((Path(sl.__file__).parent / folder).glob("*.py")):
            home = f"synthlab.{folder.replace('/', '.')}.{path.stem}"
            names += [f"{home}.{name}" for name in vars(import_module(home)) if name.startswith("plot_")]
    wrong = {name: [text for code, text in validate(name)["errors"] if code in ("PR01", "PR02")] for name in names}
    assert {name: texts for name, texts in wrong.items() if texts} == {}
    assert len(names) > 150


@pytest.mark.parametrize(
    "check",
    [
        lambda v: _checks.check_array(v, "values"),
        lambda v: _checks.check_vector(v, "values"),
        lambda v: _checks.check_weights(v, 3, "values"),
        lambda v: _checks.check_parameter(v, "values"),
        lambda v: _checks.check_positions(v, 9, "values", "record"),
    ],
)
def test_masked_values_are_refused(check):
    masked = np.ma.masked_array([1, 2, 3], mask=[True, True, False])
    for values in (masked, [1, np.ma.masked, np.ma.masked]):
        with pytest.raises(InputError, match="values: 2 values are masked"):
            check(values)
    assert check(np.ma.masked_array([1, 2, 3], mask=False)).tolist() == [1, 2, 3]


def test_half_a_surrogate_pair_is_no_text():
    for values in (["a", "b\ud83d"], pd.Categorical(pd.Series(["a", "b\ud83d"], dtype=object))):
        frame = pd.DataFrame(
            {"age": [1, 2], "town": pd.Series(values, dtype=None if isinstance(values, pd.Categorical) else object)}
        )
        with pytest.raises(InputError, match="confidential: column 'town' holds half a surrogate pair") as caught:
            _checks.check_frame(frame, "confidential")
        assert "b" + chr(0xD83D) not in str(caught.value)
    whole = pd.DataFrame({"town": pd.Series(["a", "b\U0001f600", None, 3], dtype=object)})
    assert _checks.check_frame(whole, "confidential") is whole
    with pytest.raises(InputError, match="column: holds half a surrogate pair"):
        _checks.check_name("a\ud83d", "column")


def test_dimensions_of_lists_of_several_lengths():
    assert [_checks.dimensions(v) for v in (1, [1], [[1], [2]], [[1], [1, 2]], np.ones((1, 2)))] == [0, 1, 2, 1, 2]


def test_a_single_string_stands_for_a_list_of_one_name():
    frame = pd.DataFrame({"sex": list("FMFM"), "age": [1.0, 2.0, 3.0, 4.0], "rich": list("ynny")})
    intruder = sl.Intruder(known="sex", synthesized="age")
    assert (intruder.known, intruder.synthesized) == (("sex",), ("age",))
    assert sl.Release([frame], synthesized="age").synthesized == ("age",)
    table_of = sl.counts.Table.from_frame
    assert table_of(frame, "sex").variables == ("sex",)
    for name, compute in {
        "sex": lambda names: sl.table_utility(frame, frame, margins=[names]).to_frame(),
        "rich": lambda names: table_of(frame, names).counts,
        "age": lambda names: sl.ecdf_utility(frame, frame, variables=names).to_frame(),
    }.items():
        np.testing.assert_array_equal(np.asarray(compute(name)), np.asarray(compute([name])))
