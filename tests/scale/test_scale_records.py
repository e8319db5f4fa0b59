"""What the measures without row order say of every record, in Parquet, is what the functions in memory say of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError
from tests.scale.test_scale_equality import FEW, here, made, written

pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")
__all__ = ["here"]
SOMEONE = sl.Intruder(known=["a", "b"], synthesized=["e", "z"], missing="category")


def equal(found: pd.DataFrame, name: str, wanted: object) -> None:
    """Compare the columns `name`_1, ... with an array of shape (n, m)."""
    columns = [c for c in found.columns if c.startswith(f"{name}_")]
    np.testing.assert_array_equal(found[columns].to_numpy(dtype=np.float64), np.asarray(wanted, dtype=np.float64))


def read(output: Path, ids: pd.Series) -> pd.DataFrame:
    found = pd.read_parquet(output).sort_values("id", ignore_index=True)
    np.testing.assert_array_equal(found["id"], ids)
    return found


def counts(frame: pd.DataFrame, other: pd.DataFrame, names: list[str]) -> list[int]:
    """Count the records of `other` that equal each of `frame`, one by one."""
    rows = [tuple(None if pd.isna(v) else v for v in row) for row in frame[names].itertuples(index=False)]
    others = [tuple(None if pd.isna(v) else v for v in row) for row in other[names].itertuples(index=False)]
    return [others.count(row) for row in rows]


@pytest.mark.parametrize("examples", [2, pytest.param(5, marks=pytest.mark.full)])
def test_every_record_is_told_as_in_memory(examples):
    @settings(FEW, max_examples=examples)
    @given(
        n=st.integers(1, 60),
        m=st.integers(1, 2),
        missing=st.booleans(),
        seed=st.integers(0, 10**6),
        variant=st.sampled_from(["cap", "dcap", "tcap", "tcap_released"]),
    )
    def compare(n, m, missing, seed, variant):
        frames = made(seed, n, missing, m)
        frames = [frame.assign(z=frame["z"] // 20, a=frame["a"] + 3 * (frame["y"].fillna(0) > 30)) for frame in frames]
        own, others = frames[0], frames[1:]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            paths = written(folder, frames)
            files = paths[0], paths[1:]

            sl.scale.exact_copies(*files, variables=["b", "e", "z"], id="id", output=folder / "copies")
            found = read(folder / "copies", own["id"])
            np.testing.assert_array_equal(found["confidential"], counts(own, own, ["b", "e", "z"]))
            equal(found, "copies", np.column_stack([counts(own, other, ["b", "e", "z"]) for other in others]))

            result = sl.scale.replicated_uniques(*files, SOMEONE, id="id", output=folder / "uniques")
            found = read(folder / "uniques", own["id"])
            alone = np.array(counts(own, own, ["a", "b"])) == 1
            again = np.column_stack([counts(own, other, ["a", "b"]) for other in others])
            np.testing.assert_array_equal(found["unique"], alone)
            equal(found, "found", alone[:, None] & (again > 0))
            equal(found, "replicated", alone[:, None] & (again == 1))
            assert result.unique == alone.sum()

            harmless = (True,) if own["e"].any() else ()
            wanted = sl.attribute_disclosure(own, others, SOMEONE, target="e", harmless=harmless)
            sl.scale.attribute_disclosure(
                *files, SOMEONE, target="e", harmless=harmless, id="id", output=folder / "disclosure"
            )
            found = read(folder / "disclosure", own["id"])
            np.testing.assert_array_equal(found["determined"], wanted.determined)
            for one in ("present", "claimed", "disclosed"):
                equal(found, one, getattr(wanted, one))

            attack = sl.cap(own, others, SOMEONE, target="z", variant=variant)
            sl.scale.cap(*files, SOMEONE, target="z", variant=variant, id="id", output=folder / "cap")
            found = read(folder / "cap", own["id"])
            baseline = np.broadcast_to(attack.scores.baseline, (n, m))[:, 0]
            np.testing.assert_allclose(found["baseline"], baseline, rtol=1e-12)
            weight = np.column_stack([found[f"weight_{number}"] for number in range(1, m + 1)])
            np.testing.assert_allclose(weight, attack.scores.weight, rtol=1e-12)
            told = np.column_stack([found[f"attack_{number}"] for number in range(1, m + 1)])
            np.testing.assert_allclose(told * weight, attack.scores.attack * attack.scores.weight, rtol=1e-12)
            equal(found, "absent", attack.absent)

    compare()


def test_a_key_may_be_the_label_and_a_label_is_not_compared(tmp_path):
    frames = made(1, 40, False)
    paths = written(tmp_path, frames)
    sl.scale.exact_copies(*paths, id="id", output=tmp_path / "all")
    names = [c for c in frames[0].columns if c != "id"]
    found = read(tmp_path / "all", frames[0]["id"])
    np.testing.assert_array_equal(found["copies_1"], counts(frames[0], frames[1], names))
    sl.scale.exact_copies(*paths, variables=["id", "a"], id="id", output=tmp_path / "named")
    assert (read(tmp_path / "named", frames[0]["id"])["confidential"] == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id": "id"}, "id, output: give both"),
        ({"output": "new"}, "id, output: give both"),
        ({"id": "nobody", "output": "new"}, "id: 'nobody' not in confidential"),
        ({"id": "id", "output": "file0"}, "already exists"),
    ],
)
def test_half_a_wish_is_refused_and_leaves_nothing(options, message, tmp_path):
    paths = written(tmp_path, made(1, 20, False))
    options = {name: tmp_path / value if name == "output" else value for name, value in options.items()}
    with pytest.raises(InputError, match=message):
        sl.scale.exact_copies(*paths, **options)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file0", "file1"]


def test_a_name_that_is_written_cannot_be_the_label(tmp_path):
    frames = [frame.rename(columns={"id": "copies_1"}) for frame in made(1, 20, False)]
    paths = written(tmp_path, frames)
    with pytest.raises(InputError, match="id='copies_1': is the name of an output column"):
        sl.scale.exact_copies(*paths, id="copies_1", output=tmp_path / "new")
    assert not (tmp_path / "new").exists()
