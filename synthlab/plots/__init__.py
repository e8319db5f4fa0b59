"""Figures of results. Every function takes a result and returns matplotlib Axes.

The functions compute nothing. Matplotlib is imported only when a figure is drawn, and only by this package.
"""

from __future__ import annotations
