"""Synthesizers, count mechanisms and noise on the same files at equal epsilon, and what each guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from replications import checkpoints
from replications.checkpoints import Job
from replications.claims import Rows, judge
from replications.mechanisms import noise, posterior, scalar_queries
from replications.mechanisms.claims import RHAT, claims_of
from replications.mechanisms.data import CASES, MEASURES, Case, Made, case, dollars, measure
from replications.mechanisms.names import ALONE, COPY, GEOMETRIC, GUARANTEES, PLAIN, TOGETHER, guarantees
from replications.mechanisms.settings import EPSILONS, tuned
from replications.paper_tables import read_claims
from replications.published import compare
from replications.study import Result, Study, Tables
from synthlab import _rng
from synthlab._warnings import quiet

PAPER = "lectures 12 to 14, mechanisms at equal epsilon"
SEED = 20250312
LEVEL = 0.95
KEYS = ["case", "mechanism", "epsilon"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class MechanismsResult(Result):
    """The mechanisms at equal epsilon.

    Attributes
    ----------
    mechanisms : pandas.DataFrame
        One row per case, repetition, mechanism and epsilon (infinite for the anchors): ``epsilon spent``, ``share clipped``,
        ``R-hat``, the largest over the parameters (NaN where no chain was run), and the measures of one release; see
        `replications.mechanisms.data.measure`.
    settings : pandas.DataFrame
        One row per epsilon and count mechanism: ``pseudocount``, ``sigma``, and the ``delta`` they have.
    guarantees : pandas.DataFrame
        One row per mechanism: ``guarantee``, ``neighbours``, ``delta``, ``on_trust``.
    utility : pandas.DataFrame
        One row per case, mechanism, epsilon and measure: ``mean`` over the repetitions, ``low`` and ``high`` of its 95 % interval,
        ``repetitions``.
    """

    mechanisms: pd.DataFrame
    settings: pd.DataFrame
    guarantees: pd.DataFrame
    utility: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one row per case, repetition, mechanism and epsilon."""
        return self.mechanisms.copy()

    def means(self, case: str = "table", measure: str = "distance") -> pd.DataFrame:
        """Return a measure of a case, one row per mechanism with what it guarantees, one column per epsilon."""
        chosen = self.utility[(self.utility["case"] == case) & (self.utility["measure"] == measure)]
        wide = chosen.pivot(index="mechanism", columns="epsilon", values="mean").rename_axis(columns=None)
        wide.columns = ["no epsilon" if np.isinf(e) else f"epsilon {e:g}" for e in wide.columns]
        kinds = self.guarantees.set_index("mechanism")["guarantee"]
        order = [name for name in GUARANTEES if name in wide.index]
        return wide.loc[order].assign(guarantee=kinds.loc[order])[["guarantee", *wide.columns]]

    @property
    def opendp(self) -> bool:
        """True where OpenDP drew."""
        return GEOMETRIC in set(self.mechanisms["mechanism"])

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        repetitions = int(self.mechanisms["repetition"].nunique())
        drawn = (
            "OpenDP drew the noise of the histograms, randomized response and the four questions, without a seed, so that these rows "
            "differ a little from run to run"
            if self.opendp
            else "OpenDP (extra dp) is not installed: the rows of histograms, randomized response and questions are left out"
        )
        chains = (
            ""
            if RHAT in self.mechanisms
            else " The R-hat of the chains was not recorded: whether they converged is not known."
        )
        return (
            f"Means over {repetitions} files of each kind, drawn anew, with 95 % intervals; epsilon is for one release. Epsilons of "
            f"different guarantees are equal in number alone. {drawn}.{chains}"
        )

    def __str__(self) -> str:
        tables = [f"{name}, distance\n{self.means(name).to_string(float_format='{:.3g}'.format)}" for name in CASES]
        return "\n\n".join([self.describe(), *tables, Result.__str__(self)])


class Mechanisms(Study[MechanismsResult]):
    """All mechanisms of lectures 12 to 14 at equal epsilon."""

    name, paper = "mechanisms", PAPER
    result, seed = MechanismsResult, SEED
    full = MappingProxyType(
        {
            "repetitions": 10,
            "records": 1000,
            "releases": 5,
            "sampler": {"draws": 250, "thin": 4, "tune": 1000, "chains": 4},
        }
    )
    quick = MappingProxyType(
        {
            "repetitions": 2,
            "records": 200,
            "releases": 4,
            "sampler": {"draws": 100, "thin": 2, "tune": 400, "chains": 4},
        }
    )
    raw = MappingProxyType({"mechanisms": 4, "settings": 6})
    derived = MappingProxyType({"guarantees": 6, "utility": 8})
    takes = ("about ten minutes of one core", "about a minute")

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the work of every piece: the settings of each epsilon, then one repetition of one case."""
        names = [f"settings_{i}" for i in range(len(EPSILONS))]
        first = [
            Job(f"settings at epsilon {e:g}", name, partial(_settings, e, size["records"]))
            for e, name in zip(EPSILONS, names, strict=True)
        ]
        return first + [
            Job(f"{one}, {i + 1}", f"run_{number}_{i:03d}", partial(_piece, seed, number, i, dict(size)), tuple(names))
            for i in range(size["repetitions"])
            for number, one in enumerate(CASES)
        ]

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the tables of all repetitions and of the settings."""
        prefixes = {"mechanisms": "run", "settings": "settings"}
        return {
            table: pd.concat([pieces.read(name)[0] for name in pieces.names(f"{prefix}_")], ignore_index=True)
            for table, prefix in prefixes.items()
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return means and intervals, the guarantees, and the claims; no numbers of others are compared."""
        found = []
        for name, rows in raw["mechanisms"].groupby("case", sort=False):
            runs = [Rows(part, "epsilon") for _, part in rows.groupby("repetition", sort=False)]
            found.append(judge(PAPER, str(name), read_claims("mechanisms"), claims_of(str(name), rows), runs))
        return {
            "claims": pd.concat(found, ignore_index=True),
            "published": compare(PAPER, {}, {}),
            "guarantees": guarantees(),
            "utility": utility(raw["mechanisms"]),
        }


def utility(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each measure over the repetitions with its 95 % t interval; NaN where there is one repetition."""
    from scipy import stats

    long = rows.melt(KEYS, list(MEASURES), var_name="measure").dropna(subset="value")
    found = long.groupby([*KEYS, "measure"], sort=False)["value"].agg(["mean", "std", "size"]).reset_index()
    half = stats.t.ppf((1 + LEVEL) / 2, np.maximum(found["size"] - 1, 1)) * found["std"] / np.sqrt(found["size"])
    ends = {"low": found["mean"] - half, "high": found["mean"] + half, "repetitions": found["size"]}
    return found.drop(columns=["std", "size"]).assign(**ends)


def _settings(epsilon: float, largest: int) -> checkpoints.Piece:
    return tuned(epsilon, largest), {}


def _piece(
    seed: int, number: int, repetition: int, size: Mapping[str, Any], *settings: checkpoints.Piece
) -> checkpoints.Piece:
    table = pd.concat([piece[0] for piece in settings], ignore_index=True)
    rows = repeat(CASES[number], np.random.SeedSequence([seed, number, repetition]), size, table)
    rows.insert(1, "repetition", repetition)
    return rows, {}


def repeat(name: str, seed: np.random.SeedSequence, size: Mapping[str, Any], settings: pd.DataFrame) -> pd.DataFrame:
    """Run every mechanism on a file drawn anew; one row per mechanism and epsilon."""
    file, walk, *streams = (_rng.as_generator(one) for one in seed.spawn(3 + len(EPSILONS)))
    one, releases, sampler = case(name, size["records"], file), size["releases"], size["sampler"]
    rows: list[dict[str, Any]] = []

    def add(
        mechanism: str,
        epsilon: float,
        spent: float,
        found: Mapping[str, float],
        *,
        clipped: float = np.nan,
        rhat: float = np.nan,
    ) -> None:
        head = {"case": name, "mechanism": mechanism, "epsilon": epsilon, "epsilon spent": spent}
        state = {"share clipped": clipped, RHAT: rhat}
        rows.append({**head, **state, **{m: found.get(m, np.nan) for m in MEASURES}})

    with quiet():
        model = posterior.Weighted(one, sampler, walk)
    add(COPY, np.inf, np.inf, measure(one, [copied(one)]))
    add(PLAIN, np.inf, np.inf, measure(one, posterior.ordinary(model, releases, streams[-1])), rhat=model.rhat)
    for epsilon, stream in zip(EPSILONS, streams, strict=False):
        here = settings[settings["epsilon"] == epsilon]
        first, second, third, fourth = _rng.spawn(stream, 4)
        for mechanism, spent, rhat, made in posterior.weighted(model, epsilon, releases, first):
            add(mechanism, epsilon, spent, measure(one, made), rhat=rhat)
        mechanism, spent, clipped, rhat, made = posterior.clipped(one, epsilon, sampler, releases, second)
        add(mechanism, epsilon, spent, measure(one, made), clipped=clipped, rhat=rhat)
        for mechanism, made in noise.seeded(one, epsilon, here, releases, third):
            add(mechanism, epsilon, epsilon, measure(one, made))
        if noise.has_opendp():
            for mechanism, made in noise.by_opendp(one, epsilon, releases, fourth):
                add(mechanism, epsilon, epsilon, measure(one, made))
            if one.measured:
                add(ALONE, epsilon, epsilon, scalar_queries.asked(one, epsilon, releases))
                add(
                    TOGETHER,
                    epsilon,
                    epsilon,
                    scalar_queries.asked(one, epsilon / len(scalar_queries.QUESTIONS), releases),
                )
    return pd.DataFrame(rows)


def copied(one: Case) -> Made:
    """Return the file itself as a release."""
    values = dollars(one.frame["value"].to_numpy(dtype=np.float64)) if one.measured else None
    return Made(one.counts(one.frame), values)


STUDY = Mechanisms()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
