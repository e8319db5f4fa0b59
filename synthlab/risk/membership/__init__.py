"""Measures of membership disclosure."""
