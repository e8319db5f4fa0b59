"""Counts of a simulation study."""

from __future__ import annotations

from synthlab.datasets import _generated
from synthlab.datasets._entry import OURS, DataFile, Entry, Variable, Version

NB_MIXTURE_SOURCE = "simulation study of J. Hu, T. D. Savitsky & M. R. Williams, Risk-Efficient Bayesian Data Synthesis for Privacy Protection"

NB_MIXTURE = Entry(
    name="nb_mixture",
    title="Counts from 0.7 NB(mu 100, phi 20) + 0.3 NB(mu 100, phi 5)",
    known=(),
    sensitive=("outcome",),
    variables={"outcome": Variable(text="a count", dtype="int64")},
    versions=(
        Version(
            name="paper",
            kind="simulated",
            rows=1_000,
            source=f"{NB_MIXTURE_SOURCE}; its own values, R's set.seed(123) and MASS::rnegbin",
            licence=OURS,
            packaged=True,
            files=(
                DataFile("nb_mixture_paper.csv", "5d398d1e41359dc3d53582fc89ad8a00891f98d5f53ea8f3aff78698fcf1a579"),
            ),
            notes="Mean 100.70 and median 97.93 over bootstrap samples in table 6 of the paper.",
        ),
        Version(
            name="simulated",
            kind="simulated",
            rows=1_000,
            source=f"drawn anew as in the {NB_MIXTURE_SOURCE}",
            licence=OURS,
            make=_generated.nb_mixture,
            seeded=True,
            notes="Use rng to make the sample reproducible, and n to set its size.",
        ),
    ),
)
