"""Releases that leak and honest releases, built from shipped data with our own code.

Each case is a function that returns the release (and, where it differs, the confidential data or the intruder). The least
verdict that is right for it stands in the decorator: STOP for a full or partial copy, CHECK for a leak that a person must
judge, NOTHING FOUND for an honest release, and UNSEEN for a leak that no tool we know detects.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl

DATA = Path(__file__).resolve().parents[2] / "data"
LEVELS = ("NOTHING FOUND", "CHECK", "STOP")
YOUTH = [
    "age",
    "race",
    "gender",
    "educ",
    "livewith",
    "crimtype",
    "numarr",
    "agefirst",
    "famtime",
    "everviol",
    "probtn",
    "prviol",
]
KEYS = YOUTH[:3]


@dataclass(frozen=True)
class Case:
    """One release with its confidential data, intruder, and the least right verdict."""

    name: str
    least: str
    build: Callable[[], dict[str, Any]]
    half: str = field(default="set")  # thresholds were set on one half of the cases and confirmed on the other

    @property
    def honest(self) -> bool:
        """Whether the release contains nothing that a rule should find."""
        return self.least == "NOTHING FOUND"

    def made(self) -> dict[str, Any]:
        """Return the arguments of `evaluate`."""
        return {"confidential": youths(), "intruder": INTRUDER, **self.build()}


CASES: dict[str, Case] = {}
INTRUDER = sl.Intruder(known=KEYS, synthesized=YOUTH[3:], missing="category")
CE_INTRUDER = sl.Intruder(
    known=["Age", "Urban", "Tenure", "Educ"],
    synthesized=["Expenditure", "Marital", "Income"],
    radius={"Income": 0.2, "Expenditure": 0.2},
    missing="category",
)
ACS_INTRUDER = sl.Intruder(known=["SEX", "RACE", "MAR", "MIG", "SCH"], synthesized=["LANX", "WAOB", "DIS", "HICOV"])


def case(least: str, **variants: Any) -> Callable[[Callable[..., dict[str, Any]]], Callable[..., dict[str, Any]]]:
    """Register a case, or one case for each variant {name: arguments}."""

    def register(build: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        for suffix, arguments in (variants or {"": {}}).items():
            name = f"{build.__name__}{'_' if suffix else ''}{suffix}"
            # Every second case of each kind is kept for confirmation.
            alike = sum(one.least == least for one in CASES.values())
            CASES[name] = Case(name, least, lambda a=arguments: build(**a), "confirm" if alike % 2 else "set")
        return build

    return register


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def shuffled(frame: pd.DataFrame, seed: int = 3) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


@cache
def _split(name: str, n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = shuffled(pd.read_csv(DATA / f"{name}.csv"), 1)
    return frame.iloc[:n].reset_index(drop=True), frame.iloc[n:].reset_index(drop=True)


def youths() -> pd.DataFrame:
    return _split("youths_simulated", 1500)[0][YOUTH].copy()


def other_youths() -> pd.DataFrame:
    return _split("youths_simulated", 1500)[1][YOUTH].copy()


def ce() -> pd.DataFrame:
    return _split("ce_simulated", 3000)[0].copy()


def other_ce() -> pd.DataFrame:
    return _split("ce_simulated", 3000)[1].copy()


def acs() -> pd.DataFrame:
    return _split("acs_simulated", 5000)[0].copy()


@cache
def _trees(name: str, keep: tuple[str, ...] = (), m: int = 5) -> tuple[pd.DataFrame, ...]:
    frame = {"youths": youths, "ce": ce, "acs": acs}[name]()
    return sl.synthesize(frame, m=m, rng=11, keep=list(keep)).frames


def trees(name: str = "youths", keep: tuple[str, ...] = (), m: int = 5) -> list[pd.DataFrame]:
    return [frame.copy() for frame in _trees(name, keep, m)]


@cache
def _overfitted(name: str) -> pd.DataFrame:
    frame = {"youths": youths, "ce": ce}[name]()
    columns = list(frame.columns)
    frame = frame.fillna(frame.mode().iloc[0])
    model = sl.Sequential([sl.Resample(columns[:1]), sl.CART(columns[1:], predictors=columns[:1], min_leaf=1)])
    return model.fit(frame, rng=5).generate(1, rng=5)[0]


def noisy(frame: pd.DataFrame, share: float, columns: list[str]) -> pd.DataFrame:
    noise = rng()
    for column in columns:
        frame[column] = frame[column] + noise.normal(0, share * frame[column].std(), len(frame))
    return frame


def permuted(frame: pd.DataFrame, columns: list[str], seed: int = 7) -> pd.DataFrame:
    draw = rng(seed)
    return frame.assign(**{c: frame[c].to_numpy()[draw.permutation(len(frame))] for c in columns})


def on_ce(synthetic: Any, **more: Any) -> dict[str, Any]:
    return {"confidential": ce(), "synthetic": synthetic, "intruder": CE_INTRUDER, **more}


# Copies


@case("STOP", youths={}, control={"control": True})
def copy(control: bool = False) -> dict[str, Any]:
    return {"synthetic": shuffled(youths()), "control": other_youths() if control else None}


@case("STOP")
def copy_of_ce() -> dict[str, Any]:
    return on_ce(shuffled(ce()))


@case("STOP")
def copy_of_acs() -> dict[str, Any]:
    return {"confidential": acs(), "synthetic": shuffled(acs()), "intruder": ACS_INTRUDER}


@case("STOP")
def copy_in_order() -> dict[str, Any]:
    return {"synthetic": youths()}


@case("STOP")
def copy_but_one_record() -> dict[str, Any]:
    release = youths()
    release.loc[0, "numarr"] = 99
    return {"synthetic": shuffled(release)}


@case("STOP")
def copy_but_one_record_in_order() -> dict[str, Any]:
    release = youths()
    release.loc[0, "numarr"] = 99
    return {"synthetic": release}


@case("STOP", numarr={"column": "numarr"}, age={"column": "age"}, race={"column": "race"})
def one_column_permuted(column: str) -> dict[str, Any]:
    return {"synthetic": shuffled(permuted(youths(), [column]))}


@case("STOP")
def one_column_of_acs_permuted() -> dict[str, Any]:
    return {"confidential": acs(), "synthetic": shuffled(permuted(acs(), ["HICOV"])), "intruder": ACS_INTRUDER}


@case("STOP", half={"n": 750}, fifth={"n": 300})
def subsample(n: int) -> dict[str, Any]:
    return {"synthetic": youths().sample(n, random_state=2)}


@case("STOP")
def every_record_twice() -> dict[str, Any]:
    return {"synthetic": shuffled(pd.concat([youths(), youths()]))}


@case("STOP")
def bootstrap() -> dict[str, Any]:
    return {"synthetic": youths().sample(frac=1, replace=True, random_state=2)}


@case("STOP")
def bootstrap_with_new_identifier() -> dict[str, Any]:
    frame = youths().assign(pid=rng().permutation(90_000)[:1500])
    drawn = frame.sample(frac=1, replace=True, random_state=2).assign(pid=range(1500))
    return {"confidential": frame, "synthetic": drawn}


@case("STOP")
def identifier_renumbered() -> dict[str, Any]:
    frame = youths().assign(pid=rng().permutation(90_000)[:1500])
    return {"confidential": frame, "synthetic": shuffled(frame.assign(pid=rng(8).permutation(1500)))}


@case("STOP")
def records_swapped() -> dict[str, Any]:
    release, draw = youths(), rng()
    rows = draw.choice(len(release), 75, replace=False)
    for column in release:
        release.loc[rows, column] = release.loc[draw.permutation(rows), column].to_numpy()
    return {"synthetic": shuffled(release)}


@case("STOP", first={"place": 0}, last={"place": 4})
def one_dataset_is_a_copy(place: int) -> dict[str, Any]:
    frames = trees()
    frames[place] = shuffled(youths())
    return {"synthetic": frames}


@case("STOP")
def one_of_twenty_is_a_copy() -> dict[str, Any]:
    return {"synthetic": [*trees(m=19), shuffled(youths())]}


@case("STOP")
def diluted() -> dict[str, Any]:
    return {"synthetic": shuffled(pd.concat([youths(), *trees(), *trees(m=5)[:4]]))}


@case("STOP")
def columns_omitted() -> dict[str, Any]:
    intruder = sl.Intruder(known=KEYS, synthesized=["educ", "livewith", "crimtype"], missing="category")
    return {"synthetic": shuffled(youths()[YOUTH[:8]]), "intruder": intruder}


@case("STOP")
def columns_renamed() -> dict[str, Any]:
    intruder = sl.Intruder(known=KEYS, synthesized=["educ", "livewith", "crimtype"], missing="category")
    renamed = {"numarr": "arrests", "agefirst": "first_age", "famtime": "family"}
    return {"synthetic": shuffled(youths().rename(columns=renamed)), "intruder": intruder}


@case("STOP")
def copied_columns_among_drawn_ones() -> dict[str, Any]:
    return {"synthetic": permuted(youths(), YOUTH[8:])}


@case("STOP")
def copied_columns_among_drawn_ones_shuffled() -> dict[str, Any]:
    return {"synthetic": shuffled(permuted(youths(), YOUTH[8:]))}


@case("STOP", shuffled={"mixed": True}, in_order={"mixed": False})
def ten_of_sixty_columns_copied(mixed: bool) -> dict[str, Any]:
    draw = rng()
    frame = youths()[YOUTH[:10]]
    noise = {f"q{number:02d}": draw.integers(1, 6, len(frame)) for number in range(50)}
    confidential = frame.assign(**noise)
    release = confidential.assign(**{name: draw.integers(1, 6, len(frame)) for name in noise})
    intruder = sl.Intruder(known=KEYS, synthesized=[*YOUTH[3:10], *noise], missing="category")
    synthetic = shuffled(release) if mixed else release
    return {"confidential": confidential, "synthetic": synthetic, "intruder": intruder}


@case("STOP")
def sorted_by_the_keys() -> dict[str, Any]:
    return {"synthetic": youths().sort_values(KEYS, kind="stable").reset_index(drop=True)}


@case("STOP")
def both_sorted_by_the_keys() -> dict[str, Any]:
    first = youths().sort_values(KEYS, kind="stable").reset_index(drop=True)
    second = shuffled(youths(), 5).sort_values(KEYS, kind="stable").reset_index(drop=True)
    return {"confidential": first, "synthetic": second}


@case("STOP")
def unchanged_income() -> dict[str, Any]:
    return on_ce(trees("ce", ("Age", "Urban", "Tenure", "Educ", "Income"), 1))


@case("STOP")
def known_and_income_unchanged_in_another_order() -> dict[str, Any]:
    return on_ce(shuffled(trees("ce", ("Age", "Urban", "Tenure", "Educ", "Income"), 1)[0]))


@case("STOP")
def fifty_records_copied() -> dict[str, Any]:
    frame = youths().iloc[:50].reset_index(drop=True)
    return {"confidential": frame, "synthetic": shuffled(frame)}


@case("STOP", shuffled={"mixed": True}, in_order={"mixed": False})
def one_cell_of_each_record_changed(mixed: bool) -> dict[str, Any]:
    release, frame, draw = youths(), youths(), rng()
    for row in range(len(release)):
        column = YOUTH[draw.integers(len(YOUTH))]
        release.loc[row, column] = frame[column].iloc[draw.integers(len(frame))]
    return {"synthetic": shuffled(release) if mixed else release}


@case("STOP", youths={"name": "youths"}, ce={"name": "ce"})
def overfitted_trees(name: str) -> dict[str, Any]:
    release = _overfitted(name).copy()
    return on_ce(release) if name == "ce" else {"synthetic": release}


@case("STOP")
def income_in_cents() -> dict[str, Any]:
    return on_ce(shuffled(ce().assign(Income=ce()["Income"] * 100)))


@case("STOP")
def identifier_released() -> dict[str, Any]:
    pid = rng().permutation(90_000)[:1500]
    return {"confidential": youths().assign(pid=pid), "synthetic": trees(m=1)[0].assign(pid=pid)}


@case("STOP", lower={"change": "lower"}, blank={"change": "blank"})
def texts_changed(change: str) -> dict[str, Any]:
    frame = youths().astype({"race": "object", "gender": "object"})
    frame = frame.assign(race="Race " + frame["race"].astype(str), gender="Gender " + frame["gender"].astype(str))
    release = frame.assign(
        **{c: frame[c].str.lower() if change == "lower" else frame[c] + " " for c in ("race", "gender")}
    )
    return {"confidential": frame, "synthetic": shuffled(release)}


@case("STOP")
def numbers_as_text() -> dict[str, Any]:
    return on_ce(shuffled(ce().assign(Income=[f"${value:,.2f}" for value in ce()["Income"]])))


# Leaks that a person must judge


@case("CHECK", one={"share": 0.01}, five={"share": 0.05}, ten={"share": 0.10})
def noise(share: float) -> dict[str, Any]:
    return on_ce(shuffled(noisy(ce(), share, ["Age", "Educ", "Expenditure", "Income"])))


@case("CHECK")
def rounded() -> dict[str, Any]:
    frame = ce()
    return on_ce(shuffled(frame.assign(Income=frame["Income"].round(1), Expenditure=frame["Expenditure"].round(1))))


@case("CHECK")
def unchanged_columns_not_named() -> dict[str, Any]:
    release = youths().assign(prviol=trees(keep=tuple(KEYS), m=1)[0]["prviol"])
    intruder = sl.Intruder(known=["race", "gender"], synthesized=["prviol"], missing="category")
    return {"synthetic": release, "intruder": intruder}


@case("CHECK")
def unchanged_columns_not_named_in_another_order() -> dict[str, Any]:
    made = unchanged_columns_not_named()
    return {**made, "synthetic": shuffled(made["synthetic"])}


@case("CHECK")
def column_with_the_record() -> dict[str, Any]:
    note = youths().map(str).agg("|".join, axis=1)
    return {"synthetic": trees(m=1)[0].assign(note=note)}


@case("CHECK")
def column_with_a_hash_of_the_record() -> dict[str, Any]:
    key = pd.util.hash_pandas_object(youths()[[*KEYS, "numarr", "agefirst", "crimtype"]], index=False)
    return {"synthetic": trees(m=1)[0].assign(key=key.to_numpy())}


@case("CHECK")
def identifiers_in_another_order() -> dict[str, Any]:
    pid = rng().permutation(90_000)[:1500]
    return {"confidential": youths().assign(pid=pid), "synthetic": trees(m=1)[0].assign(pid=rng(2).permutation(pid))}


@case("CHECK")
def weights_unchanged() -> dict[str, Any]:
    weights = rng().gamma(4.0, 25.0, 1500).round(3)
    confidential = youths().assign(weight=weights)
    return {"confidential": confidential, "synthetic": trees(keep=tuple(KEYS), m=1)[0].assign(weight=weights)}


@case("CHECK")
def smote() -> dict[str, Any]:
    from scipy.spatial import cKDTree

    frame, numbers = ce(), ["Age", "Educ", "Expenditure", "Income"]
    scaled = (frame[numbers] - frame[numbers].mean()) / frame[numbers].std()
    nearest = cKDTree(scaled.to_numpy()).query(scaled.to_numpy(), k=2)[1][:, 1]
    weight = rng().random(len(frame))[:, None] * 0.2
    frame[numbers] = frame[numbers].to_numpy() * (1 - weight) + frame[numbers].to_numpy()[nearest] * weight
    return on_ce(shuffled(frame))


@case("CHECK")
def overfitted_without_copies() -> dict[str, Any]:
    own = set(youths().map(str).agg("|".join, axis=1))
    release = _overfitted("youths")
    return {"synthetic": release[[one not in own for one in release.map(str).agg("|".join, axis=1)]]}


@case("CHECK")
def values_agree_too_often() -> dict[str, Any]:
    release, frame, draw = trees(keep=tuple(KEYS), m=1)[0], youths(), rng()
    for column in ("crimtype", "numarr"):
        same = draw.random(len(frame)) < 0.5
        release[column] = np.where(same, frame[column], release[column])
    return {"synthetic": release}


@case("CHECK")
def household_kept() -> dict[str, Any]:
    household = np.sort(rng().integers(0, 600, 1500))
    frame = youths().assign(household=household)
    release = trees(keep=tuple(KEYS), m=1)[0].assign(household=household)
    intruder = sl.Intruder(known=["gender"], synthesized=YOUTH[3:], missing="category")
    return {"confidential": frame, "synthetic": release, "intruder": intruder}


@case("CHECK")
def year_of_birth_instead_of_age() -> dict[str, Any]:
    return on_ce(shuffled(ce().assign(Age=2017 - ce()["Age"])))


@case("CHECK")
def another_type() -> dict[str, Any]:
    income = pd.cut(ce()["Income"], 6).astype(str)
    return on_ce(shuffled(ce().assign(Income=income)))


# Leaks that no tool we know detects


@case("UNSEEN")
def sixty_people_copied() -> dict[str, Any]:
    release = trees(m=1)[0]
    release.iloc[:60] = youths().iloc[:60]
    return {"synthetic": shuffled(release)}


@case("UNSEEN")
def missing_values_copied() -> dict[str, Any]:
    release, lost = trees(m=1)[0], youths().isna()
    return {"synthetic": release.fillna(release.mode().iloc[0]).mask(lost)}


# Honest releases


@case("NOTHING FOUND", one={"m": 1}, five={"m": 5}, control={"m": 1, "control": True})
def trees_of_youths(m: int, control: bool = False) -> dict[str, Any]:
    return {"synthetic": trees()[:m], "control": other_youths() if control else None}


@case("NOTHING FOUND", ce={"name": "ce", "intruder": CE_INTRUDER}, acs={"name": "acs", "intruder": ACS_INTRUDER})
def trees_of(name: str, intruder: sl.Intruder) -> dict[str, Any]:
    return {"confidential": {"ce": ce, "acs": acs}[name](), "synthetic": trees(name), "intruder": intruder}


@case("NOTHING FOUND")
def trees_of_ce_with_control() -> dict[str, Any]:
    return on_ce(trees("ce")[:1], control=other_ce())


@case("NOTHING FOUND", one={"m": 1}, three={"m": 3})
def partly_synthetic_youths(m: int) -> dict[str, Any]:
    return {"synthetic": trees(keep=tuple(KEYS), m=3)[:m]}


@case("NOTHING FOUND", in_order={"mixed": False}, shuffled={"mixed": True})
def partly_synthetic_ce(mixed: bool) -> dict[str, Any]:
    frames = trees("ce", ("Age", "Urban", "Tenure", "Educ"), 3)
    return on_ce([shuffled(frame, seed) for seed, frame in enumerate(frames)] if mixed else frames)


@case("NOTHING FOUND", youths={"name": "youths"}, ce={"name": "ce"}, acs={"name": "acs"})
def other_people(name: str) -> dict[str, Any]:
    if name == "acs":
        other = _split("acs_simulated", 5000)[1]
        return {"confidential": acs(), "synthetic": other, "intruder": ACS_INTRUDER}
    return {"synthetic": other_youths()} if name == "youths" else on_ce(other_ce())


@case("NOTHING FOUND")
def other_people_with_control() -> dict[str, Any]:
    others = other_youths()
    return {"synthetic": others[:560], "control": others[560:].reset_index(drop=True)}


@case("NOTHING FOUND")
def three_coins() -> dict[str, Any]:
    draw = rng()
    flips = [pd.DataFrame(draw.integers(0, 2, (200, 3)), columns=list("abc")) for _ in range(2)]
    intruder = sl.Intruder(known=["a", "b"], synthesized=["c"])
    return {"confidential": flips[0], "synthetic": flips[1], "intruder": intruder}


@case("NOTHING FOUND")
def drawn_from_the_true_model() -> dict[str, Any]:
    draw = rng()

    def people(n: int) -> pd.DataFrame:
        region, age = draw.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1]), draw.integers(18, 80, n)
        income = np.exp(draw.normal(7 + 0.01 * age, 0.5)).round(-1)
        ill = draw.random(n) < 1 / (1 + np.exp(-(age - 50) / 10))
        return pd.DataFrame({"region": region, "age": age, "income": income, "ill": ill})

    intruder = sl.Intruder(known=["region", "age"], synthesized=["income", "ill"], radius={"income": 0.1})
    return {"confidential": people(3000), "synthetic": people(3000), "intruder": intruder, "control": people(2000)}


@case("NOTHING FOUND")
def private_histogram() -> dict[str, Any]:
    columns = ["SEX", "RACE", "MAR", "DIS", "HICOV"]
    frame, draw = acs()[columns], rng()
    cells = pd.MultiIndex.from_product([sorted(frame[c].unique()) for c in columns], names=columns)
    counts = frame.value_counts(columns).reindex(cells, fill_value=0).to_numpy() + draw.laplace(0, 1, len(cells))
    shares = np.clip(counts, 0, None) / np.clip(counts, 0, None).sum()
    release = cells.to_frame(index=False).iloc[draw.choice(len(cells), len(frame), p=shares)]
    intruder = sl.Intruder(known=columns[:3], synthesized=columns[3:])
    return {"confidential": frame, "synthetic": release.reset_index(drop=True), "intruder": intruder}


@case("NOTHING FOUND")
def gaussian_copula() -> dict[str, Any]:
    from scipy import stats

    frame, draw = ce(), rng()
    scores = stats.norm.ppf(frame.rank(method="first") / (len(frame) + 1))
    shares = stats.norm.cdf(draw.multivariate_normal(np.zeros(frame.shape[1]), np.corrcoef(scores.T), len(frame)))
    release = {c: np.quantile(np.sort(frame[c]), shares[:, i], method="inverted_cdf") for i, c in enumerate(frame)}
    return on_ce(pd.DataFrame(release))


@case("NOTHING FOUND")
def small_normal_sample() -> dict[str, Any]:
    draw, cov = rng(), 0.5 * np.eye(4) + 0.5
    files = [pd.DataFrame(draw.multivariate_normal(np.zeros(4), cov, 50), columns=list("wxyz")) for _ in range(2)]
    intruder = sl.Intruder(known=["w"], synthesized=["x", "y", "z"], radius=0.1, radius_kind="absolute")
    return {"confidential": files[0], "synthetic": files[1], "intruder": intruder}


@case("NOTHING FOUND")
def parametric_synthesis() -> dict[str, Any]:
    models = {"Expenditure": "log-normal", "Income": "log-normal"}
    frame = ce()[["Age", "Urban", "Tenure", "Expenditure", "Income"]]
    frame = frame.assign(Income=frame["Income"].abs() + 1, Expenditure=frame["Expenditure"].abs() + 1)
    intruder = sl.Intruder(
        known=["Age", "Urban", "Tenure"],
        synthesized=["Expenditure", "Income"],
        radius={"Income": 0.2, "Expenditure": 0.2},
    )
    release = sl.synthesize(frame, m=2, rng=3, models=models, keep=["Age", "Urban", "Tenure"])
    return {"confidential": frame, "synthetic": release, "intruder": intruder}


@case("NOTHING FOUND", **{t: {"tool": t} for t in ("copulas", "python-synthpop", "synthpop", "synthlab")})
def foreign_release(tool: str) -> dict[str, Any]:
    frame = sl.datasets.load("affairs").frame
    order = np.random.default_rng(1978).permutation(len(frame))
    given = frame.iloc[order[:3183]].reset_index(drop=True)
    files = [
        pd.read_csv(io.BytesIO(gzip.decompress((DATA / "foreign" / f"{tool}_{number}.csv.gz").read_bytes())))
        for number in (1, 2, 3)
    ]
    known = ["age", "yrs_married", "children", "educ", "occupation"]
    rest = [c for c in given if c not in known]
    intruder = sl.Intruder(known=known, synthesized=rest, radius={"affairs": 0.2})
    return {"confidential": given, "synthetic": files, "intruder": intruder}
