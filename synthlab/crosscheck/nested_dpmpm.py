"""Nested Dirichlet process mixture for households compared with NestedCategBayesImpute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab.crosscheck._check import Row
from synthlab.r import Reference
from synthlab.synthesizers import AllowedCombinations, NestedDPMPM
from synthlab.units import AtMostOne, Difference, Different, ExactlyOne, UnitRules

HOUSEHOLDS = 300
SIZES = (2, 3, 4)
ADULT = 16
HEAD, PARTNER, CHILD = "head", "partner", "child"
RELATIONS = (HEAD, PARTNER, CHILD)
RULES = UnitRules(
    [
        ExactlyOne("relation", HEAD),
        AtMostOne("relation", PARTNER),
        Different("sex", HEAD, PARTNER),
        Difference("age", older=HEAD, younger=PARTNER, at_least=-49),
        Difference("age", older=PARTNER, younger=HEAD, at_least=-49),
        Difference("age", older=HEAD, younger=CHILD, at_least=7),
    ]
)


def households() -> pd.DataFrame:
    """Return the households of the script of R, with its codes of age."""
    people = datasets.load("households").frame
    people = people.assign(relation=people["relation"].astype(str), age=people["age"] + 1)
    sexes = [people[people["relation"] == r].set_index("hhid")["sex"].astype(str) for r in (HEAD, PARTNER)]
    both = pd.concat(sexes, axis=1, join="inner")
    apart = {*both.index[both.iloc[:, 0] == both.iloc[:, 1]], *people.loc[~people["relation"].isin(RELATIONS), "hhid"]}
    chosen = people[people["hhsize"].isin(SIZES) & ~people["hhid"].isin(apart)]
    chosen = chosen[chosen["hhid"].isin(np.sort(chosen["hhid"].unique())[:HOUSEHOLDS])]
    chosen = chosen.assign(works=chosen["status"] == "working")
    return chosen[["hhid", "sex", "educ", "works", "age", "relation", "tenure"]].reset_index(drop=True)


def statistics(frame: pd.DataFrame) -> dict[str, float]:
    """Return the statistics of the script of R for one dataset."""
    units = frame.groupby("hhid")
    size = units.size()
    same = units["educ"].nunique() == 1
    children = (frame["relation"] == CHILD).groupby(frame["hhid"]).sum()
    ages = [frame[frame["relation"] == r].set_index("hhid")["age"] for r in (HEAD, PARTNER)]
    couples = pd.concat(ages, axis=1, join="inner").to_numpy(dtype=float)
    gap = couples[:, 0] - couples[:, 1]
    return {
        **{f"same education in size {s}": float(same[size == s].mean()) for s in SIZES},
        "couples": len(couples) / len(size),
        "mean age difference of couples": float(gap.mean()),
        "mean absolute age difference of couples": float(np.abs(gap).mean()),
        **{f"households with children {k}": float((children == k).mean()) for k in range(4)},
        "mean age of children": float(frame.loc[frame["relation"] == CHILD, "age"].mean()),
    }


def compared(draws: int, head: str, tune: int = 500) -> dict[str, float]:
    """Return the statistics of our synthetic datasets and the shares of impossible households."""
    file = households()
    pairs = [(r, a) for r in RELATIONS for a in sorted(file["age"].unique()) if r == CHILD or a >= ADULT]
    model = NestedDPMPM(
        "hhid",
        unit_variables="tenure",
        rules=RULES,
        head=head,
        household_classes=8,
        member_classes=5,
        constraints=[AllowedCombinations(["relation", "age"], pairs)],
    )
    fitted = model.fit(file, rng=1, chains=2, tune=tune, draws=draws)
    made = pd.DataFrame([statistics(frame) for frame in fitted.generate(m=min(2 * draws, 300), rng=2)])
    share = {f"impossible in size {size}": float(mean) for size, mean in fitted.impossible["mean"].items()}
    return share | made.mean().to_dict()


def within_households(answer: Reference) -> Iterator[Row]:
    """Yield one row per statistic and place of the head, in units of its tolerance."""
    for head, table in answer.table.groupby("head"):
        ours = compared(300, str(head))
        chains = table[["chain_1", "chain_2"]].to_numpy(dtype=float)
        names = table["statistic"].tolist()
        theirs = chains.mean(axis=1)
        years = np.array(["age" in name for name in names])
        for what, rows in (("shares of households", ~years), ("ages within households", years)):
            found = np.array([ours[name] for name in names])[rows]
            quantity = "years of two samplers" if what.startswith("ages") else "households of two samplers"
            yield Row(what, f"head as {head}, {HOUSEHOLDS} households", found, theirs[rows], quantity)
