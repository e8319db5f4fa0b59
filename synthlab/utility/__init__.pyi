from ._combined import CombinedResult as CombinedResult
from ._prediction import (
    PredictionUtilityResult as PredictionUtilityResult,
    prediction_utility as prediction_utility,
)
from ._propensity_result import PmseResult as PmseResult
from ._survey_result import SurveyResult as SurveyResult
from .analysis import (
    AnalysisUtilityResult as AnalysisUtilityResult,
    analysis_utility as analysis_utility,
)
from .bootstrap import (
    BootstrapResult as BootstrapResult,
    bootstrap_statistic as bootstrap_statistic,
)
from .cluster import (
    ClusterUtilityResult as ClusterUtilityResult,
    cluster_utility as cluster_utility,
)
from .combining import (
    combine_full as combine_full,
    combine_nested as combine_nested,
    combine_partial as combine_partial,
)
from .combining_populations import combine_pseudo_populations as combine_pseudo_populations
from .differences import (
    ColumnDifferencesResult as ColumnDifferencesResult,
    column_differences as column_differences,
)
from .ecdf import (
    EcdfUtilityResult as EcdfUtilityResult,
    ecdf_utility as ecdf_utility,
)
from .intervals import (
    IntervalOverlapResult as IntervalOverlapResult,
    interval_overlap as interval_overlap,
)
from .joint_test import (
    JointTestResult as JointTestResult,
    joint_test as joint_test,
)
from .propensity import pmse as pmse
from .survey import (
    survey_mean as survey_mean,
    survey_quantile as survey_quantile,
    survey_regression as survey_regression,
    survey_total as survey_total,
)
from .tables import (
    Margin as Margin,
    TableUtilityResult as TableUtilityResult,
    table_utility as table_utility,
)
from .units import (
    UnitUtilityResult as UnitUtilityResult,
    unit_utility as unit_utility,
)
from .wasserstein import (
    BarycenterResult as BarycenterResult,
    barycenter as barycenter,
)
