"""Utility measures for releases, global and for specific analyses."""

from synthlab._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
