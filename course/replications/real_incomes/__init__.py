"""Risk weights and the weighted mechanism on real incomes, next to the stand-in data.

`recorded` returns the recorded results, `run` computes them again.
"""

from replications.real_incomes.study import STUDY, RealIncomesResult, recorded, run, summary

__all__ = ["STUDY", "RealIncomesResult", "recorded", "run", "summary"]
