"""Synthesis of contingency tables by count distributions (Jackson, Mitra, Francis and Dove).

The method of the paper in four steps:

>>> import numpy as np
>>> from synthlab.counts import GAF, Table, synthesize_table, tau, tune
>>> counts = np.random.default_rng(1).poisson(1.0, (20, 10, 5))
>>> table = Table.from_counts(counts, {"area": range(20), "age": range(10), "status": range(5)})
>>> family = tune(table, GAF(sigma=1, nu=-0.5), target=("tau3", 1, 0.2)).family
>>> synthetic = synthesize_table(table, family, m=10, zeros_to_ones=0.01, pseudocount=0, rng=1)
>>> tau(table, synthetic, k=[1, 2]).summary().round(2)
   k  tau1  tau2  tau3  tau4
0  1  0.15  0.39  0.20  0.53
1  2  0.10  0.17  0.26  0.44
"""

from synthlab.counts._family import CountFamily
from synthlab.counts._frontier import FrontierResult, frontier
from synthlab.counts._tau import TauResult, tau
from synthlab.counts.a_priori_loss import LossResult, expected_loss
from synthlab.counts.a_priori_tau import ExpectedTau, expected_tau
from synthlab.counts.delaporte import Delaporte
from synthlab.counts.discretized import Discretized
from synthlab.counts.gamma_family import GAF, GammaFamily
from synthlab.counts.generalized_poisson import GeneralizedPoisson
from synthlab.counts.laplace import LaplaceCount
from synthlab.counts.log_linear import LogLinearFit, fit_log_linear
from synthlab.counts.loss import SquaredLoss, mse_utility, squared_loss
from synthlab.counts.marginal_totals import TotalWithinResult, total_within
from synthlab.counts.negative_binomial import NBI
from synthlab.counts.poisson import Poisson
from synthlab.counts.poisson_inverse_gaussian import PIG
from synthlab.counts.privacy import CountPrivacy, count_delta, count_epsilon
from synthlab.counts.sichel import Sichel
from synthlab.counts.synthesis import SynthesizedTables, synthesize_table
from synthlab.counts.table import Table
from synthlab.counts.transitions import size_transitions
from synthlab.counts.tuning import TuneResult, tune

__all__ = [
    "GAF",
    "NBI",
    "PIG",
    "CountFamily",
    "CountPrivacy",
    "Delaporte",
    "Discretized",
    "ExpectedTau",
    "FrontierResult",
    "GammaFamily",
    "GeneralizedPoisson",
    "LaplaceCount",
    "LogLinearFit",
    "LossResult",
    "Poisson",
    "Sichel",
    "SquaredLoss",
    "SynthesizedTables",
    "Table",
    "TauResult",
    "TotalWithinResult",
    "TuneResult",
    "count_delta",
    "count_epsilon",
    "expected_loss",
    "expected_tau",
    "fit_log_linear",
    "frontier",
    "mse_utility",
    "size_transitions",
    "squared_loss",
    "synthesize_table",
    "tau",
    "total_within",
    "tune",
]
