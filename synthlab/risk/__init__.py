"""Disclosure risk: what an intruder who knows something could learn from a release."""

from __future__ import annotations

from synthlab.risk.cap import CapResult, cap
from synthlab.risk.expected_identification_probability import expected_identification_probability
from synthlab.risk.identification import IdentificationRiskResult, identification_risk
from synthlab.risk.identification_probability import IdentificationProbabilityResult, identification_probability
from synthlab.risk.intruder import IntruderRiskResult, intruder_risk
from synthlab.risk.linkage import LinkageResult, linkage_risk
from synthlab.risk.scenario import Interval, OneOf, Scenario

__all__ = [
    "CapResult",
    "IdentificationProbabilityResult",
    "IdentificationRiskResult",
    "Interval",
    "IntruderRiskResult",
    "LinkageResult",
    "OneOf",
    "Scenario",
    "cap",
    "expected_identification_probability",
    "identification_probability",
    "identification_risk",
    "intruder_risk",
    "linkage_risk",
]
