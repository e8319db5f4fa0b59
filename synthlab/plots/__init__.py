"""Figures of results. Every function takes a result and returns matplotlib Axes.

The functions compute nothing. Matplotlib is imported only when a figure is drawn, and only by this package.
"""

from synthlab._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
