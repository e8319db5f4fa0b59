"""Releases with a known answer: one table of leaks and honest releases, and numbered honest releases from `honest`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.verdict import honest
from tests.verdict.files import (
    YOUTH,
    foreign,
    households,
    names,
    panel,
    part,
    rng,
    shuffled,
    simulated,
    survey,
)
from tests.verdict.honest import asked, margins
from tests.verdict.leaks import (
    between_neighbors,
    mapped,
    micro_aggregated,
    mixed_in,
    neighbors_swapped,
    noisy,
    one_cell_redrawn,
    overfitted,
    permuted,
    rank_kept,
    records_swapped,
    redrawn,
    relabeled,
    spread,
    text_of,
    trees,
    without_copies,
)

LEVELS = ("NOTHING FOUND", "CHECK", "STOP")
HONEST, UNDETECTABLE = LEVELS[0], "UNDETECTABLE"
NUMBERED = 40  # honest releases of each kind of synthesizer
Made = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One release, with the least verdict that is right for it.

    "STOP" for copies of at least 10 people, "CHECK" for a leak that a person must judge, "NOTHING FOUND" for an honest
    release, and "UNDETECTABLE" for a leak that no rule can tell from chance.
    """

    name: str
    kind: str
    expected: str
    build: Callable[[], Made]
    why: str = ""

    @property
    def half(self) -> str:
        """Half A was used to set thresholds; half B reports."""
        return "AB"[sha256(self.name.encode()).digest()[0] % 2]

    @property
    def honest(self) -> bool:
        return self.expected == HONEST

    def made(self) -> Made:
        """Return the arguments of `evaluate`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            return self.build()

    def is_right(self, verdict: str, genuine: bool = False) -> bool:
        """Return whether a verdict is right; honest releases may get a genuine CHECK."""
        if self.honest:
            return verdict == HONEST or (verdict == "CHECK" and genuine)
        return verdict in LEVELS[LEVELS.index(self.expected) if self.expected in LEVELS else 0 :]


# Short names of the confidential files, and of the arguments of `evaluate` for a release of each


def youths() -> pd.DataFrame:
    return part("youths_simulated", 0, 1500)


def ce() -> pd.DataFrame:
    return part("ce_simulated", 0, 3000)


def acs() -> pd.DataFrame:
    return part("acs_simulated", 0, 5000)


KEYS, CE_KEYS = YOUTH[:3], ["Age", "Urban", "Tenure", "Educ"]
ACS_KEYS, KNOWN = ["SEX", "RACE", "MAR", "MIG", "SCH"], ["region", "sex", "age", "marital"]


def of_youths(synthetic: Any, confidential: pd.DataFrame | None = None, **more: Any) -> Made:
    return asked(youths() if confidential is None else confidential, synthetic, KEYS, **more)


def of_ce(synthetic: Any, confidential: pd.DataFrame | None = None, **more: Any) -> Made:
    frame = ce() if confidential is None else confidential
    return asked(frame, synthetic, CE_KEYS, **{"radius": {"Income": 0.2, "Expenditure": 0.2}, **more})


def of_acs(synthetic: Any, **more: Any) -> Made:
    return asked(acs(), synthetic, ACS_KEYS, **more)


def of_survey(synthetic: Any, n: int = 1000, confidential: pd.DataFrame | None = None, **more: Any) -> Made:
    return asked(survey(n) if confidential is None else confidential, synthetic, KNOWN, **more)


def of_income(change: Callable[[pd.Series], Any] | list[Callable[[pd.Series], Any]], column: str = "income") -> Made:
    """Release one column of each person changed, and all others unchanged, in row order."""
    frame = survey(900)[["region", "sex", "age", "marital", "education", "health", "job", "income"]]
    changes = change if isinstance(change, list) else [change]
    releases = [frame.assign(**{column: one(frame[column])}) for one in changes]
    return asked(frame, releases, [c for c in frame if c != column])


def of_copies(
    n: int, number: int, change: Callable[[pd.DataFrame], pd.DataFrame] = lambda own: own, size: int | None = None
) -> Made:
    """Release the first people, changed, among other people."""
    own = change(survey(n).iloc[:number])
    return of_survey(mixed_in(own, survey(size or n, 2)), n)


def datasets_of_copies(m: int, number: int, other: bool = True) -> Made:
    """Release some people in each of m datasets: other people in each, or the same."""
    own = [survey(1000).iloc[i * number * other :][:number] for i in range(m)]
    return of_survey([mixed_in(one, survey(1000, 100 + i), i) for i, one in enumerate(own)])


def with_column(
    name: str, own: Any, released: Any, honest_release: pd.DataFrame | None = None, declared: bool = True, **more: Any
) -> Made:
    """Release other people with a column of values that may be real."""
    release = (survey(1000, 2) if honest_release is None else honest_release).assign(**{name: released})
    return of_survey(
        release, confidential=survey(1000).assign(**{name: own}), undeclared=() if declared else (name,), **more
    )


def times(seed: int) -> Any:
    seconds = pd.to_timedelta(rng(5, seed).integers(0, 90 * 86_400, 1000), "s")
    return (pd.Timestamp("2024-03-01") + seconds).strftime("%Y-%m-%d %H:%M:%S").to_numpy()


def some_of(own: Any, other: Any, share: float) -> Any:
    """Return real values for a share of the records and others for the rest, in a random order."""
    real = round(share * len(own))
    return rng(9).permutation(np.concatenate([own[:real], other[real:]]))


def accounts(compact: bool = False) -> Any:
    draw = rng(17)
    values = [f"XY{a:02d} {b:04d} {c:04d}" for a, b, c in draw.integers(0, [99, 9999, 9999], (1000, 3))]
    return draw.permutation([one.replace(" ", "").lower() for one in values]) if compact else values


def wide(columns: int, seed: int) -> pd.DataFrame:
    draw = rng(18, seed)
    return pd.DataFrame({f"q{j:02d}": draw.integers(1, 6, 1500) for j in range(columns)})


def wide_file(mixed: bool = True) -> Made:
    """Release 10 real columns among 50 that are drawn."""
    frame = pd.concat([youths()[YOUTH[:10]], wide(50, 1)], axis=1)
    release = pd.concat([youths()[YOUTH[:10]], wide(50, 2)], axis=1)
    return of_youths(shuffled(release) if mixed else release, frame)


def eight_of_eighty_columns() -> Made:
    frame, release = (pd.concat([survey(1500, seed), wide(68, seed)], axis=1) for seed in (1, 2))
    columns = ["age", "job", "marital", "region", "children", "education", "income", "rent"]
    release.loc[:59, columns] = frame.loc[frame["age"].nlargest(60).index, columns].to_numpy()
    return of_survey(shuffled(release.astype(frame.dtypes)), confidential=frame)


def oldest(n: int, age: int) -> Made:
    own, others = survey(n), survey(n, 2)
    return of_survey(shuffled(pd.concat([own[own["age"] > age], others[others["age"] <= age]])), n)


def richest(n: int, number: int) -> Made:
    own, others = survey(n), survey(n, 2)
    least = own["income"].nlargest(number).min()
    return of_survey(mixed_in(own.nlargest(number, "income"), others[others["income"] < least]), n)


def from_few_people(number: int) -> Made:
    drawn = survey(3000).iloc[rng().choice(number, 3000)].reset_index(drop=True)
    return of_survey(noisy(drawn, 0.01, ["income", "rent"]), 3000)


def events(seed: int, people: range) -> pd.DataFrame:
    draw, rows = rng(19, seed), []
    for person in people:
        days = draw.integers(0, 700) + draw.integers(1, 60, draw.integers(4, 13)).cumsum()
        codes, spent = draw.integers(0, 40, len(days)), draw.gamma(2, 60, len(days)).round(2)
        rows.append(pd.DataFrame({"patient": person, "day": days, "code": codes, "amount": spent}))
    return pd.concat(rows, ignore_index=True).assign(code=lambda one: "I" + one["code"].astype(str))


def histories_of_patients() -> Made:
    own, draw = events(1, range(300)), rng(20)
    release = pd.concat([own[own["patient"] < 285], events(2, range(285, 300))], ignore_index=True)
    release["day"] += draw.integers(-180, 181, 300)[release["patient"]]
    release["amount"] = release["amount"].round(-1)
    release["patient"] = draw.permutation(5000)[release["patient"]]
    return asked(own, shuffled(release), ["day"], undeclared=("patient",))


def one_wave_of_a_panel() -> Made:
    own, others = panel(400, 1), panel(400, 2)
    wave = own[own["wave"] == 3].assign(income=lambda one: one["income"].round(-2))
    release = shuffled(pd.concat([others[others["wave"] != 3], wave]))
    release["pid"] = rng(1).permutation(9000)[release["pid"]]
    return asked(own, release, ["region", "sex", "age"], undeclared=("pid",))


def of_panel(known: list[str], undeclared: tuple[str, ...]) -> Made:
    return asked(panel(300, 1), panel(300, 2), ["region", "sex", "age", *known], undeclared=("pid", *undeclared))


def of_households(undeclared: tuple[str, ...] = ("household", "person")) -> Made:
    drop = [c for c in ("household", "person") if c not in undeclared]
    own, other = (households(500, seed).drop(columns=drop) for seed in (1, 2))
    return asked(own, other, ["region", "sex", "age"], undeclared=undeclared)


def members_of_households_kept() -> Made:
    household = np.sort(rng().integers(0, 600, 1500))
    release = trees("youths_simulated", 1500, tuple(KEYS))[0].assign(household=household)
    return asked(youths().assign(household=household), release, ["gender"], undeclared=("household",))


def of_margins(m: int = 1, last: pd.DataFrame | None = None) -> Made:
    """Release columns that are drawn independently, and a last dataset."""
    frame = youths()
    frames = [margins(frame, len(frame), rng(21, i)) for i in range(m)]
    return of_youths([*frames, *([] if last is None else [last])])


def coins(n: int, columns: int, shares: Any = 0.5, seed: int = 7) -> Made:
    draw = rng(22, seed)
    files = [pd.DataFrame(draw.random((n, columns)) < shares).add_prefix("v").astype(int) for _ in range(2)]
    return asked(files[0], files[1], ["v0", "v1"])


def regions_and_ages(n: int, seed: int) -> pd.DataFrame:
    draw = rng(23, seed)
    region, age = draw.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1]), draw.integers(18, 80, n)
    income = np.exp(draw.normal(7 + 0.01 * age, 0.5)).round(-1)
    ill = draw.random(n) < 1 / (1 + np.exp(-(age - 50) / 10))
    return pd.DataFrame({"region": region, "age": age, "income": income, "ill": ill})


def private_histogram() -> Made:
    columns = ["SEX", "RACE", "MAR", "DIS", "HICOV"]
    frame, draw = acs()[columns], rng()
    cells = pd.MultiIndex.from_product([sorted(frame[c].unique()) for c in columns], names=columns)
    counts = frame.value_counts(columns).reindex(cells, fill_value=0).to_numpy() + draw.laplace(0, 1, len(cells))
    shares = np.clip(counts, 0, None) / np.clip(counts, 0, None).sum()
    release = cells.to_frame(index=False).iloc[draw.choice(len(cells), len(frame), p=shares)]
    return asked(frame, release.reset_index(drop=True), columns[:3])


def parametric() -> Made:
    frame = ce()[["Age", "Urban", "Tenure", "Expenditure", "Income"]]
    frame = frame.assign(Income=frame["Income"].abs() + 1, Expenditure=frame["Expenditure"].abs() + 1)
    models = {"Expenditure": "log-normal", "Income": "log-normal"}
    return of_ce(sl.synthesize(frame, m=2, rng=3, models=models, keep=CE_KEYS[:3]), frame)


def named_only(columns: list[str], made: Made) -> Made:
    """Declare only some columns synthetic."""
    near = {c: value for c, value in (made["intruder"].radius or {}).items() if c in columns}
    known = [c for c in made["intruder"].known if c not in columns]
    intruder = sl.Intruder(known=known, synthesized=columns, radius=near or None, missing="category")
    return {**made, "intruder": intruder}


def redrawn_but(columns: list[str], frame: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Keep some columns of each person and take the others from another record."""
    other = others.iloc[: len(frame)].set_axis(frame.index)
    return other.assign(**frame[columns])


def youth_trees(m: int = 1, keep: tuple[str, ...] = ()) -> list[pd.DataFrame]:
    return trees("youths_simulated", 1500, keep, 5)[:m]


def ce_trees(m: int = 1, keep: tuple[str, ...] = ()) -> list[pd.DataFrame]:
    return trees("ce_simulated", 3000, keep, m)


CE_AMOUNTS, CE_NUMBERS = ["Expenditure", "Income"], ["Age", "Educ", "Expenditure", "Income"]
PID = rng(24).permutation(90_000)[:1500]
BORN = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng(25).integers(0, 20_000, 1500), "D")
PHONES = rng(26).choice(10**9, 2000, replace=False) + 4 * 10**9


def rows(kind: str, expected: str, why: str, **makers: Callable[[], Made]) -> list[Case]:
    """Return the cases of one kind that have the same answer for the same reason."""
    return [Case(name, kind, expected, make, why) for name, make in makers.items()]


TABLE: list[Case] = [
    *rows(
        "whole copies",
        "STOP",
        "All or many released records are real people.",
        copy_youths=lambda: of_youths(shuffled(youths())),
        copy_control=lambda: of_youths(shuffled(youths()), control=part("youths_simulated", 1500)),
        copy_of_ce=lambda: of_ce(shuffled(ce())),
        copy_of_acs=lambda: of_acs(shuffled(acs())),
        copy_in_order=lambda: of_youths(youths()),
        copy_but_one_record=lambda: of_youths(
            shuffled(youths().assign(numarr=lambda f: f["numarr"].mask(f.index == 0, 99)))
        ),
        copy_but_one_record_in_order=lambda: of_youths(
            youths().assign(numarr=lambda f: f["numarr"].mask(f.index == 0, 99))
        ),
        copy_sorted_by_keys=lambda: of_youths(youths().sort_values(KEYS, kind="stable").reset_index(drop=True)),
        fifty_records_copied=lambda: of_youths(shuffled(youths()[:50]), youths()[:50]),
        copy_and_file_sorted=lambda: of_youths(
            shuffled(youths(), 5).sort_values(KEYS, kind="stable").reset_index(drop=True),
            youths().sort_values(KEYS, kind="stable").reset_index(drop=True),
        ),
        copy_for_an_intruder_who_knows_sex=lambda: named_only(YOUTH[3:], of_youths(shuffled(youths()))),
        every_record_twice=lambda: of_youths(shuffled(pd.concat([youths(), youths()]))),
        subsample_half=lambda: of_youths(youths().sample(750, random_state=2)),
        subsample_fifth=lambda: of_youths(youths().sample(300, random_state=2)),
        bootstrap=lambda: of_youths(youths().sample(frac=1, replace=True, random_state=2)),
        bootstrap_of_survey=lambda: of_survey(survey(1000).sample(frac=1, replace=True, random_state=2)),
        bootstrap_of_a_fifth=lambda: of_survey(survey(1000)[:200].sample(1000, replace=True, random_state=2)),
        bootstrap_with_new_identifier=lambda: of_youths(
            youths().sample(frac=1, replace=True, random_state=2).assign(pid=range(1500)),
            youths().assign(pid=PID),
            undeclared=("pid",),
        ),
        identifier_renumbered=lambda: of_youths(
            shuffled(youths().assign(pid=rng(8).permutation(1500))), youths().assign(pid=PID), undeclared=("pid",)
        ),
        diluted=lambda: of_youths(shuffled(pd.concat([youths(), *youth_trees(5), *youth_trees(3)]))),
        columns_omitted=lambda: of_youths(shuffled(youths()[YOUTH[:8]])),
        columns_renamed=lambda: of_youths(
            shuffled(youths().rename(columns={"numarr": "arrests", "agefirst": "first_age", "famtime": "family"}))
        ),
        overfitted_trees_youths=lambda: of_youths(overfitted("youths_simulated", 1500)),
        overfitted_trees_ce=lambda: of_ce(overfitted("ce_simulated", 3000)),
        m3_identical_in_order=lambda: of_youths([youths()] * 3),
    ),
    *rows(
        "copies of some people",
        "STOP",
        "At least 10 people are released whole, and hardly anyone has a twin.",
        sixty_people_copied=lambda: of_youths(mixed_in(youths()[:60], youth_trees()[0])),
        copies_60_of_3000=lambda: of_survey(mixed_in(survey(3000)[:60], survey(3000, 2)), 3000),
        copies_2_percent=lambda: of_copies(2000, 40),
        copies_5_percent=lambda: of_copies(1000, 50),
        copies_10_percent=lambda: of_copies(2000, 200),
        copies_19_percent=lambda: of_copies(2000, 380),
        copies_450_of_10000=lambda: of_copies(10_000, 450),
        copies_1_percent_of_5000=lambda: of_copies(5000, 50),
        copies_twice=lambda: of_copies(1000, 100, lambda own: pd.concat([own[:50], own[:50]])),
        copies_among_100=lambda: of_copies(1000, 20, size=100),
        copies_among_500=lambda: of_copies(1000, 20, size=500),
        copies_among_1900=lambda: of_copies(1000, 20, size=1900),
        copies_among_5000=lambda: of_copies(1000, 20, size=5000),
        the_richest_1_percent=lambda: richest(3000, 30),
        the_oldest=lambda: oldest(5000, 85),
        rarest_5_percent=lambda: of_survey(
            mixed_in(survey(1000).nsmallest(50, ["health", "hours"]), survey(1000, 2)), 1000
        ),
        copies_all_but_one_cell=lambda: of_copies(1000, 100, one_cell_redrawn),
        records_swapped=lambda: of_youths(shuffled(records_swapped(youths(), 75))),
        synthesizer_saw_20_people=lambda: of_survey(survey(1000)[:20].sample(1000, replace=True, random_state=1)),
        synthesizer_saw_150_people=lambda: from_few_people(150),
    ),
    *rows(
        "copies of some people",
        "CHECK",
        "Real people are released, but repeated so often that the release explains them.",
        copies_five_times=lambda: of_copies(1000, 250, lambda own: pd.concat([own[:50]] * 5)),
    ),
    *rows(
        "copies of some people",
        UNDETECTABLE,
        "Fewer than 10 people are copied, or in a few of many columns.",
        copies_of_8_people=lambda: of_copies(1000, 8),
        eight_of_eighty_columns=eight_of_eighty_columns,
        missing_values_copied=lambda: of_youths(
            (lambda one: one.fillna(one.mode().iloc[0]).mask(youths().isna()))(youth_trees()[0])
        ),
    ),
    *rows(
        "several datasets",
        "STOP",
        "At least 10 people are released in the datasets together.",
        one_dataset_is_a_copy_first=lambda: of_youths([shuffled(youths()), *youth_trees(4)]),
        one_dataset_is_a_copy_last=lambda: of_youths([*youth_trees(4), shuffled(youths())]),
        one_of_twenty_is_a_copy=lambda: of_margins(19, shuffled(youths())),
        m20_each_a_twentieth=lambda: datasets_of_copies(20, 50),
        m50_each_a_fiftieth=lambda: datasets_of_copies(50, 20),
        m20_each_5_people=lambda: datasets_of_copies(20, 5),
        m5_each_5_people=lambda: datasets_of_copies(5, 5),
        m5_same_20_people=lambda: datasets_of_copies(5, 20, other=False),
        identical_datasets_times_1_3=lambda: of_income([lambda own: (own * 1.3).round(2)] * 3),
    ),
    *rows(
        "changed copies",
        "STOP",
        "Every released record is a real person with a change that an intruder can undo.",
        one_column_permuted_numarr=lambda: of_youths(shuffled(permuted(youths(), ["numarr"]))),
        one_column_permuted_age=lambda: of_youths(shuffled(permuted(youths(), ["age"]))),
        one_column_permuted_race=lambda: of_youths(shuffled(permuted(youths(), ["race"]))),
        one_column_of_acs_permuted=lambda: of_acs(shuffled(permuted(acs(), ["HICOV"]))),
        one_column_permuted_in_groups=lambda: of_survey(
            shuffled(
                survey(1000).assign(
                    income=lambda f: f.groupby("region")["income"].transform(
                        lambda x: x.sample(frac=1, random_state=1).to_numpy()
                    )
                )
            )
        ),
        one_cell_of_each_record_changed=lambda: of_youths(shuffled(one_cell_redrawn(youths()))),
        one_cell_of_each_record_changed_in_order=lambda: of_youths(one_cell_redrawn(youths())),
        one_declared_cell_changed_in_order=lambda: of_youths(one_cell_redrawn(youths(), YOUTH[3:])),
        copied_columns_among_drawn_ones=lambda: of_youths(permuted(youths(), YOUTH[8:])),
        ten_of_sixty_columns_copied_in_order=lambda: wide_file(mixed=False),
        ten_of_sixty_columns_copied=lambda: wide_file(),
        income_in_cents=lambda: of_ce(shuffled(ce().assign(Income=ce()["Income"] * 100))),
        numbers_as_text=lambda: of_ce(shuffled(ce().assign(Income=[f"${one:,.2f}" for one in ce()["Income"]]))),
        texts_in_lower_case=lambda: of_survey(shuffled(survey(1000).assign(job=lambda f: f["job"].str.upper() + " "))),
        labels_permuted=lambda: of_survey(
            shuffled(
                mapped(survey(1000)[["region", "job", "marital"]]).join(
                    survey(1000).drop(columns=["region", "job", "marital"])
                )
            )
        ),
        fixed_map_of_every_column=lambda: of_survey(shuffled(mapped(survey(1000)))),
        currency_and_year_of_birth=lambda: of_ce(
            shuffled(ce().assign(Age=2017 - ce()["Age"], Tenure=relabeled(ce()["Tenure"]), **(ce()[CE_AMOUNTS] * 0.92)))
        ),
        dates_written_in_another_way=lambda: of_youths(
            shuffled(youths().assign(born=BORN.strftime("%d.%m.%Y"))), youths().assign(born=BORN.strftime("%Y-%m-%d"))
        ),
        dates_shifted_by_one_day=lambda: of_youths(
            shuffled(youths().assign(born=BORN + pd.Timedelta(days=1))), youths().assign(born=BORN), radius={"born": 1}
        ),
        missing_income_as_minus_9=lambda: of_survey(
            shuffled(survey(1000).assign(income=lambda f: f["income"].mask(f.index % 8 == 0, -9))),
            confidential=survey(1000).assign(income=lambda f: f["income"].mask(f.index % 8 == 0)),
        ),
        income_plus_or_minus_1=lambda: of_survey(
            shuffled(survey(1000).assign(income=lambda f: f["income"] + rng().choice([-1, 1], 1000)))
        ),
        weights_recalibrated=lambda: of_survey(
            shuffled(survey(1000).assign(weight=np.linspace(40, 900, 1000) * rng().uniform(0.97, 1.03, 1000))),
            confidential=survey(1000).assign(weight=np.linspace(40, 900, 1000)),
            undeclared=("weight",),
        ),
        noise_3_percent_survey=lambda: of_survey(shuffled(noisy(survey(1000), 0.03))),
        a_quarter_of_the_cells_redrawn=lambda: of_survey(shuffled(redrawn(survey(1000), survey(1000, 2), 0.25))),
        noise_3_percent_one_in_ten=lambda: of_copies(1000, 100, lambda own: noisy(own, 0.03)),
        a_quarter_of_the_cells_redrawn_one_in_ten=lambda: of_copies(
            1000, 100, lambda own: redrawn(own, survey(1000, 5), 0.25)
        ),
    ),
    *rows(
        "changed copies",
        "CHECK",
        "Every released record is a real person with many changes.",
        noise_one=lambda: of_ce(shuffled(spread(ce(), 0.01, CE_NUMBERS))),
        noise_five=lambda: of_ce(shuffled(spread(ce(), 0.05, CE_NUMBERS))),
        noise_ten=lambda: of_ce(shuffled(spread(ce(), 0.10, CE_NUMBERS))),
        noise_1_percent_of_50=lambda: of_survey(shuffled(noisy(survey(50), 0.01)), 50),
        half_of_the_cells_redrawn=lambda: of_survey(shuffled(redrawn(survey(3000), survey(3000, 2), 0.5)), 3000),
        rounded=lambda: of_ce(shuffled(ce().round({"Income": 1, "Expenditure": 1}))),
        year_of_birth_instead_of_age=lambda: of_ce(shuffled(ce().assign(Age=2017 - ce()["Age"]))),
        year_of_birth_and_rounded=lambda: of_ce(
            shuffled(ce().round({"Income": 0, "Expenditure": 0}).assign(Age=2017 - ce()["Age"]))
        ),
        income_in_classes=lambda: of_ce(shuffled(ce().assign(Income=pd.cut(ce()["Income"], 6).astype(str)))),
        copied_columns_among_drawn_ones_shuffled=lambda: of_youths(shuffled(permuted(youths(), YOUTH[8:]))),
        smote=lambda: of_ce(shuffled(between_neighbors(ce()))),
        mosaic_of_neighbors=lambda: of_survey(shuffled(redrawn(survey(1000), survey(1000, 2), 0.15))),
        perturbed_and_inflated=lambda: of_ce(
            shuffled(
                noisy(permuted(ce(), ["Educ"]), 0.06, CE_AMOUNTS).assign(
                    Age=lambda f: f["Age"] + rng().integers(-2, 3, 3000)
                )
            )
        ),
        age_plus_or_minus_1_and_a_drawn_column=lambda: of_survey(
            shuffled(permuted(survey(1000), ["rent"]).assign(age=lambda f: f["age"] + rng().integers(-1, 2, 1000)))
        ),
        noise_3_percent_one_in_twenty=lambda: of_copies(2000, 100, lambda own: noisy(own, 0.03)),
    ),
    *rows(
        "changed copies",
        UNDETECTABLE,
        "The changes are as large as the distance between people.",
        overfitted_without_copies=lambda: of_youths(without_copies(overfitted("youths_simulated", 1500), youths())),
        noise_10_percent_one_in_twenty=lambda: of_copies(1000, 50, lambda own: noisy(own, 0.1)),
    ),
    *rows(
        "columns in row order",
        "STOP",
        "The intruder reads the own value of nearly every person from the same row.",
        income_unchanged=lambda: of_income(lambda own: own),
        income_in_another_currency=lambda: of_income(lambda own: (own * 1.3).round(2)),
        income_noise_3_percent=lambda: of_income(lambda own: (own * rng().normal(1, 0.03, len(own))).round()),
        income_micro_aggregated=lambda: of_income(micro_aggregated),
        income_neighbors_swapped=lambda: of_income(neighbors_swapped),
        income_rank_kept=lambda: of_income(lambda own: rank_kept(own, survey(900, 2)["income"])),
        income_rounded=lambda: of_income(lambda own: own.round(-2)),
        job_relabeled=lambda: of_income(relabeled, "job"),
        income_noise_10_percent_m5=lambda: of_income(
            [lambda own, i=i: (own * rng(i).normal(1, 0.1, len(own))).round() for i in range(5)]
        ),
        income_noise_30_percent_m5=lambda: of_income(
            [lambda own, i=i: (own * rng(i).normal(1, 0.3, len(own)).clip(0.1)).round() for i in range(5)]
        ),
        income_unchanged_in_one_of_five=lambda: of_income(
            [*[lambda own, i=i: survey(900, i)["income"] for i in range(2, 6)], lambda own: own]
        ),
        job_unchanged_in_one_of_five=lambda: of_income(
            [*[lambda own, i=i: survey(900, i)["job"] for i in range(2, 6)], lambda own: own], "job"
        ),
        unchanged_income=lambda: of_ce(ce_trees(1, (*CE_KEYS, "Income"))),
        income_unchanged_in_three_datasets=lambda: of_ce(ce_trees(3, (*CE_KEYS, "Income"))),
        income_unchanged_others_drawn=lambda: of_ce(permuted(ce(), ["Expenditure", "Marital"])),
        known_and_income_unchanged_in_another_order=lambda: of_ce(shuffled(ce_trees(1, (*CE_KEYS, "Income"))[0])),
        all_but_one_unchanged=lambda: of_youths(permuted(youths(), ["prviol"])),
    ),
    *rows(
        "columns in row order",
        "CHECK",
        "The row tells more about the person than the other columns do.",
        income_noise_10_percent=lambda: of_income(lambda own: (own * rng().normal(1, 0.1, len(own))).round()),
        income_noise_30_percent=lambda: of_income(lambda own: (own * rng().normal(1, 0.3, len(own)).clip(0.1)).round()),
        income_of_a_fifth_unchanged=lambda: of_income(
            lambda own: own.where(rng().random(len(own)) < 0.2, survey(900, 2)["income"])
        ),
        values_agree_too_often=lambda: of_youths(
            (lambda one: redrawn(youths(), one, 0.5)[["crimtype", "numarr"]].combine_first(one)[YOUTH])(
                youth_trees(1, tuple(KEYS))[0]
            )
        ),
        unchanged_columns_not_named=lambda: named_only(
            ["prviol"], of_youths(youths().assign(prviol=youth_trees(1, tuple(KEYS))[0]["prviol"]))
        ),
        unchanged_columns_not_named_in_another_order=lambda: named_only(
            ["prviol"], of_youths(shuffled(youths().assign(prviol=youth_trees(1, tuple(KEYS))[0]["prviol"])))
        ),
        column_with_the_record=lambda: of_youths(youth_trees()[0].assign(note=text_of(youths()))),
        column_with_a_hash_of_the_record=lambda: of_youths(
            youth_trees()[0].assign(key=pd.util.hash_pandas_object(youths(), index=False).to_numpy())
        ),
        weights_unchanged=lambda: of_youths(
            youth_trees(1, tuple(KEYS))[0].assign(weight=PID / 7),
            youths().assign(weight=PID / 7),
            undeclared=("weight",),
        ),
        household_kept=members_of_households_kept,
    ),
    *rows(
        "identifying values",
        "STOP",
        "Values that belong to one person each are released.",
        identifier_released=lambda: of_youths(
            youth_trees()[0].assign(pid=PID), youths().assign(pid=PID), undeclared=("pid",)
        ),
        remarks_in_another_order=lambda: with_column(
            "remark", text_of(survey(1000, 3)), some_of(text_of(survey(1000, 3)), text_of(survey(1000, 4)), 1)
        ),
        accounts_written_in_another_way=lambda: with_column(
            "account", accounts(), accounts(compact=True), declared=False
        ),
        times_of_day_in_another_order=lambda: with_column("started", times(1), some_of(times(1), times(2), 1)),
        times_of_day_95_percent=lambda: with_column(
            "started", times(1), some_of(times(1), times(2), 0.95), radius={"started": 0}
        ),
        email_90_percent=lambda: with_column(
            "email", names(1000, 1) + "@mail.example", some_of(names(1000, 1), names(1000, 2), 0.9) + "@mail.example"
        ),
        names_5_percent=lambda: with_column("name", names(1000, 1), some_of(names(1000, 1), names(1000, 2), 0.05)),
        phones_as_numbers_95_percent=lambda: with_column(
            "phone", PHONES[:1000], some_of(PHONES[:1000], PHONES[1000:], 0.95), radius={"phone": 0}
        ),
    ),
    *rows(
        "identifying values",
        "CHECK",
        "Numbers or histories of single people are released, in another order.",
        columns_permuted=lambda: of_survey(permuted(survey(1000), list(survey(1)))),
        identifiers_in_another_order=lambda: of_youths(
            youth_trees()[0].assign(pid=rng(2).permutation(PID)), youths().assign(pid=PID), undeclared=("pid",)
        ),
        amounts_of_single_people=lambda: of_survey(
            survey(1000, 2).assign(income=survey(1000)["income"].sample(frac=1, random_state=1).to_numpy())
        ),
        one_wave_of_a_panel=one_wave_of_a_panel,
    ),
    *rows(
        "identifying values",
        UNDETECTABLE,
        "Only the sequence of a person's events is real, which needs `unit`.",
        histories_of_patients=histories_of_patients,
    ),
    *rows(
        "holdout sample",
        "STOP",
        "Released records are people of the holdout sample.",
        half_of_the_holdout=lambda: of_survey(
            mixed_in(survey(1000, 2)[:500], survey(1000, 3)), control=survey(1000, 2)
        ),
        a_seventh_of_the_holdout=lambda: of_survey(
            mixed_in(survey(1000, 2)[:150], survey(1000, 3)), control=survey(1000, 2)
        ),
    ),
    *rows(
        "honest trees",
        HONEST,
        "Default trees of the package; near copies are chance or a genuine CHECK.",
        trees_of_youths_one=lambda: of_youths(youth_trees()),
        trees_of_youths_five=lambda: of_youths(youth_trees(5)),
        trees_of_youths_control=lambda: of_youths(youth_trees(), control=part("youths_simulated", 1500)),
        trees_of_ce=lambda: of_ce(ce_trees(3)),
        trees_of_ce_with_control=lambda: of_ce(ce_trees(), control=part("ce_simulated", 3000)),
        trees_of_acs=lambda: of_acs(trees("acs_simulated", 5000, (), 3)),
        trees_of_300_categories=lambda: asked(
            simulated("independent 8", 300, 5), sl.synthesize(simulated("independent 8", 300, 5), m=1, rng=1).frames
        ),
        partly_synthetic_youths_one=lambda: of_youths(youth_trees(1, tuple(KEYS))),
        partly_synthetic_youths_three=lambda: of_youths(youth_trees(3, tuple(KEYS))),
        partly_synthetic_ce_in_order=lambda: of_ce(ce_trees(3, tuple(CE_KEYS))),
        partly_synthetic_ce_shuffled=lambda: of_ce(
            [shuffled(one, seed) for seed, one in enumerate(ce_trees(3, tuple(CE_KEYS)))]
        ),
        partly_synthetic_survey=lambda: of_survey(sl.synthesize(survey(1500), m=3, rng=3, keep=KNOWN).frames, 1500),
        parametric_synthesis=parametric,
    ),
    *rows(
        "honest, other tools",
        HONEST,
        "Recorded releases of other tools.",
        **{
            f"foreign_release_{tool}": lambda tool=tool: asked(
                **foreign(tool), known=["age", "yrs_married", "children", "educ", "occupation"], radius={"affairs": 0.2}
            )
            for tool in ("copulas", "python-synthpop", "synthpop", "synthlab")
        },
    ),
    *rows(
        "honest draws",
        HONEST,
        "The release contains other people, or columns that are drawn independently.",
        other_people_youths=lambda: of_youths(part("youths_simulated", 1500)),
        other_people_ce=lambda: of_ce(part("ce_simulated", 3000)),
        other_people_acs=lambda: of_acs(part("acs_simulated", 5000)),
        other_people_with_control=lambda: of_youths(
            part("youths_simulated", 1500, 2060), control=part("youths_simulated", 2060)
        ),
        independent_columns=lambda: of_survey(margins(survey(1500), 1500, rng(27)), 1500),
        three_coins=lambda: coins(200, 3),
        twenty_rare_items=lambda: coins(600, 20, np.linspace(0.003, 0.03, 20)),
        drawn_from_the_true_model=lambda: asked(
            regions_and_ages(3000, 1),
            regions_and_ages(3000, 2),
            ["region", "age"],
            control=regions_and_ages(2000, 3),
        ),
        small_normal_sample=lambda: asked(
            *(
                pd.DataFrame(rng(28, i).multivariate_normal(np.zeros(4), 0.5 * np.eye(4) + 0.5, 50)).add_prefix("v")
                for i in (1, 2)
            ),
            ["v0"],
        ),
        private_histogram=private_histogram,
        record_numbers=lambda: with_column("id", range(1, 1001), range(1, 1001), declared=False),
        new_record_numbers=lambda: of_survey(survey(1000, 2).assign(synthetic_id=range(1000))),
        names_that_recur=lambda: with_column(
            "name",
            np.char.partition(names(1000, 1).astype(str), " ")[:, 0],
            np.char.partition(names(1000, 2).astype(str), " ")[:, 0],
        ),
        newly_drawn_phones=lambda: with_column("phone", PHONES[:1000], PHONES[1000:]),
        fewer_columns_released=lambda: of_survey(survey(1000, 2)[["region", "sex", "age", "marital", "income"]]),
        households_with_numbers=lambda: of_households(),
        households_with_declared_person=lambda: of_households(("household",)),
        panel_with_undeclared_wave=lambda: of_panel([], ("wave",)),
        panel_with_known_wave=lambda: of_panel(["wave"], ()),
        panel_with_synthetic_wave=lambda: of_panel([], ()),
    ),
]


@cache
def all_cases(numbered: int = NUMBERED) -> dict[str, Case]:
    """Return the table, the numbered honest releases, and recorded releases and real files where they are found."""
    found = [
        *TABLE,
        *(
            Case(f"{kind} {number}", kind, HONEST, partial(honest.made, kind, number))
            for kind in honest.KINDS
            for number in range(numbered)
        ),
        *(Case(name, "R's synthpop", HONEST, make) for name, make in honest.recorded_by_synthpop().items()),
        *(Case(name, "trees of corpus files", HONEST, make) for name, make in honest.trees_of_corpus().items()),
    ]
    return {case.name: case for case in found}


CASES = {case.name: case for case in TABLE}
