from ._identification import (
    IdentificationRiskResult as IdentificationRiskResult,
    identification_risk as identification_risk,
)
