"""What an agency keeps: no seed, no draw numbers and no key of a shuffle reach a folder that may be published."""

from __future__ import annotations

import itertools
import json
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import counts
from synthlab.dp import private_table
from synthlab.exceptions import InputError, ShuffleKeyNotSavedWarning
from synthlab.release import Release
from synthlab.release._shuffle import permutation
from synthlab.weights import PseudoPosteriorMechanism

SEED = 202_978_308_850_425_173_681_661_134_579_862_703_197  # 128 bits
LEVELS = {"sex": ["f", "m"], "region": ["n", "s", "w"]}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({name: rng.choice(values, 120) for name, values in LEVELS.items()})
    # In the order of the confidential file, which a shuffle is to hide.
    return frame.assign(age=rng.integers(18, 90, 120), income=np.sort(rng.normal(50.0, 10.0, 120)))


def of_trees(people: pd.DataFrame, seed: int) -> Release:
    return sl.CART(["income"], ["sex", "age"]).fit(people, rng=seed).generate(3, rng=seed)


def of_draws(people: pd.DataFrame, seed: int) -> Release:
    return sl.DirichletMultinomial(["region"], given=["sex"]).fit(people, rng=seed).generate(3, rng=seed)


def of_a_sequence(people: pd.DataFrame, seed: int) -> Release:
    models = [sl.DirichletMultinomial(["region"], given=["sex"]), sl.CART(["income"], ["region"])]
    return sl.Sequential(models).fit(people, rng=seed).generate(3, rng=seed)


def of_a_mechanism(people: pd.DataFrame, seed: int) -> Release:
    model = sl.DirichletMultinomial(["region"], given=["sex"])
    return PseudoPosteriorMechanism(synthesizer=model, quantile=0.9).fit(people, rng=seed).generate(3, rng=seed)


def of_a_table(people: pd.DataFrame, seed: int) -> Release:
    table = counts.Table.from_frame(people[list(LEVELS)])
    made = counts.synthesize_table(table, counts.Poisson(), m=3, rng=seed)
    shortest = min(one.total for one in made)
    return Release([made.microdata(number, rng=seed)[: int(shortest)] for number in (1, 2, 3)], list(LEVELS))


def of_a_private_table(people: pd.DataFrame, seed: int) -> Release:
    options = {"levels": LEVELS, "n_synthetic": 60, "epsilon": 100.0}
    return private_table(people[list(LEVELS)], **options, m=3, rng=seed).release()


MADE = {f.__name__: f for f in (of_trees, of_draws, of_a_sequence, of_a_mechanism, of_a_table, of_a_private_table)}


def everything_in(folder: Path) -> bytes:
    return b"".join(
        file.name.encode() + b"\n" + file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
    )


@pytest.mark.parametrize("shuffle", [False, True], ids=["as made", "shuffled"])
@pytest.mark.parametrize("name", MADE)
def test_nothing_that_makes_the_release_again_is_in_the_folder(name, shuffle, people, tmp_path):
    release = MADE[name](people, SEED)
    release = release.shuffled() if shuffle else release
    folder = release.save(tmp_path / "out", keep_private=tmp_path / "private.json")
    kept = json.loads((tmp_path / "private.json").read_text())["private"]
    held = everything_in(folder) + everything_in(release.save(tmp_path / "without", keep_order=True))
    shown = (str(release) + repr(release) + release._repr_html_()).encode()
    secrets = [
        str(SEED),
        f"{SEED:,}",
        f"{SEED:_}",
        f"{SEED:x}",
        f"{float(SEED)!r}",
        *kept["shuffle_keys"],
    ]
    for secret in secrets:
        assert secret.encode() not in held + shown
    drawn = release.private.get("draws_used") or []
    for separator in (", ", ",", " ", "\n", ",\n      ", ",\n    "):
        assert not drawn or separator.join(map(str, drawn)).encode() not in held
    manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    assert not {"private", "seed", "draws_used", "shuffle_keys"} & {*manifest, *manifest["provenance"]}
    if name in ("of_trees", "of_draws", "of_a_sequence", "of_a_mechanism"):
        assert release.private["seed"] == SEED
        assert (release.private["draws_used"] is None) == (name == "of_trees")
        assert len(drawn) == (0 if name == "of_trees" else 3)
    made = release.unshuffled() if shuffle else release
    assert dict(Release.load(folder, private=tmp_path / "private.json").private) == dict(made.private)
    assert dict(Release.load(folder).private) == {}


def orders(seed: int, m: int, n: int) -> Iterator[list[np.ndarray]]:
    """Yield the orders that somebody would try who thinks the rows were permuted with this seed."""
    yield [stream.permutation(n) for stream in np.random.default_rng(seed).spawn(m)]
    yield [stream.permutation(n) for stream in np.random.default_rng(seed).spawn(m + 1)[1:]]
    one = np.random.default_rng(seed)
    yield [one.permutation(n) for _ in range(m)]
    yield [np.random.default_rng(child).permutation(n) for child in np.random.SeedSequence(seed).spawn(m)]
    yield [np.random.default_rng([seed, number]).permutation(n) for number in range(m)]
    yield [np.random.default_rng(seed + number).permutation(n) for number in range(m)]
    yield [np.random.RandomState((seed + number) % 2**32).permutation(n) for number in range(m)]
    yield [permutation(str(seed), number, n) for number in range(1, m + 1)]
    yield [permutation(f"{seed:032x}", number, n) for number in range(1, m + 1)]


def realigned(folder: Path, seeds: Iterator[int] | range | list[int], kept: list[str]) -> int | None:
    """Return the seed under which the variables that were not synthesized are the same in every row of every dataset."""
    release = Release.load(folder)
    codes = pd.factorize(pd.MultiIndex.from_frame(release.stacked()[kept]))[0].reshape(release.m, release.n)
    for seed in seeds:
        for guess in orders(seed, release.m, release.n):
            back = [one[np.argsort(order)] for one, order in zip(codes, guess, strict=True)]
            if all((one == back[0]).all() for one in back[1:]):
                return seed
    return None


def seeds_in(folder: Path) -> list[int]:
    """Return every number that the manifest and the digests hold, as candidates."""
    text = (folder / "release.json").read_text(encoding="utf-8")
    return [int(found) for found in sorted(set(re.findall("[0-9]+", text)), key=int)][:200]


MAKERS: dict[str, tuple[Callable[[pd.DataFrame, int], Release], list[str]]] = {
    "trees": (of_trees, ["sex", "region", "age"]),
    "draws": (of_draws, ["sex", "age", "income"]),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", [7, SEED])
def test_whoever_holds_the_folder_alone_cannot_undo_the_shuffle(name, seed, people, tmp_path):
    make, kept = MAKERS[name]
    release = make(people, seed)
    folder = release.shuffled().save(tmp_path / "out", allow_short_seed=True)
    assert realigned(folder, [*range(201), SEED, *seeds_in(folder)], kept) is None


def test_the_same_attack_undoes_a_shuffle_by_a_seed(people, tmp_path):
    release = of_trees(people, 150)
    streams = np.random.default_rng(150).spawn(release.m)
    frames = [one.take(stream.permutation(release.n)) for one, stream in zip(release, streams, strict=True)]
    folder = Release(frames, release.synthesized).save(tmp_path / "out", keep_order=True)
    assert realigned(folder, range(201), ["sex", "region", "age"]) == 150


def test_the_agency_undoes_it_with_what_it_kept(people, tmp_path):
    release = of_trees(people, SEED)
    file = tmp_path / "private.json"
    folder = release.shuffled().save(tmp_path / "out", keep_private=file)
    published, ours = Release.load(folder), Release.load(folder, private=file)
    [key] = json.loads(file.read_text())["private"]["shuffle_keys"]
    for number, (there, one, before) in enumerate(zip(published, ours, release, strict=True), start=1):
        back = there.iloc[np.argsort(permutation(key, number, release.n))].reset_index(drop=True)
        for restored in (back, one):
            pd.testing.assert_frame_equal(restored, before.reset_index(drop=True), check_dtype=False)


@pytest.mark.parametrize("rows", ["aligned", "unknown"])
def test_saving_shuffles_by_default_and_the_private_file_restores_the_order(rows, people, tmp_path):
    release = Release([people, people.iloc[::-1].reset_index(drop=True)], ["income"], rows=rows)
    folder = release.save(tmp_path / "out", keep_private=tmp_path / "private.json")
    published, ours = Release.load(folder), Release.load(folder, private=tmp_path / "private.json")
    assert (published.rows, ours.rows, dict(ours.private)) == ("shuffled", rows, {})
    both = [*release, *published]
    assert not any(one.equals(other) for one, other in itertools.combinations(both, 2))
    columns = list(people)
    for before, there, back in zip(release, published, ours, strict=True):
        assert there.sort_values(columns, ignore_index=True).equals(before.sort_values(columns, ignore_index=True))
        pd.testing.assert_frame_equal(back, before)
    with pytest.warns(ShuffleKeyNotSavedWarning):
        lost = release.save(tmp_path / "lost")
    assert Release.load(lost).rows == "shuffled"
    kept = Release.load(release.save(tmp_path / "kept", keep_order=True))
    assert kept.rows == rows
    assert all(one.equals(other) for one, other in zip(kept, release, strict=True))
    # A release whose rows are already shuffled is written as it is.
    again = Release.load(published.save(tmp_path / "again"))
    assert all(one.equals(other) for one, other in zip(again, published, strict=True))
    with pytest.raises(InputError, match="keep_order='yes'"):
        release.save(tmp_path / "odd", keep_order="yes")


def test_nothing_is_lost_with_the_order_of_a_fully_synthetic_release(people, tmp_path):
    """The test fails if a warning is issued."""
    folder = Release(people.assign(country="CH"), list(people)).save(tmp_path / "out")
    assert Release.load(folder).rows == "shuffled"


@pytest.fixture
def small() -> Release:
    return Release([pd.DataFrame({"x": [1, 2, 3]})], ["x"], {"m": 1}, private={"seed": SEED, "note": "\u00fc \ud800"})


def test_the_private_file_is_for_its_owner_and_says_what_it_is(small, tmp_path):
    file = tmp_path / "private.json"
    folder = small.save(tmp_path / "out", keep_private=file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    document = json.loads(file.read_text())
    [key] = document["private"].pop("shuffle_keys")
    assert re.fullmatch("[0-9a-f]{64}", key)
    assert document["private"] == {**small.private, "rows": "unknown"}
    assert document["digest"] == json.loads((folder / "release.json").read_text())["digest"]
    assert "Not for publication" in document["contents"][0]
    assert sorted(path.name for path in folder.iterdir()) == ["release.json", "synthetic_001.csv"]


def test_without_a_place_for_it_nothing_private_is_written(small, tmp_path):
    small.save(tmp_path / "out", keep_order=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize(
    "place", ["out/private.json", "out/../out/p.json", "link/p.json", "out/sub/p.json", "link/sub/p.json"]
)
def test_a_place_within_the_folder_is_refused(small, exists, place, tmp_path):
    folder = tmp_path / "out"
    (tmp_path / "link").symlink_to(folder)
    if exists:
        (folder / "sub").mkdir(parents=True)
    with pytest.raises(InputError, match=r"keep_private='.*': is in the folder '.*out', which might be published"):
        small.save(folder, keep_private=tmp_path / place)
    assert folder.exists() == exists
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", ["file", "link", "link to nothing", "folder", "no folder above", "link in a circle"])
def test_a_place_that_is_taken_or_not_there_is_refused(small, kind, tmp_path):
    file = tmp_path / "private.json"
    (tmp_path / "other").write_text("theirs")
    if kind == "file":
        file.write_text("ours")
    elif kind == "folder":
        file.mkdir()
    elif kind == "no folder above":
        file = tmp_path / "nowhere" / "private.json"
    else:
        file.symlink_to({"link": tmp_path / "other", "link to nothing": tmp_path / "nothing"}.get(kind, file))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=r"private.json'"):
        small.save(tmp_path / "out", keep_private=file)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "other").read_text() == "theirs"
    assert kind != "file" or file.read_text() == "ours"


@pytest.mark.parametrize("place", [3, "a\0b", b"x", "\ud800"])
def test_a_place_that_is_no_path_is_refused(small, place, tmp_path):
    with pytest.raises(InputError, match="keep_private=.*: "):
        small.save(tmp_path / "out", keep_private=place)
    with pytest.raises(InputError, match="private=.*: "):
        Release.load(small.save(tmp_path / "out", keep_order=True), private=place)


def test_what_json_does_not_know_is_named_and_nothing_is_written(tmp_path):
    release = Release([pd.DataFrame({"x": [1]})], private={"state": np.arange(3)})
    with pytest.raises(InputError, match=r"private\['state'\]: cannot be written as JSON"):
        release.save(tmp_path / "out", keep_private=tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []
    release.save(tmp_path / "out", keep_order=True)


def test_a_private_file_belongs_to_one_folder(small, tmp_path):
    mine = small.save(tmp_path / "mine", keep_private=tmp_path / "mine.json")
    theirs = Release([pd.DataFrame({"x": [1, 2, 4]})]).save(tmp_path / "theirs", keep_private=tmp_path / "theirs.json")
    assert dict(Release.load(mine, private=tmp_path / "mine.json").private) == dict(small.private)
    with pytest.raises(InputError, match="private='.*mine.json': belongs to another release"):
        Release.load(theirs, private=tmp_path / "mine.json")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.csv").write_text("")
    old = {"format": 2, "files": ["synthetic_001.csv"], "n": 1, "columns": {}, "differing": {}, "provenance": {}}
    (tmp_path / "old" / "release.json").write_text(json.dumps(old))
    with pytest.raises(InputError, match="belongs to another release"):
        Release.load(tmp_path / "old", private=tmp_path / "mine.json")


@pytest.mark.parametrize("text", ["", "{", "3", "[]", "{}", '{"private": 3, "digest": "x"}', '{"private": {}}'])
def test_a_private_file_that_is_none_is_refused(small, text, tmp_path):
    folder = small.save(tmp_path / "out", keep_order=True)
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match=r"p\.json"):
        Release.load(folder, private=tmp_path / "p.json")
    with pytest.raises(InputError, match=r"none\.json"):
        Release.load(folder, private=tmp_path / "none.json")


@pytest.mark.parametrize(
    "provenance",
    [
        {"seed": 1},
        {"Seed": None},
        {"random_seed": 1},
        {"randomSeed": 1},
        {"seed2": 1},
        {"rng": "x"},
        {"rng_state": {}},
        {"random_state": 3},
        {"bit generator": "PCG64"},
        {"entropy": 1},
        {"spawn_key": [1]},
        {"draws": 100},
        {"draws_used": [3, 1]},
        {"posterior_draws": [3, 1]},
        {"draw": 5},
        {"permutation": [1, 0]},
        {"permutations": []},
        {"shuffle_keys": ["ab"]},
        {"key": "ab"},
        {"row_order": [1, 0]},
        {"dataset": {"name": "x", "seed": 1}},
        {"steps": [{"model": "a"}, {"inner": [{"rng": 1}]}]},
    ],
)
def test_a_provenance_that_names_a_seed_or_the_like_is_not_saved(provenance, tmp_path):
    release = Release([pd.DataFrame({"x": [1, 2]})], provenance=provenance)
    with pytest.raises(InputError, match=r"provenance\['.*'\]: can be used to reproduce the release .* private="):
        release.save(tmp_path / "out", keep_order=True)
    assert list(tmp_path.iterdir()) == []


def test_how_many_draws_there_were_may_be_published(tmp_path):
    provenance = {"posterior_draws": 2000, "draws_kept": 1900, "m": 2, "seedling": "oak", "key_variables": ["a"]}
    folder = Release([pd.DataFrame({"x": [1, 2]})], provenance=provenance).save(tmp_path / "out", keep_order=True)
    assert dict(Release.load(folder).provenance) == provenance


@pytest.mark.parametrize("place", ["", "nobody.json"])
def test_a_private_file_that_is_none_is_named_by_its_argument(tmp_path: Path, place: str) -> None:
    folder = Release([pd.DataFrame({"x": [1, 2]})], ["x"]).save(tmp_path / "out", keep_order=True)
    with pytest.raises(InputError, match=r"^private[:=]"):
        Release.load(folder, private=place)
