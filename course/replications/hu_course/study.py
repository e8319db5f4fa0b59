"""Every number on the slides of lectures 4 to 12 of Hu's course that can be computed on public data.

The numbers of lecture 8 are a study of their own, `replications.lecture_8`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd

from replications import checkpoints
from replications.checkpoints import Job
from replications.hu_course import data, deterministic, posteriors, releases
from replications.hu_course.claims import claims_of
from replications.hu_course.data import Samples
from replications.hu_course.orders import true_links
from replications.paper_tables import read_numbers
from replications.published import Value, compare
from replications.study import Result, Study, Tables
from synthlab import dp
from synthlab.datasets.files import packaged_file

PAPER = "Hu, lectures 4 to 12"
SEED = 20210830
IN_R = "reference/hu_course.csv"
COLUMNS = ("key", "lecture", "slide", "quantity", "kind", "published", "ours", "low", "high", "r", "verdict")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class HuCourseResult(Result):
    """Numbers of the slides and the computed numbers.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per number: ``key``, ``lecture``, ``slide`` (title), ``quantity``, ``kind`` ("data", "deterministic",
        "posterior draw" or "release"), ``published`` (text, as printed), ``ours``, ``low`` and ``high`` (interval that contains
        95% of the repetitions), ``r`` (recorded from base R, NaN where R was not used) and ``verdict``.
    numbers : pandas.DataFrame
        The computed numbers by key, including numbers that are not printed.
    releases : pandas.DataFrame
        Measures of new releases, one row per repetition.
    orders : pandas.DataFrame
        Number of true links by order of the records, repetition and file.
    """

    table: pd.DataFrame
    numbers: pd.DataFrame
    releases: pd.DataFrame
    orders: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one row per number of the slides."""
        return self.table.copy()

    def verdicts(self) -> pd.DataFrame:
        """Return the number of printed numbers by kind and verdict."""
        return pd.crosstab(self.table["kind"], self.table["verdict"])


class HuCourse(Study[HuCourseResult]):
    """The numbers on the slides of lectures 4 to 12, except lecture 8."""

    name, paper = "hu_course", PAPER
    result, seed = HuCourseResult, SEED
    full = MappingProxyType(
        {
            "repetitions": 200,
            "releases": 50,
            "orders": 20,
            "datasets": 200,
            "sampler": {"draws": 2000, "tune": 1000, "chains": 2, "sampler": "nutpie"},
            "gibbs": {"draws": 400, "tune": 1500, "chains": 2},
        }
    )
    quick = MappingProxyType(
        {
            "repetitions": 5,
            "releases": 5,
            "orders": 2,
            "datasets": 5,
            "sampler": {"draws": 250, "tune": 250, "chains": 2, "sampler": "nutpie"},
            "gibbs": {"draws": 20, "tune": 20, "chains": 2},
        }
    )
    takes = ("about five minutes of one core", "about a minute")
    raw = MappingProxyType({"numbers": 15, "releases": 6, "orders": 6})

    def load(self, size: Mapping[str, Any], **options: Any) -> Samples:
        """Return the data of the slides."""
        return data.load()

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the jobs: the numbers without randomness, each model, new releases, and other orders."""
        sampler, gibbs = dict(size["sampler"]), dict(size["gibbs"])
        parts = {
            "numbers_exact": partial(_exact, data),
            **{
                f"numbers_{name}": partial(_posterior, name, data, size["repetitions"], seed + place, sampler)
                for place, name in enumerate(posteriors.MODELS)
            },
            "numbers_dpmpm": partial(_dpmpm, data, size["datasets"], seed + 10, gibbs),
            "releases": partial(_releases, data, size["releases"], seed, sampler),
            "orders": partial(_orders, data, size["orders"], seed + 11),
        }
        return [Job(name.removeprefix("numbers_"), name, compute) for name, compute in parts.items()]

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the tables from the finished pieces."""
        numbers = [pieces.read(name)[0] for name in pieces.names("numbers_")]
        return {
            "numbers": pd.concat(numbers, ignore_index=True),
            **{name: pieces.read(name)[0] for name in ("releases", "orders")},
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the table, the published numbers and the claims."""
        texts, found = read_numbers(self.name), raw["numbers"][["key", "ours", "low", "high", "repetitions"]]
        values = {
            str(key): Value(ours, low, high, int(repetitions))
            for key, ours, low, high, repetitions in found.itertuples(index=False, name=None)
            if key in texts
        }
        published = compare(self.paper, texts, values)
        with packaged_file(IN_R).open("rb") as file:
            in_r = pd.read_csv(file).set_index("what")["value"]
        more = pd.DataFrame([{"key": key, **text} for key, text in texts.items()])
        table = published.assign(
            **more[["key", "slide", "kind"]],
            lecture=more["where"].str.removeprefix("lecture ").astype(int),
            r=more["key"].map(in_r).astype(float),
            verdict=published["status"],
        )
        claims = claims_of(self.paper, raw["numbers"], raw["releases"], raw["orders"])
        return {"table": table[list(COLUMNS)], "published": published, "claims": claims}


def _exact(samples: Samples) -> checkpoints.Piece:
    """Return the numbers without randomness, and the sensitivities of two means, which the slides compare in words."""
    rows, n = [], len(samples.ce)
    for name in ("Income", "Expenditure"):
        values = samples.ce[name]
        found = dp.mean_sensitivity(float(values.min()), float(values.max()), n)
        rows.append((f"sensitivity_{name.lower()}", found, found, found, 1))
    table = deterministic.numbers(samples)
    return pd.concat([table, pd.DataFrame(rows, columns=list(table))], ignore_index=True), {}


def _posterior(
    name: str, samples: Samples, repetitions: int, seed: int, sampler: Mapping[str, Any]
) -> checkpoints.Piece:
    """Return the numbers of one model; the releases of lectures 6 and 7 follow from the normal regression."""
    table, draws = posteriors.numbers(name, samples.ce, seed, **sampler)
    if name != "normal":
        return table, {}
    return pd.concat(
        [
            table,
            releases.lecture_6(samples, draws, repetitions, seed + 20),
            releases.lecture_7(samples, draws, repetitions, seed + 30),
        ],
        ignore_index=True,
    ), {}


def _dpmpm(samples: Samples, datasets: int, seed: int, gibbs: Mapping[str, int]) -> checkpoints.Piece:
    return releases.dpmpm(samples, datasets, seed, **gibbs), {}


def _releases(samples: Samples, repetitions: int, seed: int, sampler: Mapping[str, Any]) -> checkpoints.Piece:
    return releases.fresh(samples, posteriors.fit("normal", samples.ce, seed, **sampler), repetitions, seed + 40), {}


def _orders(samples: Samples, repetitions: int, seed: int) -> checkpoints.Piece:
    return true_links(samples, repetitions, seed), {}


STUDY = HuCourse()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
