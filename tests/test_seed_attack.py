"""Attacks that try seeds: a published folder must not show which record each synthetic value was drawn from.

Every attack is also run on a release that was made with a short seed. It must succeed there, so that a failure
elsewhere is due to the protection.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli, counts, dp, weights
from synthlab._rng import is_safe
from synthlab._seed_codes import described_bits
from synthlab.exceptions import InputError
from synthlab.synthesizers.registry import SYNTHESIZERS
from tests.fitted_examples import example_survey
from tests.test_cli import configured

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")

SHORT = 2024
TRIED = (0, 1, 42, 2023, SHORT)
N = 400


@cache
def people() -> pd.DataFrame:
    frame = example_survey(N)
    return frame[["job", *frame.columns.drop("job")]]  # the first variable is attacked, and has no rare numbers


MECHANISMS: dict[str, Any] = {
    "PseudoPosteriorMechanism": weights.PseudoPosteriorMechanism(
        synthesizer=sl.DirichletMultinomial(["job"]), quantile=0.9
    ),
    "ScalarWeightMechanism": weights.ScalarWeightMechanism(
        synthesizer=sl.DirichletMultinomial(["job"]), lipschitz_bound=1.0, quantile=0.9
    ),
}
FITTING = (*SYNTHESIZERS, *MECHANISMS)  # names of what has a method `fit`
DETERMINISTIC = "Topcoding"  # draws no random number, so that a seed reveals nothing


@cache
def fitted(name: str) -> Any:
    if name in MECHANISMS:
        return MECHANISMS[name].fit(people(), rng=1, draws=20)
    declaration = SYNTHESIZERS[name]
    return declaration.example().fit(people(), rng=1, **declaration.options)


@cache
def imputed() -> sl.Imputed:
    holes = people()[["age", "income"]].astype(float)
    return sl.Imputed(holes.mask(np.arange(N)[:, None] % 7 == np.arange(2)), M=2, rounds=1, rng=1)


def of_pseudo_populations(rng: Any) -> sl.Release:
    survey = people()[["job"]].assign(weight=np.linspace(5.0, 20.0, N))
    model, design = sl.DirichletMultinomial(["job"]), sl.SurveyDesign(weights="weight")
    return sl.synthesize_pseudo_populations(model, survey, design, populations=2, draws=8, rng=rng)


def of_private_table(function: Any, rng: Any) -> sl.Release:
    levels = {"region": ["north", "south"]}
    made: sl.Release = function(
        people()[["region"]], levels=levels, n_synthetic=2_000, epsilon=0.5, m=2, rng=rng
    ).release()
    return made


def generated(name: str, rng: Any) -> sl.Release:
    made: sl.Release = fitted(name).generate(2, rng=rng)
    return made


MAKERS: dict[str, Callable[[Any], sl.Release]] = {
    **{name: partial(generated, name) for name in FITTING},
    "synthesize": lambda rng: sl.synthesize(people(), m=2, rng=rng),
    "Imputed.synthesize": lambda rng: imputed().synthesize(sl.CART(["income"], predictors=["age"]), rng=rng),
    "synthesize_pseudo_populations": of_pseudo_populations,
    "private_table": lambda rng: of_private_table(dp.private_table, rng),
    "private_pmse_table": lambda rng: of_private_table(dp.private_pmse_table, rng),
    "private_poisson_gamma_table": lambda rng: of_private_table(
        partial(dp.private_poisson_gamma_table, expected=[20.0, 20.0]), rng
    ),
    "private_ks_table": lambda rng: of_private_table(dp.private_ks_table, rng),
}


def equal(one: sl.Release, other: sl.Release) -> bool:
    return all(a.reset_index(drop=True).equals(b.reset_index(drop=True)) for a, b in zip(one, other, strict=True))


def test_every_mechanism_is_attacked() -> None:
    public = [getattr(weights, name) for name in weights.__all__]
    assert {kind.__name__ for kind in public if inspect.isclass(kind) and hasattr(kind, "fit")} == set(MECHANISMS)


@pytest.mark.parametrize("name", MAKERS)
def test_a_release_with_a_short_seed_is_refused(name: str, tmp_path: Path) -> None:
    release = MAKERS[name](SHORT)
    for one in (release, release.shuffled()):
        with pytest.raises(InputError, match=r"private\['seed'\]: .*found by trial"):
            one.save(tmp_path / "refused", keep_private=tmp_path / "private.json")
    assert list(tmp_path.iterdir()) == []
    again = sl.Release.load(release.save(tmp_path / "allowed", allow_short_seed=True, keep_order=True))
    with pytest.raises(InputError, match="found by trial"):
        again.shuffled().save(tmp_path / "refused")


@pytest.mark.parametrize("name", MAKERS)
def test_a_release_without_a_seed_is_not_found_by_trial(name: str, tmp_path: Path) -> None:
    make = MAKERS[name]
    short, release = make(SHORT), make(None)
    published = sl.Release.load(release.save(tmp_path / "out", keep_private=tmp_path / "private.json"))
    assert [seed for seed in TRIED if equal(make(seed), short)] == (list(TRIED) if name == DETERMINISTIC else [SHORT])
    # What is loaded has another index and may have other dtypes than what was made; the first is compared as it was made.
    assert len(published) == len(release)
    assert [seed for seed in TRIED if equal(make(seed), release)] == (list(TRIED) if name == DETERMINISTIC else [])
    private = sl.Release.load(tmp_path / "out", private=tmp_path / "private.json").private
    if not name.startswith("private_"):  # tables with a privacy guarantee keep no key
        assert 2**96 <= private["seed"] < 2**128
        assert equal(make(private["seed"]), release)


def generators(seed: Any) -> Iterator[Any]:
    """Yield everything that can be passed as `rng` and holds this seed."""
    yield np.random.SeedSequence(seed)
    yield np.random.SeedSequence(seed).spawn(3)[2]
    yield np.random.SeedSequence(seed, spawn_key=(2**100,))
    yield np.random.default_rng(seed)
    yield np.random.default_rng(seed).spawn(2)[1].spawn(1)[0]
    yield np.random.Generator(np.random.MT19937(seed))


class OwnSequence(np.random.SeedSequence):
    """A seed sequence whose words do not follow from its entropy."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return np.zeros(n_words, dtype)

    def spawn(self, n_children: int) -> list[Any]:
        return [np.random.SeedSequence(i) for i in range(n_children)]


SHORT_OR_UNKNOWN = [
    0,
    SHORT,
    np.int64(SHORT),
    np.uint8(3),
    2**96 - 1,
    *generators(SHORT),
    *generators([2024, 1, 5]),
    *generators([2024] * 20),
    np.random.default_rng(OwnSequence(2**127)),
]


def drawn(rng: Any) -> sl.Release:
    made: sl.Release = fitted("Resample").generate(1, rng=rng)
    return made


@pytest.mark.parametrize("rng", SHORT_OR_UNKNOWN, ids=lambda rng: type(rng).__name__)
def test_a_seed_is_short_however_it_is_passed(rng: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found by trial"):
        drawn(rng).save(tmp_path / "out", keep_order=True)


WORDS = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F]  # the first words of SHA-256
RANDOM = sum(word << 32 * place for place, word in enumerate(WORDS))


@pytest.mark.parametrize("seed", [RANDOM, WORDS, None], ids=["number", "words", "system"])
def test_a_long_seed_is_safe_however_it_is_passed(seed: Any, tmp_path: Path) -> None:
    everything = [*generators(seed), *([seed] if isinstance(seed, int) else [])]
    for number, rng in enumerate(everything):
        assert len(drawn(rng).save(tmp_path / str(number), keep_order=True).name)


def guessed() -> dict[str, Any]:
    """Return seeds of at least 97 bits that a person could choose."""
    digits = {
        "one digit": "1" * 30,
        "two digits in turn": "12" * 16,
        "three digits in turn": "123" * 12,
        "few distinct digits": "1001011101110010110110101101001101",
        "ascending": "1234567890" * 3,
        "descending": "9876543210" * 3,
        "odd": "13579" * 7,
        "counting": "".join(map(str, range(1, 21))),
        "years": "198519861987198819891990199119921993",
        "dates": "19850312199910242001070820260115",
        "days, months and years": "12031985241019990807200115012026",
        "one date": "20281128" * 5,
        "a time and zeros": "20281128083000" + "0" * 20,
    }
    numbers = {
        "power of ten": 10**29,
        "huge power": 10**5000,
        "power of two": 2**96,
        "all bits": 2**127 - 1,
        "power of three": 3**70,
        "near a power": 7**50 + 3,
        "square": (2**61 - 1) ** 2,
        "factorial": math.factorial(30),
        "hexadecimal word": int("deadbeef" * 4, 16),
        "hexadecimal steps": 0x123456789ABCDEF0123456789ABCDEF0,
    }
    lists = {
        "steps": [2**32 - 1 - i for i in range(4)],
        "range": list(range(1, 60)),
        "squares": [k * k for k in range(1, 40)],
        "repeated": [2024, 2025] * 20,
    }
    return {**{name: int(text) for name, text in digits.items()}, **numbers, **lists}


@pytest.mark.parametrize("name", guessed())
def test_a_long_seed_that_can_be_guessed_is_refused(name: str, tmp_path: Path) -> None:
    seed = guessed()[name]
    for rng in [*generators(seed), *([seed] if isinstance(seed, int) else [])]:
        with pytest.raises(InputError, match="guessed"):
            drawn(rng).save(tmp_path / "out", keep_order=True)


def test_random_seeds_are_never_taken_for_guessed_ones() -> None:
    """The shortest description saves t bits for at most about 10 * 2**-t of all numbers: 6 bits in a hundred for 128 bits."""
    random = np.random.default_rng(1)
    saved = []
    for _ in range(300):
        words = [int(word) for word in random.integers(0, 2**32, 4)]
        number = sum(word << 32 * place for place, word in enumerate(words))
        assert is_safe(words)
        assert is_safe(number)
        saved.append(number.bit_length() - described_bits([number]))
    assert 0 < max(saved) < 20
    assert np.mean(np.array(saved) > 6) < 10 * 2.0**-6


def test_a_generator_without_a_seed_sequence_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="rng: this Generator has no seed sequence"):
        drawn(np.random.Generator(np.random.RandomState(5)._bit_generator))


def test_the_state_of_a_generator_does_not_matter() -> None:
    """The streams come from the seed sequence alone, so a state that was set or jumped to does not make them short."""
    for long in (True, False):
        made = np.random.default_rng(None if long else SHORT)
        other = np.random.default_rng(SHORT if long else None)
        release = drawn(made)
        made = np.random.default_rng(np.random.SeedSequence(release.private["seed"]["entropy"]))
        made.bit_generator.state = other.bit_generator.state
        assert equal(drawn(made), release)
    jumped = [drawn(np.random.Generator(np.random.PCG64(SHORT).jumped())) for _ in range(2)]
    assert not equal(*jumped)


def test_what_private_holds_of_a_generator_repeats_the_release() -> None:
    parent = np.random.default_rng()
    parent.spawn(3)
    for rng in (parent, np.random.SeedSequence(), parent.spawn(1)[0]):
        release = drawn(rng)
        assert equal(drawn(np.random.SeedSequence(**release.private["seed"])), release)


@pytest.mark.parametrize(
    "private", [{"seed": None}, {"seed": "7"}, {"fit_seed": 3}, {"how": {"random_state": 1}}, {"rng": [1, [2]]}]
)
def test_other_names_and_forms_of_a_seed_are_refused(private: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found by trial"):
        sl.Release([people()], private=private).save(tmp_path / "out", keep_order=True)


# The attack on the folder: the attacker synthesizes the numbers of the records in place of the unknown values.


def record_numbers(first: str, m: int, rng: Any) -> list[np.ndarray]:
    fake = pd.DataFrame({first: np.arange(float(N)), "z": np.tile([0.0, 1.0], N // 2)})
    return [
        one[first].to_numpy().astype(int)
        for one in sl.synthesize(fake, m=m, rng=rng, smooth=False, models={first: "tree"})
    ]


def recovered(folder: Path, seeds: Any) -> dict[int, Any]:
    """Return the values of the first variable by record, for the first seed that does not contradict itself."""
    published = sl.Release.load(folder)
    first = sl.Plan.of(published).order[0]
    for seed in seeds:
        known: dict[int, Any] = {}
        numbers = record_numbers(first, published.m, seed)
        pairs = [
            (i, v) for one, ix in zip(published, numbers, strict=True) for i, v in zip(ix, one[first], strict=True)
        ]
        if all(known.setdefault(i, v) == v for i, v in pairs):
            return known
    return {}


def right(known: dict[int, Any]) -> int:
    return sum(people()["job"].iloc[i] == value for i, value in known.items())


@pytest.mark.parametrize("m", [1, 5])
def test_the_folder_gives_back_values_in_file_order_only_with_a_short_seed(m: int, tmp_path: Path) -> None:
    weak = sl.synthesize(people(), m=m, rng=SHORT).save(tmp_path / "weak", allow_short_seed=True, keep_order=True)
    known = recovered(weak, TRIED)
    assert right(known) == len(known) > 0.6 * N
    safe = sl.synthesize(people(), m=m).save(tmp_path / "safe", keep_order=True)
    assert recovered(safe, TRIED) == {}


@pytest.mark.parametrize("in_order", [False, True])
def test_the_seed_of_the_command_gives_nothing_back(in_order: bool, tmp_path: Path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False)
    call = ["synthesize", str(tmp_path / "people.csv"), "--seed", "42", "--out", str(tmp_path / "out")]
    call += configured(tmp_path, keep_order=True) if in_order else []
    with pytest.raises(SystemExit) as ended:
        cli.main(call)
    assert not ended.value.code
    assert recovered(tmp_path / "out", TRIED) == {}


def occurrences(frames: Any, column: str) -> dict[Any, tuple[int, ...]]:
    """Return how often each value occurs in each dataset."""
    counted = [Counter(one[column].tolist()) for one in frames]
    return {value: tuple(one[value] for one in counted) for value in set().union(*counted)}


def reassembled(folder: Path, seeds: Any) -> dict[int, dict[str, Any]]:
    """Return records put together from a shuffled release, in which all variables are drawn with replacement."""
    published = sl.Release.load(folder)
    seen = {c: occurrences(published, c) for c in published[0].columns}
    numbers = pd.DataFrame({c: np.random.default_rng(0).permutation(N) + 0.5 for c in seen})
    for seed in seeds:
        fake = sl.synthesize(numbers, m=published.m, rng=seed, models=dict.fromkeys(seen, "sample"))
        made = {c: occurrences(fake, c) for c in seen}
        if any(Counter(seen[c].values()) != Counter(made[c].values()) for c in seen):
            continue
        rows: dict[int, dict[str, Any]] = {}
        for column in seen:
            place = {value: i for i, value in enumerate(numbers[column])}
            of: dict[tuple[int, ...], list[int]] = {}
            for value, times in made[column].items():
                of.setdefault(times, []).append(place[value])
            for value, times in seen[column].items():
                if len(of[times]) == 1:
                    rows.setdefault(of[times][0], {})[column] = value
        return {i: row for i, row in rows.items() if len(row) == len(seen)}
    return {}


def test_shuffled_rows_are_put_together_only_with_a_short_seed(tmp_path: Path) -> None:
    rng = np.random.default_rng(99)
    frame = pd.DataFrame(
        {"income": np.round(rng.lognormal(10, 0.7, N), 2), "wealth": np.round(rng.lognormal(11, 1, N), 2)}
    )
    options: dict[str, Any] = {"m": 20, "models": dict.fromkeys(["income", "wealth"], "sample")}
    weak = sl.synthesize(frame, rng=SHORT, **options).shuffled().save(tmp_path / "weak", allow_short_seed=True)
    rows = reassembled(weak, TRIED)
    assert len(rows) > 0.9 * N
    assert all(frame.iloc[i].to_dict() == row for i, row in rows.items())
    safe = sl.synthesize(frame, **options).shuffled().save(tmp_path / "safe")
    assert reassembled(safe, TRIED) == {}


# Tables have no `save`. Whoever passes no seed is safe; with a short seed the noise is subtracted.


def true_counts(tables: Any, family: Any, seeds: Any) -> np.ndarray | None:
    """Return the counts that all tables agree on after the noise of a seed was subtracted."""
    seen = np.array([one.dense().ravel() for one in tables])
    flat = counts.Table.from_counts(
        np.full(tables[0].shape, 10_000), dict(zip(tables[0].variables, tables[0].levels, strict=True))
    )
    for seed in seeds:
        made = counts.synthesize_table(flat, family, m=len(seen), rng=seed, pseudocount=0)
        noise = np.array([one.dense().ravel() for one in made]) - 10_000
        guess = np.where(seen > 0, seen - noise, np.nan)
        if np.nanmax(np.nanmax(guess, axis=0) - np.nanmin(guess, axis=0)) == 0:
            return np.nanmedian(guess, axis=0)
    return None


def test_a_table_gives_back_its_counts_only_with_a_short_seed() -> None:
    truth = 1 + np.random.default_rng(3).poisson(6, (20, 10))
    table = counts.Table.from_counts(truth, {"a": list(range(20)), "b": list(range(10))})
    family = counts.LaplaceCount(epsilon=0.5)
    weak = counts.synthesize_table(table, family, m=12, rng=SHORT, pseudocount=0)
    np.testing.assert_array_equal(true_counts(weak, family, TRIED), truth.ravel())
    assert true_counts(counts.synthesize_table(table, family, m=12, pseudocount=0), family, TRIED) is None


FAMILIES = [
    counts.LaplaceCount(epsilon=0.5),
    counts.Poisson(),
    counts.NBI(sigma=0.5),
    counts.PIG(sigma=0.5),
    counts.Delaporte(sigma=0.5, nu=0.3),
    counts.Sichel(sigma=0.5, nu=1.0),
    counts.GeneralizedPoisson(sigma=0.5),
    counts.GAF(sigma=1.0, nu=0.5),
]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
def test_a_table_without_a_seed_is_not_found_by_trial(family: Any) -> None:
    truth = 1 + np.random.default_rng(3).poisson(6, (20, 10))
    table = counts.Table.from_counts(truth, {"a": list(range(20)), "b": list(range(10))})

    def made(rng: Any) -> np.ndarray:
        return np.array([one.dense() for one in counts.synthesize_table(table, family, m=2, pseudocount=0, rng=rng)])

    assert [seed for seed in TRIED if (made(seed) == made(SHORT)).all()] == [SHORT]
    default = made(None)
    assert not [seed for seed in TRIED if (made(seed) == default).all()]
