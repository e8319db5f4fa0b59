"""Nested Dirichlet process mixture for households compared with NestedCategBayesImpute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab._typing import RngLike
from synthlab.crosscheck._check import Row
from synthlab.r import Reference
from synthlab.synthesizers import AllowedCombinations, NestedDPMPM
from synthlab.units import AtMostOne, Difference, Different, ExactlyOne, UnitRules

HOUSEHOLDS, SIZES = 150, (2, 3)
OLDEST, ADULT, GAP = 42, 16, 7  # in groups of two years
HEAD, PARTNER, CHILD = "head", "partner", "child"
RULES = UnitRules(
    [
        ExactlyOne("relation", HEAD),
        AtMostOne("relation", PARTNER),
        Different("sex", HEAD, PARTNER),
        Difference("age", older=HEAD, younger=CHILD, at_least=GAP),
    ]
)
CHAINS, TUNE, DRAWS, THIN = 4, 200, 100, 10


def households(number: int = HOUSEHOLDS) -> pd.DataFrame:
    """Return the first `number` households without other members, with age in groups of two years; 150 are in the R script."""
    people = datasets.load("households").frame
    people = people.assign(
        relation=people["relation"].astype(str),
        sex=people["sex"].astype(str),
        age=people["age"] // 2 + 1,
        works=people["status"] == "working",
    )
    heads = people[people["relation"] == HEAD].set_index("hhid").loc[people["hhid"]]
    of_head = {c: heads[c].to_numpy() for c in ("age", "sex")}
    child, partner = people["relation"] == CHILD, people["relation"] == PARTNER
    excluded = (
        ~people["hhsize"].isin(SIZES)
        | ~people["relation"].isin((HEAD, PARTNER, CHILD))
        | (people["age"] > OLDEST)
        | (~child & (people["age"] < ADULT))
        | (partner & (people["sex"] == of_head["sex"]))
        | (child & (of_head["age"] - people["age"] < GAP))
    )
    chosen = people[~people["hhid"].isin(people.loc[excluded, "hhid"])]
    chosen = chosen[chosen["hhid"].isin(np.sort(chosen["hhid"].unique())[:number])]
    return chosen[["hhid", "sex", "educ", "works", "age", "relation", "tenure"]].reset_index(drop=True)


def statistics(frame: pd.DataFrame) -> dict[str, float]:
    """Return the statistics of the R script for one dataset."""
    size = frame.groupby("hhid").size()
    same = frame.groupby("hhid")["educ"].nunique() == 1
    children = (frame["relation"] == CHILD).groupby(frame["hhid"]).sum()
    head, partner = (frame[frame["relation"] == r].set_index("hhid") for r in (HEAD, PARTNER))
    of_partner, owner = head.loc[partner.index], head["tenure"].astype(str) == "owner"
    child = frame[frame["relation"] == CHILD]
    return {
        **{f"same education in size {s}": float(same[size == s].mean()) for s in SIZES},
        **{f"owners in size {s}": float(owner[size.loc[owner.index] == s].mean()) for s in SIZES},
        "couples": len(partner) / len(head),
        "couples with the same education": float(
            (of_partner["educ"].astype(int) == partner["educ"].astype(int)).mean()
        ),
        "couples who both work": float((of_partner["works"] & partner["works"]).mean()),
        **{f"households with children {k}": float((children == k).mean()) for k in range(3)},
        "women among heads": float((head["sex"] == "female").mean()),
        "working children": float(child["works"].mean()),
        "working heads": float(head["works"].mean()),
        "mean age of heads": float(head["age"].mean()),
        "mean age of children": float(child["age"].mean()),
        "mean absolute age difference of couples": float((of_partner["age"] - partner["age"]).abs().mean()),
    }


def model(augmentation: str) -> NestedDPMPM:
    """Return the model, with the rules of the package for heads, partners and children."""
    pairs = [(r, a) for r in (HEAD, PARTNER, CHILD) for a in range(1, OLDEST + 1) if r == CHILD or a >= ADULT]
    return NestedDPMPM(
        "hhid",
        unit_variables="tenure",
        rules=RULES,
        household_classes=4,
        member_classes=3,
        thin=THIN,
        augmentation=augmentation,
        constraints=[AllowedCombinations(["relation", "age"], pairs)],
    )


def sampled(file: pd.DataFrame, rng: RngLike, augmentation: str = "by size", chains: int = CHAINS) -> pd.DataFrame:
    """Return the statistics of each chain of `NestedDPMPM`, one column per chain."""
    fitted = model(augmentation).fit(file, rng=rng, chains=chains, tune=TUNE, draws=DRAWS)
    number = np.array([(fitted.size == s).sum() for s in SIZES])
    found = {}
    for chain in range(chains):
        added = fitted.kept.impossible[chain]
        shares = (added / (added + number)).mean(axis=0)
        made = fitted._with_draws(np.arange(chain * DRAWS, (chain + 1) * DRAWS)).generate(m=DRAWS, rng=rng)
        means = pd.DataFrame([statistics(frame) for frame in made]).mean()
        found[chain] = {
            f"impossible in size {s}": share for s, share in zip(SIZES, shares, strict=True)
        } | means.to_dict()
    return pd.DataFrame(found)


def within_households(answer: Reference) -> Iterator[Row]:
    """Yield the rows of shares and of ages."""
    table = answer.table.set_index("statistic")
    theirs = table.filter(like="chain_").mean(axis=1)
    ours = sampled(households(), rng=1).mean(axis=1).loc[theirs.index]
    ages = theirs.index.str.contains(" age ")
    case = f"{HOUSEHOLDS} households of {SIZES[0]} or {SIZES[1]} members, corrected package"
    for what, rows, quantity in (
        ("shares within households", ~ages, "households of two samplers"),
        ("ages within households", ages, "ages of two samplers"),
    ):
        yield Row(what, case, ours[rows], theirs[rows], quantity)
