"""Interactive controls for the lectures.

For each explorer, there is a function that computes its result and a function that draws the result with a description.
The explorer connects them to number boxes, drop-down lists and checkboxes.
"""

from __future__ import annotations

from synthlab.teaching.widgets._disclosure_choices import three_knobs, three_knobs_explorer, three_knobs_figure
from synthlab.teaching.widgets._gaf_parameters import TwoDials, two_dials, two_dials_explorer, two_dials_figure
from synthlab.teaching.widgets._laplace_noise import (
    LaplaceNoise,
    laplace_noise,
    laplace_noise_explorer,
    laplace_noise_figure,
)
from synthlab.teaching.widgets.agency import Agency
from synthlab.teaching.widgets.combined_interval import (
    combined_interval_explorer,
    combined_interval_figure,
    first_datasets,
)
from synthlab.teaching.widgets.matching import match_risk_by_radius, match_risk_explorer, match_risk_figure
from synthlab.teaching.widgets.one_record import (
    BETTY,
    OneRecordProbability,
    one_record_explorer,
    one_record_figure,
    one_record_probability,
)
from synthlab.teaching.widgets.partly_synthetic import pmse_by_share, pmse_explorer, pmse_figure
from synthlab.teaching.widgets.uniques import (
    UniqueRecords,
    unique_records,
    unique_records_explorer,
    unique_records_figure,
)

__all__ = [
    "BETTY",
    "Agency",
    "LaplaceNoise",
    "OneRecordProbability",
    "TwoDials",
    "UniqueRecords",
    "combined_interval_explorer",
    "combined_interval_figure",
    "first_datasets",
    "laplace_noise",
    "laplace_noise_explorer",
    "laplace_noise_figure",
    "match_risk_by_radius",
    "match_risk_explorer",
    "match_risk_figure",
    "one_record_explorer",
    "one_record_figure",
    "one_record_probability",
    "pmse_by_share",
    "pmse_explorer",
    "pmse_figure",
    "three_knobs",
    "three_knobs_explorer",
    "three_knobs_figure",
    "two_dials",
    "two_dials_explorer",
    "two_dials_figure",
    "unique_records",
    "unique_records_explorer",
    "unique_records_figure",
]
