"""Risk-efficient data synthesis (Hu, Savitsky and Williams)."""

from replications.risk_weighted.study import STUDY, RiskWeightedResult, recorded, run, summary

__all__ = ["STUDY", "RiskWeightedResult", "recorded", "run", "summary"]
