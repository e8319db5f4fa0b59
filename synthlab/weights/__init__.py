"""Record weights that reduce the influence of risky records on a synthesizer, and weights from pairs of a survey."""

from __future__ import annotations

from synthlab.weights._risk_weights import RiskWeights, risk_weights
from synthlab.weights._scale_and_shift import scale_and_shift
from synthlab.weights._whack_a_mole import WhackAMoleResult, whack_a_mole
from synthlab.weights.bound_size import BoundBySize, bound_by_size
from synthlab.weights.clipped import ClippedEpsilon
from synthlab.weights.composition import total_epsilon
from synthlab.weights.divergence import DivergenceResult, leave_one_out_divergence
from synthlab.weights.epsilon import EpsilonResult, achieved_epsilon, exponential_mechanism_weight
from synthlab.weights.lipschitz import LipschitzWeights, lipschitz_weights
from synthlab.weights.matched_bound import MatchedWeight, match_lipschitz_bound
from synthlab.weights.pairwise_inclusion import joint_inclusion, pairwise_inclusion_weights
from synthlab.weights.policy import PolicyFrontier, policy_frontier
from synthlab.weights.pseudo_posterior import FittedMechanism, PseudoPosteriorMechanism
from synthlab.weights.reweighting import reweighted
from synthlab.weights.scalar_mechanism import ScalarWeightMechanism
from synthlab.weights.synthetic_strata import synthetic_stratum_weights

__all__ = [
    "BoundBySize",
    "ClippedEpsilon",
    "DivergenceResult",
    "EpsilonResult",
    "FittedMechanism",
    "LipschitzWeights",
    "MatchedWeight",
    "PolicyFrontier",
    "PseudoPosteriorMechanism",
    "RiskWeights",
    "ScalarWeightMechanism",
    "WhackAMoleResult",
    "achieved_epsilon",
    "bound_by_size",
    "exponential_mechanism_weight",
    "joint_inclusion",
    "leave_one_out_divergence",
    "lipschitz_weights",
    "match_lipschitz_bound",
    "pairwise_inclusion_weights",
    "policy_frontier",
    "reweighted",
    "risk_weights",
    "scale_and_shift",
    "synthetic_stratum_weights",
    "total_epsilon",
    "whack_a_mole",
]
