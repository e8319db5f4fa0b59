"""Utility: what a user of the release can still learn, globally and for one analysis."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
