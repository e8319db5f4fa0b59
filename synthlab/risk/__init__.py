"""Disclosure risk: what an intruder who knows something could learn from a release."""

from __future__ import annotations

from synthlab.risk.expected_identification_probability import expected_identification_probability
from synthlab.risk.identification import IdentificationRiskResult, identification_risk
from synthlab.risk.identification_probability import IdentificationProbabilityResult, identification_probability

__all__ = [
    "IdentificationProbabilityResult",
    "IdentificationRiskResult",
    "expected_identification_probability",
    "identification_probability",
    "identification_risk",
]
