"""Figures: every function takes a result, computes nothing, and returns Axes.

The one room that imports matplotlib, and only when a figure is asked for.
"""

from __future__ import annotations
