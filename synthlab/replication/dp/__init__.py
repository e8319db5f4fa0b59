"""The Bayesian pseudo posterior mechanism (Savitsky, Williams and Hu)."""

from synthlab.replication.dp.study import STUDY, DPResult, page, recorded, run, summary

__all__ = ["STUDY", "DPResult", "page", "recorded", "run", "summary"]
