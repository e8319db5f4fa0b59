"""Couples with the same education in the nested mixture, for the whole file, for ages by decade and without ages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from synthlab._typing import RngLike
from synthlab.crosscheck.nested_households import HEAD, PARTNER, RULES, households, model
from synthlab.units import Difference, UnitRules

VARIANTS = ("age in groups of two years", "age by decade", "without age")
HOUSEHOLD_CLASSES, MEMBER_CLASSES = 20, 10
EDUCATION = "educ"
GROUPS = 5  # groups of two years in a decade


def couples(frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the education of heads with a partner, and of their partners."""
    head, partner = (frame[frame["relation"] == r].set_index("hhid")[EDUCATION].astype(int) for r in (HEAD, PARTNER))
    return head.loc[partner.index], partner


def same(frame: pd.DataFrame) -> float:
    """Return the share of couples with the same education."""
    head, partner = couples(frame)
    return float((head == partner).mean())


def independent(frame: pd.DataFrame) -> float:
    """Return the share of couples with the same education if heads and partners were paired at random."""
    head, partner = (one.value_counts(normalize=True) for one in couples(frame))
    return float(head.mul(partner, fill_value=0.0).sum())


def variant(name: str, number: int) -> tuple[pd.DataFrame, Any]:
    """Return the households and the model of a variant; rules about ages are only in the first one."""
    frame, spec = (
        households(number),
        replace(model("joint"), household_classes=HOUSEHOLD_CLASSES, member_classes=MEMBER_CLASSES),
    )
    if name == VARIANTS[0]:
        return frame, spec
    spec = replace(
        spec, rules=UnitRules([one for one in RULES.rules if not isinstance(one, Difference)]), constraints=()
    )
    if name == VARIANTS[1]:
        return frame.assign(age=(frame["age"] - 1) // GROUPS), spec
    return frame.drop(columns="age"), spec


def shares(name: str, size: Mapping[str, Any], rng: RngLike) -> dict[str, float]:
    """Return the shares of couples with the same education: confidential, of independent partners, and synthetic."""
    frame, spec = variant(name, size["households"])
    fitted = spec.fit(frame, rng=rng, chains=1, tune=size["tune"], draws=size["draws"])
    made = fitted.generate(m=size["draws"], rng=rng)
    mean = float(pd.Series([same(one) for one in made]).mean())
    return {"confidential": same(frame), "independent": independent(frame), "synthetic": mean}
