from ._attribution import (
    CapResult as CapResult,
    cap as cap,
)
from ._copies import (
    exact_copies as exact_copies,
    replicated_uniques as replicated_uniques,
)
from ._disclosure import (
    AttributeDisclosureResult as AttributeDisclosureResult,
    attribute_disclosure as attribute_disclosure,
)
from ._identification import (
    IdentificationRiskResult as IdentificationRiskResult,
    identification_risk as identification_risk,
)
from ._probability import (
    IdentificationProbabilityResult as IdentificationProbabilityResult,
    identification_probability as identification_probability,
)
from ._risk_weights import (
    RiskWeightsResult as RiskWeightsResult,
    risk_weights as risk_weights,
)
