"""Risk-efficient data synthesis (Hu, Savitsky and Williams)."""

from synthlab.replication.risk_weighted.study import STUDY, RiskWeightedResult, recorded, run, summary

__all__ = ["STUDY", "RiskWeightedResult", "recorded", "run", "summary"]
