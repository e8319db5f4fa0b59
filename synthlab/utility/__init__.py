"""Utility: what a user of the release can still learn, globally and for one analysis."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthlab.utility._combined import CombinedResult
    from synthlab.utility._propensity_result import PmseResult
    from synthlab.utility.analysis import AnalysisUtilityResult, analysis_utility
    from synthlab.utility.bootstrap import BootstrapResult, bootstrap_statistic
    from synthlab.utility.cluster import ClusterUtilityResult, cluster_utility
    from synthlab.utility.combining import combine_full, combine_partial
    from synthlab.utility.ecdf import EcdfUtilityResult, ecdf_utility
    from synthlab.utility.intervals import IntervalOverlapResult, interval_overlap
    from synthlab.utility.propensity import pmse
    from synthlab.utility.tables import Margin, TableUtilityResult, table_utility
    from synthlab.utility.wasserstein import BarycenterResult, barycenter

_HOME = {
    "AnalysisUtilityResult": "analysis",
    "BarycenterResult": "wasserstein",
    "BootstrapResult": "bootstrap",
    "ClusterUtilityResult": "cluster",
    "CombinedResult": "_combined",
    "EcdfUtilityResult": "ecdf",
    "IntervalOverlapResult": "intervals",
    "Margin": "tables",
    "PmseResult": "_propensity_result",
    "TableUtilityResult": "tables",
    "analysis_utility": "analysis",
    "barycenter": "wasserstein",
    "bootstrap_statistic": "bootstrap",
    "cluster_utility": "cluster",
    "combine_full": "combining",
    "combine_partial": "combining",
    "ecdf_utility": "ecdf",
    "interval_overlap": "intervals",
    "pmse": "propensity",
    "table_utility": "tables",
}

__all__ = [
    "AnalysisUtilityResult",
    "BarycenterResult",
    "BootstrapResult",
    "ClusterUtilityResult",
    "CombinedResult",
    "EcdfUtilityResult",
    "IntervalOverlapResult",
    "Margin",
    "PmseResult",
    "TableUtilityResult",
    "analysis_utility",
    "barycenter",
    "bootstrap_statistic",
    "cluster_utility",
    "combine_full",
    "combine_partial",
    "ecdf_utility",
    "interval_overlap",
    "pmse",
    "table_utility",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
