"""Synthesizers: models that are fitted to confidential data and generate releases."""

from synthlab._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
