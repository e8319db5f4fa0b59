"""Optional interface to R.

Importing this package does not load R or rpy2. R is detected once, in a subprocess, and started on first use. Functions that
need R raise `RUnavailableError` with the command that installs or repairs what is missing.
"""

from synthlab._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
