"""The Bayesian pseudo posterior mechanism (Savitsky, Williams and Hu)."""

from replications.dp.study import STUDY, DPResult, recorded, run, summary

__all__ = ["STUDY", "DPResult", "recorded", "run", "summary"]
