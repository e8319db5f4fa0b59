"""From Parquet to Parquet the counts, probabilities, weights and shares are those of the functions in memory."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError, SynthlabWarning

dask = pytest.importorskip("dask", reason="dask is not installed: the extra scale brings it")
pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")

FEW = settings(
    max_examples=5,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"), warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        yield


def made(seed: int, n: int, missing: bool, m: int = 1) -> list[pd.DataFrame]:
    """Return people and m releases in the order of their ids: ties, zeros, negative numbers, text that changes now and then."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {
            "id": np.sort(rng.choice(10 * n, n, replace=False)),
            "a": rng.integers(0, 3, n),
            "b": pd.array(rng.choice(["x", "y", "zz"], n), dtype="str"),
            "y": np.round(rng.lognormal(3, 1, n)) * rng.choice([1, 1, 0, -1], n),
            "z": np.round(rng.lognormal(3, 1, n), 1),
            "e": rng.integers(0, 2, n).astype(bool),
        }
    )
    releases = []
    for _ in range(m):
        other = people.copy()
        for name in ("y", "z"):
            other[name] = np.where(rng.random(n) < 0.7, np.round(other[name] * rng.lognormal(0, 0.3, n)), other[name])
        other["e"] = rng.permutation(other["e"])
        other.loc[rng.random(n) < 0.05, "a"] = 1
        releases.append(other)
    for frame in [people, *releases] if missing else []:
        for name in ("b", "y", "z"):
            frame.loc[rng.random(n) < 0.1, name] = None
    return [people, *releases]


def written(folder: Path, frames: list[pd.DataFrame], seed: int = 0) -> list[str]:
    """Write each frame, shuffled, as a folder of a few files; text is in categories of another order in every file."""
    rng, paths = np.random.default_rng(seed), []
    for number, frame in enumerate(frames):
        path = folder / f"file{number}"
        path.mkdir()
        for j, rows in enumerate(np.array_split(rng.permutation(len(frame)), 2 + number)):
            part = frame.iloc[rows].copy()
            part["b"] = pd.Categorical(part["b"], categories=["x", "y", "zz"][:: 1 - 2 * (j % 2)])
            part.to_parquet(path / f"{j}.parquet", index=False, row_group_size=max(1, len(part) // 2))
        paths.append(str(path))
    return paths


def check(frames: list[pd.DataFrame], intruder: sl.Intruder, rows: int | None) -> int:
    """Compare every count, and the measures; return the number of files written."""
    with tempfile.TemporaryDirectory() as name:
        paths = written(Path(name), frames)
        own, *others = [frame.drop(columns="id") for frame in frames]
        wanted = sl.identification_risk(own, others, intruder)
        found = sl.scale.identification_risk(
            paths[0], paths[1:], intruder, id="id", output=f"{name}/risk", partition_rows=rows
        )
        records = pd.read_parquet(f"{name}/risk").sort_values("id", ignore_index=True)
        files = len(list(found.output.iterdir()))
    assert wanted.baseline is not None
    np.testing.assert_array_equal(records["id"], frames[0]["id"])
    for number in range(len(others)):
        np.testing.assert_array_equal(records[f"match_count_{number + 1}"], wanted.match_count[:, number])
        np.testing.assert_array_equal(records[f"contains_true_{number + 1}"], wanted.contains_true[:, number])
    np.testing.assert_array_equal(records["match_count_confidential"], wanted.baseline.match_count[:, 0])
    np.testing.assert_array_equal(records["contains_true_confidential"], wanted.baseline.contains_true[:, 0])
    pd.testing.assert_frame_equal(found.to_frame(), wanted.to_frame(), rtol=1e-13)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-13)
    return files


SHAPES = {
    "one variable": {"known": ["a", "b"], "synthesized": ["y", "e"], "radius": {"y": 0.2}},
    "one block": {"known": [], "synthesized": ["y"], "radius": {"y": 0.2}},
    "wide radius": {"known": ["b"], "synthesized": ["y"], "radius": {"y": 1.5}},
    "two variables": {"known": ["b"], "synthesized": ["y", "z", "e"], "radius": {"y": 0.3, "z": 0.5}},
    "known within a radius": {
        "known": ["a", "z"],
        "synthesized": ["y"],
        "radius": {"y": 0.3, "z": 4.0},
        "radius_kind": "absolute",
    },
    "ball": {"known": ["a"], "synthesized": ["y", "z"], "radius": {"y": 0.5, "z": 0.5}, "norm": "euclidean"},
    "by value": {"known": ["b"], "synthesized": ["e", "a"]},
}
RULES = [{}, {"boundary": "open"}, {"convention": "irc"}]


@FEW
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    rule=st.sampled_from(RULES),
    missing=st.sampled_from(["raise", "category", "never"]),
    n=st.integers(1, 60),
    rows=st.sampled_from([None, 30]),
    m=st.integers(1, 2),
    seed=st.integers(0, 10**6),
)
def test_every_count_is_that_of_memory(shape, rule, missing, n, rows, m, seed):
    options = SHAPES[shape]
    if options.get("norm") and "convention" in rule:
        rule = {}
    intruder = sl.Intruder(**options, **rule, missing=missing)
    frames = made(seed, n, missing != "raise", m)
    try:
        check(frames, intruder, rows)
    except InputError as error:
        # Blocks that stay too large however they are cut are refused; with larger partitions they are counted.
        if "cannot be cut" not in str(error):
            raise
        check(frames, intruder, None)


@pytest.mark.parametrize("missing", ["category", "never"])
@pytest.mark.parametrize("rule", RULES, ids=["closed", "open", "irc"])
def test_a_block_cut_along_its_variable_has_the_same_counts(rule, missing):
    intruder = sl.Intruder(known=[], synthesized=["y"], radius={"y": 0.2}, missing=missing, **rule)
    assert check(made(1, 100, True), intruder, 120) > 3


@pytest.mark.parametrize("shape", ["wide radius", "two variables", "ball", "by value"])
def test_a_block_cut_with_a_halo_has_the_same_counts(shape):
    intruder = sl.Intruder(**SHAPES[shape], missing="category")
    assert check(made(2, 150, True), intruder, 110) > 2


@pytest.mark.parametrize("missing", ["raise", "category", "never"])
def test_the_probabilities_are_those_of_memory(missing, tmp_path):
    frames = made(3, 90, missing != "raise", 2)
    for frame in frames:
        frame["a"] = frame["a"].where(frame.index > 4, 99)  # few records, so some are alone in their pattern of a and b
    paths = written(tmp_path, frames)
    intruder = sl.Intruder(known=["a", "b"], synthesized=["y", "z"], radius={"y": 0.5, "z": 1.0}, missing=missing)
    risks = []
    for singletons in ("formula", "certain"):
        wanted = sl.identification_probability(
            frames[0].drop(columns="id"), [f.drop(columns="id") for f in frames[1:]], intruder, singletons=singletons
        )
        found = sl.scale.identification_probability(
            paths[0],
            paths[1:],
            intruder,
            id="id",
            output=tmp_path / singletons,
            singletons=singletons,
            partition_rows=150,
        )
        records = pd.read_parquet(found.output).sort_values("id", ignore_index=True)
        np.testing.assert_array_equal(records["record"], wanted.record)
        np.testing.assert_array_equal(records["confidential"], wanted.confidential)
        np.testing.assert_array_equal(records["dataset_2"], wanted.per_dataset[:, 1])
        np.testing.assert_array_equal(records["pattern_size_1"], wanted.pattern_size[:, 0])
        assert found.singletons > 0
        risks.append(records["record"].sum())
        pd.testing.assert_frame_equal(found.to_frame(), wanted.to_frame(), rtol=1e-13)
        pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-13)
    assert risks[0] < risks[1]


@pytest.mark.parametrize("missing", ["raise", "category", "never"])
@pytest.mark.parametrize(("order", "rows"), [(1, None), (1, 40), (3, None)])
def test_the_weights_are_those_of_memory(order, rows, missing, tmp_path):
    people = made(4, 80, missing != "raise")[0]
    (path,) = written(tmp_path, [people])
    intruder = sl.Intruder(known=["b"], synthesized=["y", "e"], radius={"y": 0.4}, missing=missing)
    wanted = sl.risk_weights(people.drop(columns="id"), intruder, order=order, scale=0.9, shift=-0.1)
    found = sl.scale.risk_weights(
        path, intruder, id="id", output=tmp_path / "weights", order=order, scale=0.9, shift=-0.1, partition_rows=rows
    )
    records = pd.read_parquet(found.output).sort_values("id", ignore_index=True)
    np.testing.assert_array_equal(records["weight"], wanted.weights)
    np.testing.assert_array_equal(records["pattern_size"], wanted.pattern_size)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-13)


def test_weights_of_higher_order_ask_for_whole_patterns(tmp_path):
    (path,) = written(tmp_path, made(4, 80, False)[:1])
    intruder = sl.Intruder(known=["b"], synthesized=["y"], radius={"y": 0.4})
    with pytest.raises(InputError, match="order=2: requires all records of a pattern"):
        sl.scale.risk_weights(path, intruder, id="id", output=tmp_path / "weights", order=2, partition_rows=10)
    assert not (tmp_path / "weights").exists()


def test_copies_uniques_and_disclosure_are_those_of_memory(tmp_path):
    frames = made(5, 70, True, 2)
    paths = written(tmp_path, frames)
    own, *others = [frame.drop(columns="id") for frame in frames]
    for names in (["a", "b", "e"], ["b", "y", "z"]):
        for missing in ("category", "never"):
            wanted, found = (
                sl.exact_copies(own, others, variables=names, missing=missing),
                sl.scale.exact_copies(paths[0], paths[1:], variables=names, missing=missing),
            )
            assert str(found) == str(wanted)
            assert (found.duplicates, found.unique_copies.tolist()) == (
                wanted.duplicates,
                wanted.unique_copies.tolist(),
            )
    with pytest.raises(MissingValueError, match="column 'y' has"):
        sl.scale.exact_copies(paths[0], paths[1:], variables=["y"], missing="raise")
    intruder = sl.Intruder(known=["a", "b"], synthesized=["e", "z"], missing="category")
    wanted, found = (
        sl.replicated_uniques(own, others, intruder),
        sl.scale.replicated_uniques(paths[0], paths[1:], intruder),
    )
    assert str(found) == str(wanted)
    for harmless in ((), (True,)):
        shares = sl.attribute_disclosure(own, others, intruder, target="e", harmless=harmless)
        told = sl.scale.attribute_disclosure(paths[0], paths[1:], intruder, target="e", harmless=harmless)
        pd.testing.assert_frame_equal(told.to_frame(), shares.to_frame(), check_dtype=False)
        assert told.title == shares.title


@pytest.mark.parametrize("missing", ["category", "never"])
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"absent": "marginal"},
        {"variant": "dcap"},
        {"variant": "tcap", "threshold": 0.6},
        {"variant": "tcap_released"},
    ],
    ids=lambda options: "-".join(map(str, options.values())) or "cap",
)
def test_attribution_is_that_of_memory(options, m, missing, tmp_path):
    frames = made(7, 80, True, m)
    frames = [frame.assign(z=frame["z"] // 20, a=frame["a"] + 3 * (frame["y"].fillna(0) > 30)) for frame in frames]
    paths = written(tmp_path, frames)
    intruder = sl.Intruder(known=["a", "b"], synthesized=["z", "e"], missing=missing)
    wanted = sl.cap(*(frames[0], frames[1:]), intruder, target="z", **options)
    found = sl.scale.cap(paths[0], paths[1:], intruder, target="z", **options)
    pd.testing.assert_frame_equal(found.to_frame(), wanted.to_frame(), rtol=1e-12)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-9)
    assert found.title == wanted.title


NEAR = {
    "relative": {"radius": {"z": 0.4}},
    "absolute and open": {"radius": {"z": 3.0}, "radius_kind": "absolute", "boundary": "open"},
    "for all that is measured": {"radius": 0.4},
    "equal": {"radius": {"z": 0.0}},
}


@pytest.mark.parametrize("examples", [4, pytest.param(12, marks=pytest.mark.full)])
def test_attribution_within_a_radius_is_that_of_memory(examples):
    @settings(FEW, max_examples=examples)
    @given(
        rule=st.sampled_from(sorted(NEAR)),
        variant=st.sampled_from(["cap", "dcap", "tcap", "tcap_released"]),
        absent=st.sampled_from([None, "zero", "drop", "marginal"]),
        threshold=st.sampled_from([0.5, 0.75, 1.0]),
        missing=st.sampled_from(["raise", "category", "never"]),
        n=st.integers(2, 80),
        m=st.integers(1, 2),
        seed=st.integers(0, 10**6),
    )
    def compare(rule, variant, absent, threshold, missing, n, m, seed):
        frames = made(seed, n, missing != "raise", m)
        # Ties and absent keys; negative numbers and zeros among the targets.
        frames = [f.assign(z=f["z"] * (f["a"] - 1), a=f["a"] + 3 * (f["y"].fillna(0) > 30)) for f in frames]
        frames[0].loc[frames[0].index[: n // 4], "a"] = 7
        options = {"variant": variant, "threshold": threshold, "absent": None if variant[0] == "t" else absent}
        intruder = sl.Intruder(known=["a", "b"], synthesized=["z"], missing=missing, **NEAR[rule])
        if rule == "for all that is measured":
            frames = [f.assign(z=np.round(f["z"])) for f in frames]
        own, others = frames[0].drop(columns="id"), [f.drop(columns="id") for f in frames[1:]]
        with tempfile.TemporaryDirectory() as name:
            paths = written(Path(name), frames)
            wanted = sl.cap(own, others, intruder, target="z", **options)
            found = sl.scale.cap(paths[0], paths[1:], intruder, target="z", id="id", output=f"{name}/cap", **options)
            records = pd.read_parquet(f"{name}/cap").sort_values("id", ignore_index=True)
        pd.testing.assert_frame_equal(found.to_frame(), wanted.to_frame(), rtol=1e-12)
        pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-8, atol=1e-12)
        assert (found.title, found.intruder.radii) == (wanted.title, wanted.intruder.radii)
        weight = records[[f"weight_{number}" for number in range(1, m + 1)]].to_numpy()
        told = records[[f"attack_{number}" for number in range(1, m + 1)]].to_numpy()
        np.testing.assert_allclose(weight, wanted.scores.weight, rtol=1e-12)
        np.testing.assert_allclose(told * weight, wanted.scores.attack * wanted.scores.weight, rtol=1e-12)

    compare()


def test_a_radius_for_all_is_for_the_one_target_in_numbers_however_few(tmp_path):
    """One radius, a target with few numbers: within the radius in memory, so within it in files."""
    frames = [f.assign(z=np.round(f["z"]) % 9) for f in made(9, 90, False)]
    paths = written(tmp_path, frames)
    intruder = sl.Intruder(known=["b"], synthesized=["z"], radius=2.0, radius_kind="absolute")
    wanted, found = (f(*files, intruder, target="z") for f, files in ((sl.cap, frames), (sl.scale.cap, paths)))
    alone = sl.cap(*frames, sl.Intruder(known=["b"], synthesized=["z"]), target="z")
    assert found.attack == pytest.approx(wanted.attack)
    assert found.attack > alone.attack + 0.1
    assert found.title == wanted.title


@pytest.mark.parametrize("column", ["z", "y"])
def test_infinite_numbers_of_an_attribution_are_an_error_as_in_memory(column, tmp_path):
    frames = made(9, 30, False)
    frames[1].loc[3, column] = np.inf
    paths = written(tmp_path, frames)
    intruder = sl.Intruder(known=["b", "y"], synthesized=["z"], radius={"z": 0.2})
    for function, files in ((sl.cap, frames), (sl.scale.cap, paths)):
        with pytest.raises(InputError, match=f"synthetic dataset 1: column '{column}' has 1 infinite values"):
            function(*files, intruder, target="z")


def test_a_target_of_more_numbers_than_a_worker_holds_is_refused(tmp_path):
    paths = written(tmp_path, made(9, 60, False))
    intruder = sl.Intruder(known=["b"], synthesized=["z"], radius={"z": 0.2})
    with pytest.raises(InputError, match=r"target='z': has about \d+ distinct numbers, which do not fit"):
        sl.scale.cap(*paths, intruder, target="z", partition_rows=4)


@pytest.mark.parametrize(
    ("intruder", "message"),
    [
        ({"synthesized": ["z"]}, "target='z': looks continuous and has no radius"),
        ({"synthesized": ["z", "y"], "radius": {"y": 0.1}}, "target='z': looks continuous and has no radius"),
        ({"synthesized": ["z"], "radius": {"q": 0.1}}, "radius: 'q'"),
        ({"synthesized": ["z"], "radius": {"z": 0.1}, "targets": [1]}, "targets=.*does not use it"),
        ({"synthesized": ["z"], "radius": {"z": 0.1}, "convention": "irc"}, "convention='irc'"),
    ],
)
def test_an_attribution_that_cannot_be_asked_is_named(intruder, message, tmp_path):
    paths = written(tmp_path, made(9, 200, False))
    with pytest.raises(InputError, match=message):
        sl.scale.cap(*paths, sl.Intruder(known=["b"], **intruder), target="z")


def test_dask_frames_are_taken_as_files_are(tmp_path):
    frames = made(6, 60, True)
    dd = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed: the extra scale brings it")
    given_ = [dd.from_pandas(f.astype({"b": "category"}), npartitions=3) for f in frames]
    intruder = sl.Intruder(known=["b", "a"], synthesized=["y"], radius={"y": 0.2}, missing="never")
    found = sl.scale.identification_risk(*given_, intruder, id="id", output=tmp_path / "risk")
    wanted = sl.identification_risk(*(f.drop(columns="id") for f in frames), intruder)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-13)


def test_numbers_are_compared_by_value_whatever_holds_them(tmp_path):
    people = pd.DataFrame({"id": ["p", "q", "r"], "k": pd.array([1, 2, None], dtype="Int64"), "s": [1, 2, 3]})
    release = pd.DataFrame({"id": ["r", "q", "p"], "k": [np.nan, 2.0, 1.0], "s": pd.array([3, 2, 1], dtype="UInt8")})
    people.to_parquet(tmp_path / "people.parquet")
    release.to_parquet(tmp_path / "release.parquet")
    intruder = sl.Intruder(known=["k"], synthesized=["s"], missing="category")
    found = sl.scale.identification_risk(
        tmp_path / "people.parquet", tmp_path / "release.parquet", intruder, id="id", output=tmp_path / "risk"
    )
    assert found.expected_match_risk.tolist() == [3.0]


@pytest.mark.parametrize("dask_frames", [False, pytest.param(True, marks=pytest.mark.full)], ids=["duckdb", "dask"])
def test_whole_numbers_and_floats_with_rounding_errors_are_in_one_partition(dask_frames, tmp_path):
    """DuckDB gives 1 and 1.0, and 0.3 and 0.1 + 0.2, different hashes."""
    whole = np.arange(60) % 20
    people = pd.DataFrame({"id": range(60), "a": whole, "b": np.round(whole * 0.1, 1), "y": whole % 3})
    release = people.assign(a=people["a"].astype(float), b=np.cumsum([0.0] + [0.1] * 19)[whole])
    assert (people["b"] != release["b"]).any()
    intruder = sl.Intruder(known=["a", "b"], synthesized=["y"])
    files = [tmp_path / "people.parquet", tmp_path / "release.parquet"]
    for file, frame in zip(files, (people, release), strict=True):
        frame.to_parquet(file)
    if dask_frames:
        dd = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed: the extra scale brings it")
        files = [dd.from_pandas(frame, npartitions=2) for frame in (people, release)]
    found = sl.scale.identification_risk(*files, intruder, id="id", output=tmp_path / "risk", partition_rows=12)
    assert len(list(found.output.iterdir())) > 5
    assert (
        found.expected_match_risk.tolist()
        == sl.identification_risk(people, release, intruder).expected_match_risk.tolist()
    )
    assert sl.scale.exact_copies(*files, variables=["a", "b"], partition_rows=12).copies.tolist() == [60]


def test_csv_files_are_read_as_parquet_files_are(tmp_path):
    frames = made(6, 60, True)
    for number, frame in enumerate(frames):
        (tmp_path / f"file{number}").mkdir()
        for j, rows in enumerate(np.array_split(np.arange(60), 2)):
            frame.iloc[rows].to_csv(tmp_path / f"file{number}" / f"{j}.csv", index=False)
    files = [tmp_path / "file0", tmp_path / "file1"]
    intruder = sl.Intruder(known=["b", "a"], synthesized=["y"], radius={"y": 0.2}, missing="category")
    found = sl.scale.identification_risk(*files, intruder, id="id", output=tmp_path / "risk")
    wanted = sl.identification_risk(*(f.drop(columns="id") for f in frames), intruder)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-12)
    (tmp_path / "file0" / "0.parquet").write_bytes(b"")
    with pytest.raises(InputError, match="contains Parquet and CSV files"):
        sl.scale.identification_risk(*files, intruder, id="id", output=tmp_path / "more")
