"""R, where it is there: probed once in a subprocess, started on first use, never needed.

Nothing of R or rpy2 is loaded by importing this room. Each function that needs R raises
`RUnavailableError` with the command that mends what is missing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
