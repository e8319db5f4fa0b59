"""The settings of the gamma family replication: the paper's twelve, and what goes beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import synthlab.counts as slc

PAPER = "Jackson, Mitra, Francis & Dove"
SIGMAS, NUS = (0.5, 1.0, 2.0), (0.0, -0.25, -0.5)
TWO_WAY = "(GEOGRAPHY + ETHNICITY + SEX + AGE + LANGUAGE)**2"


def label_of(family: str, sigma: float, nu: float | None = None) -> str:
    """Return the label of a setting of the paper."""
    return f"{family}(sigma = {sigma:g}" + ("" if nu is None else f", nu = {nu:g}") + ")"


# Figures 3 to 5: what the gamma family is shown with, and beside. The text of section 4.3 has NBI with sigma = 0.5 where
# the captions have sigma = 2.
FLAT, SHOWN = label_of("GAF", 2.0, 0.0), label_of("GAF", 2.0, -0.5)
RIVAL, TEXT_RIVAL = label_of("NBI", 2.0), label_of("NBI", 0.5)


class Zeros(TypedDict):
    """The arguments of the metrics and of `synthesize_table` that speak of zeros."""

    pseudocount: float
    zeros_to_ones: float


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to synthesize the table.

    Attributes
    ----------
    group : str
        What the setting is drawn as on the map.
    family : CountFamily
        The distribution.
    pseudocount, zeros_to_ones : float
        What is done to the zeros; by default as in the paper.
    fit : LogLinearFit or None
        Whose means are synthesized around; None: the counts themselves, the saturated model.
    note : str
        Added to the label of the family.
    """

    group: str
    family: slc.CountFamily
    pseudocount: float = 0.01
    zeros_to_ones: float = 0.0
    fit: slc.LogLinearFit | None = None
    note: str = ""

    @property
    def label(self) -> str:
        """Name of the setting in tables."""
        return self.family.label + (f", {self.note}" if self.note else "")

    @property
    def zeros(self) -> Zeros:
        """The treatment of the zeros."""
        return Zeros(pseudocount=self.pseudocount, zeros_to_ones=self.zeros_to_ones)


def paper_settings() -> list[Setting]:
    """Return the nine GAF and three NBI settings of section 4.2."""
    gaf = [Setting("GAF", slc.GAF(sigma=sigma, nu=nu)) for sigma in SIGMAS for nu in NUS]
    return gaf + [Setting("NBI", slc.NBI(sigma=sigma)) for sigma in SIGMAS]


def repaired_settings(ones: Sequence[float]) -> list[Setting]:
    """Return the gamma family with a Bernoulli draw for the zeros in place of the pseudocount."""
    family = slc.GAF(sigma=2.0, nu=-0.5)
    return [
        Setting("GAF + ones", family, pseudocount=0.0, zeros_to_ones=q, note=f"{q:g} of zeros to ones") for q in ones
    ]


def laplace_settings(epsilons: Sequence[float]) -> list[Setting]:
    """Return Laplace noise: a person more or less changes one count by one, so the whole table costs epsilon."""
    return [Setting("Laplace", slc.LaplaceCount(epsilon=epsilon), pseudocount=0.0) for epsilon in epsilons]


def bare_settings() -> list[Setting]:
    """Return three of the paper's settings with the pseudocount left out: how much of the damage is its doing."""
    families = (slc.GAF(sigma=0.5, nu=0.0), slc.GAF(sigma=2.0, nu=-0.5), slc.NBI(sigma=2.0))
    return [Setting("no pseudocount", family, pseudocount=0.0, note="no pseudocount") for family in families]


def two_way_settings(fit: slc.LogLinearFit) -> list[Setting]:
    """Return the two families around the means of the all-two-way model."""
    families = (slc.GAF(sigma=2.0, nu=-0.5), slc.NBI(sigma=2.0))
    return [Setting("two-way means", family, fit=fit, note="two-way means") for family in families]
