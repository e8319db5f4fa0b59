"""Identification risk in partially synthetic data (Reiter and Mitra)."""

from synthlab.lab.replication.intruder.study import IntruderReplication, recorded, run

__all__ = ["IntruderReplication", "recorded", "run"]
