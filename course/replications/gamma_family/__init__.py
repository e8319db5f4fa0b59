"""The gamma family for contingency tables (Jackson, Mitra, Francis and Dove)."""

from replications.gamma_family.study import (
    STUDY,
    GammaFamilyResult,
    recorded,
    run,
    summary,
)

__all__ = ["STUDY", "GammaFamilyResult", "recorded", "run", "summary"]
