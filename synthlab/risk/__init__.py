"""Measures of disclosure risk: identification, attribute, membership, copies."""

from __future__ import annotations

from synthlab.intruder import Interval, OneOf
from synthlab.risk.attribute._disclosure_result import AttributeDisclosureResult
from synthlab.risk.attribute.attribute_disclosure import attribute_disclosure
from synthlab.risk.attribute.attribute_risk import AttributeRiskResult, attribute_risk
from synthlab.risk.attribute.cap import CapResult, cap
from synthlab.risk.attribute.guess_posterior import guess_posterior
from synthlab.risk.attribute.learned_attack import LearnedAttackResult, learned_attack
from synthlab.risk.copies.closest_record import ClosestRecordResult, closest_record
from synthlab.risk.copies.copied_people import CopiedPeopleResult, copied_people
from synthlab.risk.copies.copied_units import CopiedUnitsResult, copied_units
from synthlab.risk.copies.exact_copies import ExactCopiesResult, exact_copies
from synthlab.risk.copies.identifying_values import IdentifyingValuesResult, identifying_values
from synthlab.risk.copies.near_copies import NearCopiesResult, near_copies
from synthlab.risk.copies.near_units import NearUnitsResult, near_units
from synthlab.risk.copies.planted_copies import PlantedCopiesResult, planted_copies
from synthlab.risk.identification.chosen_variables import ChosenVariablesResult, chosen_variables_risk
from synthlab.risk.identification.expected_identification_probability import expected_identification_probability
from synthlab.risk.identification.identification_probability import (
    IdentificationProbabilityResult,
    identification_probability,
)
from synthlab.risk.identification.identification_risk import IdentificationRiskResult, identification_risk
from synthlab.risk.identification.replicated_uniques import ReplicatedUniquesResult, replicated_uniques
from synthlab.risk.identification.unit_risk import MatchOutcomes, UnitRiskResult, unit_risk
from synthlab.risk.linkage.attack_score import AttackScoreResult, attack_score
from synthlab.risk.linkage.linkage_risk import LinkageResult, linkage_risk
from synthlab.risk.membership._membership_result import MembershipResult
from synthlab.risk.membership.membership_risk import membership_risk
from synthlab.risk.population.population_counts import PopulationCountsResult, population_counts
from synthlab.risk.posterior.intruder_risk import IntruderRiskResult, intruder_risk
from synthlab.risk.posterior.rare_combinations import RareCombinations
from synthlab.risk.posterior.released_information import ReleasedInformation

__all__ = [
    "MatchOutcomes",
    "UnitRiskResult",
    "unit_risk",
    "AttackScoreResult",
    "AttributeRiskResult",
    "CapResult",
    "ChosenVariablesResult",
    "CopiedPeopleResult",
    "CopiedUnitsResult",
    "ClosestRecordResult",
    "ExactCopiesResult",
    "IdentificationProbabilityResult",
    "IdentificationRiskResult",
    "IdentifyingValuesResult",
    "Interval",
    "IntruderRiskResult",
    "LearnedAttackResult",
    "LinkageResult",
    "MembershipResult",
    "OneOf",
    "PopulationCountsResult",
    "RareCombinations",
    "ReleasedInformation",
    "NearCopiesResult",
    "NearUnitsResult",
    "near_copies",
    "near_units",
    "PlantedCopiesResult",
    "planted_copies",
    "attack_score",
    "attribute_risk",
    "cap",
    "chosen_variables_risk",
    "copied_people",
    "copied_units",
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
    "identifying_values",
    "intruder_risk",
    "learned_attack",
    "linkage_risk",
    "membership_risk",
    "population_counts",
]
