"""Synthesizers: models that are fitted to confidential data and generate releases."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
