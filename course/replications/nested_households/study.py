"""The nested mixture for households in Python, and in R as released and with two corrections.

The data are the simulated households of the recorded comparison with NestedCategBayesImpute. Each chain of synthlab is one
repetition; the chains of R are recorded in ``data/reference``.
"""

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
from replications.claims import Check, judge
from replications.nested_households.pairs import VARIANTS, shares
from replications.paper_tables import read_claims
from replications.published import compare
from replications.study import Result, Study, Tables
from synthlab import _rng
from synthlab._warnings import quiet
from synthlab.crosscheck.nested_households import households, sampled, statistics
from synthlab.r import reference

PAPER = "Hu, Reiter & Wang; NestedCategBayesImpute"
SEED = 20180101
BY_SIZE, JOINT = "synthlab, by size", "synthlab, joint"
CORRECTED, RELEASED = "R, corrected", "R, released"
DATA = "confidential"
AUGMENTATION = {BY_SIZE: "by size", JOINT: "joint"}
LIMIT = 4.0  # largest difference of equal samplers in standard errors
LARGEST = "impossible in size 3"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class NestedHouseholdsResult(Result):
    """Statistics of the synthetic households.

    Attributes
    ----------
    chains : pandas.DataFrame
        One row per sampler, chain and statistic: ``sampler``, ``chain`` from 1, ``statistic``, ``value``.
    pairs : pandas.DataFrame
        One row per variant of the file and repetition: the shares of couples with the same education in the
        ``confidential`` file, for ``independent`` partners, and in the ``synthetic`` data.
    """

    chains: pd.DataFrame
    pairs: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return the means over chains, one row per statistic, one column per sampler; see `compared`."""
        return compared(self.chains).reset_index()

    def summary(self) -> pd.DataFrame:
        """Return the comparison of the two packages; see `compared`."""
        return compared(self.chains)

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        table = compared(self.chains)
        z = table["difference / error"].abs()
        released = table["released / error"].abs()
        return (
            f"Of {len(table)} statistics, {int((z <= LIMIT).sum())} differ by at most {LIMIT:g} Monte Carlo standard errors between synthlab and "
            f"NestedCategBayesImpute with two corrections, and {int((released <= LIMIT).sum())} between the corrected and the released R package."
        )


class NestedHouseholds(Study[NestedHouseholdsResult]):
    """The nested mixture in two languages."""

    name, paper = "nested_households", PAPER
    result, seed = NestedHouseholdsResult, SEED
    full = MappingProxyType({"chains": 10, "repetitions": 3, "households": 1500, "tune": 1000, "draws": 50})
    quick = MappingProxyType({"chains": 2, "repetitions": 1, "households": 150, "tune": 100, "draws": 10})
    takes = ("about ten minutes of one core", "a minute")
    raw = MappingProxyType({"chains": 6, "pairs": 6})

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the jobs: one per chain, and one per variant and repetition."""
        spawn = np.random.SeedSequence(seed).spawn(
            len(AUGMENTATION) * size["chains"] + len(VARIANTS) * size["repetitions"]
        )
        streams = iter(spawn)
        found = [
            Job(f"{sampler}, chain {i + 1}", f"chain_{k}_{i:02d}", partial(_chain, sampler, i + 1, next(streams)))
            for k, sampler in enumerate(AUGMENTATION)
            for i in range(size["chains"])
        ]
        return found + [
            Job(f"{name}, {i + 1}", f"pairs_{k}_{i:02d}", partial(_pairs, name, i + 1, dict(size), next(streams)))
            for k, name in enumerate(VARIANTS)
            for i in range(size["repetitions"])
        ]

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the chains of both packages and the shares of couples."""
        ours, pairs = (
            pd.concat([pieces.read(name)[0] for name in pieces.names(kind)], ignore_index=True)
            for kind in ("chain_", "pairs_")
        )
        theirs = reference("nested_households", live=False).table.set_index("statistic")
        own = {(DATA, 1): pd.Series(statistics(households())), (RELEASED, 1): theirs["released"]}
        own |= {(CORRECTED, k): theirs[f"chain_{k}"] for k in (1, 2)}
        return {
            "chains": pd.concat([ours, *(_rows(*key, of) for key, of in own.items())], ignore_index=True),
            "pairs": pairs,
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the claims; the paper has no numbers for these data."""
        chains, pairs, texts = raw["chains"], raw["pairs"], read_claims("nested_households")
        table = compared(chains)
        found = [judge(PAPER, "both packages", texts, PACKAGES, [table])]
        impossible = chains[chains["statistic"] == LARGEST].pivot(index="chain", columns="sampler", values="value")
        sizes = [{sampler: row[sampler] for sampler in AUGMENTATION} for _, row in impossible.iterrows()]
        sizes = [one for one in sizes if np.isfinite(list(one.values())).all()]
        found.append(judge(PAPER, "two augmentations", texts, SIZES, sizes))
        for name, runs in pairs.groupby("variant", sort=False):
            found.append(judge(PAPER, str(name), texts, PAIRS, runs.to_dict("records")))
        return {"claims": pd.concat(found, ignore_index=True), "published": compare(PAPER, {}, {})}


def compared(chains: pd.DataFrame) -> pd.DataFrame:
    """Return the means over chains of each sampler, and differences in Monte Carlo standard errors.

    The standard deviation between the chains of synthlab stands for that of one chain of R, which has two chains as
    corrected and one as released. ``difference`` is synthlab (by size) minus R as corrected, ``error`` its standard error,
    and ``released / error`` the difference between R as released and as corrected, divided by its standard error.
    """
    wide = chains.pivot_table("value", "statistic", "sampler", ["mean", "std", "size"], sort=False, dropna=False)
    mean, spread, number = wide["mean"], wide["std"][BY_SIZE], wide["size"]
    table = pd.DataFrame({name: mean[name] for name in (DATA, BY_SIZE, JOINT, CORRECTED, RELEASED)})
    table["difference"] = table[BY_SIZE] - table[CORRECTED]
    table["error"] = spread * np.sqrt(1 / number[BY_SIZE] + 1 / number[CORRECTED])
    table["difference / error"] = table["difference"] / table["error"]
    error = spread * np.sqrt(1 / number[RELEASED] + 1 / number[CORRECTED])
    table["released / error"] = (table[RELEASED] - table[CORRECTED]) / error
    return table


def _largest(column: str) -> Check[pd.DataFrame]:
    def evidence(runs: Any) -> str:
        z = runs[0][column].abs()
        return f"largest: {z.max():.1f} ({z.idxmax()}); above {LIMIT:g}: {int((z > LIMIT).sum())} of {len(z)}"

    return Check(lambda table: bool((table[column].abs() <= LIMIT).all()), evidence)


PACKAGES: Mapping[str, Check[pd.DataFrame]] = {
    "agree": _largest("difference / error"),
    "released": _largest("released / error"),
}
SIZES: Mapping[str, Check[Any]] = {
    "by_size": Check(
        lambda one: one[BY_SIZE] > one[JOINT],
        lambda runs: "; ".join(f"{name} {np.mean([one[name] for one in runs]):.4f}" for name in AUGMENTATION),
    )
}
PAIRS: Mapping[str, Check[Any]] = {
    "couples": Check(
        lambda one: one["synthetic"] > (one["confidential"] + one["independent"]) / 2,
        lambda runs: (
            f"confidential {runs[0]['confidential']:.3f}, independent {runs[0]['independent']:.3f}; synthetic "
            + ", ".join(f"{one['synthetic']:.3f}" for one in runs)
        ),
    )
}


def _rows(sampler: str, chain: int, values: pd.Series) -> pd.DataFrame:
    return pd.DataFrame(
        {"sampler": sampler, "chain": chain, "statistic": values.index, "value": values.to_numpy(dtype=float)}
    )


def _chain(sampler: str, number: int, seed: np.random.SeedSequence) -> checkpoints.Piece:
    """Return the statistics of one chain of `NestedDPMPM`."""
    with quiet():
        found = sampled(households(), _rng.as_generator(seed), AUGMENTATION[sampler], chains=1)
    return _rows(sampler, number, found[0]), {}


def _pairs(name: str, number: int, size: Mapping[str, Any], seed: np.random.SeedSequence) -> checkpoints.Piece:
    """Return the shares of couples with the same education in one repetition of a variant."""
    with quiet():
        found = shares(name, size, _rng.as_generator(seed))
    return pd.DataFrame([{"variant": name, "repetition": number, **found}]), {}


STUDY = NestedHouseholds()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
