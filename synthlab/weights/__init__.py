"""Record weights: disclosure risk turned into how much each record may inform a synthesizer."""

from __future__ import annotations

from synthlab.weights.policy import PolicyFrontier, policy_frontier
from synthlab.weights.risk_weights import risk_weights
from synthlab.weights.scale_and_shift import scale_and_shift
from synthlab.weights.whack_a_mole import WhackAMoleResult, whack_a_mole

__all__ = [
    "PolicyFrontier",
    "WhackAMoleResult",
    "policy_frontier",
    "risk_weights",
    "scale_and_shift",
    "whack_a_mole",
]
