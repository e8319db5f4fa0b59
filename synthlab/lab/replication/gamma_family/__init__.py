"""The gamma family for contingency tables (Jackson, Mitra, Francis and Dove)."""

from synthlab.lab.replication.gamma_family.study import (
    GammaFamilyResult,
    compute_gamma_family,
    recorded,
    run,
)

__all__ = ["GammaFamilyResult", "compute_gamma_family", "recorded", "run"]
