"""The Bayesian pseudo posterior mechanism (Savitsky, Williams and Hu)."""

from synthlab.lab.replication.dp.study import DPResult, recorded, run

__all__ = ["DPResult", "recorded", "run"]
