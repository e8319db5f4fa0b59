"""Optional interface to R.

Importing this package does not load R or rpy2. R is detected once, in a subprocess, and started on first use. Functions that
need R raise `RUnavailableError` with the command that installs or repairs what is missing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
