"""What public calls return can be pickled, copied and written by joblib, and is then the same."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import pickle
import stat
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.dp import Budget
from synthlab.exceptions import BudgetCopyError, ChecksumError, InputError, NotFittedError, SynthlabError
from synthlab.synthesizers._trees import Splits, Tree
from synthlab.synthesizers.registry import SYNTHESIZERS
from synthlab.weights import PseudoPosteriorMechanism, ScalarWeightMechanism
from tests.fitted_examples import SURVEY, fitted as fitted_example
from tests.loops import every
from tests.recorded.calls import ANSWERS, CALLS, files
from tests.recorded.reading import differences, read


def by_joblib(thing: Any) -> Any:
    written = io.BytesIO()
    joblib.dump(thing, written)
    written.seek(0)
    return joblib.load(written)


def by_file(thing: Any) -> Any:
    """Return a fit that was saved and loaded, and check that its file is private."""
    with TemporaryDirectory() as folder:
        path = thing.save(Path(folder) / "fit.zip")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        return sl.load_fit(path)


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


@pytest.mark.full
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


def survey(n: int = 127) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": pd.Categorical(rng.choice(["a", "b", "c"], n)),
            "vote": pd.Categorical(rng.choice(["no", "yes"], n)),
            "visits": rng.poisson(2.0, n),
            "income": rng.lognormal(3.0, 0.5, n).round(3),
        }
    )


def assert_same(one: sl.Release, other: sl.Release) -> None:
    assert one.synthesized == other.synthesized
    assert one.provenance == other.provenance
    for left, right in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(left, right)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SYNTHESIZERS)
def test_a_saved_fit_generates_the_same_datasets(name: str, tmp_path: Path) -> None:
    fitted = fitted_example(name)
    first = fitted.generate(2, 3)
    for saved in (*WAYS.values(), by_file):
        assert_same(saved(fitted).generate(2, 3), first)
    again = by_file(fitted)
    assert again.specification == fitted.specification
    assert str(again) == str(fitted)
    if fitted.posterior is not None:
        pd.testing.assert_frame_equal(again.summary(), fitted.summary())
        np.testing.assert_array_equal(again.log_likelihood(), fitted.log_likelihood())


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SYNTHESIZERS)
def test_a_fit_saved_without_records_generates_the_same_values(name: str, tmp_path: Path) -> None:
    frame, fitted = SURVEY, fitted_example(name, weighted=True)
    path = tmp_path / "fit.zip"
    if SYNTHESIZERS[name].needs_records:
        with pytest.raises(InputError, match="data=False"):
            fitted.save(path, data=False)
        assert not path.exists()
        return
    again = sl.load_fit(fitted.save(path, data=False))
    given = frame.drop(columns=list(fitted.synthesized))
    assert_same(again.generate(2, 3, given=given), fitted.generate(2, 3, given=given))
    with pytest.raises(InputError, match="given"):
        again.generate(2, 3)
    assert len(again.confidential) == 0
    assert len(again.weights) == 0
    with zipfile.ZipFile(path) as archive:
        arrays = [np.load(io.BytesIO(archive.read(one))) for one in archive.namelist() if one.endswith(".npy")]
    assert [array.shape for array in arrays if len(frame) in array.shape] == []
    assert not np.isin(frame["income"], np.concatenate([array.ravel() for array in arrays])).any()


MECHANISMS: dict[str, Any] = {
    "lipschitz": PseudoPosteriorMechanism(
        synthesizer=sl.DirichletMultinomial(["vote"], given=["sex"]), quantile=0.95, scale=0.5, shift=0.1
    ),
    "reweighted": PseudoPosteriorMechanism(
        synthesizer=sl.PoissonRegression("visits ~ age"), quantile=0.9, reweight=0.99
    ),
    "clipped": PseudoPosteriorMechanism(
        synthesizer=sl.LogisticRegression("vote ~ age"), clip=2.0, units={"age": (50.0, 15.0)}
    ),
    "scalar": ScalarWeightMechanism(
        synthesizer=sl.DirichletMultinomial(["vote"], given=["sex"]), lipschitz_bound=1.0, quantile=0.95
    ),
}


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_saved_mechanism_generates_the_same_datasets_at_the_same_epsilon(name: str) -> None:
    mechanism = MECHANISMS[name]
    with pytest.raises(NotFittedError, match="generate"):
        mechanism.generate(1)
    fitted = mechanism.fit(survey(), rng=2)
    for saved in (*WAYS.values(), by_file):
        again = saved(fitted)
        assert_same(again.generate(2, 3), fitted.generate(2, 3))
        pd.testing.assert_frame_equal(again.to_frame(), fitted.to_frame())
        pd.testing.assert_frame_equal(again.summary(), fitted.summary())
        assert again.mechanism == fitted.mechanism


@pytest.mark.filterwarnings("ignore")
def test_a_mechanism_with_a_function_cannot_be_saved(tmp_path: Path) -> None:
    mechanism = PseudoPosteriorMechanism(
        synthesizer=sl.LogisticRegression("vote ~ age"),
        clip=2.0,
        units={"age": (50.0, 15.0)},
        record_weight=lambda record: 0.5,
    )
    fitted = mechanism.fit(survey(), rng=2)
    with pytest.raises(InputError, match="record_weight"):
        fitted.save(tmp_path / "mechanism.zip")
    assert not list(tmp_path.iterdir())


ODD: dict[str, tuple[Any, dict[str, Any]]] = {
    "missing numbers": (sl.NormalRegression("income ~ bs(age, df=4) + poly(visits, 2)"), {}),
    "missing predictors": (sl.PoissonRegression("visits ~ log(income) * sex + scale(age)"), {}),
    "natural splines": (sl.NormalRegression("income ~ ns(age, df=3) + center(visits)", transform="log"), {}),
    "smoothed trees": (sl.CART(["income", "vote", "day"], predictors=["sex"], smoothing="rare"), {}),
    "new trees": (sl.CART(["income", "vote"], smoothing="normal", bootstrap=True), {}),
    "record": (sl.FiniteMixture("income ~ age", classes=2, allocation="record"), {"draws": 4, "tune": 4}),
    "zeros": (
        sl.DPMPM(["vote", "sex", "town"], ["town"], constraints=[sl.AllowedCombinations(["vote", "town"])]),
        {"draws": 4, "tune": 4},
    ),
    "constraints": (
        sl.Sequential(
            [sl.Resample(["vote"]), sl.NormalRegression("income ~ age"), sl.TwoPart("visits ~ age"), sl.CART(["day"])],
            [sl.Bounds("income", 0), sl.ZeroUnless("visits", "vote", ["yes"]), sl.SumOf("total", ["income", "age"])],
        ),
        {},
    ),
}


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ODD)
def test_fits_with_all_features_are_saved(name: str) -> None:
    model, options = ODD[name]
    frame = survey()
    frame["town"] = np.where(frame["vote"] == "no", "Ayr", np.where(frame["age"] > 50, "Bath", "Ayr"))
    frame["day"] = pd.date_range("2024-01-01", periods=len(frame), unit="s").astype(np.int64) // 86400
    frame["visits"] = frame["visits"].where(frame["vote"] == "yes", 0)
    frame["total"] = frame["income"] + frame["age"]
    if name.startswith("missing"):
        frame.loc[::9, "income"] = np.nan
        frame["age"] = frame["age"].astype(float).mask(frame.index % 7 == 3)
    frame.index = pd.MultiIndex.from_product([["a"], range(len(frame))], names=["k", None])
    frame.attrs["source"] = {"file": "survey.csv", "waves": (1, 2)}
    codes = {"age": [20]} if name.startswith("missing") else None
    design = sl.SurveyDesign(weights=np.linspace(1, 2, len(frame))) if name == "record" else None
    fitted = model.fit(frame, rng=2, missing_codes=codes, design=design, **options)
    again = by_file(fitted)
    assert_same(again.generate(2, 3), fitted.generate(2, 3))
    pd.testing.assert_frame_equal(again.confidential, fitted.confidential)
    assert again.confidential.attrs == frame.attrs
    assert again.estimates == fitted.estimates
    if design is not None:
        with pytest.raises(InputError, match="data=False"):
            fitted.save("never.zip", data=False)


def test_columns_of_all_dtypes_are_restored() -> None:
    objects = [
        1,
        "a",
        None,
        2.5,
        pd.NA,
        pd.NaT,
        True,
        np.float32(2.5),
        2**80,
        Decimal("1.10"),
        date(2024, 1, 2),
    ]
    times = [
        pd.Timestamp("2024-02-03 04:05", tz="Europe/Oslo"),
        pd.Timedelta("3h"),
        datetime(2024, 1, 2, 3),
        time(3, 4),
    ]
    odd = pd.Series(
        [*objects, *times, pd.Timestamp("2024-02-03"), pd.Period("2024-03"), pd.Interval(0, 1.5)], dtype=object
    )
    n = len(odd)
    frame = pd.DataFrame({"x": np.arange(n, dtype=np.uint8), "odd": odd})
    frame["period"] = pd.period_range("2024-01", periods=n, freq="M")
    frame["interval"] = pd.interval_range(0, periods=n)
    frame["ordered"] = pd.Categorical.from_codes([0] * n, categories=pd.Index([1.5, 2.5]), ordered=True)
    frame["days"] = pd.Categorical(pd.date_range("2024-01-01", periods=n))
    frame["zone"] = pd.date_range("2024-01-01", periods=n, tz="US/Eastern", unit="ms")
    frame["span"] = pd.to_timedelta(range(n), unit="h")
    frame["int"], frame["real"] = pd.array([None, *range(n - 1)], "Int8"), pd.array([0.5, *[None] * (n - 1)], "Float32")
    frame["bool"] = pd.array([None, *[True] * (n - 1)], dtype="boolean")
    frame["text"] = pd.array(["a", *[None] * (n - 1)], dtype="string[python]")
    frame.index = pd.date_range("2024-01-01", periods=n, freq="D", name="when")
    again = by_file(sl.Resample(["x"]).fit(frame)).confidential
    pd.testing.assert_frame_equal(again, frame)
    assert list(map(type, again["odd"])) == list(map(type, odd))


def rewritten(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def with_manifest(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    """Return a change of the manifest with a correct checksum."""

    def change(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"]) | changes
        del manifest["sha256"]
        manifest["sha256"] = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
        members["manifest.json"] = json.dumps(manifest).encode()

    return change


def edit_array(members: dict[str, bytes]) -> None:
    name = next(name for name in members if name.endswith(".npy"))
    members[name] = members[name][:-1] + bytes([members[name][-1] ^ 1])


def edit_manifest(members: dict[str, bytes]) -> None:
    members["manifest.json"] = members["manifest.json"].replace(b"min_leaf", b"min_loaf")


def remove_array(members: dict[str, bytes]) -> None:
    del members[next(name for name in members if name.endswith(".npy"))]


def with_array(array: bytes) -> Callable[[dict[str, bytes]], None]:
    """Return a change of the fit to one array, with correct checksums."""

    def change(members: dict[str, bytes]) -> None:
        name = hashlib.sha256(array).hexdigest() + ".npy"
        members[name] = array
        with_manifest(fit={"array": name}, members=sorted(set(members) - {"manifest.json"}))(members)

    return change


def header(shape: str, dtype: str = "<f8") -> bytes:
    """Return an array file that has a header, but no numbers."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def without_classes(members: dict[str, bytes]) -> None:
    manifest = json.loads(members["manifest.json"])
    del manifest["classes"]
    members["manifest.json"] = json.dumps(manifest).encode()
    with_manifest()(members)


OBJECT = {"object": ["os.system", {}]}
SPLITS = "synthlab.synthesizers._trees.Splits"
CODE = "__import__('os').system('x')"
FORGED_DESIGN = {
    "object": [
        "synthlab.synthesizers._design.DesignMatrix",
        {
            "formula": {"object": [SPLITS, dict.fromkeys(("feature", "threshold", "left"), 0) | {"right": CODE}]},
            "names": {"tuple": []}, "matrix": 0, "levels": {"mapping": []}, "spec": {"dict": []},
            "kinds": {"mapping": []}, "kept": None,
        },
    ]
}  # fmt: skip
RANGE = {"range": [0, 10**7, 1, None]}  # short in the file, but long as a list
DAMAGE: dict[str, tuple[Callable[[dict[str, bytes]], None], type[Exception], str]] = {
    "array": (edit_array, ChecksumError, "edited or is damaged"),
    "manifest": (edit_manifest, ChecksumError, "edited or is damaged"),
    "lost array": (remove_array, ChecksumError, "edited or is damaged"),
    "version": (with_manifest(version=2), InputError, "format version 2.*reads version 1"),
    "format": (with_manifest(format="release"), InputError, "not a saved fit"),
    "class": (with_manifest(classes=["os.system"]), InputError, "class 'os.system'"),
    "hidden class": (with_manifest(fit=OBJECT), InputError, "class 'os.system'"),
    "function": (with_manifest(fit={"object": ["synthlab.synthesizers.cart.pairwise", {}]}), InputError, "pairwise"),
    "fields": (with_manifest(fit={"object": ["synthlab.synthesizers.cart.CART", {}]}), InputError, "differ"),
    "80 TB": (with_array(header("(10000000000000,)")), InputError, "forged"),
    "empty items": (with_array(header("(10000000000000,)", "|S0")), InputError, "forged"),
    "negative": (with_array(header("(-1, -1)")), InputError, "forged"),
    "decimal": (with_manifest(fit={"Decimal": ["abc"]}), InputError, "forged"),
    "no classes": (without_classes, InputError, "forged"),
    "classes": (with_manifest(classes=7), InputError, "forged"),
    "design": (with_manifest(fit=FORGED_DESIGN), InputError, "forged"),
    "no fit": (with_manifest(fit={"tuple": [1]}), InputError, "not a fit"),
    "long tuple": (with_manifest(fit={"tuple": RANGE}), InputError, "forged"),
    "long columns": (with_manifest(fit={"formula": ["y ~ x", RANGE, []]}), InputError, "forged"),
    "formula": (
        with_manifest(fit={"formula": ["y ~ __import__('os').system('x')", ["y", "x"], []]}), InputError, "formula"
    ),
}  # fmt: skip


@every("name", DAMAGE)
def test_a_damaged_file_is_refused(name: str) -> None:
    change, error, message = DAMAGE[name]
    with TemporaryDirectory() as folder:
        path = sl.CART(["vote"]).fit(survey()[["vote"]]).save(Path(folder) / "fit.zip")
        with pytest.raises(error, match=message):
            sl.load_fit(rewritten(path, change))


def test_a_small_file_with_much_content_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "fit.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 101_000_000)
    with zipfile.ZipFile(tmp_path / "lists.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b"[" + b"[]," * 20_000_000 + b"[]]")
    for name in ("fit.zip", "lists.zip"):
        tracemalloc.start()
        with pytest.raises(InputError, match="SYNTHLAB_MAX_READ_MB"):
            sl.load_fit(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 2 * 10**8
        tracemalloc.stop()


JUNK: list[Any] = [
    None, True, 0, -1, 2**70, float("nan"), "", "os.system", [], {}, [1], {"a": 1}, {"same": 0}, {"same": -1},
    {"Decimal": ["abc"]}, {"tuple": []}, {"dict": [[{"tuple": [[1]]}, 1]]}, {"range": [0, 10**15, 1, None]},
    {"number": ["float64", "x"]}, {"Timestamp": [2**70, "ns", None]}, {"object": [SPLITS, {}]}, {"formula": 5},
    {"formula": ["y ~ x", ["y", "x"], []]}, {"dtype": "datetime64[ns, ../x]"}, {"frame": [[], [], [], {}]},
    {"set": [[1]]}, {"levels": [[], []]}, {"mapping": []},
]  # fmt: skip
ARRAYS: list[Callable[[Any], Any]] = [
    lambda one: one.astype(str), lambda one: one.ravel()[1:], lambda one: one[None], lambda one: one.astype(complex),
    lambda one: np.zeros(0), lambda one: np.full_like(one, -100) if one.dtype.kind in "if" else one,
]  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all parts of a JSON value."""
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(place for key, part in parts for place in places(part, (*path, key)))]


def forge(members: dict[str, bytes], rng: np.random.Generator) -> None:
    """Replace or delete a random part of the manifest, or replace an array; the checksums are correct."""
    arrays = sorted(name for name in members if name.endswith(".npy"))
    if arrays and rng.random() < 0.4:
        name = arrays[rng.integers(len(arrays))]
        changed = io.BytesIO()
        np.save(changed, ARRAYS[rng.integers(len(ARRAYS))](np.load(io.BytesIO(members.pop(name)))))
        content = changed.getvalue()
        if rng.random() < 0.2:
            content = content[: len(content) // 2]
        new = hashlib.sha256(content).hexdigest() + ".npy"
        members[new] = content
        text = members["manifest.json"].decode().replace(name, new)
        manifest = json.loads(text) | {"members": sorted(set(members) - {"manifest.json"})}
    else:
        manifest = json.loads(members["manifest.json"])
        found = [place for place in places(manifest) if place and place[0] != "sha256"]
        *path, last = found[rng.integers(len(found))]
        part = manifest
        for key in path:
            part = part[key]
        if rng.random() < 0.25:
            del part[last]
        else:
            part[last] = JUNK[rng.integers(len(JUNK))]
    members["manifest.json"] = json.dumps(manifest).encode()
    with_manifest()(members)


def check_forged_files(name: str, folder: Path, times: int) -> None:
    """Load forged files of a fit: each is loaded or refused by an error of this package."""
    fitted = fitted_example(name) if name in SYNTHESIZERS else MECHANISMS[name].fit(survey(), rng=2)
    path = fitted.save(folder / "fit.zip")
    content, rng = path.read_bytes(), np.random.default_rng(1)
    refused = 0
    for _ in range(times):
        path.write_bytes(content)
        try:
            sl.load_fit(rewritten(path, lambda members: forge(members, rng)))
        except (ChecksumError, InputError):
            refused += 1
    assert refused > times / 2


@every("name", ["CART", "DirichletMultinomial"])
def test_a_forged_fit_is_loaded_or_refused(name: str) -> None:
    with TemporaryDirectory() as folder:
        check_forged_files(name, Path(folder), 40)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*SYNTHESIZERS, *MECHANISMS])
def test_forged_fits_of_every_synthesizer_are_loaded_or_refused(name: str, tmp_path: Path) -> None:
    check_forged_files(name, tmp_path, 200)


def test_the_splits_of_a_forged_tree_cannot_form_a_loop() -> None:
    feature, threshold = np.array([0, -2, -2]), np.array([0.5, -2.0, -2.0])
    good = Splits(feature, threshold, np.array([1, -1, -1]), np.array([2, -1, -1]))
    assert good.is_consistent()
    for left, right in (([0, -1, -1], [2, -1, -1]), ([1, -1, -1], [3, -1, -1]), ([1, -1, -1], [2, -1]), ([], [])):
        assert not Splits(feature, threshold, np.array(left, dtype=int), np.array(right, dtype=int)).is_consistent()
    records, leaves = np.arange(5), np.array([1, 2])
    assert Tree(good, leaves, np.array([0, 2, 5]), records).is_consistent()
    for start in ([0, 2, 6], [0, 5], [1, 2, 5], [0, 0, 5]):
        assert not Tree(good, leaves, np.array(start), records).is_consistent()


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = sl.CART(["vote"]).fit(survey()[["vote"]]).save(tmp_path / "fit.zip")
    content = path.read_bytes()
    for size in (0, 10, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ChecksumError, match="not a complete saved fit"):
            sl.load_fit(path)
    with pytest.raises(InputError, match="cannot be read"):
        sl.load_fit(tmp_path / "none.zip")


def test_saving_is_repeatable_and_refuses_foreign_classes(tmp_path: Path) -> None:
    class Weekdays:
        def holds(self, frame: pd.DataFrame) -> Any:
            return np.ones(len(frame), dtype=bool)

    fitted = sl.CART(["vote", "sex"]).fit(survey()[["vote", "sex"]], rng=1)
    first = fitted.save(tmp_path / "one.zip").read_bytes()
    assert first == fitted.save(tmp_path / "one.zip").read_bytes()
    foreign = sl.Sequential([sl.CART(["vote"])], [Weekdays()]).fit(survey()[["vote"]])
    with pytest.raises(InputError, match="Weekdays, which cannot be saved"):
        foreign.save(tmp_path / "three.zip")
    assert not (tmp_path / "three.zip").exists()
    whole = sl.DirichletMultinomial(["vote", "sex"]).fit(survey()[["vote", "sex"]], rng=1)
    alone = sl.load_fit(whole.save(tmp_path / "four.zip", data=False))
    assert_same(alone.generate(2, 1, n=50), whole.generate(2, 1, n=50))
    with pytest.raises(InputError, match="number of records"):
        alone.generate(2, 1)


@pytest.mark.filterwarnings("ignore")
def test_a_sequence_of_regressions_is_saved_without_records(tmp_path: Path) -> None:
    frame = survey()
    frame["visits"] = frame["visits"].where(frame["vote"] == "yes", 0)
    models = [
        sl.DirichletMultinomial(["vote"]),
        sl.PoissonRegression("visits ~ age"),
        sl.NormalRegression("income ~ vote"),
    ]
    rules = [sl.ZeroUnless("visits", "vote", ["yes"]), sl.Bounds("income", 0)]
    fitted = sl.Sequential(models, rules).fit(frame, rng=1, draws=20, tune=50)
    again = sl.load_fit(fitted.save(tmp_path / "fit.zip", data=False))
    given = frame[["vote", "sex", "age"]].iloc[:40]
    assert_same(again.generate(3, 2, given=given), fitted.generate(3, 2, given=given))
    with pytest.raises(InputError, match="levels"):
        again.generate(1, 1, given=given.assign(vote="perhaps"))
