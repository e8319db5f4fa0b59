"""Disclosure risk: what an intruder who knows something could learn from a release."""

from __future__ import annotations

from synthlab._knowledge import Interval, OneOf
from synthlab.risk._attack_score import AttackScoreResult, attack_score
from synthlab.risk._cap import CapResult, cap
from synthlab.risk._chosen_variables import ChosenVariablesResult, chosen_variables_risk
from synthlab.risk._closest_record import ClosestRecordResult, closest_record
from synthlab.risk._copied_variables import CopiedVariablesResult, copied_variables
from synthlab.risk._disclosive_result import AttributeDisclosureResult
from synthlab.risk._expected_identification_probability import expected_identification_probability
from synthlab.risk._identification_probability import IdentificationProbabilityResult, identification_probability
from synthlab.risk._importance import guess_posterior
from synthlab.risk._membership import membership_risk
from synthlab.risk._membership_attack import membership_attack
from synthlab.risk._membership_attack_result import MembershipAttackResult
from synthlab.risk._membership_result import MembershipResult
from synthlab.risk._near_copies import NearCopiesResult, near_copies
from synthlab.risk.attribute import AttributeRiskResult, attribute_risk
from synthlab.risk.copies import ExactCopiesResult, exact_copies
from synthlab.risk.disclosive import attribute_disclosure
from synthlab.risk.identification import IdentificationRiskResult, identification_risk
from synthlab.risk.intruder import IntruderRiskResult, intruder_risk
from synthlab.risk.linkage import LinkageResult, linkage_risk
from synthlab.risk.population import PopulationCountsResult, population_counts
from synthlab.risk.scenario import Scenario
from synthlab.risk.uniques import ReplicatedUniquesResult, replicated_uniques

__all__ = [
    "AttackScoreResult",
    "AttributeRiskResult",
    "CapResult",
    "ChosenVariablesResult",
    "CopiedVariablesResult",
    "ClosestRecordResult",
    "ExactCopiesResult",
    "IdentificationProbabilityResult",
    "IdentificationRiskResult",
    "Interval",
    "IntruderRiskResult",
    "LinkageResult",
    "MembershipAttackResult",
    "MembershipResult",
    "OneOf",
    "PopulationCountsResult",
    "Scenario",
    "NearCopiesResult",
    "near_copies",
    "attack_score",
    "attribute_risk",
    "cap",
    "chosen_variables_risk",
    "copied_variables",
    "AttributeDisclosureResult",
    "ReplicatedUniquesResult",
    "attribute_disclosure",
    "closest_record",
    "replicated_uniques",
    "exact_copies",
    "expected_identification_probability",
    "guess_posterior",
    "identification_probability",
    "identification_risk",
    "intruder_risk",
    "linkage_risk",
    "membership_attack",
    "membership_risk",
    "population_counts",
]
