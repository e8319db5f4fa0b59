"""Risk-efficient data synthesis (Hu, Savitsky and Williams)."""

from synthlab.lab.replication.risk_weighted.study import (
    RiskWeightedResult,
    recorded,
    run,
)

__all__ = ["RiskWeightedResult", "recorded", "run"]
