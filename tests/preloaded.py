"""The large libraries of the notebooks, imported as in a kernel: pandas asks, when it is imported, whether it is in one."""

# ruff: noqa: E402
import builtins
from types import SimpleNamespace

builtins.get_ipython = lambda: SimpleNamespace(kernel=True)  # type: ignore[attr-defined]
try:
    import pandas
finally:
    del builtins.get_ipython  # type: ignore[attr-defined]
import ipykernel.kernelapp
import ipywidgets
import matplotlib.pyplot
import numba
import pymc
import scipy.stats
import statsmodels.api

__all__ = ["ipykernel", "ipywidgets", "matplotlib", "numba", "pandas", "pymc", "scipy", "statsmodels"]
