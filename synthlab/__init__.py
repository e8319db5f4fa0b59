"""synthlab: synthetic survey data and their disclosure risk.

The public names are loaded on first use, so that ``import synthlab`` is quick and loads no
plotting, sampling or R library.
"""

from synthlab._lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__)
