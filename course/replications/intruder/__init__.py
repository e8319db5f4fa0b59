"""Identification risk in partially synthetic data (Reiter and Mitra)."""

from replications.intruder.study import STUDY, IntruderReplication, recorded, run, summary

__all__ = ["STUDY", "IntruderReplication", "recorded", "run", "summary"]
